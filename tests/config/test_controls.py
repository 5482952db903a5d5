"""Buttons and lights as a configuration describes them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from companion.config.controls import (
    Button,
    Controls,
    Gesture,
    Light,
    LightKind,
    Place,
    Speech,
    Strip,
    calls_by_gesture,
)
from companion.config.parse import parsed
from companion.errors import BadConfig
from companion.rules.registry import entries, game
from hardware.wiring import check

S, L, D = Gesture.SHORT, Gesture.LONG, Gesture.DOUBLE
PEEL, DUMP, BANANAS = ("split", "peel"), ("dump",), ("bananas",)

WRITTEN = """
lock_ms = 20
buzzer = 21

[[seats]]
light = { kind = "rgb", pins = [5, 6, 13] }
buttons = [{ pin = 17 }, { pin = 27, short = ["dump"], long = ["bananas"] }]
"""


def test_a_written_table_is_understood() -> None:
    buttons = (Button(17), Button(27, short=("dump",), long=("bananas",)))
    seats = (Place(buttons, Light(LightKind.RGB, (5, 6, 13))),)
    assert parsed(tomllib.loads(WRITTEN), Controls) == Controls(seats, buzzer=21, lock_ms=20)


def test_the_handbook_shows_every_switch_as_it_is_understood(root: Path) -> None:
    blocks = re.findall(
        r"```toml\n(\[controls\]\n.*?)```",
        (root / "companion/docs/controls.md").read_text("utf-8"),
        re.DOTALL,
    )
    controls = parsed(tomllib.loads(blocks[0])["controls"], Controls)
    check(controls)
    kinds = (Controls, Speech, Strip, Button, Light)
    assert [f.name for kind in kinds for f in fields(kind) if f.name not in blocks[0]] == []
    assert controls.calls(1, 1, Gesture.DOUBLE) == ("dump",)


def test_an_unknown_key_is_named_with_its_place() -> None:
    with pytest.raises(BadConfig, match=r"seats\[0\].*no key 'lihgt'; did you mean 'light'"):
        parsed({"seats": [{"lihgt": {}}]}, Controls)


@pytest.mark.parametrize(
    ("buttons", "calls"),
    [
        (1, {(1, S): PEEL, (1, D): DUMP, (1, L): BANANAS}),
        (2, {(1, S): PEEL, (2, S): DUMP, (2, L): BANANAS}),
        (3, {(1, S): PEEL, (2, S): DUMP, (3, S): BANANAS}),
        (4, {(1, S): PEEL, (2, S): DUMP, (3, S): BANANAS}),
        (0, {}),
    ],
)
def test_what_is_called_most_has_the_first_button(
    buttons: int, calls: dict[tuple[int, Gesture], tuple[str, ...]]
) -> None:
    assert calls_by_gesture(game("bananagrams").buttons, buttons) == calls


@pytest.mark.parametrize("name", entries())
def test_buttons_make_calls_that_the_game_has_and_that_take_nothing_with_them(name: str) -> None:
    named = {call for calls in game(name).buttons for call in calls}
    assert {call for call in named if game(name).calls[call].needs} == set()


def test_every_game_has_calls_for_its_buttons() -> None:
    shipped = [name for name, entry in entries().items() if entry.value.startswith("companion.")]
    assert [name for name in shipped if not game(name).buttons] == []


@pytest.mark.parametrize("name", entries())
def test_no_call_that_a_button_can_make_is_missing_but_a_synonym(name: str) -> None:
    named = {call for calls in game(name).buttons for call in calls}
    free = {call for call, kind in game(name).calls.items() if not kind.needs}
    assert free - named <= {"bananagrams"}


def calling(controls: Controls, name: str) -> Controls:
    return controls.calling(game(name).buttons, game(name).calls)


def test_buttons_without_calls_get_those_of_the_game() -> None:
    controls = calling(Controls((Place((Button(17), Button(27))),)), "bananagrams")
    assert controls.calls(1, 1, S) == PEEL
    assert controls.calls(1, 2, L) == BANANAS
    assert controls.button(1, 1).gestures == {S}
    assert controls.button(1, 2).gestures == {S, L}


def test_a_seat_whose_buttons_say_what_they_call_keeps_that() -> None:
    own = Place((Button(17, short=("done",)), Button(27)))
    controls = calling(Controls((own, Place((Button(22),)))), "chew")
    assert controls.seats[0] == own
    assert controls.calls(2, 1, S) == ("flip",)


def test_a_seat_whose_buttons_call_by_names_of_another_game_calls_what_the_game_has() -> None:
    of_another = Controls((Place((Button(17, short=("split", "peel"), double=("dump",)),)),))
    assert calling(of_another, "chew").calls(1, 1, S) == ("flip",)
    assert calling(of_another, "bananagrams") == of_another


def test_a_button_that_calls_nothing_yet_is_listened_to_for_a_short_press() -> None:
    assert Button(17).gestures == {S}


@pytest.mark.parametrize(("seat", "button"), [(2, 1), (1, 2), (1, 0), (0, 1)])
def test_a_button_that_is_not_there_is_told(seat: int, button: int) -> None:
    with pytest.raises(BadConfig, match=f"seat {seat} has no button {button}"):
        Controls((Place((Button(17),)),)).button(seat, button)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Button(28), "a button's pin is 0 to 27; got 28"),
        (lambda: Light(LightKind.RGB, (5, 6)), "a light of kind rgb has 3 pins; got 2"),
        (lambda: Light(LightKind.STRIP, (5,)), "a light of kind strip has 0 pins; got 1"),
        (lambda: Light(LightKind.SINGLE, (5,), (1, 2)), "has 1 resistors; got 2"),
        (lambda: Light(LightKind.SINGLE, (5,), (0,)), "a light's resistor in ohms is 10 to 100000; got 0"),
        (lambda: Place((Button(17),) * 5), "the number of a seat's buttons is 0 to 4; got 5"),
        (lambda: Strip(leds=0), "a seat's LEDs of the strip is 1 to 60; got 0"),
        (lambda: Strip(brightness=float("nan")), "a strip's brightness is over 0 and at most 1; got nan"),
        (lambda: Controls((Place(),) * 14), "the number of seats with controls is 0 to 13; got 14"),
        (lambda: Controls(lock_ms=6), "lock_ms is 7 to 200; got 6"),
        (lambda: Controls(long_ms=40), "long_ms is 50 to 5000; got 40"),
        (lambda: Controls(double_ms=49), "double_ms is 50 to 2000; got 49"),
        (lambda: Controls(stuck_s=0), "stuck_s is 1 to 600; got 0"),
        (lambda: Controls(buzzer=40), "the buzzer's pin is 0 to 27; got 40"),
        (lambda: Controls(interfaces=("can",)), "interfaces are i2c, spi, uart, i2s, w1; got can"),
        (
            lambda: Controls((Place(light=Light(LightKind.STRIP)),)),
            r"the light of seat 1 is on a strip; describe it in \[controls.strip\]",
        ),
    ],
)
def test_what_no_table_can_have_is_refused_in_words(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(BadConfig, match=says):
        make()
