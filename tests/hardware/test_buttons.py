"""The buttons of a table, on pins in memory that bounce."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from queue import SimpleQueue

import pytest

from companion.config.controls import Button, Controls, Gesture, Place
from companion.errors import NoPins
from hardware.buttons import Buttons, ButtonStatus, Press
from hardware.buttons.button import BounceHistogram, ButtonDecoder, ButtonTimes
from hardware.buttons.contact import Edge
from hardware.clock import Clock
from hardware.simulated.pins import SimulatedControls
from tests.hardware.wired import ALL_GESTURES, TWO_SEATS, until

MS = 1_000_000


@pytest.mark.parametrize("gesture", list(Gesture))
def test_a_gesture_on_a_bouncing_button_is_heard_once_from_its_leading_edge(gesture: Gesture) -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    with SimulatedControls(ALL_GESTURES) as table, Buttons(ALL_GESTURES, heard.put, table.pins):
        at_ns = table.press(1, 1, gesture)
        assert heard.get(timeout=5) == Press(at_ns, 1, 1, gesture)
    assert heard.empty()


def test_a_millisecond_decides_who_was_first_whichever_is_handed_over_first() -> None:
    for seed in range(6):
        heard: SimpleQueue[Press] = SimpleQueue()
        with SimulatedControls(TWO_SEATS, seed) as table, Buttons(TWO_SEATS, heard.put, table.pins):
            ahead = table.press(2, 1, at_ns=time.monotonic_ns() + 20 * MS)
            table.press(1, 1, at_ns=ahead + MS)
            both = sorted((heard.get(timeout=5) for _ in range(2)), key=lambda press: press.at_ns)
        assert [(press.seat, press.at_ns) for press in both] == [(2, ahead), (1, ahead + MS)]


def test_a_press_that_may_become_another_gesture_is_told_of_from_its_leading_edge() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    with SimulatedControls(ALL_GESTURES) as table, Buttons(ALL_GESTURES, heard.put, table.pins) as buttons:
        assert buttons.undecided_ns() is None
        at_ns = table.press(1, 1)
        assert until(lambda: buttons.undecided_ns() == at_ns)
        assert heard.get(timeout=5).at_ns == at_ns
        assert until(lambda: buttons.undecided_ns() is None)


def test_a_button_that_is_held_when_the_table_starts_was_not_pressed() -> None:
    heard: list[Press] = []
    table = SimulatedControls(TWO_SEATS)
    table.hold(1, 1)
    with Buttons(TWO_SEATS, heard.append, table.pins) as buttons:
        assert buttons.states()[0].closed
        table.release(1, 1)
        assert until(lambda: not buttons.states()[0].closed)
    assert heard == []


def test_a_lost_edge_is_found_by_looking_again_and_its_press_marked_late() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    table = SimulatedControls(TWO_SEATS)
    with Buttons(TWO_SEATS, heard.put, table.pins) as buttons:
        table.pins.pin(17)._state = False  # noqa: SLF001  # the contact closed, and nobody told
        press = heard.get(timeout=5)
        assert (press.seat, press.late, buttons.states()[0].lost) == (1, True, 1)


def test_a_stamp_of_another_clock_is_not_trusted() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    table = SimulatedControls(TWO_SEATS)
    with Buttons(TWO_SEATS, heard.put, table.pins):
        before_ns = time.monotonic_ns()
        table.pins.pin(17).stamped(time.time_ns(), high=False)
        press = heard.get(timeout=5)
    assert press.late
    assert before_ns <= press.at_ns <= time.monotonic_ns()


def test_a_button_held_for_too_long_is_stuck_and_said_so_once(caplog: pytest.LogCaptureFixture) -> None:
    controls = Controls(TWO_SEATS.seats, stuck_s=1)
    table = SimulatedControls(controls)
    with caplog.at_level(logging.WARNING), Buttons(controls, lambda _: None, table.pins) as buttons:
        table.hold(2, 1)
        assert until(lambda: buttons.states()[1].stuck)
        table.release(2, 1)
        assert until(lambda: not buttons.states()[1].stuck)
    assert [r.message for r in caplog.records] == [
        "the button of seat 2, number 1 (GPIO 27) is stuck: see whether something lies on it"
    ]


def test_letting_go_of_a_stuck_button_calls_nothing_more() -> None:
    controls = Controls((Place((Button(17, short=("peel",), double=("dump",)),)),), stuck_s=1)
    heard: list[Press] = []
    table = SimulatedControls(controls)
    with Buttons(controls, heard.append, table.pins) as buttons:
        table.hold(1, 1)
        assert until(lambda: buttons.states()[0].stuck)
        table.release(1, 1)
        time.sleep(0.4)
    assert [press.gesture for press in heard] == [Gesture.SHORT]  # which it was before it was stuck


def test_the_doctor_sees_how_a_button_bounces() -> None:
    with (
        SimulatedControls(TWO_SEATS, seed=5) as table,
        Buttons(TWO_SEATS, lambda _: None, table.pins) as buttons,
    ):
        for _ in range(3):
            table.press(1, 1)
        assert until(lambda: buttons.states()[0].bounces.presses == 3)
        bounces = buttons.states()[0].bounces
    assert 0 < bounces.longest_ns <= 6_200_000
    assert str(bounces).startswith("3 presses: ")


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (ButtonStatus(1, 1, 17), ""),
        (ButtonStatus(1, 1, 17, lost=1, spikes=5, bounces=BounceHistogram((60,) + (0,) * 7, 12 * MS)), ""),
        (
            ButtonStatus(1, 1, 17, stuck=True),
            "it is stuck: see whether something lies on it or GPIO17 touches ground",
        ),
        (ButtonStatus(1, 1, 17, lost=1), "1 of its edges were lost: see whether the Pi is overloaded"),
        (
            ButtonStatus(1, 1, 17, spikes=6),
            "6 sparks that were no presses: twist its wires, add 10 kΩ to 3.3 V",
        ),
        (
            ButtonStatus(1, 1, 17, bounces=BounceHistogram((0,) * 7 + (1,), 15 * MS)),
            "it bounces for up to 15 ms: replace it, or raise lock_ms",
        ),
    ],
)
def test_the_doctor_is_told_what_is_wrong_with_a_button(state: ButtonStatus, says: str) -> None:
    assert state.fault == says


def told(closed_at: Sequence[tuple[float, bool]], *, late: bool) -> list[Press]:
    """The presses in one contact's edges (ms, closed); ``late`` ones come after the time was told."""
    key = ButtonDecoder(ButtonStatus(1, 1, 17), frozenset({Gesture.SHORT}), ButtonTimes.of(TWO_SEATS))
    presses = []
    for at_ms, closed in closed_at:
        presses += key.on_edge(Edge(round(at_ms * MS), 17, closed))
        presses += key.on_time(500 * MS if late else round(at_ms * MS))
    return [*presses, *key.on_time(1000 * MS)]


