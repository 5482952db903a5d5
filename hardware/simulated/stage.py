"""The simulated table as those who sit at it know it: their area, their hands, the tiles in the middle."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hardware.simulated.seating import Area, Seating
from hardware.simulated.world import Lying, Move, Pyramid, Rest, Shift, Spot, Touch, World

ASIDE = 1.15
"""A tile of the middle whose middle is nearer than this to where another is to lie is in the way."""

APART = 1.18
"""How far the middles of face-down tiles lie apart, in tile sides."""


class Stage:
    """A table with a box of tiles face down in its middle.

    Parameters
    ----------
    seating
        Who sits where.
    symbols
        What is on each tile's face.
    rng
        Shuffles the tiles.
    speed
        How many times as fast as people the hands are.

    ``corner`` is how far from the table's corners nobody lays tiles, in tile sides: marker cards lie there.
    """

    def __init__(
        self, seating: Seating, symbols: Sequence[str], rng: random.Random, speed: float = 1.0
    ) -> None:
        self.seating, self.rng, self.corner = seating, rng, 0.0
        mixed = rng.sample(list(symbols), len(symbols))
        spots = self._heap(len(mixed))
        lying = [Lying(s, *spot, rng.uniform(0, 2 * math.pi)) for s, spot in zip(mixed, spots, strict=True)]
        arms = [(seating.home(k), area.turn) for k, area in enumerate(seating.seats)]
        self.world = World(seating.size, lying, arms, speed)
        self.board: dict[tuple[int, int], int] = {}
        self.pieces: dict[int, dict[tuple[int, int], int]] = {}
        self.pool: list[int] = list(self.world.tiles)
        self.spilt: list[int] = []
        self.seats = tuple(Reach(self, number) for number in range(len(seating.seats)))

    def _heap(self, many: int) -> list[Spot]:
        """Return places for so many tiles in the middle, those nearest to its centre first."""
        area = self.seating.middle
        cols, rows = int((area.broad - 0.8) / APART), int((area.deep - 0.8) / APART)
        shake = self.rng.uniform
        spots = [
            (
                area.x + (col - (cols - 1) / 2) * APART + shake(-0.04, 0.04),
                area.y + (row - (rows - 1) / 2) * APART + shake(-0.04, 0.04),
            )
            for row in range(rows)
            for col in range(cols)
        ]
        spots.sort(key=lambda spot: math.hypot(spot[0] - area.x, (spot[1] - area.y) * cols / rows))
        if len(spots) < many:
            raise ValueError(f"{many} tiles find no room in a middle of {cols} by {rows}")
        return spots[:many]

    def free_spot(self) -> Spot:
        """Return a place in the middle where no tile lies."""
        taken = [(tile.x, tile.y) for tile in self.world.tiles.values()]
        todo = [(m.x, m.y) for arm in self.world.arms for m in arm.todo]
        spots = self._heap(len(self.world.tiles))
        return max(spots, key=lambda spot: min(1.1, *(math.dist(spot, other) for other in taken + todo)))

    def in_corner(self, spot: Spot) -> bool:
        """Return whether a place lies so near to a corner of the table that tiles are kept off it."""
        (x, y), (width, height) = spot, self.seating.size
        return max(min(x, width - x), min(y, height - y)) < self.corner

    def fill_board(self) -> None:
        """Put tiles from the middle on every square of the board, face up."""
        many = self.seating.board.squares if self.seating.board else 0
        for row, col in ((r, c) for r in range(many) for c in range(many)):
            tile = self.board[row, col] = self.pool.pop(self.rng.randrange(len(self.pool)))
            x, y = self.seating.square(row, col)
            self.world.put(tile, x=x, y=y, turn=self.rng.gauss(0, 0.03), up=True)

    def line_up(self, colours: Sequence[str], base: float) -> None:
        """Put a row of pyramids on the board for each of two players: the first near, the other far."""
        many = self.seating.board.squares if self.seating.board else 0
        for seat, colour in enumerate(colours):
            row = many - 1 if seat == 0 else 0
            self.pieces[seat] = {(row, col): many * seat + col for col in range(many)}
            for cell, number in self.pieces[seat].items():
                x, y = self.seating.square(*cell)
                self.world.pyramids[number] = Pyramid(colour, "large", base, x, y, self.rng.gauss(0, 0.03))

    def take_away(self) -> dict[int, Lying]:
        """Take all tiles off the table, and return them."""
        box, self.world.tiles = self.world.tiles, {}
        return box

    def pour(self, box: dict[int, Lying]) -> None:
        """Put tiles on the table, as they lay."""
        self.world.tiles = box

    def spill(self, many: int) -> None:
        """Let so many tiles of the middle lie in the players' parts, at their far sides."""
        for tile in self.rng.sample(self.pool, many):
            area = self.rng.choice(self.seating.seats)
            u = self.rng.uniform(-0.4, 0.4) * area.broad
            x, y = area.spot(u, self.rng.uniform(0.0, 3.0) - area.deep / 2)
            if all(math.dist((x, y), (one.x, one.y)) > APART for one in self.world.tiles.values()):
                self.world.put(tile, x=x, y=y)
                self.spilt.append(tile)

    def spread(self, spots: Sequence[Spot]) -> dict[int, Lying]:
        """Lay a tile from the middle face up on each of some places; return how those tiles lay before."""
        chosen = self.pool[: len(spots)]
        before = {tile: self.world.tiles[tile] for tile in chosen}
        for tile, (x, y) in zip(chosen, spots, strict=True):
            self.world.put(tile, x=x, y=y, turn=self.rng.uniform(0, 2 * math.pi), up=True)
        return before

    def shuffle(self) -> None:
        """Mix what is on the faces of the tiles in the middle, as hands do that stir them."""
        symbols = [self.world.tiles[tile].symbol for tile in self.pool]
        self.rng.shuffle(symbols)
        for tile, symbol in zip(self.pool, symbols, strict=True):
            self.world.put(tile, symbol=symbol)

    def advance(self, seconds: float) -> None:
        """Let the hands go on for so long; whoever has reached a button presses it."""
        self.world.advance(seconds)
        touched, self.world.touched = self.world.touched, []
        for number in touched:
            self.seats[number].touch()

    @property
    def still(self) -> bool:
        """Whether nothing moves: all hands are where they rest."""
        return self.quiet and all(arm.tip == arm.home for arm in self.world.arms)

    @property
    def quiet(self) -> bool:
        """Whether nobody's hand is about to do anything."""
        return not any(arm.busy for arm in self.world.arms)


