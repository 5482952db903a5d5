"""Pyramids on a Volcano board and beside it: the detector's finds, with their cell, colour and size.

Colours are in log-chroma, (3,); the tone of a colour is its last two channels, which shadow hardly changes.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece, Point
from companion.vision.camera_frame import CameraFrame
from companion.vision.classifier import LIKELY
from companion.vision.colour import face_colours, is_overexposed
from companion.vision.detector.detections import (
    Detections,
    concatenate_detections,
    detect_at_scale,
    nms,
    no_detections,
)
from companion.vision.grid.homography import Points, points_inside, points_on, project, unit_vectors
from companion.vision.grid.volcano import (
    CELL_CENTRES,
    CELLS_PER_SIDE,
    FACE_SHARE,
    MAX_PYRAMIDS_PER_COLOUR,
    Palette,
    Volcano,
    place_of,
)
from companion.vision.networks import Detector, DetectorClass

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Cells = NDArray[np.bool_]
"""Some of the 25 cells, row by row."""

ALL_CELLS: Cells = np.ones(CELLS_PER_SIDE**2, np.bool_)
SCALE_FACTORS = (1.0, 2.0)
"""Scales of detection relative to that of tiles: large pyramids are wider than those, small ones narrower."""
HUE_NAMES = (
    (14, "red"),
    (42, "orange"),
    (75, "yellow"),
    (158, "green"),
    (200, "cyan"),
    (250, "blue"),
    (315, "purple"),
    (342, "pink"),
    (361, "red"),
)
"""Upper bound of the hue of each colour, in degrees, and its name."""
MIN_TONE_SHIFT = 0.2
"""Least difference in tone from the bare faces of a face under a pyramid of a sure colour."""
MIN_TONE_ANGLE_RAD = 0.5
"""Least angle between the tone shifts of two colours, in radians; nearer ones are merged."""
MAX_EMPTY_TONE_SHIFT = 0.12
"""Largest difference in tone from the bare board of a cell without tile and pyramid."""
PATCH_CELLS = 0.2
"""Side of the patches that are sampled at a cell's corners, in cells."""
QUARTERS = np.array([(right, down) for right in (-0.3, 0.3) for down in (-0.3, 0.3)])
"""Middles of the quarters of a face, in its sides from its middle: a finger may hide one."""
QUARTER_SHARE = 0.3
"""Side of the patches that are sampled there, in its sides: they reach nearly to its rim."""
CORNER_POINTS = np.array([(col, row) for col in (-0.42, 0.42) for row in (-0.42, 0.42)])
"""Sample positions of the board beside a cell's tile, in cells from its middle."""
SURROUNDINGS = 0.8 * np.array([(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)])
"""Sample positions of the table around a pyramid, in sides of its base from its middle."""

LARGE = "large"
"""Size of the pyramids that stand on the board, by the rules of the game."""
SIZE_BOUNDS = ((0.4, ""), (0.67, "small"), (0.89, "medium"), (1.25, LARGE))
"""Upper bounds of a base's width, relative to the large ones on the board, and names of the sizes (14.3, 19.8
and 25.4 mm); what is narrower or wider is no pyramid.
"""
SIZE_MARGIN = 0.06
"""Distance from the bound between two sizes within which a base is in doubt, as the same ratio."""


def detect_pyramids(
    frame: CameraFrame, scale: float, network: Detector, factors: Sequence[float] = SCALE_FACTORS
) -> Detections:
    """Return the pyramids in a picture, by their bases; a grey one shows none.

    ``scale`` is that at which tiles have the detector's working size; with ``factors`` of 1 alone, small
    pyramids may be missed.
    """
    if frame.ndim == 2:
        return no_detections()
    found = concatenate_detections(
        *(detect_at_scale(network, frame, factor * scale, kind=DetectorClass.PYRAMID) for factor in factors)
    )
    return found.kept(nms(found, found.scores))


