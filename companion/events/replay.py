"""Games replayed from their logs: rows are verified along the hash chain, decoded, and folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from companion.errors import BadLog
from companion.events import codec
from companion.events.log import EventLog, Row
from companion.rules.event import GameSetUp, Stamped
from companion.rules.interface import RuleSystem
from companion.rules.record import clock_shown
from companion.rules.registry import game as game_named


def verified_rows(game: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of a game; raise BadLog at the first one that breaks the hash chain."""
    before = b""
    for number, row in enumerate(rows, 1):
        check_chain(game, row, number, before)
        before = row.hash
        yield row


def check_chain(game: str, row: Row, number: int, before: bytes) -> None:
    """Raise BadLog unless a row is event ``number`` of a game, chained to the hash ``before``."""
    if row.number != number:
        raise BadLog(f"game {game}: event {number} is missing; the next one there is {row.number}")
    if row.chain_hash(game, before) != row.hash:
        raise BadLog(f"game {game}: event {number} ({row.kind}) or its hash was changed after it was written")


def decoded_events(rows: Iterable[Row]) -> Iterator[Stamped]:
    """Yield the events of rows; the first row must be the set-up, which names the game."""
    known: codec.Kinds = {GameSetUp.__name__: GameSetUp}
    for row in rows:
        event = codec.decode(known, row.kind, row.version, row.body)
        if isinstance(event, GameSetUp):
            known = codec.kinds(game_named(event.game))
        yield Stamped(row.number, row.at_ns, event)


def history(log: EventLog, game: str) -> list[Stamped]:
    """Return all events of a game; raise BadLog if there are none or one is damaged."""
    events = list(decoded_events(verified_rows(game, log.rows(game))))
    if not events:
        raise BadLog(f"log {log.path} has no game {game!r}; it has {', '.join(log.games()) or 'none'}")
    return events


def set_up_of(events: Sequence[Stamped]) -> GameSetUp:
    """Return the set-up, which is the first event; raise BadLog if it is not."""
    first = events[0].event if events else None
    if not isinstance(first, GameSetUp):
        raise BadLog("a game starts with its set-up; this one does not")
    return first


def rules_of(events: Sequence[Stamped]) -> RuleSystem[Any]:
    """Return the rules of the game, which the set-up names."""
    return game_named(set_up_of(events).game)


@dataclass(slots=True)
class GameReplay:
    """A game replayed event by event: ``state`` is the fold of its events 1 to ``number``.

    ``hash`` is the hash of the last event, ``at_ns`` the game's clock at it.
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
        """Return the replay after the first row; raise BadLog if that is not a set-up."""
        check_chain(name, row, 1, b"")
        event = codec.decode({GameSetUp.__name__: GameSetUp}, row.kind, row.version, row.body)
        first = [Stamped(1, row.at_ns, event)]
        game, set_up = rules_of(first), set_up_of(first)
        return cls(name, game, set_up, game.initial_state(set_up), 1, row.at_ns, row.hash, codec.kinds(game))

    def apply(self, row: Row) -> Stamped:
        """Apply the next row and return its event; raise BadLog if it does not follow the last one."""
        check_chain(self.name, row, self.number + 1, self.hash)
        one = Stamped(row.number, row.at_ns, codec.decode(self.kinds, row.kind, row.version, row.body))
        self.state = self.game.evolve(self.state, one.event, one.at_ns)
        self.number, self.at_ns, self.hash = row.number, max(self.at_ns, row.at_ns), row.hash
        return one

    @property
    def clock_ms(self) -> int:
        """What the round's clock showed at the last event, in milliseconds."""
        return clock_shown(self.state, self.at_ns) // 1_000_000


def replayed(name: str, rows: Sequence[Row]) -> GameReplay:
    """Return a game replayed from all its rows; raise BadLog if there are none or the chain is broken."""
    if not rows:
        raise BadLog(f"there is no game {name!r}")
    found = GameReplay.begun(name, rows[0])
    for row in rows[1:]:
        found.apply(row)
    return found
