"""Places beside tiles that may hold a tile which was not read: cells of a free table, squares of a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Tableau, Tile, Unread
from companion.vision.camera_frame import CameraFrame, ImagePyramid, halved
from companion.vision.classifier import Classifier, crop_source
from companion.vision.colour import (
    FACE_SAMPLES,
    MIN_RELATIVE_BRIGHTNESS,
    is_overexposed,
    nearest,
    rim_brightness,
    side_vectors,
)
from companion.vision.detector.detections import Detections, concatenate_detections, is_inside_picture, nms
from companion.vision.grid.board import Board
from companion.vision.grid.components import CELL_STEPS, NEIGHBOUR_DISTANCES, USUAL_PITCH
from companion.vision.grid.homography import Box, distances_in_tiles, points_inside, points_on
from companion.vision.pipeline.colour_model import (
    CELL_CENTRES,
    CellColours,
    SquareColours,
    square_colours,
    with_neighbours,
)
from companion.vision.pipeline.evidence import (
    MIN_PROBABILITY,
    CandidateOrigin,
    Candidates,
    Outcome,
    outcome_chances,
    with_scores,
)
from companion.vision.pipeline.frame import FrameDetections, Window

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8] | ImagePyramid
Mask = NDArray[np.bool_]

NONE = list(Outcome).index(Outcome.NONE)
"""Number of the outcome that no tile lies in a place."""
MAX_TAKEN_DISTANCE = 0.85
"""Distance of a tile from the middle of a cell within which no other tile has room there, in tile sides: 1
less what measured middles are off.
"""
MIN_P_UNREAD = 1 / 3
"""Least probability of a tile in a cell that counts as unread: a verdict that overlooks a tile is twice as
bad as a question in vain.
"""
MIN_VISIBLE_POINTS = 5
"""Least number of a cell's sample points inside the picture that judge the cell."""


def is_taken(places: Floats, tiles: Detections) -> Mask:
    """Return whether each place, (m, 2) in pixels, is taken by each tile, (m, n)."""
    return distances_in_tiles(places, tiles.centres, tiles.shapes) <= MAX_TAKEN_DISTANCE


def neighbours(tiles: Detections) -> tuple[Detections, NDArray[np.intp]]:
    """Return the free cells on the four sides of tiles, as detections, and which tile each lies beside."""
    middles = points_on(tiles.centres, tiles.vectors(), USUAL_PITCH * CELL_STEPS).reshape(-1, 2)
    beside = np.repeat(np.arange(len(tiles)), len(CELL_STEPS))
    free = ~is_taken(middles, tiles).any(1)
    beside = beside[free]
    return Detections(middles[free], tiles.shapes[beside], tiles.turns[beside], tiles.scores[beside]), beside


def free_cells(
    frame: CameraFrame, detected: FrameDetections, window: Window
) -> tuple[Detections, Detections]:
    """Return the cells beside tiles with a clear symbol that may hold a tile which was not read.

    The first are hidden by the picture's edge or by a lamp's reflection, or hold a face without a symbol that
    the edge cuts, as the symbol may lie beyond.  The others, without a detection, can be seen in the window.
    ``frame`` is the whole picture, ``detected`` all detections in it that count as tiles; in the rectified
    view of ``window``, a part of it, cells lie beside tiles.
    """
    clear = ~detected.probabilities.is_vague()
    read = clear | is_inside_picture(detected.detections, detected.size)
    cells, beside = neighbours(window.to_view(detected.detections.kept(read)))
    cells = window.to_picture(cells.kept(clear[read][beside]))
    cells = cells.kept(nms(cells))
    spots = points_on(cells.centres, cells.vectors(), FACE_SAMPLES)
    hidden = ((spots >= 0) & (spots < detected.size)).all(-1).sum(1) < MIN_VISIBLE_POINTS
    hidden |= is_taken(cells.centres, detected.detections.kept(~read)).any(1)
    inside = points_inside(cells.centres, window.box) | ~points_inside(cells.centres, (0, 0, *detected.size))
    seen = cells.kept(inside & ~hidden)
    dazzled = is_overexposed(frame, seen.centres, seen.vectors())
    if dazzled.any():  # a lamp's reflection is unlike the table, which may be white
        dazzled = CellColours.of(frame, detected, seen).outliers(dazzled)
    return concatenate_detections(cells.kept(hidden), seen.kept(dazzled)), seen.kept(~dazzled)


def classified_cells(
    shown: tuple[Grey, Window], free: Detections, tiles: FrameDetections, classifier: Classifier
) -> tuple[NDArray[np.intp], FrameDetections]:
    """Return the numbers of the free cells that may hold one of the tiles, (m,), and what these cells show.

    They are not as dark as a table darker than its tiles.  ``shown`` is the rectified part of the picture in
    a window, (h, w), and that window.
    """
    grey, window = shown
    cells, known = window.to_view(free), window.to_view(tiles.detections)
    shade, own = (rim_brightness(halved(grey, 0), some.centres, some.vectors()) for some in (cells, known))
    beside = nearest(known.centres, cells.centres, count=1)
    numbers = np.flatnonzero((shade[:, None] > MIN_RELATIVE_BRIGHTNESS * own[beside]).any(1))
    probabilities = classifier.classify_once(*crop_source(grey, cells.kept(numbers)))
    return numbers, replace(tiles, detections=free.kept(numbers), probabilities=probabilities)


