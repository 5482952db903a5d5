"""Drawn games as they are played: players around a table, real words, one box of tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.layout import Grid, Laid, crossword, lay, random_hand
from calibration.drawing.scene import Scene, drawn
from companion.model.tiles import TileSet

SEATS = ((0.0, 0.5), (-0.5, 0.0), (0.0, -0.5), (0.5, 0.0))
"""Where the four players' tableaux lie, in shares of the half table, clockwise from the near side."""


def four_players(
    rng: np.random.Generator,
    size: tuple[int, int],
    words: Sequence[str],
    tile_set: TileSet,
    fonts: tuple[Path, ...],
) -> tuple[Scene, list[Grid]]:
    """Return a drawn table where four players have laid the whole set, and their crosswords.

    ``size`` is the picture's width and height in pixels; a tile is about one sixtieth of the width.
    """
    counts = Counter(tile_set.counts)
    usable = [word for word in words if 2 <= len(word) <= 7 and not Counter(word) - counts]
    view = View(*size, size[0] / 62, float(abs(rng.normal(0, 7))), 0.0, float(rng.normal(0, 0.015)))
    laid: list[Laid] = []
    grids: list[Grid] = []
    for seat, (x, y) in enumerate(SEATS):
        grids.append(whole_crossword(rng, usable, counts, 144 // 4 if seat < 3 else None))
        at = (x * 62 * 0.5, y * 62 * size[1] / size[0] * 0.5)
        turn = (0.0, 0.5 * np.pi, np.pi, 1.5 * np.pi)[seat] + rng.normal(0, 0.1)
        laid += lay(rng, grids[-1], at, float(turn), random_hand(rng), seat)
    return drawn(rng, view, laid, fonts), grids


def whole_crossword(
    rng: np.random.Generator, words: Sequence[str], bag: Counter[str], size: int | None
) -> Grid:
    """Return a compact crossword of about ``size`` tiles from the bag, or of what is left that fits."""
    best: tuple[int, Grid, Counter[str]] | None = None
    for _ in range(6):
        left = Counter(bag)
        grid = crossword(rng, size or bag.total(), words, bag=left)
        rows, cols = zip(*grid, strict=True)
        broad = max(max(rows) - min(rows), max(cols) - min(cols))
        if best is None or len(grid) - 2 * max(0, broad - 13) > best[0]:
            best = (len(grid) - 2 * max(0, broad - 13), grid, left)
    assert best is not None
    bag.clear()
    bag.update(+best[2])
    return best[1]
