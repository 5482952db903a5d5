"""The patterns of a seat's light and of the buzzer."""

from __future__ import annotations

from enum import StrEnum


class Pattern(StrEnum):
    """A pattern that a light can show."""

    HEARD = "heard"
    IDLE = "idle"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    DRAW = "draw"
    TURN = "turn"
    DOUBT = "doubt"
    WARNING = "warning"
    WINNER = "winner"
    TEST = "test"
    OFF = "off"