def find_pyramids(
    frame: CameraFrame, board: Volcano, pyramids: Detections, tiles: Detections, known: Palette | None = None
) -> Volcano:
    """Return a board with the pyramids on it and beside it, and its palette, from a frame in colour.

    ``tiles`` are those that surely show a symbol; the palette ``known`` from an earlier pass is used where it
    rests on more pyramids.
    """
    palette = measure_palette(frame, board, pyramids, tiles)
    if known and known.pyramids > palette.pyramids:
        palette = known
    on = pyramids_on_board(frame, board, pyramids, palette)
    board = replace(board, pieces=on, palette=palette)
    board = replace(board, pieces=(*on, *pyramids_beside(frame, board, pyramids, palette)))
    return replace(board, holes=empty_cells(frame, board, tiles))


def measure_palette(frame: CameraFrame, board: Volcano, pyramids: Detections, tiles: Detections) -> Palette:
    """Return the colours of a board, of its bare faces and of its pyramids, and their sizes in cells."""
    places, lettered = faces(board, tiles)
    pyramids = likely(pyramids)
    stand = stand_on_board(board, pyramids)
    bare = lettered & (stand < 0) if (lettered & (stand < 0)).any() else lettered
    face = np.median(colours_at(frame, board, places[bare]), 0)
    corners = (CELL_CENTRES[bare][:, None] + CORNER_POINTS).reshape(-1, 2)
    ground = np.median(colours_at(frame, board, corners, PATCH_CELLS), 0)
    under = pyramids.kept(stand[stand >= 0])
    tones = tone_shifts(frame, board, under, face)
    shown = np.linalg.norm(tones, axis=1) > MIN_TONE_SHIFT  # the tone of a bare face has no direction
    under, tones = under.kept(shown), tones[shown]
    sides = split_in_two(unit_vectors(tones))
    shifts = [np.median(tones[sides == k], 0) for k in np.unique(sides)]
    large = float(np.median(under.sides / board.cell_sides(under.centres))) if len(under) else 0.0
    return Palette(face, ground, np.array(shifts).reshape(-1, 2), len(under), large, tile_side(board, tiles))


def likely(pyramids: Detections) -> Detections:
    """Return the pyramids that are likelier than none; others count, in doubt, by a sure colour."""
    return pyramids.kept(pyramids.scores > LIKELY)


def stand_on_board(board: Volcano, pyramids: Detections) -> NDArray[np.int_]:
    """Return the number of the likeliest pyramid on each cell, -1 without one, (25,)."""
    cells, _, fits = board.cells(pyramids)
    stand = np.full(CELLS_PER_SIDE**2, -1)
    for k in np.argsort(pyramids.scores, kind="stable"):
        if fits[k]:
            stand[cells[k]] = k
    return stand


def pyramids_on_board(
    frame: CameraFrame, board: Volcano, pyramids: Detections, palette: Palette
) -> tuple[Piece, ...]:
    """Return the pyramids on the board, in reading order."""
    if not len(palette.shifts):
        return ()
    stand = stand_on_board(board, pyramids)
    found = pyramids.kept(stand[stand >= 0])
    colours, doubt, real = judge(tone_shifts(frame, board, found, palette.face), found.scores, palette)
    at, names = project(board.homography, CELL_CENTRES), colour_names(palette.shifts)
    return tuple(
        Piece(names[colours[k]], *divmod(cell, CELLS_PER_SIDE), LARGE, bool(doubt[k]), point(at[cell]))
        for k, cell in enumerate(np.flatnonzero(stand >= 0).tolist())
        if real[k]
    )


