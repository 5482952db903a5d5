"""What the light before a seat says, and the buzzer with it."""

from __future__ import annotations

from enum import StrEnum


class Pattern(StrEnum):
    """What a light can say."""

    HEARD = "heard"
    IDLE = "idle"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    DRAW = "draw"
    TURN = "turn"
    DOUBT = "doubt"
    WARNING = "warning"
    WINNER = "winner"
    OFF = "off"
