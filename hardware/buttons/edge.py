"""What buttons hand over: the change of a contact, and a press."""

from __future__ import annotations

from dataclasses import dataclass

from companion.config.controls import Gesture


@dataclass(frozen=True, slots=True)
class Edge:
    """A change of a button's contact, bounces and all.

    Parameters
    ----------
    at_ns
        When the kernel saw it, CLOCK_MONOTONIC in ns.
    pin
        The number that follows ``GPIO``.
    closed
        Whether the contact is closed from now on, that is, the button pressed.
    late
        Whether nobody saw it happen, so that ``at_ns`` is when it was found.
    """

    at_ns: int
    pin: int
    closed: bool
    late: bool = False


@dataclass(frozen=True, slots=True)
class Press:
    """A player has pressed a button.

    Parameters
    ----------
    at_ns
        The leading edge, CLOCK_MONOTONIC in ns; of the first press of a double one.  Presses are handed over
        when their gesture is known, so not always in the order of their times: a button with nothing but a
        short press hands over at once, others up to a second later (``Buttons.undecided_ns`` tells of those).
    seat, button
        Numbered from 1.
    late
        Whether the edge was lost and the press found only by looking again: then ``at_ns`` is when it was
        found, and nothing may be decided on who was first.
    """

    at_ns: int
    seat: int
    button: int
    gesture: Gesture
    late: bool = False