class Reach:
    """What one player sees and does; places are from the middle of the own area, as its player reads."""

    def __init__(self, stage: Stage, number: int) -> None:
        self.stage, self.number = stage, number
        self.area: Area = stage.seating.seats[number]
        self.button = 0.25 * self.area.broad, self.area.deep / 2 - 0.4
        self.pressed: Callable[[str], None] = lambda _call: None
        self.said: Callable[[str, Mapping[str, Any]], None] = lambda _call, _details: None
        self._calling = ""

    @property
    def broad(self) -> float:
        """Breadth of the own area, in tile sides."""
        return self.area.broad

    @property
    def deep(self) -> float:
        """Depth of the own area, in tile sides."""
        return self.area.deep

    @property
    def busy(self) -> bool:
        """Whether the own hand is still doing something."""
        return self.stage.world.arms[self.number].busy

    @property
    def quiet(self) -> bool:
        """Whether everybody's hands are at rest."""
        return self.stage.quiet

    @property
    def left(self) -> int:
        """How many tiles are left in the middle."""
        return len(self.stage.pool)

    def may_lie(self, u: float, v: float) -> bool:
        """Return whether tiles may lie on a place."""
        return not self.stage.in_corner(self.area.spot(u, v))

    def symbol(self, tile: int) -> str:
        """Return what is on a tile's face."""
        return self.stage.world.tiles[tile].symbol

    def carry(self, tile: int, u: float, v: float, *, up: bool = True) -> None:
        """Put a tile somewhere in the own area, by hand and so not quite straight.

        Tiles of the middle that lie in the way are put back to the others first.
        """
        shake = self.stage.rng.gauss
        x, y = self.area.spot(u + shake(0, 0.012), v + shake(0, 0.012))
        for other in self.stage.spilt:
            lying = self.stage.world.tiles[other]
            if math.dist((lying.x, lying.y), (x, y)) < ASIDE:
                self.stage.spilt.remove(other)
                self._put_back(other)
                break
        move = Move(tile, x, y, self.area.turn + shake(0, 0.02), up)
        self.stage.world.reach(self.number, move)

    @property
    def board(self) -> dict[tuple[int, int], int]:
        """The tiles on the board that all share, by row and column."""
        return self.stage.board

    @property
    def pieces(self) -> Mapping[tuple[int, int], int]:
        """The own pyramids on the board, by row and column."""
        return self.stage.pieces.get(self.number, {})

    @property
    def others(self) -> Mapping[tuple[int, int], int]:
        """The other player's pyramids on the board."""
        return self.stage.pieces.get(1 - self.number, {})

    def shift(self, start: tuple[int, int], goal: tuple[int, int]) -> None:
        """Move an own pyramid from one square of the board to another."""
        number = self.stage.pieces[self.number].pop(start)
        self.stage.pieces[self.number][goal] = number
        self.stage.world.reach(self.number, Shift(number, *self.stage.seating.square(*goal)))

    def lift(self, square: tuple[int, int], u: float, v: float) -> None:
        """Put an own pyramid from the board into the own area; the square stays its own."""
        number = self.stage.pieces[self.number][square]
        self.stage.world.reach(self.number, Shift(number, *self.area.spot(u, v)))

    def stand(self, square: tuple[int, int]) -> None:
        """Put the pyramid that was lifted from a square back onto it."""
        number = self.stage.pieces[self.number][square]
        self.stage.world.reach(self.number, Shift(number, *self.stage.seating.square(*square)))

    def lay(self, tile: int, row: int, col: int) -> None:
        """Put a tile on a square of the board that all share."""
        shake, x, y = self.stage.rng.gauss, *self.stage.seating.square(row, col)
        move = Move(tile, x + shake(0, 0.015), y + shake(0, 0.015), shake(0, 0.015), up=True)
        self.stage.world.reach(self.number, move)

    def take(self, many: int) -> list[int]:
        """Return tiles chosen from the middle, which nobody else takes any more."""
        pool = self.stage.pool
        chosen = self.stage.rng.sample(pool, min(many, len(pool)))
        for tile in chosen:
            pool.remove(tile)
            if tile in self.stage.spilt:
                self.stage.spilt.remove(tile)
            self.stage.world.laid_by.pop(tile, None)
        return chosen

    def give_back(self, tile: int) -> None:
        """Put a tile back to those in the middle, face down."""
        self._put_back(tile)
        self.stage.pool.append(tile)

    def _put_back(self, tile: int) -> None:
        """Put a tile to those in the middle, face down."""
        x, y = self.stage.free_spot()
        turn = self.stage.rng.uniform(0, 2 * math.pi)
        self.stage.world.reach(self.number, Move(tile, x, y, turn, up=False))

    def say(self, call: str, details: Mapping[str, Any]) -> None:
        """Make a call on a phone, with what it takes."""
        self.said(call, details)

    def press(self, call: str) -> None:
        """Call: put a finger on the button in front of the own area, and press."""
        self._calling = call
        self.stage.world.reach(self.number, Touch(*self.area.spot(*self.button)))

    def touch(self) -> None:
        """Press the button that the finger has come to."""
        if self._calling:
            call, self._calling = self._calling, ""
            self.pressed(call)

    def rest(self, u: float, v: float, seconds: float) -> None:
        """Put the hand down somewhere, even beyond the own area, and leave it there for so long."""
        x, y = self.area.spot(u, v)
        width, height = self.stage.seating.size
        self.stage.world.reach(self.number, Rest(min(max(x, 0), width), min(max(y, 0), height), seconds))
