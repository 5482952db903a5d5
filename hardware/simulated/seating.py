"""The layout of a drawn table: the areas of seats, pool and board, and where hands come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.zones import SEATS_PER_SIDE
from hardware.simulated.world import Spot

EDGE_MARGIN = 1.0
"""Free margin along the picture's edges, in tile sides."""

CONSOLE_DEPTH_SHARE = 0.6
"""Depth of a seat's console, as a fraction of the free space between its area and the edge."""

RESTING_HAND_DISTANCE = 3.0
"""Distance of resting fingertips from the picture's edge, in tile sides."""

MAX_AREA_WIDTH = 31.0
"""Greatest width of an area along a long side, in tile sides."""


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of the table that is read from one side; lengths are in tile sides.

    ``x`` and ``y`` are its centre; ``quarter_turns`` is the clockwise turn of its reader (0 reads upright in
    the picture); ``width`` and ``depth`` are its size as the reader sees it.
    """

    x: float
    y: float
    quarter_turns: int
    width: float
    depth: float

    @property
    def turn(self) -> float:
        """The turn of its reading direction, clockwise in radians."""
        return self.quarter_turns * math.pi / 2

    def spot(self, u: float, v: float) -> Spot:
        """Return the table position of a point ``u`` right of and ``v`` below the centre, as read."""
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[self.quarter_turns % 4]
        return self.x + u * c - v * s, self.y + u * s + v * c

    @property
    def corners(self) -> tuple[Spot, Spot, Spot, Spot]:
        """Its corners, clockwise from the reader's top left."""
        u, v = self.width / 2, self.depth / 2
        return self.spot(-u, -v), self.spot(u, -v), self.spot(u, v), self.spot(-u, v)


@dataclass(frozen=True, slots=True)
class Board:
    """A shared board: its centre and the side of its squares in tile sides, and the squares a side."""

    x: float
    y: float
    pitch: float
    squares: int


@dataclass(frozen=True, slots=True)
class Console:
    """The box with a seat's buttons and light: its centre, its player's quarter turns, its depth."""

    x: float
    y: float
    quarter_turns: int
    depth: float

    def spot(self, u: float) -> Spot:
        """Return the table position ``u`` depths to the right of its centre, as its player sees it."""
        return Area(self.x, self.y, self.quarter_turns, 0, 0).spot(u * self.depth, 0)


@dataclass(frozen=True, slots=True)
class Seating:
    """A table of ``size``: the areas of its seats, of the pool in the middle, and the shared board."""

    size: Spot
    seats: tuple[Area, ...]
    middle: Area
    board: Board | None = None

    def square(self, row: int, col: int) -> Spot:
        """Return the centre of a square of the board; raise ValueError without a board."""
        if self.board is None:
            raise ValueError("there is no board on this table")
        off = (self.board.squares - 1) / 2
        return self.board.x + (col - off) * self.board.pitch, self.board.y + (row - off) * self.board.pitch

    def console(self, seat: int) -> Console:
        """Return the console of a seat, counted from 0: between its area and the table's edge."""
        area, (width, height) = self.seats[seat], self.size
        to_edge = (height - area.y, area.x, area.y, width - area.x)[area.quarter_turns % 4]
        deep = CONSOLE_DEPTH_SHARE * (to_edge - area.depth / 2)
        x, y = area.spot(0.25 * area.width, to_edge - deep / 2)
        return Console(x, y, area.quarter_turns, deep)

    def home(self, seat: int) -> Spot:
        """Return the resting position of the fingertips of a seat, counted from 0."""
        area = self.seats[seat]
        return area.spot(0.25 * area.width, area.depth / 2 + EDGE_MARGIN + RESTING_HAND_DISTANCE)


def seating_for_players(players: int) -> Seating:
    """Return the seating for 1 to 8 players; one or two sit face to face with the pool at their side.

    Seats go clockwise from the right end of the near side; ``SEATS_PER_SIDE`` is the number of seats at each
    side.
    """
    if players <= 2:
        return face_to_face_seating(players)
    width, height, broad, high = 62.0, 46.5, 17.0, 15.0
    deep = (height - high) / 2 - 1.4
    beside = (width - broad) / 2 - 1.4
    near, left, far, right = SEATS_PER_SIDE[players]
    shallow = max(near, far) > 1
    side_broad = high if shallow else 42.0
    beside = beside if shallow else 13.2
    down, up = height - EDGE_MARGIN - deep / 2, EDGE_MARGIN + deep / 2
    seats = [Area(x, down, 0, room, deep) for x, room in reversed(areas_along_side(width, near))]
    seats += [Area(EDGE_MARGIN + beside / 2, height / 2, 1, side_broad, beside)] * left
    seats += [Area(x, up, 2, room, deep) for x, room in areas_along_side(width, far)]
    seats += [Area(width - EDGE_MARGIN - beside / 2, height / 2, 3, side_broad, beside)] * right
    middle = Area(width / 2, height / 2, 0, broad, high)
    return Seating((width, height), tuple(seats), middle)


def areas_along_side(width: float, many: int) -> list[tuple[float, float]]:
    """Return the centre and the width of ``many`` areas along a side, from left to right."""
    room = min(MAX_AREA_WIDTH, (width - 2 * EDGE_MARGIN) / many - 1)
    return [(width / 2 + (room + 1) * (k - (many - 1) / 2), room) for k in range(many)]


def seating_at_board(squares: int, pitch: float, deep: float = 2.6) -> Seating:
    """Return the seating for two players with a board between them and the pool at their side.

    ``deep`` is the depth of their own areas, in tile sides.
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


def face_to_face_seating(players: int) -> Seating:
    """Return the seating for two players, or for one alone."""
    width, height, broad = 48.0, 36.0, 13.5
    deep, room = height / 2 - EDGE_MARGIN - 0.4, width - broad - 4.5
    x = width - EDGE_MARGIN - room / 2
    seats = (
        Area(x, height - EDGE_MARGIN - deep / 2, 0, room, deep),
        Area(x, EDGE_MARGIN + deep / 2, 2, room, deep),
    )
    return Seating((width, height), seats[:players], Area(1.8 + broad / 2, height / 2, 0, broad, 20.0))
