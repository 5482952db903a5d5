"""A board of Binary Number Scrabble to play on in tests: tiles laid stay laid, every line a second later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.rules.playing import Table

FIRST = (7, 5, "across", "1 + 1 = 1 0")
"""1+1=10 over the middle square: (6 tiles + bonus 2) x 2 = 16 points."""

Laid = tuple[int, int, str, str]
"""Row and column of the first tile, the way, the symbols (``.`` where a tile lies already, ``?`` a blank)."""


class Equations(Table):
    """A started game."""

    def __init__(self, seats: int | list[str] = 2, **options: Any) -> None:
        super().__init__("binary_scrabble", seats, **options)
        self.cells: dict[tuple[int, int], str] = {}
        self.at = 0
        self.host(0, "start")

    def next(self) -> int:
        self.at += 1
        return self.at

    def shows(self, doubts: Sequence[list[int]] = (), unread: Sequence[list[int]] = ()) -> None:
        """Let the camera see the board."""
        cells = [[row, col, symbol] for (row, col), symbol in sorted(self.cells.items())]
        self.line(self.next(), board={"cells": cells, "doubts": [*doubts], "unread": [*unread]})

    def lay(self, *laid: Laid) -> None:
        """Put tiles on the board and let the camera see them."""
        for row, col, way, symbols in laid:
            for n, symbol in enumerate(symbols.split()):
                cell = (row, col + n) if way == "across" else (row + n, col)
                if symbol != ".":
                    self.cells[cell] = "" if symbol == "?" else symbol
        self.shows()

    def plays(self, seat: int, *laid: Laid, **details: Any) -> dict[str, Any]:
        """Lay tiles and call play; a refused play leaves them on the board."""
        self.lay(*laid)
        return self.says(seat, "play", **details)

    def says(self, seat: int, call: str, **details: Any) -> dict[str, Any]:
        return self.call(self.next(), seat, call, **details)

    def clear(self, *cells: tuple[int, int]) -> None:
        """Take tiles off the board again."""
        for cell in cells:
            del self.cells[cell]
        self.shows()

    def short(self, pool: int, *hands: int) -> None:
        """Leave so many tiles in the middle and the hands, the others out of the game: near a game's end."""
        seats = tuple(replace(seat, hand=hand) for seat, hand in zip(self.state.seats, hands, strict=True))
        self.match.state = replace(self.state, pool=pool, seats=seats)


def begun(seats: int | list[str] = 2, **options: Any) -> Equations:
    """Return a game in which seat 1 has played FIRST."""
    table = Equations(seats, **options)
    line = table.plays(1, FIRST)
    assert line["accepted"], line["reason"]
    return table


def ending(*, others: tuple[int, ...] = (3,), **options: Any) -> Equations:
    """Return a game in which seat 1 has gone out with FIRST, the others holding so many tiles."""
    table = Equations(1 + len(others), **options)
    table.short(0, 6, *others)
    line = table.plays(1, FIRST)
    assert line["phase"] == "judging"
    return table
