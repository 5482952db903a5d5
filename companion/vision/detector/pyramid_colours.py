"""Detection of pyramids on the cells of a Volcano board, by their tint of the faces below.

Colours are in log-chroma, (3,); the tone of a colour is its last two channels, which shadow hardly changes.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.colour import face_colours
from companion.vision.detector.detections import Detections
from companion.vision.grid.homography import Points, project
from companion.vision.grid.volcano import CELL_CENTRES, CELLS_PER_SIDE, FACE_SHARE, Palette, Volcano
from companion.vision.picture import Frame

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
FACE_LABEL, GROUND_LABEL, OTHER_LABEL = -1, -2, -3
"""Labels of cells without a pyramid: a bare tile, the bare board, something else such as a hand."""
MIN_TONE_SHIFT = 0.2
"""Least difference in tone from the other faces of a face under a pyramid."""
MIN_TONE_GAP = 0.1
"""Least gap in tone between covered and bare faces; at a narrower gap the faces beside it are in doubt."""
MIN_TONE_ANGLE_RAD = 0.5
"""Least angle between the tone shifts of two colours, in radians; nearer ones are merged."""
MAX_PYRAMIDS_PER_COLOUR = 5
"""Number of pyramids of one colour that a game puts on the board."""
MAX_EMPTY_TONE_SHIFT = 0.12
"""Largest difference in tone from the bare board of a cell without tile and pyramid."""
TONE_ITERATIONS = 3
"""Alternating iterations of the tone of bare faces and the labels of covered ones."""
PATCH_CELLS = 0.2
"""Side of the patches that are sampled at a cell's corners and rim, in cells."""
RIM_POINTS = np.array([(col, row) for col in (-0.2, 0.2) for row in (-0.2, 0.2)])
"""Further sample positions on a face, in cells from its middle: a finger may hide a part of it."""
CORNER_POINTS = np.array([(col, row) for col in (-0.42, 0.42) for row in (-0.42, 0.42)])
"""Sample positions of the board beside a cell's tile, in cells from its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class ToneClusters:
    """The pyramid colour that covers each face.

    ``centres`` are each colour's shift of a face, (2,), in logarithms of blue and red against green;
    ``labels`` (n,) the colour that covers each face, -1 for none; ``doubt`` (n,) whether that is unsure.
    """

    centres: tuple[Floats, ...]
    labels: NDArray[np.int_]
    doubt: Mask

    @property
    def ways(self) -> Floats:
        """The direction of each colour's shift, (colours, 2)."""
        return np.array([centre / np.linalg.norm(centre) for centre in self.centres])

    @property
    def names(self) -> tuple[str, ...]:
        """A plain and unique name for each colour."""
        names = [hue_name(centre) for centre in self.centres]
        return tuple(f"{name} {k + 1}" if names.index(name) < k else name for k, name in enumerate(names))


@dataclass(frozen=True, slots=True, eq=False)
class BoardColours:
    """The cover of each of the 25 cells, row by row; colours of the bare board and of bare faces, (3,)."""

    clusters: ToneClusters
    ground: Floats
    face: Floats


def cluster_tones(shifts: Floats) -> ToneClusters:
    """Return the covered faces, and which of two colours covers each.

    ``shifts`` (n, 2) are the faces' differences in tone from bare ones; NaN without a face.
    """
    away = np.nan_to_num(np.linalg.norm(shifts, axis=1))
    covered, doubt = split_at_gap(away)
    of = np.full(len(away), FACE_LABEL)
    centres: tuple[Floats, ...] = ()
    if covered.any():
        sides, unsure = split_in_two(shifts[covered] / away[covered, None])
        of[covered] = sides
        doubt[covered] |= unsure
        centres = tuple(np.median(shifts[covered][sides == k], 0) for k in range(int(sides.max()) + 1))
    for k in range(len(centres)):
        if (of == k).sum() > MAX_PYRAMIDS_PER_COLOUR:
            doubt |= of == k
    return ToneClusters(centres, of, doubt)


def split_at_gap(away: Floats) -> tuple[Mask, Mask]:
    """Split faces at the widest gap of their colour differences; return which are covered, and doubts."""
    order = np.sort(away)[::-1]
    ends = np.append(order[1:], 0.0)
    starts = (order >= MIN_TONE_SHIFT) & (np.arange(len(order)) < 2 * MAX_PYRAMIDS_PER_COLOUR)
    if not starts.any():
        return np.zeros(len(away), bool), np.zeros(len(away), bool)
    k = int(np.where(starts, np.log((order + 0.1) / (ends + 0.1)), -1.0).argmax())
    bound = (order[k] + ends[k]) / 2
    narrow = order[k] - ends[k] < MIN_TONE_GAP
    return away > bound, narrow & (np.abs(away - bound) < MIN_TONE_GAP)


def split_in_two(ways: Floats) -> tuple[NDArray[np.int_], Mask]:
    """Return which of two directions, or one, each unit vector has, (n,), and whether that is unsure."""
    likeness = ways @ ways.T
    centres = ways[list(np.unravel_index(likeness.argmin(), likeness.shape))]
    for _ in range(4):
        sides = (ways @ centres.T).argmax(1)
        if sides.min() == sides.max():
            break
        centres = np.array([ways[sides == k].mean(0) for k in (0, 1)])
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
    near = np.clip(ways @ centres.T, -1, 1)
    angle = float(np.arccos(np.clip(centres[0] @ centres[1], -1, 1)))
    if angle < MIN_TONE_ANGLE_RAD:
        return np.zeros(len(ways), int), np.zeros(len(ways), bool)
    off = np.arccos(near)
    return near.argmax(1), np.asarray(np.abs(off[:, 0] - off[:, 1]) < 0.3 * angle)


