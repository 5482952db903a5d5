"""Letters under translucent pyramids: looked at in plain grey and in each place's brightest colour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.reading.board.projective import projected
from companion.reading.find import WORKING_PX, Finds, find, working_scale
from companion.reading.look import Box, Look, evened_with, moved, together, widened
from companion.reading.name import Names, SetNamer, cut_from
from companion.reading.networks import Finder
from companion.reading.volcano.plan import Picture
from companion.reading.volcano.value import CELLS, Volcano, corners

Rates = NDArray[np.float64]

VEILED = 0.9
"""A letter under a pyramid is believed so much less than one that lies open."""
ONCE = 0.8
"""And so much less again where only one of the two looks shows it, so it stays a doubt."""
HARDLY = 0.35
"""A letter less likely than this is not told at all."""


def looked_through(frame: Picture, look: Look, board: Volcano, finder: Finder, namer: SetNamer) -> Look:
    """Return a look with what can be read through the pyramids instead of what seems to lie there.

    A see-through side lets its own colour pass best: in the brightest of the three colours of each pixel
    the letter stands out most.
    """
    if frame.ndim != 3 or not board.covered().any():
        return look
    under = cells_under(look.finds, board)
    open_ones = look.kept(under < 0)
    bright = brightest(frame, look, board, finder, namer)
    grey = look.kept(under >= 0)
    seen = [best_of(k, (bright, grey), board) for k in np.flatnonzero(board.covered()).tolist()]
    veiled = [one for one in seen if one is not None]
    for one in veiled:
        open_ones = replace(
            open_ones,
            finds=together(open_ones.finds, one.finds),
            names=together(open_ones.names, one.names),
        )
    return open_ones


def cells_under(finds: Finds, board: Volcano) -> NDArray[np.int_]:
    """Return the number of the covered cell that each find lies in, -1 for none, (n,)."""
    cells = np.floor(board.places(finds.centres)).astype(int)
    inside = ((cells >= 0) & (cells < CELLS)).all(1)
    number = np.where(inside, cells[:, 1] * CELLS + cells[:, 0], 0)
    return np.where(inside & board.covered().ravel()[number], number, -1)


def brightest(frame: Picture, look: Look, board: Volcano, finder: Finder, namer: SetNamer) -> Look:
    """Return what is found under pyramids in the brightest of each pixel's three colours."""
    scale = look.scale or working_scale(float(np.median(look.finds.sides)))
    left, top, right, bottom = box = box_of(board, WORKING_PX / scale, look.size)
    bright = np.ascontiguousarray(frame[top:bottom, left:right].max(2))
    finds = moved(find(finder, bright, scale), np.array(box[:2]))
    finds = finds.kept(cells_under(finds, board) >= 0)
    if not len(finds):
        return look.kept(np.zeros(len(look.finds), bool))
    finds = evened_with(finds, look.finds)
    names = namer.names(*cut_from(bright, moved(finds, -np.array(box[:2]))))
    return replace(look, finds=finds, names=names)


def box_of(board: Volcano, margin: float, size: tuple[int, int]) -> Box:
    """Return the part of a picture that shows the board, with a margin in pixels."""
    points = projected(board.homography, corners())
    (left, top), (right, bottom) = np.floor(points.min(0)).astype(int), np.ceil(points.max(0)).astype(int)
    return widened((int(left), int(top), int(right), int(bottom)), margin, size)


def best_of(cell: int, looks: tuple[Look, Look], board: Volcano) -> Look | None:
    """Return what two looks show together in one covered cell, less sure than in the open, or ``None``."""
    found = []
    for look in looks:
        here = np.flatnonzero(cells_under(look.finds, board) == cell)
        if len(here):
            best = here[[int((look.finds.scores * (1 - look.names.none))[here].argmax())]]
            found.append(look.kept(best))
    if not found:
        return None
    share = VEILED if len(found) == 2 else VEILED * ONCE
    names = mean_of([one.names for one in found], share)
    return replace(found[0], names=names) if names.likeliest()[0] > HARDLY else None


def mean_of(names: list[Names], share: float) -> Names:
    """Return the mean of what several looks at one tile say, of which only a share is believed."""
    chance, down, none, foreign = (
        np.mean([getattr(one, part) for one in names], 0) for part in ("chance", "down", "none", "foreign")
    )
    return Names(names[0].symbols, chance * share, down * share, none * share, foreign)
