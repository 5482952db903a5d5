"""From presses and releases to gestures, as pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from companion.config.controls import Gesture
from hardware.buttons.contact import Change


class FingerState(StrEnum):
    """The state of a finger on a button."""

    AWAY = "away"
    DOWN = "down"
    LIFTED = "lifted"  # a second press may follow
    SPENT = "spent"  # down after its gesture was reported


@dataclass(frozen=True, slots=True)
class GestureTimes:
    """Least time of a long press, and greatest time from a release to the second press of a double, in ns."""

    long_ns: int
    double_ns: int


@dataclass(frozen=True, slots=True)
class DetectedGesture:
    """A detected gesture, with its first leading edge; ``late`` as in ``Edge``."""

    at_ns: int
    gesture: Gesture
    late: bool = False


@dataclass(frozen=True, slots=True)
class GestureState:
    """The state of the gestures of one button.

    ``wanted`` are the gestures to detect; one that cannot become another of these is reported at once.
    """

    wanted: frozenset[Gesture]
    finger: FingerState = FingerState.AWAY
    first_ns: int = 0
    lifted_ns: int = 0
    late: bool = False

    def due_ns(self, times: GestureTimes) -> int | None:
        """Return when the gesture is certain without further changes, ``None`` for never."""
        if self.finger is FingerState.DOWN:
            return self.first_ns + times.long_ns
        return self.lifted_ns + times.double_ns if self.finger is FingerState.LIFTED else None

    @property
    def undecided_ns(self) -> int | None:
        """The time of a press whose gesture is not known yet, if there is one."""
        return self.first_ns if self.finger in {FingerState.DOWN, FingerState.LIFTED} else None

    def detected(self, gesture: Gesture) -> list[DetectedGesture]:
        """Return a gesture if it is wanted."""
        return [DetectedGesture(self.first_ns, gesture, self.late)] if gesture in self.wanted else []


def after_time(
    state: GestureState, now_ns: int, times: GestureTimes
) -> tuple[GestureState, list[DetectedGesture]]:
    """Return the state after a time without changes, and the gestures that are certain by then."""
    due_ns = state.due_ns(times)
    if due_ns is None or now_ns < due_ns:
        return state, []
    if state.finger is FingerState.DOWN:  # after that time it is no part of a double press either
        held = Gesture.LONG if Gesture.LONG in state.wanted else Gesture.SHORT
        return replace(state, finger=FingerState.SPENT), state.detected(held)
    return replace(state, finger=FingerState.AWAY), state.detected(Gesture.SHORT)


def after_change(
    state: GestureState, change: Change, times: GestureTimes
) -> tuple[GestureState, list[DetectedGesture]]:
    """Return the state after a press or release, and the gestures that are certain by then."""
    state, found = after_time(state, change.at_ns, times)
    match state.finger, change.closed:
        case FingerState.AWAY, True:
            state = replace(state, finger=FingerState.DOWN, first_ns=change.at_ns, late=change.late)
            if state.wanted == {Gesture.SHORT}:
                return replace(state, finger=FingerState.SPENT), [*found, *state.detected(Gesture.SHORT)]
        case FingerState.LIFTED, True:
            state = replace(state, finger=FingerState.SPENT, late=state.late or change.late)
            return state, [*found, *state.detected(Gesture.DOUBLE)]
        case FingerState.DOWN, False if Gesture.DOUBLE in state.wanted:
            state = replace(state, finger=FingerState.LIFTED, lifted_ns=change.at_ns)
        case FingerState.DOWN, False:
            return replace(state, finger=FingerState.AWAY), [*found, *state.detected(Gesture.SHORT)]
        case FingerState.SPENT, False:
            state = replace(state, finger=FingerState.AWAY)
        case _:
            pass
    return state, found
