"""A board that all share as one camera sees it: its squares are the frame that all cameras have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from companion.model.grid import Place
from companion.model.reading import Piece
from companion.table.merging import Floats, Mask, Part
from companion.table.standpoint import MARGIN, clear_of, from_quads
from companion.vision.grid.homography import Matrix3, inverse, project
from companion.vision.grid.scrabble import Board
from companion.vision.grid.volcano.board import Volcano
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking import TrackedReading

UNIT = 100.0
"""A square's side in the common frame."""

RIM = 0.5 * UNIT
"""Tops of tiles on the board are seen at most so far beyond it; what lies farther off is beside it."""


@dataclass(frozen=True, slots=True)
class Stood:
    """A pyramid as a camera knows it: ``place`` (2,) is the middle of its base in the common frame."""

    piece: Piece
    place: Floats

    @property
    def square(self) -> Place:
        """Row and column, which go on beyond the board."""
        col, row = np.floor(self.place / UNIT).astype(int).tolist()
        return row, col

    def on_board(self, cells: int) -> bool:
        """Return whether it stands on a board of so many squares a side."""
        return all(0 <= at < cells for at in self.square)


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A board as one camera knows it, in the common frame: x over its columns, y down its rows.

    ``part`` are the tiles on it; ``stood`` the pyramids, those beside it too; ``squares`` (n, n) which
    squares are in the picture, row by row.
    """

    part: Part
    stood: tuple[Stood, ...]
    squares: Mask


def glimpsed(seen: TrackedReading, into: Matrix3, cells: int) -> Glimpse:
    """Return the board of so many squares a side that a camera knows; ``into`` as for ``to_pixels``."""
    look, size = seen.look, round(cells * UNIT)
    quads = look.detections.quads()
    corners = project(inverse(into), quads.reshape(-1, 2)).reshape(quads.shape)
    detections = from_quads(corners, look.detections.scores)
    plain = in_picture(into, look.size, detections.centres)
    plain[list(seen.covered)] = False
    near = np.asarray(((detections.centres > -RIM) & (detections.centres < size + RIM)).all(1))
    tiles = FrameDetections((size, size), detections, look.probabilities, None).kept(near)
    part = Part(tiles, plain[near], partial(plainly, into, seen))
    steps = (np.arange(cells) + 0.5) * UNIT
    middles = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)
    squares = in_picture(into, look.size, middles).reshape(cells, cells)
    return Glimpse(part, stood_on(look.board, into), squares)


def to_pixels(homography: Matrix3, cells: int, quarters: int) -> Matrix3:
    """Return what leads from the common frame to pixels, (3, 3).

    ``homography`` leads there from the columns and rows that a camera found; the common rows are turned
    clockwise from those by so many quarters.
    """
    turn = np.array([[0.0, -1.0, cells], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = homography @ np.linalg.matrix_power(turn, quarters % 4)
    return np.asarray(turned @ np.diag([1 / UNIT, 1 / UNIT, 1.0]))


def stood_on(board: Board | Volcano | None, into: Matrix3) -> tuple[Stood, ...]:
    """Return the pyramids on a board and beside it, if it is one for such."""
    if not isinstance(board, Volcano):
        return ()
    found = []
    for piece in board.pieces:
        middle = project(board.homography, np.array([[piece.col + 0.5, piece.row + 0.5]]))
        at = middle if piece.at is None else np.array([piece.at])
        found.append(Stood(piece, project(inverse(into), at)[0]))
    return tuple(found)


def in_picture(into: Matrix3, size: tuple[int, int], places: Floats) -> Mask:
    """Return which places, (n, 2) in the common frame, are in a picture, not too near its edge."""
    margin = MARGIN * size[0]
    pixels = project(into, places)
    return np.asarray(((pixels >= margin) & (pixels <= np.array(size) - 1 - margin)).all(1))


def plainly(into: Matrix3, seen: TrackedReading, places: Floats) -> Mask:
    """Return which places, (n, 2) in the common frame, are in the picture and in none of its veiled parts."""
    return in_picture(into, seen.look.size, places) & clear_of(seen.veiled, project(into, places))
