"""One game of a table as it stands, folded from its events as they come, with little memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from companion.errors import BadLog
from companion.events import codec
from companion.events.log import Row
from companion.events.reading import rules_of
from companion.rules.event import GameSetUp, Stamped
from companion.rules.interface import RuleSystem
from companion.rules.printed import clock_shown
from companion.rules.state import Phase, State


@dataclass(slots=True)
class Followed:
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
        event = codec.read({GameSetUp.__name__: GameSetUp}, row.kind, row.version, row.body)
        if row.number != 1 or row.chained(name, b"") != row.hash or not isinstance(event, GameSetUp):
            raise BadLog(f"game {name}: its first event is missing or was changed")
        game = rules_of([Stamped(1, row.at_ns, event)])
        return cls(name, game, event, game.opening(event), 1, row.at_ns, row.hash, codec.kinds(game))

    def take(self, row: Row) -> None:
        """Take in the event that follows; raise BadLog where another number or another chain comes."""
        if row.number != self.number + 1 or row.chained(self.name, self.hash) != row.hash:
            raise BadLog(f"game {self.name}: event {self.number + 1} is missing or was changed")
        event = codec.read(self.kinds, row.kind, row.version, row.body)
        self.state = self.game.evolve(self.state, event, row.at_ns)
        self.number, self.at_ns, self.hash = row.number, max(self.at_ns, row.at_ns), row.hash

    @property
    def clock_ms(self) -> int:
        """What the round's clock showed at the last event."""
        return clock_shown(self.state, self.at_ns) // 1_000_000


def followed(name: str, rows: Sequence[Row]) -> Followed:
    """Return a game from all its events; raise BadLog where there are none or the chain is broken."""
    if not rows:
        raise BadLog(f"there is no game {name!r}")
    found = Followed.begun(name, rows[0])
    for row in rows[1:]:
        found.take(row)
    return found


def doubts(state: State) -> int:
    """Return how many tiles are in doubt, before the seats and on the shared board."""
    seats = sum(len(seat.verdict.doubts) for seat in state.seats if seat.verdict is not None)
    return seats + (len(state.board.doubts) if state.board is not None else 0)


def undecided(state: State) -> int:
    """Return how many words wait for the referee's ruling."""
    return sum(len(seat.verdict.undecided_words) for seat in state.seats if seat.verdict is not None)


def stopped(state: State) -> bool:
    """Return whether play was stopped, for a challenge or by the host."""
    return state.phase is Phase.PAUSED


def settled(state: State) -> bool:
    """Return whether the round's scores stand."""
    return state.confirmed or state.phase is Phase.OVER
