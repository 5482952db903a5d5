"""Letters that grey does not show: under translucent pyramids, and on faces as bright as the board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names, SetNamer, cut_from
from companion.vision.detector.detections import WORKING_PX, Finds, find, working_scale
from companion.vision.grid.projective import projected
from companion.vision.grid.volcano.board import CELLS, Volcano, corners
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.networks import Finder
from companion.vision.pipeline.frame import Box, Look, evened_with, moved, together, widened

Cells = NDArray[np.bool_]
"""Some of the 25 cells, row by row."""

RED = 2
"""The plane of a picture in which tiles of wood and ivory are brightest."""
BLUE = 0
"""And that in which they are darkest."""
VEILED = 0.87
"""A letter under a pyramid is believed so much less than one that lies open."""
RIDGES = frozenset("X")
"""What a pyramid's four edges look like from above: seen under one, it says nothing of a letter there."""
ONCE = 0.8
"""And so much less again where only one of the two looks shows it, so it stays a doubt."""
HARDLY = 0.35
"""A letter less likely than this is not told at all."""


def looked_through(frame: Picture, look: Look, board: Volcano, finder: Finder, namer: SetNamer) -> Look:
    """Return a look with what can be read through the pyramids instead of what seems to lie there.

    A see-through side lets its own colour pass best: in the brightest of the three colours of each pixel
    the letter stands out most.
    """
    covered = board.covered().ravel()
    if frame.ndim != 3 or not covered.any():
        return look
    under = cells_of(look.finds, board, covered) >= 0
    bright = seen_in(frame.max(2), covered, look.kept(~under), board, (finder, namer))
    looks = bright, look.kept(under)
    told = [best_of(cell, looks, board) for cell in np.flatnonzero(covered).tolist()]
    return joined(look.kept(~under), [one for one in told if one])


def filled(frame: Picture, look: Look, board: Volcano, finder: Finder, namer: SetNamer) -> Look:
    """Return a look with letters found in red light, or in blue, where an open cell seems to have none."""
    for plane in (RED, BLUE) if frame.ndim == 3 else ():
        lacking = ~board.covered().ravel()
        held = cells_of(look.finds, board, np.ones(CELLS**2, bool))
        lacking[held[held >= 0]] = False
        if lacking.any():
            look = joined(look, [seen_in(frame[..., plane], lacking, look, board, (finder, namer))])
    return look


def joined(look: Look, others: list[Look]) -> Look:
    """Return a look with the tiles of others after its own."""
    for one in others:
        finds, names = together(look.finds, one.finds), together(look.names, one.names)
        look = replace(look, finds=finds, names=names)
    return look


def cells_of(finds: Finds, board: Volcano, some: Cells) -> NDArray[np.int_]:
    """Return the number of the cell that each find lies in, -1 where it is none of some, (n,)."""
    cells = np.floor(board.places(finds.centres)).astype(int)
    inside = ((cells >= 0) & (cells < CELLS)).all(1)
    number = np.where(inside, cells[:, 1] * CELLS + cells[:, 0], 0)
    return np.where(inside & some[number], number, -1)


def seen_in(
    plane: Picture, some: Cells, look: Look, board: Volcano, networks: tuple[Finder, SetNamer]
) -> Look:
    """Return what the networks find in some cells of one plane of a picture, (h, w)."""
    finder, namer = networks
    scale = look.scale or working_scale(float(np.median(look.finds.sides)))
    left, top, right, bottom = box = box_of(board, WORKING_PX / scale, look.size)
    part, corner = np.ascontiguousarray(plane[top:bottom, left:right]), np.array(box[:2])
    finds = moved(find(finder, part, scale), corner)
    finds = finds.kept(cells_of(finds, board, some) >= 0)
    if not len(finds):
        return look.kept(np.zeros(len(look.finds), bool))
    finds = evened_with(finds, look.finds)
    return replace(look, finds=finds, names=namer.names(*cut_from(part, moved(finds, -corner))))


def box_of(board: Volcano, margin: float, size: tuple[int, int]) -> Box:
    """Return the part of a picture that shows the board, with a margin in pixels."""
    points = projected(board.homography, corners())
    (left, top), (right, bottom) = np.floor(points.min(0)).astype(int), np.ceil(points.max(0)).astype(int)
    return widened((int(left), int(top), int(right), int(bottom)), margin, size)


def best_of(cell: int, looks: tuple[Look, Look], board: Volcano) -> Look | None:
    """Return what two looks show together in one covered cell, less sure than in the open, or ``None``."""
    found = []
    only = np.arange(CELLS**2) == cell
    for look in looks:
        here = np.flatnonzero(cells_of(look.finds, board, only) == cell)
        if len(here):
            best = here[[int((look.finds.scores * (1 - look.names.none))[here].argmax())]]
            found.append(look.kept(best))
    if not found:
        return None
    share = VEILED if len(found) == len(looks) else VEILED * ONCE
    names = mean_of([one.names for one in found], share)
    ridges = names.symbols[int(names.chance[0].sum(1).argmax())] in RIDGES
    return replace(found[0], names=names) if names.likeliest()[0] > HARDLY and not ridges else None


def mean_of(names: list[Names], share: float) -> Names:
    """Return the mean of what several looks at one tile say, of which only a share is believed."""
    chance, down, none, foreign = (
        np.mean([getattr(one, part) for one in names], 0) for part in ("chance", "down", "none", "foreign")
    )
    return Names(names[0].symbols, chance * share, down * share, none * share, foreign)