def pyramids_beside(
    frame: CameraFrame, board: Volcano, pyramids: Detections, palette: Palette
) -> tuple[Piece, ...]:
    """Return the pyramids beside the board, with their middles in the picture; rows and columns continue its.

    What seems large is a medium one, in doubt, where all large ones of its colour stand on the board.  Of
    more than a game has of one colour the strongest are in doubt: the table may have that colour.
    """
    shown = points_inside(pyramids.centres, (0, 0, *frame.shape[1::-1]))
    found = pyramids.kept(shown & ~board.holds(pyramids.centres))
    if not len(found) or not palette.large or not len(palette.shifts):
        return ()
    around = points_on(found.centres, found.vectors(), SURROUNDINGS)
    small = np.repeat(found.vectors() * PATCH_CELLS, len(SURROUNDINGS), axis=0)
    table = face_colours(frame, around.reshape(-1, 2), small).reshape(len(found), -1, 3)
    own = face_colours(frame, found.centres, found.vectors() * FACE_SHARE)
    colours, doubt, real = judge((own - np.median(table, 1))[:, 1:], found.scores, palette)
    names, quads = colour_names(palette.shifts), found.quads()
    cut = ((quads < 0) | (quads > np.array(frame.shape[1::-1]) - 1)).any((1, 2))
    broad = found.sides / board.cell_sides(found.centres) / palette.large
    bounds, sizes = [end for end, _ in SIZE_BOUNDS], [name for _, name in SIZE_BOUNDS]
    near = np.abs(broad[:, None] - bounds).min(1) < SIZE_MARGIN
    size = np.array([*sizes, ""])[np.searchsorted(bounds, broad, side="right")]
    stand = board.standing
    all_stand = np.array([stand[names[k]] >= MAX_PYRAMIDS_PER_COLOUR for k in colours])
    smaller = all_stand & (size == LARGE)
    size[smaller] = "medium"
    doubt |= cut | near | smaller
    for number in range(len(names)):
        same = np.flatnonzero(real & (colours == number))
        real[same[MAX_PYRAMIDS_PER_COLOUR:]] = False
        doubt[same] |= len(same) > MAX_PYRAMIDS_PER_COLOUR
    places = np.floor(board.places(found.centres)).astype(int).tolist()
    pieces = [
        Piece(names[colours[k]], row, col, str(size[k]), bool(doubt[k]), point(found.centres[k]))
        for k, (col, row) in enumerate(places)
        if size[k] and real[k]
    ]
    return tuple(sorted(pieces, key=place_of))


def point(centre: Floats) -> Point:
    """Return a place in pixels, (2,), as a point."""
    x, y = centre.tolist()
    return x, y


def tone_shifts(frame: CameraFrame, board: Volcano, pyramids: Detections, face: Floats) -> Floats:
    """Return the difference in tone of pyramids on a board from its bare faces, (n, 2)."""
    return colours_at(frame, board, board.places(pyramids.centres))[:, 1:] - face[1:]


def split_in_two(ways: Floats) -> NDArray[np.int_]:
    """Return which of two directions, or one, each unit vector has, (n,)."""
    if len(ways) < 2:
        return np.zeros(len(ways), int)
    likeness = ways @ ways.T
    centres = ways[list(np.unravel_index(likeness.argmin(), likeness.shape))]
    sides = np.zeros(len(ways), int)
    for _ in range(4):
        sides = (ways @ centres.T).argmax(1)
        if sides.min() == sides.max():
            break
        centres = unit_vectors(np.array([ways[sides == k].mean(0) for k in (0, 1)]))
    angle = float(np.arccos(np.clip(centres[0] @ centres[1], -1, 1)))
    return sides if angle >= MIN_TONE_ANGLE_RAD else np.zeros(len(ways), int)


def judge(shifts: Floats, scores: Floats, palette: Palette) -> tuple[NDArray[np.int_], Mask, Mask]:
    """Return the colour of pyramids, which are in doubt, and which are real, (n,) each.

    A colour is the number of the nearest one; between two, or far from both, it is in doubt.  A face that
    shows no shift in tone is under no pyramid.
    """
    near = np.clip(unit_vectors(shifts) @ unit_vectors(palette.shifts).T, -1, 1)
    off = np.sort(np.arccos(near), axis=1)
    lead = off[:, 1] - off[:, 0] if off.shape[1] > 1 else np.full(len(off), np.pi)
    vague = (lead < MIN_TONE_ANGLE_RAD / 2) | (off[:, 0] > MIN_TONE_ANGLE_RAD)
    weak = scores < LIKELY
    real = (np.linalg.norm(shifts, axis=1) > MIN_TONE_SHIFT) & ~(vague & weak)
    return near.argmax(1), np.asarray(vague | weak), np.asarray(real)


def colour_names(shifts: Floats) -> tuple[str, ...]:
    """Return a plain and unique name for each colour."""
    names = [hue_name(shift) for shift in shifts]
    return tuple(f"{name} {k + 1}" if names.index(name) < k else name for k, name in enumerate(names))


