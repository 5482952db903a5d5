"""A game as the log tells it, folded once as it grows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from companion.errors import BadLog
from companion.events import codec
from companion.events.log import Row
from companion.events.reading import chained, decoded, rules_of, set_up_of
from companion.rules.event import GameSetUp, Stamped
from companion.rules.interface import RuleSystem
from companion.rules.printed import clock_shown

RECENT = 400
"""Events that are kept for phones that come back; who slept longer gets the state alone."""


@dataclass(slots=True)
class Story:
    """What is known of one game: its state is the fold of its events 1 to ``number``.

    ``clocks`` are what the round's clock showed at each event, in milliseconds.
    """

    name: str
    game: RuleSystem[Any]
    set_up: GameSetUp
    state: Any
    number: int
    at_ns: int
    hash: bytes
    clocks: list[int]
    recent: deque[Stamped] = field(default_factory=lambda: deque(maxlen=RECENT))

    @property
    def names(self) -> tuple[str, ...]:
        """The players at the seats, as they are now."""
        return tuple(seat.name for seat in self.state.seats)

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> Self:
        """Return the story that rows tell, from the first one; raise BadLog where they are damaged."""
        events = list(decoded(chained(name, rows)))
        if not events:
            raise BadLog(f"there is no game {name!r}")
        game, set_up, last = rules_of(events), set_up_of(events), events[-1]
        recent = deque(events[-RECENT:], maxlen=RECENT)
        state, clocks = game.opening(set_up), [0]
        for one in events[1:]:
            state = game.evolve(state, one.event, one.at_ns)
            clocks.append(clock_ms(state, one.at_ns))
        return cls(name, game, set_up, state, last.number, last.at_ns, rows[-1].hash, clocks, recent)

    def go_on(self, rows: Sequence[Row]) -> list[Stamped]:
        """Take in the rows that follow and return their events; raise BadLog where they are damaged."""
        known = codec.kinds(self.game)
        found = []
        for row in rows:
            if row.number != self.number + 1 or row.chained(self.name, self.hash) != row.hash:
                raise BadLog(f"game {self.name}: event {self.number + 1} is missing or was changed")
            one = Stamped(row.number, row.at_ns, codec.read(known, row.kind, row.version, row.body))
            self.state = self.game.evolve(self.state, one.event, one.at_ns)
            self.clocks.append(clock_ms(self.state, one.at_ns))
            self.number, self.at_ns, self.hash = row.number, max(self.at_ns, row.at_ns), row.hash
            self.recent.append(one)
            found.append(one)
        return found

    def since(self, number: int) -> list[Stamped]:
        """Return the events after a number, as far back as they are kept."""
        return [one for one in self.recent if one.number > number]


def clock_ms(state: Any, at_ns: int) -> int:
    """Return what the round's clock shows, in milliseconds."""
    return clock_shown(state, at_ns) // 1_000_000
