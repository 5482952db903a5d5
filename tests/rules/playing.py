"""A table to play at in tests: every line goes the way that a script's line goes."""

from __future__ import annotations

import json
import weakref
from dataclasses import replace
from typing import Any

from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND
from companion.rules import script
from companion.rules.record import step_json
from companion.rules.registry import game
from companion.words.lexicon import Lexicon, WordList

WORDS = ("aa", "cat", "cot", "at", "to")


def memory_log() -> EventLog:
    """Return a log that is kept nowhere and closes itself when nobody has it any more."""
    log = EventLog()
    weakref.finalize(log, log.connection.close)
    return log


class Table:
    """One game; each method plays a line and returns what stands after it."""

    def __init__(
        self,
        name: str,
        seats: int | list[str] = 2,
        *,
        words: tuple[str, ...] = WORDS,
        long: tuple[str, ...] = (),
        uncommon: tuple[str, ...] = (),
        **options: Any,
    ) -> None:
        names = [f"seat {n}" for n in range(1, seats + 1)] if isinstance(seats, int) else seats
        self.log = memory_log()
        second = WordList.written("long", long) if long else None
        lexicon = Lexicon(WordList.written("test", words, uncommon), second)
        self.match = Match.begun(self.log, "test", game(name), names, options, lexicon)

    @property
    def state(self) -> Any:
        return self.match.state

    def line(self, at: float, **body: Any) -> dict[str, Any]:
        text = json.dumps({"at": at, **body})
        heard = script.parse_line(self.match.game, len(self.state.seats), text)
        events = self.match.handle(heard)
        return step_json(self.state, int(at * SECOND), events)

    def host(self, at: float, *orders: str) -> dict[str, Any]:
        return [self.line(at, host=order) for order in orders][-1]

    def sees(self, at: float, seat: int, *grid: str, **rest: Any) -> dict[str, Any]:
        return self.line(at, seat=seat, sees={"grid": list(grid), **rest})

    def call(self, at: float, seat: int, name: str, **details: Any) -> dict[str, Any]:
        return self.line(at, seat=seat, call=name, **details)

    def rule(self, at: float, name: str, **details: Any) -> dict[str, Any]:
        return self.line(at, referee=name, **{"reason": "as the table saw", **details})

    def set_pool(self, tiles: int) -> None:
        """Leave this many tiles in the middle, the others out of the game: a short way to a game's end."""
        self.match.state = replace(self.state, pool=tiles)


def places(line: dict[str, Any]) -> list[int | None]:
    return [seat["place"] for seat in line["seats"]]


def scores(line: dict[str, Any]) -> list[float]:
    return [seat["score"] for seat in line["seats"]]


def started(seats: int = 2, *, flips: int = 0, **options: Any) -> Table:
    """Return a table of Chew's after the host's Start and so many Flips."""
    table = Table("chew", seats, **options)
    table.host(0, "start")
    all_flipped(table, flips)
    return table


def all_flipped(table: Table, flips: int = 10) -> None:
    """Turn so many tiles of every reserve up: a short way to a round's end."""
    seats = tuple(replace(seat, face_down=10 - flips) for seat in table.state.seats)
    table.match.state = replace(table.state, seats=seats)


def hands(line: dict[str, Any]) -> list[int]:
    return [seat["hand"] for seat in line["seats"]]


def stairs(tiles: int, last: str = "A") -> list[str]:
    """Return a valid tableau of so many tiles: AA across, AA down; another last letter spoils it."""
    rows: list[str] = []
    for n in range(tiles):
        row, col = n // 2, (n + 1) // 2
        letter = last if n == tiles - 1 else "A"
        if row == len(rows):
            rows.append("." * col)
        rows[row] += letter
    return rows


def splitted(seats: int = 2, **options: Any) -> Table:
    """Return a table at which all have turned their tiles up at second 1."""
    table = Table("bananagrams", seats, **options)
    table.host(0, "start")
    table.call(1, 1, "split")
    return table


def endgame(seats: int = 2, pool: int = 1, **options: Any) -> Table:
    """Return a table with so few tiles left, everybody's 21 tiles placed in good words."""
    table = splitted(seats, **options)
    table.set_pool(pool)
    for seat in range(1, seats + 1):
        table.sees(2, seat, *stairs(21))
    return table


def gone(seats: int = 2, *, pool: int | None = None, **options: Any) -> Table:
    """Return a table of League City's at which GO was said at second 1, with so many tiles left."""
    table = Table("league_city", seats, **options)
    table.host(0, "start")
    table.call(1, 1, "go")
    if pool is not None:
        table.set_pool(pool)
    return table


def texts(line: dict[str, Any]) -> list[str]:
    """Return what the table has said and warned of."""
    return [event["text"] for event in line["events"] if "text" in event]
