"""A bot that plays Binary Number Scrabble."""

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
from companion.rules.binary_scrabble.values import EquationsMade

BOARD_SIDE_SQUARES = 15
CENTRE = (7, 7)
MAX_EQUATION_TILES = 9
"""Greatest number of tiles of an equation that the bot considers."""

Symbols = tuple[str, ...]

MAX_PLAY_REFUSALS = 4
"""Number of refusals of a play after which the bot takes its tiles back and passes."""


@cache
def known_equations() -> Mapping[Symbols, int]:
    """Return the equations that the bot considers, as symbols, each with its value."""
    found: dict[Symbols, int] = {}
    for written in expressions():
        for other in ("".join(written), *(f"{n:b}" for n in range(16))):
            for symbols in ((*written, "=", *other), (*other, "=", *written)):
                if len(symbols) <= MAX_EQUATION_TILES and all(part for part in symbols):
                    try:
                        found[tuple(symbols)] = equation_value("".join(symbols), EquationRules())
                    except BadEquation:
                        continue
    return found


def expressions() -> Iterator[Symbols]:
    """Yield the expressions of one side of an equation, as symbols."""
    numbers = [f"{n:b}" for n in range(8)]
    yield from (tuple(number) for number in numbers)
    yield from (("NOT", *number) for number in ("0", "1", "10", "01", "00", "001", "110"))
    for one in numbers:
        for other in numbers:
            yield from ((*one, sign, *other) for sign in ("+", "-", "x", "/", "AND", "OR"))