def unread_places(
    frame: CameraFrame, shown: tuple[Grey, Window], detected: FrameDetections, classifier: Classifier
) -> Floats:
    """Return the places that likely hold a tile which was not read, (m, 2), in the picture or beyond it.

    They are cells beside tiles, also hidden ones: a tableau may go on there.  ``frame`` is the whole picture,
    ``shown`` its rectified part in a window, (h, w), and that window, ``detected`` all detections in the
    picture that count as tiles; the classifier tells what cells show.
    """
    unread, free = free_cells(frame, detected, shown[1])
    numbers, cells = classified_cells(shown, free, detected, classifier)
    if len(numbers):
        none = p_no_tile(frame, cells, numbers, CellColours.of(frame, detected, free))
        order = np.argsort(none, kind="stable")
        unread = concatenate_detections(unread, cells.detections.kept(order[none[order] < 1 - MIN_P_UNREAD]))
    return unread.kept(nms(unread)).centres


def p_no_tile(
    frame: CameraFrame, cells: FrameDetections, numbers: NDArray[np.intp], colours: CellColours
) -> Floats:
    """Return the probability that no tile lies in some free cells beside tiles, (m,).

    ``cells`` are those with what the networks tell of them; ``numbers``, (m,), are theirs among all cells.
    """
    features = cell_features(frame, cells, numbers, colours)
    whole = is_inside_picture(cells.detections, cells.size)
    origins = {CandidateOrigin.CELL: whole, CandidateOrigin.CUT: ~whole}
    return outcome_chances(frame, features, origins)[:, NONE]


def cell_features(
    frame: CameraFrame, cells: FrameDetections, numbers: NDArray[np.intp], colours: CellColours
) -> Floats:
    """Return the features, (m, features), of some free cells; arguments as for ``p_no_tile``."""
    unscored, none = with_scores(cells.detections, MIN_PROBABILITY), np.full(len(numbers), -1)
    seen = Candidates(unscored, cells.probabilities, colours.free[numbers], numbers, none)
    return seen.features(frame, colours)


def unread_squares(
    frame: CameraFrame, detected: FrameDetections, board: Board, classifier: Classifier, box: Box
) -> Floats:
    """Return the middles of a board's squares that likely hold a tile which was not read, (m, 2), in pixels.

    They lie beside tiles, in a box of the picture or, beyond its edge, nearest to that; those that a lamp's
    reflection hides may also lie beside each other.  Other arguments as for ``unread_places``.
    """
    colours = SquareColours.of(frame, detected, board, square_colours(frame, board))
    pixels = np.clip(colours.spots, 0, np.array(detected.size) - 1)
    beside, here = colours.beside_tiles(), points_inside(pixels, box)
    dazzled, others = odd_squares(frame, colours, board)
    unread = beside & (pixels != colours.spots).any(1)
    unread[colours.joined_to_tiles(dazzled)] = True
    cells = others[(beside & here)[others]]
    if len(cells):
        features = Candidates.of_squares(frame, colours, cells, classifier).features(frame, colours)
        chances = outcome_chances(frame, features, CandidateOrigin.NEIGHBOUR)
        unread[cells] = chances[:, NONE] < 1 - MIN_P_UNREAD
    return np.asarray(colours.spots[unread & here])


def odd_squares(
    frame: CameraFrame, colours: SquareColours, board: Board
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the squares without a detection that do not look as empty ones of their kind do.

    The first are those that a lamp's reflection hides: overexposed, or beside one that is, where it fades.
    """
    odd = colours.outliers()
    hidden = np.zeros(len(colours.spots), np.bool_)
    hidden[odd] = is_overexposed(frame, colours.spots[odd], board.cell_vectors(CELL_CENTRES[odd]))
    dazzled = with_neighbours(hidden)[odd]
    return odd[dazzled], odd[~dazzled]


def with_unread(
    tableaux: Sequence[Tableau],
    tiles: Sequence[Tile],
    places: Floats,
    size: tuple[int, int],
    board: Board | None = None,
) -> tuple[Tableau, ...]:
    """Return tableaux with the unread places beside their tiles.

    ``places`` (m, 2) are in pixels; those on which a tile was read since are left out, and those beyond a
    picture of that width and height are moved to its edge.  On a board, whose squares are wider than tiles,
    distances are in squares.
    """
    if not len(places) or not tiles:
        return tuple(tableaux)
    corners = np.array([tile.corners for tile in tiles])
    centres = corners.mean(1)
    vectors = board.cell_vectors(board.places(centres)) if board else side_vectors(corners)
    away = distances_in_tiles(places, centres, vectors)
    away = np.where((away > MAX_TAKEN_DISTANCE).all(1, keepdims=True), away, np.inf)
    places = np.clip(places, 0, np.array(size) - 1)
    return tuple(
        replace(one, unread=unread_beside(number, tiles, places, away)) for number, one in enumerate(tableaux)
    )


def unread_beside(number: int, tiles: Sequence[Tile], places: Floats, away: Floats) -> tuple[Unread, ...]:
    """Return the places beside the tiles of one tableau, each with the cell of the nearest tile.

    ``away`` (m, n) are the distances of places from tiles, in the tiles' sides or in squares.
    """
    away = np.where([tile.tableau == number for tile in tiles], away, np.inf)
    found = []
    for (x, y), k, far in zip(places.tolist(), away.argmin(1).tolist(), away.min(1).tolist(), strict=True):
        tile = tiles[k]
        if far < NEIGHBOUR_DISTANCES[1] and tile.row is not None and tile.col is not None:
            found.append(Unread((x, y), tile.row, tile.col))
    return tuple(found)
