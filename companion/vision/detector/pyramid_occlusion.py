"""Which cells of a Volcano board have a pyramid on them, told by the colour of the faces below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_colours import LEAST, Tints, guessed, tints_of, washed_out
from companion.vision.grid.volcano.board import CELLS, Palette, Volcano
from companion.vision.grid.volcano.rectified import Picture, Plan, face_colour, plan_of

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

FACE, GROUND, OTHER = -1, -2, -3
"""What a place shows that shows no pyramid."""

RIM = 0.06
RIMS = np.array([(col, row) for col in (-0.2, 0.2) for row in (-0.2, 0.2)])
"""Where a face is looked at besides, and how far around, in cells: a finger may hide a part of it."""

EMPTY = 0.12
"""A cell's middle whose tone differs less from the bare board's has neither a tile nor a pyramid."""
CORNERS = np.array([(col, row) for col in (0.08, 0.92) for row in (0.08, 0.92)])
"""Where a cell shows the board beside its tile, in cells."""
MIDDLES = np.array([(col + 0.5, row + 0.5) for row in range(CELLS) for col in range(CELLS)])
"""The middle of every cell as (col, row), row by row."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What covers each of the 25 cells, row by row; the colours of the bare board and of bare faces, (3,)."""

    tints: Tints
    ground: Floats
    face: Floats


def covers(frame: Picture, board: Volcano, tiles: Detections) -> Cover:
    """Return what covers each cell; what has no letter and looks like the board may be a dark pyramid.

    ``frame`` is blue, green, red; ``tiles`` are those that surely show a symbol.
    """
    plan = plan_of(frame, board.homography, np.zeros(2, int), np.full(2, CELLS))
    at = faces(board, tiles)
    colours = np.array([face_colour(plan, place) for place in at.places])
    tones = colours[:, :2]
    bare, hollow = at.lettered, np.zeros(CELLS**2, np.bool_)
    face = np.median(tones[bare], 0)
    tints = tints_of(tones - face)
    for _ in range(2):
        bare = at.lettered & (tints.of < 0) if (at.lettered & (tints.of < 0)).any() else bare
        face = np.median(tones[bare], 0)
        hollow = ~at.lettered & empty(plan, colours, bare)
        tints = tints_of(np.where(hollow[:, None], 0.0, tones - face))
    shifts = tones - face
    pale = ~at.lettered & (tints.of < 0) & washed_out(tints, shifts)
    tints = guessed(tints, shifts, hollow | pale)
    ground = np.median(corner_colours(plan, bare), 0)
    return Cover(tints, ground, np.median(colours[bare], 0))


def covers_by(palette: Palette, frame: Picture, board: Volcano, tiles: Detections) -> Cover:
    """Return what covers each cell by the colours that are known; arguments as for ``covers``.

    ``of`` has ``FACE``, ``GROUND`` or ``OTHER`` where no pyramid stands.  A face of which a finger hides a
    part is none.
    """
    plan = plan_of(frame, board.homography, np.zeros(2, int), np.full(2, CELLS))
    places = faces(board, tiles).places
    of = told_by(palette, np.array([face_colour(plan, place) for place in places]))
    rims = np.array([face_colour(plan, place + way, RIM) for place in places for way in RIMS])
    plain = np.isin(told_by(palette, rims), (FACE, GROUND)).reshape(len(of), -1).all(1)
    of = np.where((of == FACE) & ~plain, OTHER, of)
    tints = Tints(tuple(palette.shifts), of, np.zeros(len(of), np.bool_))
    return Cover(tints, palette.ground, palette.face)


def told_by(palette: Palette, colours: Floats) -> NDArray[np.int_]:
    """Return what each place shows, (n,), by the colours that are known: the number of a pyramid's colour.

    ``FACE`` is a bare tile, ``GROUND`` the bare board, ``OTHER`` something else, as a hand.
    """
    tones = colours[:, :2] - palette.face[:2]
    ways = np.vstack([np.zeros((1, 2)), palette.shifts.reshape(-1, 2)])
    away = np.linalg.norm(tones[:, None] - ways, axis=2)
    reach = np.append(LEAST, np.linalg.norm(palette.shifts.reshape(-1, 2), axis=1) / 2)
    nearest = away.argmin(1)
    of = np.where(away.min(1) < reach[nearest], nearest - 1, OTHER)
    off = np.linalg.norm(colours[:, :2] - palette.ground[:2], axis=1)
    dark = np.abs(colours[:, 2] - palette.ground[2]) < np.abs(colours[:, 2] - palette.face[2])
    return np.where((of < 0) & dark & (off < EMPTY), GROUND, of)


def palette_of(cover: Cover, large: float, side: float) -> Palette:
    """Return what a look at the whole board has told; ``large`` and ``side`` as a ``Palette`` has them."""
    told = int(((cover.tints.of >= 0) & ~cover.tints.doubt).sum())
    shifts = np.array(cover.tints.shifts, np.float64).reshape(-1, 2)
    return Palette(cover.face, cover.ground, shifts, told, large, side)


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


def empty(plan: Plan, colours: Floats, bare: Cells) -> Cells:
    """Return which cells look like the board itself, (25,); ``bare`` are those known to have no pyramid.

    A tile without a letter may have the board's tone: it is as bright as the other tiles.
    """
    ground, faces = corner_colours(plan, bare), colours[bare, 2]
    like = np.linalg.norm(colours[:, None, :2] - ground[:, :2], axis=2).min(1) < EMPTY
    bright = colours[:, 2]
    return np.asarray(like & (np.abs(bright - np.median(ground[:, 2])) < np.abs(bright - np.median(faces))))


def corner_colours(plan: Plan, cells: Cells) -> Floats:
    """Return the colours of the board in the corners of cells, (n, 3)."""
    places = (MIDDLES[cells] - 0.5)[:, None] + CORNERS
    return np.array([face_colour(plan, place, 0.05) for place in places.reshape(-1, 2)])
