"""The simulated tabletop: the seats, their hands, the pool of tiles, the board and its pyramids."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hardware.simulated.seating import Area, Seating
from hardware.simulated.world import (
    MovePyramid,
    MoveTile,
    PlacedTile,
    Pyramid,
    RestHand,
    Spot,
    TouchPoint,
    World,
)

MIN_TARGET_DISTANCE = 1.15
"""Least distance of a spilled tile from another tile's target, in tile sides; nearer, it is in the way."""

POOL_PITCH = 1.18
"""Distance between the centres of tiles in the pool, in tile sides."""


class Tabletop:
    """A table with all tiles face down in the pool in its middle.

    Parameters
    ----------
    seating
        The areas of seats, pool and board.
    symbols
        The symbol of each tile.
    rng
        Shuffles the tiles.
    speed
        Factor by which the hands are faster than people's.

    ``corner_margin`` is the side of the squares at the table's corners that are kept free of tiles for marker
    cards, in tile sides.
    """

    def __init__(
        self, seating: Seating, symbols: Sequence[str], rng: random.Random, speed: float = 1.0
    ) -> None:
        self.seating, self.rng, self.corner_margin = seating, rng, 0.0
        mixed = rng.sample(list(symbols), len(symbols))
        spots = self._pool_spots(len(mixed))
        lying = [
            PlacedTile(s, *spot, rng.uniform(0, 2 * math.pi)) for s, spot in zip(mixed, spots, strict=True)
        ]
        arms = [(seating.home(k), area.turn) for k, area in enumerate(seating.seats)]
        self.world = World(seating.size, lying, arms, speed)
        self.board: dict[tuple[int, int], int] = {}
        self.pieces: dict[int, dict[tuple[int, int], int]] = {}
        self.pool: list[int] = list(self.world.tiles)
        self.spilled: list[int] = []
        self.seats = tuple(Seat(self, number) for number in range(len(seating.seats)))

    def _pool_spots(self, many: int) -> list[Spot]:
        """Return positions for ``many`` tiles in the pool, those nearest to its centre first."""
        area = self.seating.middle
        cols, rows = int((area.width - 0.8) / POOL_PITCH), int((area.depth - 0.8) / POOL_PITCH)
        shake = self.rng.uniform
        spots = [
            (
                area.x + (col - (cols - 1) / 2) * POOL_PITCH + shake(-0.04, 0.04),
                area.y + (row - (rows - 1) / 2) * POOL_PITCH + shake(-0.04, 0.04),
            )
            for row in range(rows)
            for col in range(cols)
        ]
        spots.sort(key=lambda spot: math.hypot(spot[0] - area.x, (spot[1] - area.y) * cols / rows))
        if len(spots) < many:
            raise ValueError(f"{many} tiles find no room in a middle of {cols} by {rows}")
        return spots[:many]

    def free_spot(self) -> Spot:
        """Return a position in the pool where no tile lies."""
        taken = [(tile.x, tile.y) for tile in self.world.tiles.values()]
        todo = [(m.x, m.y) for arm in self.world.arms for m in arm.actions]
        spots = self._pool_spots(len(self.world.tiles))
        return max(spots, key=lambda spot: min(1.1, *(math.dist(spot, other) for other in taken + todo)))

    def in_corner(self, spot: Spot) -> bool:
        """Return whether a position lies within ``corner_margin`` of a corner of the table."""
        (x, y), (width, height) = spot, self.seating.size
        return max(min(x, width - x), min(y, height - y)) < self.corner_margin

    def fill_board(self) -> None:
        """Put a random tile from the pool on every square of the board, face up."""
        many = self.seating.board.squares if self.seating.board else 0
        for row, col in ((r, c) for r in range(many) for c in range(many)):
            tile = self.board[row, col] = self.pool.pop(self.rng.randrange(len(self.pool)))
            x, y = self.seating.square(row, col)
            self.world.put(tile, x=x, y=y, turn=self.rng.gauss(0, 0.03), up=True)

    def line_up_pyramids(self, colours: Sequence[str], base: float) -> None:
        """Put a row of pyramids on the board for each of two players, the first at the near side."""
        many = self.seating.board.squares if self.seating.board else 0
        for seat, colour in enumerate(colours):
            row = many - 1 if seat == 0 else 0
            self.pieces[seat] = {(row, col): many * seat + col for col in range(many)}
            for cell, number in self.pieces[seat].items():
                x, y = self.seating.square(*cell)
                self.world.pyramids[number] = Pyramid(colour, "large", base, x, y, self.rng.gauss(0, 0.03))

    def remove_tiles(self) -> dict[int, PlacedTile]:
        """Remove all tiles from the table, and return them by number."""
        box, self.world.tiles = self.world.tiles, {}
        return box

    def put_tiles(self, box: dict[int, PlacedTile]) -> None:
        """Put tiles that were removed back where they lay."""
        self.world.tiles = box

    def spill(self, many: int) -> None:
        """Move ``many`` tiles of the pool into the far sides of random seats' areas."""
        for tile in self.rng.sample(self.pool, many):
            area = self.rng.choice(self.seating.seats)
            u = self.rng.uniform(-0.4, 0.4) * area.width
            x, y = area.spot(u, self.rng.uniform(0.0, 3.0) - area.depth / 2)
            if all(math.dist((x, y), (one.x, one.y)) > POOL_PITCH for one in self.world.tiles.values()):
                self.world.put(tile, x=x, y=y)
                self.spilled.append(tile)

    def lay_out(self, spots: Sequence[Spot]) -> dict[int, PlacedTile]:
        """Lay a tile of the pool face up on each position; return the tiles in their old positions."""
        chosen = self.pool[: len(spots)]
        before = {tile: self.world.tiles[tile] for tile in chosen}
        for tile, (x, y) in zip(chosen, spots, strict=True):
            self.world.put(tile, x=x, y=y, turn=self.rng.uniform(0, 2 * math.pi), up=True)
        return before

    def shuffle_pool(self) -> None:
        """Permute the symbols of the tiles in the pool at random."""
        symbols = [self.world.tiles[tile].symbol for tile in self.pool]
        self.rng.shuffle(symbols)
        for tile, symbol in zip(self.pool, symbols, strict=True):
            self.world.put(tile, symbol=symbol)

    def advance(self, seconds: float) -> None:
        """Advance the hands by ``seconds``; a finger that has reached its button presses it."""
        self.world.advance(seconds)
        touched, self.world.touched = self.world.touched, []
        for number in touched:
            self.seats[number].finish_press()

    @property
    def motionless(self) -> bool:
        """Whether nothing moves: no hand has anything to do and all are out of the picture."""
        return self.idle and all(arm.tip == arm.home for arm in self.world.arms)

    @property
    def idle(self) -> bool:
        """Whether no hand has anything to do."""
        return not any(arm.busy for arm in self.world.arms)


