"""The lights of a table, read back from pins in memory."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from companion.config.controls import Common, Controls, Light, LightKind, Place, Strip
from companion.errors import NoPins
from companion.model.patterns import Pattern
from hardware.lights import Colour, Lights, ShownPattern
from hardware.lights.lamps import PinLamp
from hardware.lights.lights import SeatLight
from hardware.lights.patterns import BLUE, DARK, RED, TURQUOISE, WHITE
from hardware.simulated.camera import SteppedClock
from hardware.simulated.pins import SimulatedControls, SimulatedSpi
from tests.hardware.wired import LIGHTS, until


def test_an_accepted_call_is_lit_before_anything_else_happens() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.ACCEPTED, seat=1)
        assert table.light_colours(1) == (TURQUOISE,)
        assert table.light_colours(2) == (DARK,)


def test_without_a_seat_all_lights_show_it() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.REFUSED)
        assert [table.light_colours(seat)[0] for seat in (1, 2, 3, 4)] == [RED, Colour(1, 1, 1), RED, RED]


def test_tiles_to_draw_are_counted_on_each_seats_part_of_the_strip() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.DRAW, seat=4, number=2)
        assert table.light_colours(4) == (BLUE, DARK, DARK, DARK)
        assert until(lambda: table.light_colours(4) == (BLUE, BLUE, DARK, DARK))
        assert table.light_colours(3) == (DARK,) * 4


def test_a_single_led_shows_a_rhythm_by_going_on_and_off() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.REFUSED, seat=2)
        assert until(lambda: table.light_colours(2) == (DARK,))
        assert until(lambda: table.light_colours(2) == (Colour(1, 1, 1),))


def test_leds_with_their_anodes_together_are_lit_by_pulling_low() -> None:
    controls = Controls((Place(light=Light(LightKind.RGB, (5, 6, 13), common=Common.ANODE)),))
    table = SimulatedControls(controls)
    with Lights(controls, table.pins) as lights:
        lights.show(Pattern.REFUSED)
        assert [float(table.pins.pin(pin).state) for pin in (5, 6, 13)] == [0, 1, 1]
        assert table.light_colours(1) == (RED,)


def test_what_ends_by_itself_is_shown_in_front_of_what_stays() -> None:
    with Lights(LIGHTS, SimulatedControls(LIGHTS).pins) as lights:
        lights.show(Pattern.ACCEPTED, seat=1)
        lights.show(Pattern.DOUBT, seat=1)
        assert lights.showing()[1].pattern is Pattern.ACCEPTED
        assert until(lambda: lights.showing()[1].pattern is Pattern.DOUBT)


def test_a_newer_answer_takes_the_place_of_an_older_one() -> None:
    with Lights(LIGHTS, SimulatedControls(LIGHTS).pins) as lights:
        lights.show(Pattern.WINNER, seat=1)
        lights.show(Pattern.REFUSED, seat=1)
        assert lights.showing()[1].pattern is Pattern.REFUSED


def test_a_press_that_was_heard_blinks_and_what_was_shown_goes_on() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.DRAW, seat=1, number=20)
        lights.show(Pattern.HEARD, seat=1)
        assert table.light_colours(1) == (WHITE,)
        assert until(lambda: table.light_colours(1) == (BLUE,))
        assert lights.showing()[1] == ShownPattern(Pattern.DRAW, lights.showing()[1].since_ns, 20)


def test_an_answer_does_not_wait_for_the_blink_to_be_over() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.HEARD, seat=1)
        lights.show(Pattern.REFUSED, seat=1)
        assert table.light_colours(1) == (RED,)


def test_off_is_dark_at_once() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.WINNER)
        lights.show(Pattern.OFF)
        assert {led for seat in (1, 2, 3, 4) for led in table.light_colours(seat)} == {DARK}


def test_a_seat_without_a_light_is_passed_over() -> None:
    with Lights(LIGHTS, SimulatedControls(LIGHTS).pins) as lights:
        lights.show(Pattern.ACCEPTED, seat=5)
        lights.show(Pattern.ACCEPTED, seat=99)
        assert sorted(lights.showing()) == [1, 2, 3, 4]


def test_afterwards_everything_is_dark() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.WINNER)
    assert {led for seat in (3, 4) for led in table.light_colours(seat)} == {DARK}
    assert [float(table.pins.pin(pin).state) for pin in (5, 6, 13, 19)] == [0] * 4


def test_the_seats_of_a_strip_follow_each_other_on_it() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.REFUSED, seat=4)
        sent = table.pins.spis[-1].sent
    leds = [sent[at : at + 4] for at in range(4, 4 + 4 * 8, 4)]
    assert leds == [bytes([255, 0, 0, 0])] * 4 + [bytes([255, 0, 0, 128])] * 4


def test_a_strip_that_fails_is_said_once_and_stops_nothing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = SimulatedControls(LIGHTS)

    def broken(_: object) -> int:
        raise OSError("no answer on SPI")

    with caplog.at_level(logging.WARNING), Lights(LIGHTS, table.pins) as lights:
        monkeypatch.setattr(table.pins.spis[-1], "write", broken, raising=False)
        for _ in range(3):
            lights.show(Pattern.REFUSED)
        monkeypatch.undo()
    assert [r.message for r in caplog.records] == [
        "the lights do not light up: no answer on SPI (companion doctor tests them)"
    ]


class BadHandle(Exception):
    """An error of a pin library, neither an OSError nor one of gpiozero's."""


