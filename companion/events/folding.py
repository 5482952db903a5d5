"""One game of a log as it stands, folded from its events as they come, with little memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from companion.errors import BadLog
from companion.events import codec
from companion.events.log import Row
from companion.events.reading import check_follows, rules_of, set_up_of
from companion.rules.event import GameSetUp, Stamped
from companion.rules.interface import RuleSystem
from companion.rules.record import clock_shown


@dataclass(slots=True)
class Folded:
    """A game: its state is the fold of its events 1 to ``number``, ``hash`` that of the last one.

    ``at_ns`` is the game's clock at the last event.
    """

    name: str
    game: RuleSystem[Any]
    set_up: GameSetUp
    state: Any
    number: int
    at_ns: int
    hash: bytes
    kinds: codec.Kinds

    @classmethod
    def begun(cls, name: str, row: Row) -> Self:
        """Return a game of which the first event has come; raise BadLog where that is none."""
        check_follows(name, row, 1, b"")
        event = codec.read({GameSetUp.__name__: GameSetUp}, row.kind, row.version, row.body)
        first = [Stamped(1, row.at_ns, event)]
        game, set_up = rules_of(first), set_up_of(first)
        return cls(name, game, set_up, game.initial_state(set_up), 1, row.at_ns, row.hash, codec.kinds(game))

    def take(self, row: Row) -> Stamped:
        """Take in the event that follows, and return it; raise BadLog where another one comes."""
        check_follows(self.name, row, self.number + 1, self.hash)
        one = Stamped(row.number, row.at_ns, codec.read(self.kinds, row.kind, row.version, row.body))
        self.state = self.game.evolve(self.state, one.event, one.at_ns)
        self.number, self.at_ns, self.hash = row.number, max(self.at_ns, row.at_ns), row.hash
        return one

    @property
    def clock_ms(self) -> int:
        """What the round's clock showed at the last event."""
        return clock_shown(self.state, self.at_ns) // 1_000_000


def folded(name: str, rows: Sequence[Row]) -> Folded:
    """Return a game from all its events; raise BadLog where there are none or the chain is broken."""
    if not rows:
        raise BadLog(f"there is no game {name!r}")
    found = Folded.begun(name, rows[0])
    for row in rows[1:]:
        found.take(row)
    return found
