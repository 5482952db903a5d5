"""From presses and releases to gestures; pure, over times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from companion.config.controls import Gesture
from hardware.buttons.contact import Change


class Finger(StrEnum):
    """What a player's finger does on a button."""

    AWAY = "away"
    DOWN = "down"
    LIFTED = "lifted"  # and may come down again
    SPENT = "spent"  # down, with nothing more to tell


@dataclass(frozen=True, slots=True)
class Pace:
    """From when on a press is a long one, and until when after a release a second one makes it double."""

    long_ns: int
    double_ns: int


@dataclass(frozen=True, slots=True)
class Made:
    """A gesture that was made, stamped with its first leading edge; ``late`` as in ``Edge``."""

    at_ns: int
    gesture: Gesture
    late: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """What is going on at one button.

    ``wanted`` are the gestures that are listened for: what cannot become another of these is told at once.
    """

    wanted: frozenset[Gesture]
    finger: Finger = Finger.AWAY
    first_ns: int = 0
    lifted_ns: int = 0
    late: bool = False

    def due_ns(self, pace: Pace) -> int | None:
        """Return when time alone will tell the gesture."""
        if self.finger is Finger.DOWN:
            return self.first_ns + pace.long_ns
        return self.lifted_ns + pace.double_ns if self.finger is Finger.LIFTED else None

    @property
    def undecided_ns(self) -> int | None:
        """When the press began whose gesture is not known yet, if there is one."""
        return self.first_ns if self.finger in {Finger.DOWN, Finger.LIFTED} else None

    def made(self, gesture: Gesture) -> list[Made]:
        """Return a gesture if it is listened for."""
        return [Made(self.first_ns, gesture, self.late)] if gesture in self.wanted else []


def waited(hand: Hand, now_ns: int, pace: Pace) -> tuple[Hand, list[Made]]:
    """Return the hand when nothing was felt until a time, and the gesture that this tells."""
    due_ns = hand.due_ns(pace)
    if due_ns is None or now_ns < due_ns:
        return hand, []
    if hand.finger is Finger.DOWN:  # held for so long it is no half of a double press either
        held = Gesture.LONG if Gesture.LONG in hand.wanted else Gesture.SHORT
        return replace(hand, finger=Finger.SPENT), hand.made(held)
    return replace(hand, finger=Finger.AWAY), hand.made(Gesture.SHORT)


def felt(hand: Hand, change: Change, pace: Pace) -> tuple[Hand, list[Made]]:
    """Return the hand after a press or release, and the gestures that are certain by then."""
    hand, told = waited(hand, change.at_ns, pace)
    match hand.finger, change.closed:
        case Finger.AWAY, True:
            hand = replace(hand, finger=Finger.DOWN, first_ns=change.at_ns, late=change.late)
            if hand.wanted == {Gesture.SHORT}:
                return replace(hand, finger=Finger.SPENT), [*told, *hand.made(Gesture.SHORT)]
        case Finger.LIFTED, True:
            hand = replace(hand, finger=Finger.SPENT, late=hand.late or change.late)
            return hand, [*told, *hand.made(Gesture.DOUBLE)]
        case Finger.DOWN, False if Gesture.DOUBLE in hand.wanted:
            hand = replace(hand, finger=Finger.LIFTED, lifted_ns=change.at_ns)
        case Finger.DOWN, False:
            return replace(hand, finger=Finger.AWAY), [*told, *hand.made(Gesture.SHORT)]
        case Finger.SPENT, False:
            hand = replace(hand, finger=Finger.AWAY)
        case _:
            pass
    return hand, told
