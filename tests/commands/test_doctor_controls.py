"""``companion doctor``: the host presses the buttons and looks at the lights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from threading import Timer

import pytest

from companion.bootstrap.devices import Simulation
from companion.bootstrap.readiness import controls
from companion.bootstrap.readiness.controls import control_checks
from companion.config.controls import Button, Controls, Light, LightKind, Place
from companion.config.table import TableConfig
from hardware.lights.patterns import BLUE, GREEN, RED, Colour
from hardware.simulated.pins import SimulatedControls
from tests.hardware.wired import until

WIRED = TableConfig(
    "chew",
    ("Anna", "Bo"),
    controls=Controls(
        tuple(Place((Button(pin),), Light(LightKind.SINGLE, (pin + 1,))) for pin in (4, 22)),
    ),
)


@pytest.fixture
def pins() -> Iterator[SimulatedControls]:
    with SimulatedControls(WIRED.controls) as made:
        yield made


def test_every_button_is_pressed_and_every_light_seen(pins: SimulatedControls) -> None:
    def tell(text: str) -> None:
        pins.press(1 if text.startswith("Anna") else 2, 1)

    found = list(control_checks(WIRED, tell, lambda _: "y", Simulation(pins.pins)))
    assert [(who, check.what, check.fine) for who, check in found] == [
        ("Anna", "button 1", True),
        ("Anna", "light", True),
        ("Bo", "button 1", True),
        ("Bo", "light", True),
    ]
    assert "heard; 1 press" in found[0][1].says


def test_the_wrong_button_a_dead_one_and_a_dark_light_are_told_of(
    pins: SimulatedControls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls, "PRESS_TIMEOUT_S", 0.3)

    def tell(text: str) -> None:
        if text.startswith("Anna"):
            pins.press(2, 1)

    found = [check for _, check in control_checks(WIRED, tell, lambda _: "no", Simulation(pins.pins))]
    assert [check.says for check in found] == [
        "that was seat 2, button 1",
        "not seen",
        "not heard within 0 s",
        "not seen",
    ]
    assert all(check.mend for check in found)


def test_where_nobody_is_asked_a_button_that_is_held_is_still_found(pins: SimulatedControls) -> None:
    pins.hold(2, 1)
    found = list(control_checks(WIRED, print, None, Simulation(pins.pins)))
    assert [(who, check.fine) for who, check in found] == [("table", False), ("seat 2", False)]


def test_a_button_that_is_pressed_just_then_is_not_held(pins: SimulatedControls) -> None:
    pins.hold(2, 1)
    Timer(0.3, pins.release, (2, 1)).start()
    found = list(control_checks(WIRED, print, None, Simulation(pins.pins)))
    assert [(who, check.fine) for who, check in found] == [("table", None)]


def test_a_button_that_is_closed_until_it_is_pressed_is_told_of(
    pins: SimulatedControls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls, "HELD_S", 0.1)
    pins.hold(1, 1)
    found = list(control_checks(WIRED, lambda _: pins.press(2, 1), lambda _: "y", Simulation(pins.pins)))
    assert [(who, check.what, check.fine) for who, check in found] == [
        ("seat 1", "button 1", False),
        ("Anna", "light", True),
        ("Bo", "button 1", True),
        ("Bo", "light", True),
    ]
    assert "normally open" in found[0][1].mend


def test_a_button_that_calls_by_a_long_press_alone_is_heard_at_a_short_one(pins: SimulatedControls) -> None:
    long = replace(WIRED, controls=Controls((Place((Button(4, long=("done",)),)),)))
    found = list(control_checks(long, lambda _: pins.press(1, 1), str, Simulation(pins.pins)))
    assert [(check.what, check.fine) for _, check in found] == [("button 1", True)]


def test_an_rgb_light_is_looked_at_in_each_colour() -> None:
    rgb = replace(WIRED, controls=Controls((Place(light=Light(LightKind.RGB, (5, 6, 13))),)))
    shown: list[bool] = []
    with SimulatedControls(rgb.controls) as made:

        def ask(_text: str) -> str:
            shown.extend(until(partial(shows, made, one)) for one in (RED, GREEN, BLUE))
            return "y"

        found = list(control_checks(rgb, print, ask, Simulation(made.pins)))
    assert (shown, [check.fine for _, check in found]) == ([True] * 3, [True])


def shows(table: SimulatedControls, one: Colour) -> bool:
    """Return whether the first seat's light shows a colour."""
    return table.light_colours(1) == (one,)


def test_without_pins_no_game_with_buttons_can_start() -> None:
    found = [check for _, check in control_checks(WIRED, print, None)]
    assert [(check.what, check.fine, check.essential) for check in found] == [("pins", False, True)]
