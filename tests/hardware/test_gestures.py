"""Gestures: what cannot become anything else is told at once, and everything from its first edge."""

from __future__ import annotations

import pytest

from companion.config.controls import Gesture
from hardware.buttons.contact import Change
from hardware.buttons.gestures import DetectedGesture, GestureState, GestureTimes, after_change, after_time

MS = 1_000_000
PACE = GestureTimes(long_ns=600 * MS, double_ns=300 * MS)
SHORT, LONG, DOUBLE = Gesture.SHORT, Gesture.LONG, Gesture.DOUBLE
ALL = frozenset(Gesture)

Told = list[tuple[int, DetectedGesture]]


def told(wanted: frozenset[Gesture], *changes_ms: int) -> Told:
    """Return each gesture with when it is told, in ms; presses and releases take turns."""
    state, made = GestureState(wanted), list[tuple[int, DetectedGesture]]()
    changes = [Change(at_ms * MS, n % 2 == 0) for n, at_ms in enumerate(changes_ms)]
    for change, then_ns in zip(changes, [*(c.at_ns for c in changes[1:]), 10_000 * MS], strict=True):
        state, now = after_change(state, change, PACE)
        made += [(change.at_ns // MS, one) for one in now]
        while (due_ns := state.due_ns(PACE)) is not None and due_ns < then_ns:
            state, now = after_time(state, due_ns, PACE)
            made += [(due_ns // MS, one) for one in now]
    return made


@pytest.mark.parametrize(
    ("wanted", "changes_ms", "expected"),
    [
        # a button with one call answers on the press itself
        ({SHORT}, (0, 80), [(0, 0, SHORT)]),
        ({SHORT}, (0, 2000), [(0, 0, SHORT)]),
        # with a long press beside it, when it is let go
        ({SHORT, LONG}, (0, 80), [(80, 0, SHORT)]),
        ({SHORT, LONG}, (0, 900), [(600, 0, LONG)]),
        ({LONG}, (0, 80), []),
        # with a double press beside it, when no second one came
        ({SHORT, DOUBLE}, (0, 80), [(380, 0, SHORT)]),
        ({SHORT, DOUBLE}, (0, 80, 200, 280), [(200, 0, DOUBLE)]),
        ({SHORT, DOUBLE}, (0, 80, 500, 580), [(380, 0, SHORT), (880, 500, SHORT)]),
        ({DOUBLE}, (0, 80), []),
        ({DOUBLE}, (0, 900), []),
        # a press held for long is no half of a double one
        ({SHORT, DOUBLE}, (0, 900, 1000, 1080), [(600, 0, SHORT), (1380, 1000, SHORT)]),
        (ALL, (0, 80), [(380, 0, SHORT)]),
        (ALL, (0, 900), [(600, 0, LONG)]),
        (ALL, (0, 80, 200, 280), [(200, 0, DOUBLE)]),
        # three quick ones are a double press and a short one
        (ALL, (0, 80, 200, 280, 400, 480), [(200, 0, DOUBLE), (780, 400, SHORT)]),
        # the second press of a double one may be held
        (ALL, (0, 80, 200, 2000), [(200, 0, DOUBLE)]),
    ],
)
def test_a_gesture_is_told_as_soon_as_it_is_certain(
    wanted: set[Gesture], changes_ms: tuple[int, ...], expected: list[tuple[int, int, Gesture]]
) -> None:
    made = [(DetectedGesture(first_ms * MS, gesture), at_ms) for at_ms, first_ms, gesture in expected]
    assert told(frozenset(wanted), *changes_ms) == [(at_ms, one) for one, at_ms in made]


def test_a_double_press_of_which_one_half_was_found_late_is_late() -> None:
    state, _ = after_change(GestureState(ALL), Change(0, True), PACE)
    state, _ = after_change(state, Change(80 * MS, False), PACE)
    assert after_change(state, Change(150 * MS, True, late=True), PACE)[1] == [
        DetectedGesture(0, DOUBLE, late=True)
    ]


def test_a_press_is_undecided_until_its_gesture_is_known() -> None:
    down, _ = after_change(GestureState(ALL), Change(5, True), PACE)
    lifted, _ = after_change(down, Change(80 * MS, False), PACE)
    known, _ = after_time(lifted, 380 * MS, PACE)
    assert [state.undecided_ns for state in (GestureState(ALL), down, lifted, known)] == [None, 5, 5, None]


def test_a_release_that_nobody_felt_pressed_tells_nothing() -> None:
    assert after_change(GestureState(ALL), Change(0, False), PACE) == (GestureState(ALL), [])


def test_time_alone_tells_nothing_of_a_finger_that_is_away() -> None:
    assert after_time(GestureState(ALL), 10**12, PACE) == (GestureState(ALL), [])
