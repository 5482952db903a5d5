"""Who sits where around the drawn table: areas, the way each reads, where hands come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.zones import SIDES
from hardware.simulated.world import Spot

EDGE = 1.0
"""What stays free along the picture's edges, in tile sides."""

CONSOLE = 0.6
"""Depth of the box with a seat's buttons and light, as a share of what is free along the edge."""

AWAY = 3.0
"""How far out of the picture resting fingertips are."""

BROADEST = 31.0
"""Nobody's area along a long side is broader, in tile sides."""


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the table that is read from one side.

    ``x`` and ``y`` are its middle, ``quarter`` how many quarters clockwise
    its reader is turned (0 reads upright in the picture), ``broad`` and
    ``deep`` its size as the reader sees it.  All lengths in tile sides.
    """

    x: float
    y: float
    quarter: int
    broad: float
    deep: float

    @property
    def turn(self) -> float:
        """How far its reading direction is turned, clockwise in radians."""
        return self.quarter * math.pi / 2

    def spot(self, u: float, v: float) -> Spot:
        """Return the place of the table that lies ``u`` to the right and ``v`` below its middle, as read."""
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[self.quarter % 4]
        return self.x + u * c - v * s, self.y + u * s + v * c

    @property
    def corners(self) -> tuple[Spot, Spot, Spot, Spot]:
        """Its corners, clockwise from the reader's top left."""
        u, v = self.broad / 2, self.deep / 2
        return self.spot(-u, -v), self.spot(u, -v), self.spot(u, v), self.spot(-u, v)


@dataclass(frozen=True, slots=True)
class Board:
    """A board that all share: its middle, the side of its squares, in tile sides, and how many a side has."""

    x: float
    y: float
    pitch: float
    squares: int


@dataclass(frozen=True, slots=True)
class Console:
    """A box with a seat's buttons and light: its middle, its player's quarter, its depth in tile sides."""

    x: float
    y: float
    quarter: int
    deep: float

    def spot(self, u: float) -> Spot:
        """Return the place so many of its depths to the right of its middle, as its reader sees it."""
        return Area(self.x, self.y, self.quarter, 0, 0).spot(u * self.deep, 0)


@dataclass(frozen=True, slots=True)
class Seating:
    """A table of ``size`` for its players: their areas, that for the tiles in the middle, and the board."""

    size: Spot
    seats: tuple[Area, ...]
    middle: Area
    board: Board | None = None

    def square(self, row: int, col: int) -> Spot:
        """Return the middle of a square of the board."""
        if self.board is None:
            raise ValueError("there is no board on this table")
        off = (self.board.squares - 1) / 2
        return self.board.x + (col - off) * self.board.pitch, self.board.y + (row - off) * self.board.pitch

    def console(self, seat: int) -> Console:
        """Return the box of a seat, counted from 0: at the table's edge, beyond its own area."""
        area, (width, height) = self.seats[seat], self.size
        to_edge = (height - area.y, area.x, area.y, width - area.x)[area.quarter % 4]
        deep = CONSOLE * (to_edge - area.deep / 2)
        x, y = area.spot(0.25 * area.broad, to_edge - deep / 2)
        return Console(x, y, area.quarter, deep)

    def home(self, seat: int) -> Spot:
        """Return where the fingertips of a seat, counted from 0, rest."""
        area = self.seats[seat]
        return area.spot(0.25 * area.broad, area.deep / 2 + EDGE + AWAY)


def around(players: int) -> Seating:
    """Return the seating for 1 to 8 players; two sit face to face with the middle's tiles at their side.

    Seats go clockwise from the near side's right end, with as many at each side as a table that is set up
    from its pictures suggests.
    """
    if players <= 2:
        return face_to_face(players)
    width, height, broad, high = 62.0, 46.5, 17.0, 15.0
    deep = (height - high) / 2 - 1.4
    beside = (width - broad) / 2 - 1.4
    near, left, far, right = SIDES[players]
    shallow = max(near, far) > 1
    side_broad = high if shallow else 42.0
    beside = beside if shallow else 13.2
    down, up = height - EDGE - deep / 2, EDGE + deep / 2
    seats = [Area(x, down, 0, room, deep) for x, room in reversed(along(width, near))]
    seats += [Area(EDGE + beside / 2, height / 2, 1, side_broad, beside)] * left
    seats += [Area(x, up, 2, room, deep) for x, room in along(width, far)]
    seats += [Area(width - EDGE - beside / 2, height / 2, 3, side_broad, beside)] * right
    middle = Area(width / 2, height / 2, 0, broad, high)
    return Seating((width, height), tuple(seats), middle)


def along(width: float, many: int) -> list[tuple[float, float]]:
    """Return the middles, from left to right, and the breadths of so many areas along a side."""
    room = min(BROADEST, (width - 2 * EDGE) / many - 1)
    return [(width / 2 + (room + 1) * (k - (many - 1) / 2), room) for k in range(many)]


def at_board(squares: int, pitch: float, deep: float = 2.6) -> Seating:
    """Return the seating for two players with a board between them and the other tiles at their side.

    ``deep`` is how deep their own areas are.
    """
    board = squares * pitch
    height = board + 2 * deep + 2.8
    width = height * 4 / 3
    broad = max(board, width - 16.5)
    side = width - broad - 3.0
    x, y = width - 1.0 - broad / 2, height / 2
    near, far = height - deep / 2 - 0.4, deep / 2 + 0.4
    seats = (Area(x, near, 0, broad, deep), Area(x, far, 2, broad, deep))
    middle = Area(0.9 + side / 2, y, 0, side, height - 2)
    return Seating((width, height), seats, middle, Board(x, y, pitch, squares))


def face_to_face(players: int) -> Seating:
    """Return the seating for two players, or for one alone."""
    width, height, broad = 48.0, 36.0, 13.5
    deep, room = height / 2 - EDGE - 0.4, width - broad - 4.5
    x = width - EDGE - room / 2
    seats = (Area(x, height - EDGE - deep / 2, 0, room, deep), Area(x, EDGE + deep / 2, 2, room, deep))
    return Seating((width, height), seats[:players], Area(1.8 + broad / 2, height / 2, 0, broad, 20.0))
