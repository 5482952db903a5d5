"""A bot that plays Binary Number Scrabble: equations across what lies on the board, turn by turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from companion.bots.player import GameSettings, Player
from companion.config.table import BoardConfig
from companion.errors import BadEquation
from companion.model.grid import Place
from companion.model.squares import square
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import box
from companion.rules.binary_scrabble.equation import EQUALS
from companion.rules.binary_scrabble.value import EquationRules, equation_value

SIDE = 15
CENTRE = (7, 7)
LONGEST = 9
"""Tiles of the longest equation that a bot thinks of."""

Symbols = tuple[str, ...]

MOST_TRIES = 4
"""After so many refusals a bot takes its tiles back and passes."""


@cache
def known() -> Mapping[Symbols, int]:
    """Return equations as symbols, each with its value."""
    found: dict[Symbols, int] = {}
    for written in sides():
        for other in ("".join(written), *(f"{n:b}" for n in range(16))):
            for symbols in ((*written, "=", *other), (*other, "=", *written)):
                if len(symbols) <= LONGEST and all(part for part in symbols):
                    try:
                        found[tuple(symbols)] = equation_value("".join(symbols), EquationRules())
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


class BinaryPlayer(Player):
    """A bot at Binary Number Scrabble."""

    game = "binary_scrabble"
    settings = GameSettings(2, 2, 2, tile_set="binary", board=BoardConfig("scrabble"), most_calls=16)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.laid: dict[Place, int] = {}
        self.rack: list[int] = []
        self.points = 0.0
        self._slot_of: dict[int, int] = {}
        self._on_turn = self._exchanged = False
        self._refused = 0
        self._aside: list[int] = []

    def heard(self, event: ev.Event) -> None:
        """Take in one event."""
        super().heard(event)
        match event:
            case ev.RoundStarted():
                self._on_turn = event.turn == self.number
                self.drawn(event.hands[self.number - 1])
            case ev.TurnPassed():
                self._on_turn, self._refused = event.seat == self.number, 0
            case ev.CallAccepted(call="play") if event.seat == self.number:
                self.points += self.worth()
                self.laid, self._exchanged = {}, False
            case _:
                return

    def refused(self, _event: ev.CallRefused) -> None:
        """Look at the board again, and at last give up the play."""
        self._refused += 1
        if self._refused >= MOST_TRIES:
            for place, tile in self.laid.items():
                self.reach.board.pop(place)
                self._rack(tile)
            self.laid = {}
        self._aside = []

    def drawn(self, many: int) -> None:
        """Fill the rack up, or put back what was set aside."""
        if many < 0:
            for tile in self._aside:
                self.rack.remove(tile)
                self.reach.give_back(tile)
            self._aside = []
        for tile in self.reach.take(max(0, many)):
            self._rack(tile)

    def _rack(self, tile: int) -> None:
        """Put a tile on the own rack, where nobody else sees it."""
        self.rack.append(tile)
        self._slot_of = {one: at for one, at in self._slot_of.items() if one in self.rack}
        place = next(k for k in range(2 * len(self.rack)) if k not in self._slot_of.values())
        self._slot_of[tile] = place
        self.reach.carry(tile, (place - 5) * 1.25, 0.0, up=False)

    def turn(self, now_ns: int) -> None:
        """Lay an equation and say so; exchange or pass where there is none."""
        if not self.playing or not self._on_turn or self.out:
            return
        if self.laid:
            self.call("play", now_ns)
        elif self._refused >= MOST_TRIES:
            self.call("pass", now_ns)
        elif best := self._best():
            early = self.temper.early and self.rng.random() < self.temper.early
            for number, (place, symbol) in enumerate(best.items(), 1):
                if early and number == len(best):
                    self.call("play", now_ns)
                tile = next(tile for tile in self.rack if self.reach.symbol(tile) == symbol)
                self.rack.remove(tile)
                self.laid[place] = self.reach.board[place] = tile
                self.reach.lay(tile, *place)
        elif not self._exchanged and self.reach.left >= 9:
            self._exchanged, self._aside = True, list(self.rack)
            self.reach.say("exchange", {"tiles": len(self._aside)})
            self.think(now_ns)
        else:
            self.call("pass", now_ns)

    def _best(self) -> dict[Place, str] | None:
        """Return the tiles of the equation that brings most, now and then of another one."""
        cells = {place: self.reach.symbol(tile) for place, tile in self.reach.board.items()}
        rack = Counter(self.reach.symbol(tile) for tile in self.rack if self.reach.symbol(tile))
        ways = [(counted(new, symbols), sorted(new.items())) for new, symbols in layings(cells, rack)]
        ways.sort(reverse=True)
        if not ways:
            return None
        return dict(ways[0 if self.rng.random() < 0.8 else self.rng.randrange(min(5, len(ways)))][1])

    def worth(self) -> float:
        """Return what the tiles just laid bring, as the player adds it up."""
        cells = {place: self.reach.symbol(tile) for place, tile in self.reach.board.items()}
        new = {place: cells[place] for place in self.laid}
        return float(max(counted(new, run) for run in through(cells, new)))

    def account(self) -> float:
        """Return the points of all plays as the player has added them up."""
        return self.points


def through(cells: dict[Place, str], new: dict[Place, str]) -> list[tuple[str, ...]]:
    """Return the equations that new tiles lie in: across and down through the first of them.

    That may be an = itself, which alone makes none the other way.
    """
    found = []
    for down, right in ((0, 1), (1, 0)):
        row, col = min(new)
        while (row - down, col - right) in cells:
            row, col = row - down, col - right
        run = []
        while (row, col) in cells:
            run.append(cells[row, col])
            row, col = row + down, col + right
        if len(run) > 1 and EQUALS in run:
            found.append(tuple(run))
    return found


def counted(new: dict[Place, str], symbols: tuple[str, ...]) -> int:
    """Return the points of an equation: (tiles on their squares + largest bit) times the word squares."""
    value = equation_value("".join(symbols), EquationRules())
    bonus = 1 << (value.bit_length() - 1) if value else 0
    tiles = sum(box().values[s] * {"L": 3, "l": 2}.get(square(p), 1) for p, s in new.items())
    times = 1
    for place in new:
        times *= {"W": 3, "w": 2}.get(square(place), 1)
    return (tiles + bonus) * times