def hue_name(shift: Floats) -> str:
    """Return the plain name of a colour by its shift of blue and red against green."""
    blue, red = (float(np.exp(part)) for part in shift)
    most = max(blue, red, 1.0)
    hue = 360 * colorsys.rgb_to_hsv(red / most, 1 / most, blue / most)[0]
    return next(name for end, name in HUE_NAMES if hue < end)


def colours_at(frame: Frame, board: Volcano, places: Points, part: float = FACE_SHARE) -> Floats:
    """Return the colours of a part of a cell around (col, row) places, (n, 3)."""
    return face_colours(frame, project(board.homography, places), board.cell_vectors(places) * part)


def measure_board_colours(frame: Frame, board: Volcano, tiles: Detections) -> BoardColours:
    """Return the cover of each cell; ``frame`` is blue, green, red, ``tiles`` surely show a symbol."""
    places, lettered = faces(board, tiles)
    colours = colours_at(frame, board, places)
    bare, hollow = lettered, np.zeros(CELLS_PER_SIDE**2, np.bool_)
    clusters = ToneClusters((), np.full(CELLS_PER_SIDE**2, FACE_LABEL), hollow)
    for _ in range(TONE_ITERATIONS):
        tones = colours[:, 1:] - np.median(colours[bare, 1:], 0)
        clusters = cluster_tones(np.where(hollow[:, None], 0.0, tones))
        plain = lettered & (clusters.labels == FACE_LABEL)
        bare = plain if plain.any() else bare
        hollow = ~lettered & is_empty_cell(colours, ground_colours(frame, board, bare), colours[bare])
    ground = ground_colours(frame, board, bare)
    return BoardColours(clusters, np.median(ground, 0), np.median(colours[bare], 0))


def ground_colours(frame: Frame, board: Volcano, cells: Mask) -> Floats:
    """Return the colours of the board in the corners of cells, (n, 3)."""
    return colours_at(
        frame, board, (CELL_CENTRES[cells][:, None] + CORNER_POINTS).reshape(-1, 2), PATCH_CELLS
    )


def is_empty_cell(colours: Floats, ground: Floats, faces: Floats) -> Mask:
    """Return which cells look like the board itself, (25,), given colours of the board and of bare faces.

    A tile without a letter may have the board's tone, but is as bright as the other tiles.
    """
    like = np.linalg.norm(colours[:, None, 1:] - ground[:, 1:], axis=2).min(1) < MAX_EMPTY_TONE_SHIFT
    light, board, face = colours[:, 0], np.median(ground[:, 0]), np.median(faces[:, 0])
    return np.asarray(like & (np.abs(light - board) < np.abs(light - face)))


def match_palette(palette: Palette, frame: Frame, board: Volcano, tiles: Detections) -> BoardColours:
    """Return the known colours of a board, and the label of each cell.

    Labels are ``FACE_LABEL``, ``GROUND_LABEL`` or ``OTHER_LABEL`` without a pyramid.  A partly hidden face is
    ``OTHER_LABEL``.  Arguments are as for ``measure_board_colours``.
    """
    places, _ = faces(board, tiles)
    labels = classify_colours(palette, colours_at(frame, board, places))
    rims = colours_at(frame, board, (places[:, None] + RIM_POINTS).reshape(-1, 2), PATCH_CELLS)
    plain = (
        np.isin(classify_colours(palette, rims), (FACE_LABEL, GROUND_LABEL)).reshape(len(labels), -1).all(1)
    )
    labels = np.where((labels == FACE_LABEL) & ~plain, OTHER_LABEL, labels)
    clusters = ToneClusters(tuple(palette.shifts), labels, np.zeros(len(labels), np.bool_))
    return BoardColours(clusters, palette.ground, palette.face)


def classify_colours(palette: Palette, colours: Floats) -> NDArray[np.int_]:
    """Return the label of each place, (n,), by the known colours: the number of a pyramid's colour.

    ``FACE_LABEL`` is a bare tile, ``GROUND_LABEL`` the bare board, ``OTHER_LABEL`` something else, as a hand.
    """
    ways = np.vstack([np.zeros((1, 2)), palette.shifts])
    away = np.linalg.norm((colours[:, 1:] - palette.face[1:])[:, None] - ways, axis=2)
    reach = np.append(MIN_TONE_SHIFT, np.linalg.norm(palette.shifts, axis=1) / 2)
    nearest = away.argmin(1)
    labels = np.where(away.min(1) < reach[nearest], nearest - 1, OTHER_LABEL)
    ground = is_empty_cell(colours, palette.ground[None], palette.face[None])
    return np.where((labels < 0) & ground, GROUND_LABEL, labels)


def palette_of(colours: BoardColours, large: float, side: float) -> Palette:
    """Return the palette of a board; ``large`` and ``side`` are as in ``Palette``."""
    pyramids = int(((colours.clusters.labels >= 0) & ~colours.clusters.doubt).sum())
    shifts = np.array(colours.clusters.centres, np.float64).reshape(-1, 2)
    return Palette(colours.face, colours.ground, shifts, pyramids, large, side)


def faces(board: Volcano, tiles: Detections) -> tuple[Floats, Mask]:
    """Return the place of each cell's tile, or the cell's middle, (25, 2), and a mask of tiles, (25,)."""
    places, lettered = CELL_CENTRES.copy(), np.zeros(CELLS_PER_SIDE**2, np.bool_)
    on = board.places(tiles.centres[board.holds(tiles.centres)])
    numbers = np.floor(on).astype(int) @ (1, CELLS_PER_SIDE)
    places[numbers], lettered[numbers] = on, True
    return places, lettered