class Seat:
    """One seat at the table, as ``companion.bots.interface.SeatInterface``; callbacks receive its calls."""

    def __init__(self, tabletop: Tabletop, number: int) -> None:
        self.tabletop, self.number = tabletop, number
        self.area: Area = tabletop.seating.seats[number]
        self.button = 0.25 * self.area.width, self.area.depth / 2 - 0.4
        self.on_button_call: Callable[[str], None] = lambda _call: None
        self.on_phone_call: Callable[[str, Mapping[str, Any]], None] = lambda _call, _details: None
        self._calling = ""

    @property
    def width(self) -> float:
        """Width of the own area, in tile sides."""
        return self.area.width

    @property
    def depth(self) -> float:
        """Depth of the own area, in tile sides."""
        return self.area.depth

    @property
    def busy(self) -> bool:
        """Whether the own hand is still doing something."""
        return self.tabletop.world.arms[self.number].busy

    @property
    def all_idle(self) -> bool:
        """Whether all players' hands are at rest."""
        return self.tabletop.idle

    @property
    def tiles_left(self) -> int:
        """Number of tiles in the pool."""
        return len(self.tabletop.pool)

    def allows_tile(self, u: float, v: float) -> bool:
        """Return whether tiles may be put on a position."""
        return not self.tabletop.in_corner(self.area.spot(u, v))

    def symbol(self, tile: int) -> str:
        """Return the symbol on a tile's face."""
        return self.tabletop.world.tiles[tile].symbol

    def place_tile(self, tile: int, u: float, v: float, *, up: bool = True) -> None:
        """Put a tile in the own area, with a small random error of position and angle.

        A spilled tile that is in the way is returned to the pool first.
        """
        shake = self.tabletop.rng.gauss
        x, y = self.area.spot(u + shake(0, 0.012), v + shake(0, 0.012))
        for other in self.tabletop.spilled:
            lying = self.tabletop.world.tiles[other]
            if math.dist((lying.x, lying.y), (x, y)) < MIN_TARGET_DISTANCE:
                self.tabletop.spilled.remove(other)
                self._put_back(other)
                break
        move = MoveTile(tile, x, y, self.area.turn + shake(0, 0.02), up)
        self.tabletop.world.queue(self.number, move)

    @property
    def board(self) -> dict[tuple[int, int], int]:
        """The tile on each square of the shared board, by row and column."""
        return self.tabletop.board

    @property
    def pieces(self) -> Mapping[tuple[int, int], int]:
        """The own pyramids on the board, by row and column."""
        return self.tabletop.pieces.get(self.number, {})

    @property
    def opponent_pieces(self) -> Mapping[tuple[int, int], int]:
        """The other player's pyramids on the board."""
        return self.tabletop.pieces.get(1 - self.number, {})

    def move_pyramid(self, start: tuple[int, int], goal: tuple[int, int]) -> None:
        """Move an own pyramid from one square of the board to another."""
        number = self.tabletop.pieces[self.number].pop(start)
        self.tabletop.pieces[self.number][goal] = number
        self.tabletop.world.queue(self.number, MovePyramid(number, *self.tabletop.seating.square(*goal)))

    def lift_pyramid(self, square: tuple[int, int], u: float, v: float) -> None:
        """Put an own pyramid into the own area; its square stays reserved."""
        number = self.tabletop.pieces[self.number][square]
        self.tabletop.world.queue(self.number, MovePyramid(number, *self.area.spot(u, v)))

    def put_back_pyramid(self, square: tuple[int, int]) -> None:
        """Put the pyramid that was lifted from a square back onto it."""
        number = self.tabletop.pieces[self.number][square]
        self.tabletop.world.queue(self.number, MovePyramid(number, *self.tabletop.seating.square(*square)))

    def place_on_board(self, tile: int, row: int, col: int) -> None:
        """Put a tile on a square of the shared board."""
        shake, x, y = self.tabletop.rng.gauss, *self.tabletop.seating.square(row, col)
        move = MoveTile(tile, x + shake(0, 0.015), y + shake(0, 0.015), shake(0, 0.015), up=True)
        self.tabletop.world.queue(self.number, move)

    def draw_tiles(self, many: int) -> list[int]:
        """Return the numbers of random tiles from the pool, which now belong to this seat."""
        pool = self.tabletop.pool
        chosen = self.tabletop.rng.sample(pool, min(many, len(pool)))
        for tile in chosen:
            pool.remove(tile)
            if tile in self.tabletop.spilled:
                self.tabletop.spilled.remove(tile)
            self.tabletop.world.laid_by.pop(tile, None)
        return chosen

    def return_tile(self, tile: int) -> None:
        """Return a tile to the pool, face down."""
        self._put_back(tile)
        self.tabletop.pool.append(tile)

    def _put_back(self, tile: int) -> None:
        """Move a tile to a free position of the pool, face down."""
        x, y = self.tabletop.free_spot()
        turn = self.tabletop.rng.uniform(0, 2 * math.pi)
        self.tabletop.world.queue(self.number, MoveTile(tile, x, y, turn, up=False))

    def call_by_phone(self, call: str, details: Mapping[str, Any]) -> None:
        """Make a call on a phone, with its details."""
        self.on_phone_call(call, details)

    def call_by_button(self, call: str) -> None:
        """Make a call: move a finger to the button in front of the own area, and press."""
        self._calling = call
        self.tabletop.world.queue(self.number, TouchPoint(*self.area.spot(*self.button)))

    def finish_press(self) -> None:
        """Report the call when the finger has reached the button."""
        if self._calling:
            call, self._calling = self._calling, ""
            self.on_button_call(call)

    def rest_hand(self, u: float, v: float, seconds: float) -> None:
        """Rest the hand on a position, even beyond the own area, for ``seconds``."""
        x, y = self.area.spot(u, v)
        width, height = self.tabletop.seating.size
        self.tabletop.world.queue(
            self.number, RestHand(min(max(x, 0), width), min(max(y, 0), height), seconds)
        )