BOUNCING = [
    (0, True),
    (0.4, False),
    (0.9, True),
    (1.0, False),
    (2.5, True),
    (80, False),
    (80.5, True),
    (81, False),
]


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("again_ms", [None, 200.0])
def test_edges_that_come_late_to_a_busy_machine_are_debounced_by_their_stamps(
    late: bool, again_ms: float | None
) -> None:
    again = [] if again_ms is None else [(again_ms, True), (again_ms + 80, False)]
    presses = told([*BOUNCING, *again], late=late)
    assert [press.at_ns / MS for press in presses] == [0, *([again_ms] if again else [])]


def test_a_press_after_a_spark_whose_end_came_late_is_heard() -> None:
    sparks = [(0.0, True), (0.3, False), (200.0, True), (280.0, False)]
    assert [press.at_ns // MS for press in told(sparks, late=True)] == [0, 200]
    assert [press.at_ns // MS for press in told(sparks, late=False)] == [200]


@pytest.mark.parametrize(
    ("lasted_ns", "label"), [(0, "none"), (99_999, "< 0.1 ms"), (100_000, "< 0.5 ms"), (10 * MS, "longer")]
)
def test_a_bounce_is_counted_where_it_belongs(lasted_ns: int, label: str) -> None:
    assert str(BounceHistogram().with_one(lasted_ns)).startswith(f"1 press: {label} 1")


def test_a_button_that_nobody_pressed_says_so() -> None:
    assert str(BounceHistogram()) == "not pressed yet"


def test_a_listener_that_fails_loses_its_press_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Press] = []
    lost: list[Press] = []

    def hear(press: Press) -> None:
        if press.seat == 1:
            raise ValueError("deaf")
        heard.append(press)

    with SimulatedControls(TWO_SEATS) as table, Buttons(TWO_SEATS, hear, table.pins, on_lost=lost.append):
        table.press(1, 1)
        table.press(2, 1)
        assert until(lambda: heard)
    assert "lost: Press(" in caplog.text
    assert [press.seat for press in lost] == [1]


def test_a_touch_that_cannot_be_shown_loses_no_press(caplog: pytest.LogCaptureFixture) -> None:
    heard: SimpleQueue[Press] = SimpleQueue()

    def dark(_seat: int) -> None:
        raise ValueError("no light")

    with (
        SimulatedControls(TWO_SEATS) as table,
        Buttons(TWO_SEATS, heard.put, table.pins, on_touch=dark) as buttons,
    ):
        for seat in (1, 2):
            table.press(seat, 1)
            assert heard.get(timeout=5).seat == seat
        assert not buttons.dead
    assert "the touch of seat 1 was not shown" in caplog.text


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_has_ended_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*_: object) -> None:
        raise ValueError("torn")

    monkeypatch.setattr(Buttons, "_handle_edge", torn)
    table = SimulatedControls(TWO_SEATS)
    buttons = Buttons(TWO_SEATS, print, table.pins)
    assert not buttons.dead
    with table, buttons:
        table.press(1, 1)
        assert until(lambda: buttons.dead)


def test_pins_that_somebody_else_has_are_told_in_plain_words() -> None:
    table = SimulatedControls(TWO_SEATS)
    with (
        Buttons(TWO_SEATS, print, table.pins),
        pytest.raises(NoPins, match="another program"),
        Buttons(TWO_SEATS, print, table.pins),
    ):
        pass


def test_after_a_failed_opening_no_pin_is_kept() -> None:
    twice = Controls((*TWO_SEATS.seats, Place((Button(17),))))
    table = SimulatedControls(twice)
    with pytest.raises(NoPins), Buttons(twice, print, table.pins):
        pass
    with Buttons(TWO_SEATS, print, table.pins):
        pass


def test_a_table_without_buttons_opens_and_closes() -> None:
    with Buttons(Controls(), print, SimulatedControls(Controls()).pins) as buttons:
        assert buttons.states() == ()


def test_a_fast_table_hears_gestures_by_its_own_clock() -> None:
    clock, heard = Clock(speed=20), SimpleQueue[Press]()
    slow = replace(ALL_GESTURES, long_ms=5000)
    with SimulatedControls(slow, clock=clock) as table, Buttons(slow, heard.put, table.pins, clock):
        begun = time.monotonic()
        at_ns = table.press(1, 1, Gesture.LONG)
        assert heard.get(timeout=5) == Press(at_ns, 1, 1, Gesture.LONG)
    assert time.monotonic() - begun < 4
