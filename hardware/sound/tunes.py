"""What a buzzer plays: a short tune for each pattern that the lights show."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from companion.model.patterns import Pattern

LONGEST_S = 2.0
"""How long a tune may take."""


class Note(NamedTuple):
    """A tone of so many hertz, or silence at 0, for so many milliseconds."""

    hertz: float
    ms: int


LOW, HIGH, HIGHER, TOP = 440.0, 880.0, 1174.7, 1760.0

TUNES: Mapping[Pattern, tuple[Note, ...]] = MappingProxyType(
    {
        Pattern.HEARD: (),
        Pattern.IDLE: (),
        Pattern.ACCEPTED: (Note(HIGH, 90), Note(HIGHER, 160)),
        Pattern.REFUSED: (Note(LOW, 350),),
        Pattern.DRAW: (Note(HIGHER, 70), Note(0, 60), Note(HIGHER, 70)),
        Pattern.TURN: (Note(HIGH, 90), Note(TOP, 160)),
        Pattern.DOUBT: (Note(HIGHER, 150), Note(HIGH, 200)),
        Pattern.WARNING: (Note(TOP, 60), Note(0, 80), Note(TOP, 60), Note(0, 80), Note(TOP, 60)),
        Pattern.WINNER: (Note(HIGH, 140), Note(HIGHER, 140), Note(TOP, 500)),
        Pattern.OFF: (),
    }
)
"""Up is good, down is not; a warning ticks."""
