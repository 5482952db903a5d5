"""A game as the log tells it, folded once as it grows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from companion.errors import BadLog
from companion.events.folding import Folded
from companion.events.log import Row
from companion.rules.event import Stamped
from companion.rules.printed import clock_shown

RECENT = 400
"""Events that are kept for phones that come back; who slept longer gets the state alone."""


@dataclass(slots=True)
class Story(Folded):
    """What pages know of one game; ``clocks`` are what its clock showed at each event, in milliseconds."""

    clocks: list[int] = field(default_factory=lambda: [0])
    recent: deque[Stamped] = field(default_factory=lambda: deque(maxlen=RECENT))

    @property
    def names(self) -> tuple[str, ...]:
        """The players at the seats, as they are now."""
        return tuple(seat.name for seat in self.state.seats)

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> Self:
        """Return the story that rows tell, from the first one; raise BadLog where they are damaged."""
        if not rows:
            raise BadLog(f"there is no game {name!r}")
        found = cls.begun(name, rows[0])
        found.recent.append(Stamped(1, rows[0].at_ns, found.set_up))
        found.go_on(rows[1:])
        return found

    def go_on(self, rows: Sequence[Row]) -> list[Stamped]:
        """Take in the rows that follow and return their events; raise BadLog where they are damaged."""
        found = []
        for row in rows:
            one = self.take(row)
            self.clocks.append(clock_ms(self.state, one.at_ns))
            self.recent.append(one)
            found.append(one)
        return found

    def since(self, number: int) -> list[Stamped]:
        """Return the events after a number, as far back as they are kept."""
        return [one for one in self.recent if one.number > number]


def clock_ms(state: Any, at_ns: int) -> int:
    """Return what the round's clock shows, in milliseconds."""
    return clock_shown(state, at_ns) // 1_000_000
