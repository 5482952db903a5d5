"""Places beside tiles that look like tiles and were not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Tableau, Tile, Unread
from companion.vision.classifier import Classifier, crop_source
from companion.vision.colour import (
    MIN_RELATIVE_BRIGHTNESS,
    has_similar_brightness,
    rim_brightness,
    sample_grid,
    sample_pixels,
)
from companion.vision.detector.detections import MIN_TILES_FOR_SLOPES, Detections, nms
from companion.vision.grid.components import CELL_STEPS, NEIGHBOUR_DISTANCES, USUAL_PITCH
from companion.vision.pipeline.frame import Box

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]
Mask = NDArray[np.bool_]

MAX_TAKEN_DISTANCE = 0.6
"""Largest distance of a tile from the middle of a cell that it takes, in tile sides."""
BRIGHTNESS_PERCENTILE = 95
"""Percentile of the differences in brightness of touching tiles."""
MIN_VISIBLE_POINTS = 5
"""Least number of a cell's sample points inside the picture that judge the cell."""


def is_taken(places: Floats, tiles: Detections) -> Mask:
    """Return whether each place, (m, 2) in pixels, is taken by each tile, (m, n)."""
    away = np.linalg.norm(places[:, None] - tiles.centres, axis=-1)
    return np.asarray(away <= MAX_TAKEN_DISTANCE * tiles.sides)


def neighbours(tiles: Detections) -> tuple[Detections, NDArray[np.intp]]:
    """Return the free cells on the four sides of tiles, as detections, and which tile each lies beside."""
    vectors = tiles.vectors()
    middles = (tiles.centres[:, None] + USUAL_PITCH * CELL_STEPS @ np.swapaxes(vectors, 1, 2)).reshape(-1, 2)
    beside = np.repeat(np.arange(len(tiles)), len(CELL_STEPS))
    free = ~is_taken(middles, tiles).any(1)
    beside = beside[free]
    return Detections(middles[free], tiles.shapes[beside], tiles.turns[beside], tiles.scores[beside]), beside


def unread_cells(grey: Grey, tiles: Detections, clear: Mask, classifier: Classifier) -> Detections:
    """Return the cells beside tiles that likely hold a tile which was not detected.

    Only cells as bright as the tile beside them are classified.

    Parameters
    ----------
    grey
        The picture in which the tiles lie, (h, w).
    tiles
        All detections that count as tiles.
    clear
        Mask of those with a clear symbol, (n,): only cells beside these are tested.
    """
    cells, beside = neighbours(tiles)
    inside = ((cells.centres >= 0) & (cells.centres < grey.shape[::-1])).all(1)
    cells, beside = cells.kept(inside & clear[beside]), beside[inside & clear[beside]]
    shade, own = (rim_brightness(grey, some.centres, some.vectors()) for some in (cells, tiles))
    cells = cells.kept(has_similar_brightness(shade, own[beside]))
    for classify in (classifier.classify_once, classifier.classify):
        if len(cells):
            cells = cells.kept(1 - classify(*crop_source(grey, cells)).p_background > 0.5)
    return cells.kept(nms(cells))


def cut_off_places(grey: Grey, box: Box, size: tuple[int, int], tiles: Detections, clear: Mask) -> Floats:
    """Return places of tiles that the picture's edge may cut off, (m, 2) in its pixels or beyond.

    Such a cell beside a tile is invisible, or differs from the tile no more than touching tiles differ.

    Parameters
    ----------
    grey
        The part of the picture in a box, (h, w).
    box
        The place of that part.
    size
        Width and height of the whole picture.
    tiles, clear
        As for ``unread_cells``, in pixels of the whole picture.
    """
    corner, last = np.array(box[:2]), np.array(size) - 1
    reach = NEIGHBOUR_DISTANCES[1] * np.abs(tiles.vectors()).sum(2)
    if ((tiles.centres > reach) & (tiles.centres < last - reach)).all():
        return np.zeros((0, 2))
    cells, beside = neighbours(tiles)
    spots = sample_grid(cells.centres, cells.vectors())
    seen = np.asarray(((spots >= 0) & (spots <= last)).all(-1))
    cut = ~seen.all(1) & clear[beside]
    cells, beside, spots, seen = cells.kept(cut), beside[cut], spots[cut], seen[cut]
    shown = np.where(seen, sample_pixels(grey, spots - corner), np.nan)
    hidden = seen.sum(1) < MIN_VISIBLE_POINTS
    shown[hidden] = 0.0
    own = np.maximum(rim_brightness(grey, tiles.centres - corner, tiles.vectors()), 1.0)
    ratio = np.maximum(np.nanmedian(shown, axis=1), 1.0) / own[beside]
    alike = hidden | (np.abs(np.log(ratio)) <= touching_spread(own, tiles))
    return np.asarray(cells.centres[alike])


def touching_spread(shades: Floats, tiles: Detections) -> float:
    """Return a bound of most differences in log brightness of touching tiles; a default for few tiles."""
    away = np.linalg.norm(tiles.centres[:, None] - tiles.centres, axis=-1) / tiles.sides
    np.fill_diagonal(away, np.inf)
    one, other = np.nonzero(away < NEIGHBOUR_DISTANCES[1])
    if len(one) < 2 * MIN_TILES_FOR_SLOPES:
        return -float(np.log(MIN_RELATIVE_BRIGHTNESS))
    return float(np.percentile(np.abs(np.log(shades[one] / shades[other])), BRIGHTNESS_PERCENTILE))


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
    away = np.linalg.norm(places[:, None] - corners.mean(1), axis=-1) / sides
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
