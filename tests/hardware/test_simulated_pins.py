"""The simulated table: fingers that bounce like measured switches, and the same for the same seed."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise
from queue import SimpleQueue

import pytest

from companion.config.controls import Gesture
from companion.errors import BadConfig
from hardware.buttons import Buttons, Edge, Press
from hardware.lights.patterns import DARK
from hardware.simulated.pins import SimulatedControls
from tests.hardware.wired import ALL_GESTURES, LIGHTS, TWO_SEATS, until

MS = 1_000_000


class Ear:
    """Hears every edge of a pin, as the kernel would tell it."""

    def __init__(self, table: SimulatedControls, gpio: int) -> None:
        self.edges: list[Edge] = []
        self.gpio = gpio
        pin = table.pins.pin(gpio)
        pin.function, pin.pull = "input", "up"
        pin.edges, pin.when_changed = "both", self.hear

    def hear(self, ticks: float, high: int) -> None:
        self.edges.append(Edge(round(ticks * 1e9), self.gpio, not high))


def pressed(seed: int) -> tuple[int, list[Edge]]:
    with SimulatedControls(ALL_GESTURES, seed) as table:
        ear = Ear(table, 17)
        at_ns = table.press(1, 1)
        assert until(lambda: table.idle)
    return at_ns, ear.edges


def test_a_press_closes_bounces_and_opens_again() -> None:
    at_ns, edges = pressed(3)
    assert edges[0] == Edge(at_ns, 17, closed=True)
    assert [edge.closed for edge in edges] == [n % 2 == 0 for n in range(len(edges))]
    assert len(edges) > 2
    assert not edges[-1].closed


def test_edges_come_in_the_order_of_their_stamps_and_never_from_the_future() -> None:
    at_ns, edges = pressed(3)
    assert all(before.at_ns < after.at_ns for before, after in pairwise(edges))
    assert edges[-1].at_ns < time.monotonic_ns()
    assert 60 * MS <= edges[-1].at_ns - at_ns <= 137 * MS


def test_the_same_seed_bounces_the_same_and_another_does_not() -> None:
    trains = [[edge.at_ns - at for edge in edges] for at, edges in (pressed(s) for s in (3, 3, 4))]
    assert trains[0] == trains[1] != trains[2]


def test_a_button_can_be_pressed_at_a_time_to_come() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    with SimulatedControls(TWO_SEATS) as table, Buttons(TWO_SEATS, heard.put, table.pins):
        due_ns = time.monotonic_ns() + 100 * MS
        assert table.press(1, 1, at_ns=due_ns) == due_ns
        assert heard.get(timeout=5).at_ns == due_ns
        assert time.monotonic_ns() >= due_ns


def test_a_second_press_of_the_same_button_waits_for_the_first_to_be_over() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    with SimulatedControls(TWO_SEATS) as table, Buttons(TWO_SEATS, heard.put, table.pins):
        both = [table.press(1, 1), table.press(1, 1)]
        assert [heard.get(timeout=5).at_ns for _ in range(2)] == both


def test_a_button_that_is_not_there_cannot_be_pressed() -> None:
    with pytest.raises(BadConfig, match="seat 3 has no button 1"):
        SimulatedControls(TWO_SEATS).press(3, 1)


def test_a_seat_without_a_light_shows_nothing() -> None:
    assert SimulatedControls(LIGHTS).light_colours(5) == ()


def test_a_strip_that_nobody_wrote_to_is_dark() -> None:
    assert set(SimulatedControls(LIGHTS).light_colours(3)) == {DARK}


def test_a_finger_stays_on_a_button_whatever_the_pi_does_with_its_resistors() -> None:
    table = SimulatedControls(TWO_SEATS)
    table.hold(1, 1)
    with Buttons(TWO_SEATS, print, table.pins) as buttons:
        assert buttons.states()[0].closed
        table.release(1, 1)
        assert until(lambda: not buttons.states()[0].closed)


@pytest.mark.parametrize("gesture", list(Gesture))
@pytest.mark.parametrize("lock_ms", [25, 200])
def test_a_gesture_is_made_within_the_shortest_times_of_a_table(gesture: Gesture, lock_ms: int) -> None:
    shortest = replace(ALL_GESTURES, lock_ms=lock_ms, long_ms=2 * lock_ms, double_ms=2 * lock_ms)
    heard: SimpleQueue[Press] = SimpleQueue()
    with SimulatedControls(shortest) as table, Buttons(shortest, heard.put, table.pins):
        at_ns = table.press(1, 1, gesture)
        assert heard.get(timeout=5) == Press(at_ns, 1, 1, gesture)
    assert heard.empty()