def legal_plays(cells: Mapping[Place, str], rack: Counter[str]) -> Iterator[tuple[dict[Place, str], Symbols]]:
    """Yield each legal play: its new tiles by square, and the symbols of the whole equation."""
    for symbols in known_equations():
        if not cells:
            start = (CENTRE[0], CENTRE[1] - len(symbols) // 2)
            new = dict(zip(line(start, (0, 1), len(symbols)), symbols, strict=True))
            if rack_holds(new, rack):
                yield new, symbols
            continue
        for cell, lying in cells.items():
            for at in (k for k, symbol in enumerate(symbols) if symbol == lying):
                for step in ((0, 1), (1, 0)):
                    start = (cell[0] - step[0] * at, cell[1] - step[1] * at)
                    places = line(start, step, len(symbols))
                    new = {p: s for p, s in zip(places, symbols, strict=True) if p != cell}
                    if is_legal(cells, new, places, step) and rack_holds(new, rack):
                        yield new, symbols


def line(start: Place, step: Place, many: int) -> list[Place]:
    """Return ``many`` squares from a start in the direction of a step."""
    return [(start[0] + step[0] * k, start[1] + step[1] * k) for k in range(many)]


def rack_holds(new: Mapping[Place, str], rack: Counter[str]) -> bool:
    """Return whether a rack holds the tiles of a play, with at most one equals sign."""
    wanted = Counter(new.values())
    return wanted["="] <= 1 and wanted <= rack


def is_legal(cells: Mapping[Place, str], new: Mapping[Place, str], places: list[Place], step: Place) -> bool:
    """Return whether new tiles lie on empty squares of the board and touch only the tile they cross."""
    side = (step[1], step[0])
    ends = (
        (places[0][0] - step[0], places[0][1] - step[1]),
        (places[-1][0] + step[0], places[-1][1] + step[1]),
    )
    beside = [(p[0] + k * side[0], p[1] + k * side[1]) for p in new for k in (-1, 1)]
    on_board = all(0 <= row < BOARD_SIDE_SQUARES and 0 <= col < BOARD_SIDE_SQUARES for row, col in places)
    return on_board and not any(place in cells for place in (*new, *ends, *beside))


class BinaryPlayer(Player):
    """A bot at Binary Number Scrabble; ``laid`` are its tiles of the current play, by square.

    A tile that it lays after the call is taken back where the play stands without it.
    """

    game = "binary_scrabble"
    settings = GameSettings(2, 2, 2, tile_set="binary", board=BoardConfig("scrabble"), most_calls=16)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.laid: dict[Place, int] = {}
        self.rack: list[int] = []
        self.points = 0.0
        self.late: Place | None = None
        self._slots: dict[int, int] = {}
        self._on_turn = self._exchanged = False
        self._refusals = 0
        self._aside: list[int] = []

    def on_event(self, event: ev.Event) -> None:
        """Take in one event."""
        super().on_event(event)
        match event:
            case ev.RoundStarted():
                self._on_turn, self._refusals = event.turn == self.number, 0
                self.on_draw(event.hands[self.number - 1])
            case ev.TurnPassed():
                self._on_turn, self._refusals = event.seat == self.number, 0
            case EquationsMade() if event.seat == self.number:
                if self.late is not None and len(event.tiles) < len(self.laid):
                    self._take_back(self.late)
                self.points += self.laid_score()
                self.laid, self._exchanged = {}, False
            case _:
                return

    def on_refused(self, _event: ev.CallRefused) -> None:
        """Count the refusal; after ``MAX_PLAY_REFUSALS`` take the laid tiles back."""
        self.late = None
        self._refusals += 1
        if self._refusals >= MAX_PLAY_REFUSALS:
            for place in list(self.laid):
                self._take_back(place)
        self._aside = []

    def on_draw(self, many: int) -> None:
        """Draw tiles to the rack; a negative number returns the tiles that are exchanged."""
        if many < 0:
            for tile in self._aside:
                self.rack.remove(tile)
                self.seat.return_tile(tile)
            self._aside = []
        for tile in self.seat.draw_tiles(max(0, many)):
            self._add_to_rack(tile)

    def _take_back(self, place: Place) -> None:
        """Take a laid tile from the board back to the rack."""
        self.seat.board.pop(place)
        self._add_to_rack(self.laid.pop(place))

    def _add_to_rack(self, tile: int) -> None:
        """Put a tile face down on the first free slot of the rack."""
        self.rack.append(tile)
        self._slots = {one: at for one, at in self._slots.items() if one in self.rack}
        place = next(k for k in range(2 * len(self.rack)) if k not in self._slots.values())
        self._slots[tile] = place
        self.seat.place_tile(tile, (place - 5) * 1.25, 0.0, up=False)

    def take_turn(self, now_ns: int) -> None:
        """Lay an equation, then call PLAY; exchange or pass where there is none."""
        if not self.playing or not self._on_turn or self.out:
            return
        if self.laid:
            self.call("play", now_ns)
        elif self._refusals >= MAX_PLAY_REFUSALS:
            self.call("pass", now_ns)
        elif best := self._best_play():
            early = self.behaviour.early and self.rng.random() < self.behaviour.early
            self.late = list(best)[-1] if early else None
            for number, (place, symbol) in enumerate(best.items(), 1):
                if early and number == len(best):
                    self.call("play", now_ns)
                tile = next(tile for tile in self.rack if self.seat.symbol(tile) == symbol)
                self.rack.remove(tile)
                self.laid[place] = self.seat.board[place] = tile
                self.seat.place_on_board(tile, *place)
        elif not self._exchanged and self.seat.tiles_left >= 9:
            self._exchanged, self._aside = True, list(self.rack)
            self.seat.call_by_phone("exchange", {"tiles": len(self._aside)})
            self.think(now_ns)
        else:
            self.call("pass", now_ns)

    def _best_play(self) -> dict[Place, str] | None:
        """Return the tiles of the play with the best score, in one of five turns of another good one."""
        cells = {place: self.seat.symbol(tile) for place, tile in self.seat.board.items()}
        rack = Counter(self.seat.symbol(tile) for tile in self.rack if self.seat.symbol(tile))
        ways = [(play_score(new, symbols), sorted(new.items())) for new, symbols in legal_plays(cells, rack)]
        ways.sort(reverse=True)
        if not ways:
            return None
        return dict(ways[0 if self.rng.random() < 0.8 else self.rng.randrange(min(5, len(ways)))][1])

    def laid_score(self) -> float:
        """Return the score of the laid tiles by the bot's own count."""
        cells = {place: self.seat.symbol(tile) for place, tile in self.seat.board.items()}
        new = {place: cells[place] for place in self.laid}
        return float(max(play_score(new, run) for run in runs_through(cells, new)))

    def own_score(self) -> float:
        """Return the points of all plays by the bot's own count."""
        return self.points


def runs_through(cells: dict[Place, str], new: dict[Place, str]) -> list[tuple[str, ...]]:
    """Return the equations, as symbols, that run across and down through the first of the new tiles."""
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


def play_score(new: dict[Place, str], symbols: tuple[str, ...]) -> int:
    """Return the points of a play: (letter values with their squares + largest bit) x word squares."""
    value = equation_value("".join(symbols), EquationRules())
    bonus = 1 << (value.bit_length() - 1) if value else 0
    tiles = sum(box().values[s] * {"L": 3, "l": 2}.get(square(p), 1) for p, s in new.items())
    times = 1
    for place in new:
        times *= {"W": 3, "w": 2}.get(square(place), 1)
    return (tiles + bonus) * times
