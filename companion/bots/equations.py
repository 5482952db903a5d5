"""True binary equations that a bot knows, as tiles, and where they may cross what lies on a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from companion.errors import BadEquation
from companion.model.grid import Place
from companion.rules.binary_scrabble.value import Agreed, solved

SIDE = 15
CENTRE = (7, 7)
LONGEST = 9
"""Tiles of the longest equation that a bot thinks of."""

Symbols = tuple[str, ...]


@cache
def known() -> Mapping[Symbols, int]:
    """Return equations as symbols, each with its value."""
    found: dict[Symbols, int] = {}
    for written in sides():
        for other in ("".join(written), *(f"{n:b}" for n in range(16))):
            for symbols in ((*written, "=", *other), (*other, "=", *written)):
                if len(symbols) <= LONGEST and all(part for part in symbols):
                    try:
                        found[tuple(symbols)] = solved("".join(symbols), Agreed())
                    except BadEquation:
                        continue
    return found


def sides() -> Iterator[Symbols]:
    """Yield what may stand on one side of an equation."""
    numbers = [f"{n:b}" for n in range(8)]
    yield from (tuple(number) for number in numbers)
    yield from (("NOT", *number) for number in ("0", "1", "10", "01", "00", "001", "110"))
    for one in numbers:
        for other in numbers:
            yield from ((*one, sign, *other) for sign in ("+", "-", "x", "/", "AND", "OR"))


def layings(cells: Mapping[Place, str], rack: Counter[str]) -> Iterator[tuple[dict[Place, str], Symbols]]:
    """Yield the new tiles, by place, of every equation that may be laid, and the whole equation."""
    for symbols in known():
        if not cells:
            start = (CENTRE[0], CENTRE[1] - len(symbols) // 2)
            new = dict(zip(line(start, (0, 1), len(symbols)), symbols, strict=True))
            if fits(new, rack):
                yield new, symbols
            continue
        for cell, lying in cells.items():
            for at in (k for k, symbol in enumerate(symbols) if symbol == lying):
                for step in ((0, 1), (1, 0)):
                    start = (cell[0] - step[0] * at, cell[1] - step[1] * at)
                    places = line(start, step, len(symbols))
                    new = {p: s for p, s in zip(places, symbols, strict=True) if p != cell}
                    if free(cells, new, places, step) and fits(new, rack):
                        yield new, symbols


def line(start: Place, step: Place, many: int) -> list[Place]:
    """Return so many places in a row."""
    return [(start[0] + step[0] * k, start[1] + step[1] * k) for k in range(many)]


def fits(new: Mapping[Place, str], rack: Counter[str]) -> bool:
    """Return whether a rack has the tiles, and no more than one = is among them."""
    wanted = Counter(new.values())
    return wanted["="] <= 1 and wanted <= rack


def free(cells: Mapping[Place, str], new: Mapping[Place, str], places: list[Place], step: Place) -> bool:
    """Return whether new tiles lie on the board, on empty squares, and touch nothing but what they cross."""
    side = (step[1], step[0])
    ends = (
        (places[0][0] - step[0], places[0][1] - step[1]),
        (places[-1][0] + step[0], places[-1][1] + step[1]),
    )
    beside = [(p[0] + k * side[0], p[1] + k * side[1]) for p in new for k in (-1, 1)]
    on_board = all(0 <= row < SIDE and 0 <= col < SIDE for row, col in places)
    return on_board and not any(place in cells for place in (*new, *ends, *beside))
