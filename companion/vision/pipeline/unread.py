"""Places beside tiles that look like tiles and were not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Tableau, Tile, Unread
from companion.vision.classifier import Classifier, crop_source
from companion.vision.colour import MIN_RELATIVE_BRIGHTNESS, nearest, rim_brightness, sample_grid
from companion.vision.detector.detections import Detections, nms
from companion.vision.grid.components import CELL_STEPS, NEIGHBOUR_DISTANCES, USUAL_PITCH
from companion.vision.grid.homography import distances
from companion.vision.pipeline.colour_model import CellColours
from companion.vision.pipeline.evidence import p_no_tile
from companion.vision.pipeline.frame import (
    FrameDetections,
    Window,
    concatenate_detections,
    is_inside_picture,
    points_inside,
)

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]
Mask = NDArray[np.bool_]

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
    away = distances(places, tiles.centres)
    return np.asarray(away <= MAX_TAKEN_DISTANCE * tiles.sides)


def neighbours(tiles: Detections) -> tuple[Detections, NDArray[np.intp]]:
    """Return the free cells on the four sides of tiles, as detections, and which tile each lies beside."""
    vectors = tiles.vectors()
    middles = (tiles.centres[:, None] + USUAL_PITCH * CELL_STEPS @ np.swapaxes(vectors, 1, 2)).reshape(-1, 2)
    beside = np.repeat(np.arange(len(tiles)), len(CELL_STEPS))
    free = ~is_taken(middles, tiles).any(1)
    beside = beside[free]
    return Detections(middles[free], tiles.shapes[beside], tiles.turns[beside], tiles.scores[beside]), beside


def free_cells(detected: FrameDetections, window: Window) -> tuple[Detections, Detections]:
    """Return the cells beside tiles with a clear symbol that may hold a tile which was not read.

    The first are hidden by the picture's edge, or hold a face without a symbol that it cuts, as the symbol
    may lie beyond.  The others, without a detection, can be seen in the window.

    Parameters
    ----------
    detected
        All detections that count as tiles, in pixels of the whole picture.
    window
        The part of the picture; cells lie beside tiles in its rectified view.
    """
    clear = ~detected.probabilities.is_vague()
    read = clear | is_inside_picture(detected.detections, detected.size)
    cells, beside = neighbours(window.to_view(detected.detections.kept(read)))
    cells = window.to_picture(cells.kept(clear[read][beside]))
    spots = sample_grid(cells.centres, cells.vectors())
    hidden = ((spots >= 0) & (spots < detected.size)).all(-1).sum(1) < MIN_VISIBLE_POINTS
    hidden |= is_taken(cells.centres, detected.detections.kept(~read)).any(1)
    inside = points_inside(cells.centres, window.box) | ~points_inside(cells.centres, (0, 0, *detected.size))
    return cells.kept(hidden), cells.kept(inside & ~hidden)


def classified_cells(
    shown: tuple[Grey, Window], free: Detections, tiles: FrameDetections, classifier: Classifier
) -> tuple[NDArray[np.intp], FrameDetections]:
    """Return the numbers of the free cells that may hold one of the tiles, (m,), and what these cells show.

    They are not as dark as a table darker than its tiles.  ``shown`` is the rectified part of the picture in
    a window, (h, w), and that window.
    """
    grey, window = shown
    cells, known = window.to_view(free), window.to_view(tiles.detections)
    shade, own = (rim_brightness(grey, some.centres, some.vectors()) for some in (cells, known))
    beside = nearest(known.centres, cells.centres)[:, :1]
    numbers = np.flatnonzero((shade[:, None] > MIN_RELATIVE_BRIGHTNESS * own[beside]).any(1))
    probabilities = classifier.classify_once(*crop_source(grey, cells.kept(numbers)))
    return numbers, replace(tiles, detections=free.kept(numbers), probabilities=probabilities)


def unread_places(
    frame: NDArray[np.uint8], shown: tuple[Grey, Window], detected: FrameDetections, classifier: Classifier
) -> Floats:
    """Return the places that likely hold a tile which was not read, (m, 2), in the picture or beyond it.

    They are cells beside tiles, also those that the picture's edge hides: a tableau may go on there.

    Parameters
    ----------
    frame
        The whole picture, grey or blue, green, red.
    shown
        Its rectified part in a window, (h, w), and that window.
    detected
        All detections that count as tiles, in pixels of the whole picture.
    classifier
        Classifies what cells show.
    """
    unread, free = free_cells(detected, shown[1])
    numbers, cells = classified_cells(shown, free, detected, classifier)
    if len(numbers):
        none = p_no_tile(frame, cells, numbers, CellColours.of(frame, detected, free))
        order = np.argsort(none, kind="stable")
        unread = concatenate_detections(unread, cells.detections.kept(order[none[order] < 1 - MIN_P_UNREAD]))
    return unread.kept(nms(unread)).centres


def with_unread(
    tableaux: Sequence[Tableau], tiles: Sequence[Tile], places: Floats, size: tuple[int, int]
) -> tuple[Tableau, ...]:
    """Return tableaux with the unread places beside their tiles.

    ``places`` (m, 2) are in pixels; those on which a tile was read since are left out, and those beyond a
    picture of that width and height are moved to its edge.
    """
    if not len(places) or not tableaux:
        return tuple(tableaux)
    corners = np.array([tile.corners for tile in tiles])
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=-1).mean(1)
    away = distances(places, corners.mean(1)) / sides
    away = np.where((away > MAX_TAKEN_DISTANCE).all(1, keepdims=True), away, np.inf)
    places = np.clip(places, 0, np.array(size) - 1)
    return tuple(
        replace(one, unread=unread_beside(number, tiles, places, away)) for number, one in enumerate(tableaux)
    )


def unread_beside(number: int, tiles: Sequence[Tile], places: Floats, away: Floats) -> tuple[Unread, ...]:
    """Return the places beside the tiles of one tableau, each with the cell of the nearest tile.

    ``away`` (m, n) are the distances of places from tiles, in the tiles' sides.
    """
    members = [k for k, tile in enumerate(tiles) if tile.tableau == number]
    nearest = away[:, members].argmin(1)
    found = []
    for place, k, far in zip(
        places.tolist(), nearest.tolist(), away[:, members].min(1).tolist(), strict=True
    ):
        tile = tiles[members[k]]
        if far < NEIGHBOUR_DISTANCES[1] and tile.row is not None and tile.col is not None:
            found.append(Unread((place[0], place[1]), tile.row, tile.col))
    return tuple(found)