def hue_name(shift: Floats) -> str:
    """Return the plain name of a colour by its shift of blue and red against green."""
    blue, red = (float(np.exp(part)) for part in shift)
    most = max(blue, red, 1.0)
    hue = 360 * colorsys.rgb_to_hsv(red / most, 1 / most, blue / most)[0]
    return next(name for end, name in HUE_NAMES if hue < end)


def empty_cells(frame: CameraFrame, board: Volcano, tiles: Detections) -> tuple[tuple[int, int], ...]:
    """Return the row and column of the cells that show the bare board.

    A tile without a letter may have the board's tone, but is as bright as the other tiles.  Where the picture
    is overexposed nothing shows.
    """
    if board.palette is None:
        return ()
    face, ground = board.palette.face, board.palette.ground
    _, held = faces(board, tiles)
    colours = colours_at(frame, board, CELL_CENTRES)
    like = np.linalg.norm(colours[:, 1:] - ground[1:], axis=1) < MAX_EMPTY_TONE_SHIFT
    dark = np.abs(colours[:, 0] - ground[0]) < np.abs(colours[:, 0] - face[0])
    seen = ~is_overexposed(frame, *face_areas(board, CELL_CENTRES, FACE_SHARE))
    bare = like & dark & seen & ~held & ~board.covered()
    return tuple(divmod(k, CELLS_PER_SIDE) for k in np.flatnonzero(bare).tolist())


def shows_whole_face(shifts: Floats) -> Mask:
    """Return on which places a tile may lie that nothing hides in part, such as a finger, (n,).

    Its quarters, with shifts as from ``face_shifts``, have the tone of bare faces, or all the same in another
    light.
    """
    as_known = np.linalg.norm(shifts, axis=2).max(1, initial=0.0) < MIN_TONE_SHIFT
    return np.asarray(as_known | (np.linalg.norm(np.ptp(shifts, axis=1), axis=1) < MIN_TONE_SHIFT))


def has_other_light(shifts: Floats) -> bool:
    """Return whether most of some faces, and more than a row, have another tone than before.

    ``shifts`` are those of their quarters, as from ``face_shifts``.
    """
    other = np.linalg.norm(shifts.mean(1), axis=1) > MIN_TONE_SHIFT
    return bool(np.count_nonzero(other) > max(CELLS_PER_SIDE, len(shifts) / 2))


def face_shifts(frame: CameraFrame, board: Volcano, places: Points) -> Floats:
    """Return the shift in tone of each quarter of faces at (col, row) places from known ones, (n, 4, 2)."""
    if board.palette is None:
        return np.zeros((len(places), len(QUARTERS), 2))
    vectors = board.cell_vectors(places) * board.palette.side
    middles = points_on(project(board.homography, places), vectors, QUARTERS)
    patches = np.repeat(vectors * QUARTER_SHARE, len(QUARTERS), axis=0)
    tones = face_colours(frame, middles.reshape(-1, 2), patches)[:, 1:]
    return np.asarray((tones - board.palette.face[1:]).reshape(-1, len(QUARTERS), 2))


def colours_at(frame: CameraFrame, board: Volcano, places: Points, part: float = FACE_SHARE) -> Floats:
    """Return the colours of a part of a cell around (col, row) places, (n, 3)."""
    return face_colours(frame, *face_areas(board, places, part))


def face_areas(board: Volcano, places: Points, part: float) -> tuple[Points, Floats]:
    """Return the middles and side vectors, as in ``colour``, of a part of a cell around (col, row) places."""
    return project(board.homography, places), board.cell_vectors(places) * part


def tile_side(board: Volcano, tiles: Detections) -> float:
    """Return the side of the tiles on a board, in cells; 0 where none lies there."""
    on = tiles.kept(board.holds(tiles.centres))
    return float(np.median(on.sides / board.cell_sides(on.centres))) if len(on) else 0.0


def faces(board: Volcano, tiles: Detections) -> tuple[Floats, Mask]:
    """Return the place of each cell's tile, or the cell's middle, (25, 2), and a mask of tiles, (25,)."""
    places, lettered = CELL_CENTRES.copy(), np.zeros(CELLS_PER_SIDE**2, np.bool_)
    cells, inside, _ = board.cells(tiles)
    places[cells[inside]], lettered[cells[inside]] = board.places(tiles.centres[inside]), True
    return places, lettered
