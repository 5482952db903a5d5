"""What a log says of a game, its chain checked event by event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.errors import BadLog
from companion.events import codec
from companion.events.log import EventLog, Row
from companion.rules.event import GameSetUp, Stamped
from companion.rules.interface import RuleSystem
from companion.rules.registry import game as game_named


def chained(game: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of a game as long as the chain holds; raise BadLog at the first that breaks it."""
    before = b""
    for number, row in enumerate(rows, 1):
        check_follows(game, row, number, before)
        before = row.hash
        yield row


def check_follows(game: str, row: Row, number: int, before: bytes) -> None:
    """Raise BadLog where a row is not event ``number`` of a game, after one of hash ``before``."""
    if row.number != number:
        raise BadLog(f"game {game}: event {number} is missing; the next one there is {row.number}")
    if row.chained(game, before) != row.hash:
        raise BadLog(f"game {game}: event {number} ({row.kind}) or its hash was changed after it was written")


def decoded(rows: Iterable[Row]) -> Iterator[Stamped]:
    """Yield the events of rows, the first of which names the game."""
    known: codec.Kinds = {GameSetUp.__name__: GameSetUp}
    for row in rows:
        event = codec.read(known, row.kind, row.version, row.body)
        if isinstance(event, GameSetUp):
            known = codec.kinds(game_named(event.game))
        yield Stamped(row.number, row.at_ns, event)


def history(log: EventLog, game: str) -> list[Stamped]:
    """Return all events of a game; raise BadLog where there are none or one is damaged."""
    events = list(decoded(chained(game, log.rows(game))))
    if not events:
        raise BadLog(f"log {log.path} has no game {game!r}; it has {', '.join(log.games()) or 'none'}")
    return events


def set_up_of(events: Sequence[Stamped]) -> GameSetUp:
    """Return the set-up that comes first; raise BadLog where none does."""
    first = events[0].event if events else None
    if not isinstance(first, GameSetUp):
        raise BadLog("a game starts with its set-up; this one does not")
    return first


def rules_of(events: Sequence[Stamped]) -> RuleSystem[Any]:
    """Return the game whose set-up comes first."""
    return game_named(set_up_of(events).game)
