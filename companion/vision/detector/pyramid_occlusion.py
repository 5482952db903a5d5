"""Which cells of a Volcano board have a pyramid on them, told by the colour of the faces below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_colours import Tints, guessed, tints_of, washed_out
from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.grid.volcano.rectified import Picture, Plan, face_colour, plan_of

Floats = NDArray[np.float64]

EMPTY = 0.12
"""A cell's middle whose tone differs less from the bare board's has neither a tile nor a pyramid."""
CORNERS = np.array([(col, row) for col in (0.08, 0.92) for row in (0.08, 0.92)])
"""Where a cell shows the board beside its tile, in cells."""
MIDDLES = np.array([(col + 0.5, row + 0.5) for row in range(CELLS) for col in range(CELLS)])
"""The middle of every cell as (col, row), row by row."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What covers each of the 25 cells, row by row; the tones of the bare board and of bare faces, (2,)."""

    tints: Tints
    ground: Floats
    face: Floats


def covers(frame: Picture, board: Volcano, tiles: Detections) -> Cover:
    """Return what covers each cell; what has no letter and looks like the board may be a dark pyramid.

    ``frame`` is blue, green, red; ``tiles`` are those that surely show a symbol.
    """
    plan = plan_of(frame, board.homography, np.zeros(2, int), np.full(2, CELLS))
    at = faces(board, tiles)
    tones = np.array([face_colour(plan, place) for place in at.places])[:, :2]
    bare, hollow = at.lettered, np.zeros(CELLS**2, np.bool_)
    face = np.median(tones[bare], 0)
    tints = tints_of(tones - face)
    for _ in range(2):
        bare = at.lettered & (tints.of < 0) if (at.lettered & (tints.of < 0)).any() else bare
        face = np.median(tones[bare], 0)
        hollow = ~at.lettered & empty(plan, tones, bare)
        tints = tints_of(np.where(hollow[:, None], 0.0, tones - face))
    shifts = tones - face
    pale = ~at.lettered & (tints.of < 0) & washed_out(tints, shifts)
    tints = guessed(tints, shifts, hollow | pale)
    return Cover(tints, np.median(corner_tones(plan, bare), 0), face)


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Where each cell's face is looked at, (25, 2) as (col, row), and which have a letter found, (25,)."""

    places: Floats
    lettered: NDArray[np.bool_]


def faces(board: Volcano, tiles: Detections) -> Faces:
    """Return where the tiles lie in their cells; where none was found, the cell's middle."""
    places, lettered = MIDDLES.copy(), np.zeros(CELLS**2, np.bool_)
    for col, row in board.places(tiles.centres):
        if 0 <= col < CELLS and 0 <= row < CELLS:
            k = int(row) * CELLS + int(col)
            places[k], lettered[k] = (col, row), True
    return Faces(places, lettered)


def empty(plan: Plan, tones: Floats, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells look like the board itself, (25,); ``bare`` are those known to have no pyramid."""
    ground = corner_tones(plan, bare)
    return np.asarray(np.linalg.norm(tones[:, None] - ground, axis=2).min(1) < EMPTY)


def corner_tones(plan: Plan, cells: NDArray[np.bool_]) -> Floats:
    """Return the tones of the board in the corners of cells, (n, 2)."""
    places = (MIDDLES[cells] - 0.5)[:, None] + CORNERS
    return np.array([face_colour(plan, place, 0.05) for place in places.reshape(-1, 2)])[:, :2]