def test_a_lamp_that_fails_in_its_own_way_stops_neither_the_others_nor_the_thread(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, show = SimulatedControls(LIGHTS), PinLamp.show
    broken, drawn, lamps = threading.Event(), threading.Event(), list[PinLamp]()

    def failing(lamp: PinLamp, colours: Sequence[Colour]) -> None:
        if lamp not in lamps:
            lamps.append(lamp)
        if broken.is_set() and lamp is lamps[0]:
            if threading.current_thread().name == "lights":
                drawn.set()
            raise BadHandle("bad handle")
        show(lamp, colours)

    monkeypatch.setattr(PinLamp, "show", failing)
    with caplog.at_level(logging.WARNING), Lights(LIGHTS, table.pins) as lights:
        lights.show(Pattern.OFF)
        broken.set()
        lights.show(Pattern.REFUSED)
        assert table.light_colours(2) == (Colour(1, 1, 1),)
        assert drawn.wait(5)
        broken.clear()
        assert until(lambda: table.light_colours(1) == (RED,))
    assert [r.message for r in caplog.records] == [
        "the lights do not light up: bad handle (companion doctor tests them)"
    ]


def test_a_strip_on_a_pi_without_spi_says_what_to_switch_on() -> None:
    controls = Controls((Place(light=Light(LightKind.STRIP)),), Strip())

    class NoSpi(MockFactory):
        def _get_spi_class(self, shared: bool, hardware: bool) -> Any:
            if hardware:
                raise OSError("no /dev/spidev0.0")
            return super()._get_spi_class(shared, hardware)

    with pytest.raises(NoPins, match="dtparam=spi=on"), Lights(controls, NoSpi(pin_class=MockPWMPin)):
        pass


def test_what_a_pin_in_memory_remembers_does_not_grow_without_end() -> None:
    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins) as lights:
        for n in range(300):
            lights.show(Pattern.OFF if n % 2 else Pattern.ACCEPTED, seat=2)
    assert len(table.pins.pin(19).states) <= 64


def test_lights_that_show_nothing_new_take_no_time() -> None:
    with Lights(LIGHTS, SimulatedControls(LIGHTS).pins) as lights:
        lights.show(Pattern.IDLE)
        begun = time.thread_time(), time.process_time()
        time.sleep(0.5)
        assert time.process_time() - begun[1] < 0.1


def test_nothing_is_drawn_before_a_colour_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, draw = list[int](), SeatLight.draw

    def counted(face: SeatLight, now_ns: int) -> int:
        drawn.append(now_ns)
        return draw(face, now_ns)

    monkeypatch.setattr(SeatLight, "draw", counted)
    with Lights(LIGHTS, SimulatedControls(LIGHTS).pins, SteppedClock()) as lights:
        lights.show(Pattern.IDLE)
        time.sleep(0.05)
        many = len(drawn)
        time.sleep(0.05)
        assert len(drawn) == many


def test_a_strip_that_no_longer_answers_does_not_keep_the_table_from_closing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def silent(*_: object) -> None:
        raise OSError("no answer on SPI")

    table = SimulatedControls(LIGHTS)
    with Lights(LIGHTS, table.pins):
        monkeypatch.setattr(SimulatedSpi, "write", silent)
    assert table.pins.spis[-1].closed
    assert "the lights are not turned off: no answer on SPI" in caplog.text
