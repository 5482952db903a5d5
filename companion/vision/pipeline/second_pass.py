"""A table looked at anew: once the board is known, it tells how large and how aslant every tile is."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names, SetNamer, cut_from
from companion.vision.classifier.rotation import GAIN, READABLE, righted
from companion.vision.detector.detections import APART, WORKING_PX, Finds, find, working_scale
from companion.vision.grid.projective import Matrix3, Points, projected
from companion.vision.grid.volcano.board import Volcano
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.networks import Finder
from companion.vision.pipeline.frame import Look, exchanged, together, written

SIZES = np.arange(0.6, 1.35, 0.05)
"""Sizes of tiles that are tried, against those that the finder thinks they have."""
AS_WELL = 0.05
"""What can be read so much worse, in mean logarithms, can be read as well."""
UNLIKELY = 0.01
"""Keeps the logarithm of what cannot be read within bounds."""
FEW = 4
"""So many finds beside the board tell how large tiles are there."""
MOST = 100
"""Finds by which that is tried, the strongest."""
SCALES = (1.0, 0.82, 0.68)
"""Tiles are looked for as large as they seem, and smaller: those of a word are lost to a finder that
expects broader ones."""
HOPELESS = 0.05
"""What is a tile with less than this chance after one look is dropped."""
NEAR_SIZES = np.array([0.75, 0.85, 1.15, 1.3])
"""Sizes in which a tile is looked at that cannot be read as large as the others."""
LOOSE = (0.6, 2.0)
"""Finds so many times as broad as the tiles are looked at: framed by cells, tiles seem larger."""


def each_sized(plane: Picture, look: Look, namer: SetNamer) -> Look:
    """Return a look in which tiles that can hardly be read have the size in which they can."""
    vague = np.flatnonzero(look.names.likeliest() < READABLE - GAIN)
    if not len(vague):
        return look
    some = look.finds.kept(np.tile(vague, len(NEAR_SIZES)))
    sizes = np.repeat(NEAR_SIZES, len(vague))
    some = replace(some, shapes=some.shapes * sizes[:, None, None])
    names = namer.glance(*cut_from(plane, some))
    read = names.likeliest().reshape(len(NEAR_SIZES), len(vague))
    better = read.max(0) > np.maximum(READABLE, look.names.likeliest()[vague] + GAIN)
    best = (read.argmax(0) * len(vague) + np.arange(len(vague)))[better]
    shapes = written(look.finds.shapes, vague[better], some.shapes[best])
    told = exchanged(look.names, vague[better], names.kept(best))
    return replace(look, finds=replace(look.finds, shapes=shapes), names=told)


def readable(finds: Finds, plane: Picture, namer: SetNamer) -> float:
    """Return how many times larger outlines of tiles in a plane of a picture, (h, w), read best.

    Letters can be read in outlines of many sizes: the middle one of those is the tile's.
    """
    told = []
    for size in SIZES:
        names = namer.glance(*cut_from(plane, replace(finds, shapes=finds.shapes * size)))
        told.append(float(np.log(names.likeliest() + UNLIKELY).mean()))
    return float(SIZES[np.array(told) > max(told) - AS_WELL].mean())


def anew(plane: Picture, look: Look, board: Volcano, networks: tuple[Finder, SetNamer]) -> Look:
    """Return what the networks see in a plane of a picture, (h, w), where a board tells the tiles' shapes.

    ``look`` is at the tiles that surely show a symbol.
    """
    namer = networks[1]
    on = look.finds.kept(board.holds(look.finds.centres))
    on = replace(on, shapes=cell_shapes(board, on.centres) * float(np.median(in_cells(on, board))))
    on = replace(on, shapes=on.shapes * readable(on, plane, namer))
    middle = float(np.median(on.sides))
    finds = reduce(together, (seen_at(plane, size * middle, networks) for size in SCALES))
    finds = replace(finds, shapes=cell_shapes(board, finds.centres) * float(np.median(in_cells(on, board))))
    finds = sized_beside(plane, finds, board, namer)
    finds, names = righted(namer, plane, finds, namer.names(*cut_from(plane, finds)))
    best = apart(finds, names)
    seen = replace(look, finds=finds.kept(best), names=names.kept(best), scale=working_scale(middle))
    return each_sized(plane, seen, namer)


def sized_beside(plane: Picture, finds: Finds, board: Volcano, namer: SetNamer) -> Finds:
    """Return finds of which those beside the board are as large as reads best there.

    Where tiles and board are of one colour, those on it seem as large as its cells.
    """
    beside = np.flatnonzero(~board.holds(finds.centres))
    if len(beside) < FEW:
        return finds
    strongest = beside[np.argsort(-finds.scores[beside])][:MOST]
    size = readable(finds.kept(strongest), plane, namer)
    return replace(finds, shapes=written(finds.shapes, beside, finds.shapes[beside] * size))


def in_cells(finds: Finds, board: Volcano) -> NDArray[np.float64]:
    """Return the sides of finds in cells of the board, (n,)."""
    return np.asarray(finds.sides / np.sqrt(np.linalg.det(cell_shapes(board, finds.centres))))


def better_sized(plane: Picture, look: Look, namer: SetNamer) -> Look:
    """Return a look at the same tiles, all as large as reads best."""
    size = readable(look.finds, plane, namer)
    finds = replace(look.finds, shapes=look.finds.shapes * size)
    return replace(look, finds=finds, names=namer.names(*cut_from(plane, finds)))


def seen_at(plane: Picture, side: float, networks: tuple[Finder, SetNamer]) -> Finds:
    """Return what may be tiles of about a side, in pixels, as broad as the finder sees best."""
    finder, namer = networks
    finds = find(finder, plane, working_scale(side), (LOOSE[0] * side, LOOSE[1] * side))
    names = namer.glance(*cut_from(plane, squares(finds, side)))
    return finds.kept(finds.scores * (1 - names.none) > HOPELESS)


def apart(finds: Finds, names: Names) -> NDArray[np.intp]:
    """Return which finds are the best of those that lie on each other."""
    weight = finds.scores * (1 - names.none) * np.maximum(names.likeliest(), names.down)
    order = np.argsort(-weight)
    near = np.linalg.norm(finds.centres[:, None] - finds.centres, axis=2) < APART * finds.sides
    kept: list[int] = []
    for k in order.tolist():
        if not near[k, kept].any():
            kept.append(k)
    return np.array(kept, np.intp)


def loosely(plane: Picture, look: Look, networks: tuple[Finder, SetNamer]) -> Look:
    """Return what the networks see in a plane of a picture, (h, w), where all tiles are taken for squares.

    Their breadth is the one that reads best, whatever the finder makes of it in ``look``.
    """
    finder, namer = networks
    middle = WORKING_PX / (look.scale or 1.0)
    finds = find(finder, plane, working_scale(middle), (LOOSE[0] * middle, LOOSE[1] * middle))
    best = squares(finds.kept(np.arange(len(finds)) < MOST), middle)
    finds = squares(finds, middle * readable(best, plane, namer))
    finds, names = righted(namer, plane, finds, namer.names(*cut_from(plane, finds)))
    return replace(look, finds=finds, names=names)


def squares(finds: Finds, side: float) -> Finds:
    """Return finds as squares of one side, in pixels."""
    return replace(finds, shapes=np.tile(np.eye(2) * side, (len(finds), 1, 1)))


def cell_shapes(board: Volcano, points: Points) -> NDArray[np.float64]:
    """Return what takes a circle as broad as a cell to the picture at each point, symmetric, (n, 2, 2)."""
    across, sizes, _ = np.linalg.svd(stretches(board.homography, board.told_near(points)))
    return np.asarray((across * sizes[:, None]) @ np.swapaxes(across, 1, 2))


def stretches(homography: Matrix3, places: Points) -> NDArray[np.float64]:
    """Return how a homography stretches what lies around each place: its derivative, (n, 2, 2)."""
    depth = places @ homography[2, :2] + homography[2, 2]
    away = projected(homography, places)[:, :, None] * homography[2, :2]
    return np.asarray((homography[:2, :2] - away) / depth[:, None, None])
