"""Accuracy on drawn tables: four players, a whole box of tiles, fonts that training does not use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.layout import Grid
from calibration.drawing.scene import Scene
from calibration.drawing.tables import four_players
from calibration.drawing.tiles import DrawnTile
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.results import LabelledPicture, ReaderFactory, Targets, evaluate, score_metrics
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.tiles import TileSet, tile_set
from companion.words import Verdict, default_lexicon

Size = tuple[int, int]
"""Width and height in pixels."""

SIZES: dict[str, Size] = {"1080p": (1920, 1080), "12 MP": (4056, 3040)}
SEED = 20_000
"""Scene k of a size is drawn from (SEED, its width, k)."""

LARGE_SCENE_RATIO = 0.3
"""Number of the scenes at 12 MP, as a share of those at 1080p."""

MIN_VISIBLE_SHARE = 0.85
"""Least visible share of a tile; with less it counts as covered."""

TARGETS = Targets(right=99.95, whole=99, invented=0)


def drawn_metrics(scenes: int, reader_for: ReaderFactory, progress: Progress) -> Iterator[Metric]:
    """Yield the metrics of ``scenes`` tables at 1080p and fewer at 12 MP; raise NoFonts."""
    for name, count in zip(SIZES, (scenes, math.ceil(LARGE_SCENE_RATIO * scenes)), strict=True):
        done = evaluate(tables(name, SIZES[name], count), reader_for, progress)
        yield from score_metrics(f"drawn, {name}", done, TARGETS)


def tables(name: str, size: Size, count: int) -> Iterator[LabelledPicture]:
    """Yield drawn tables of one size with their ground truth."""
    box = tile_set("bananagrams-en")
    for k in range(count):
        scene, grids = scene_of(size, k, box)
        yield f"drawn, {name}, {k + 1} of {count}", scene.picture, truth_of(scene, grids, box)


def scene_of(
    size: Size, number: int, box: TileSet, fonts: tuple[Path, ...] | None = None
) -> tuple[Scene, list[Grid]]:
    """Return a drawn table of four players and its grids, the same for the same size and number.

    The letters are of one of the ``fonts``, by default those for evaluation; raise NoFonts without them.
    """
    rng = np.random.default_rng((SEED, size[0], number))
    return four_players(rng, size, vocabulary(), box, fonts or evaluation_fonts())


@cache
def vocabulary() -> tuple[str, ...]:
    """Return the words that drawn players lay: the common ones of the default word list, in capitals."""
    return tuple(word.upper() for word, verdict in default_lexicon().words if verdict is Verdict.VALID)


def truth_of(scene: Scene, grids: list[Grid], box: TileSet) -> Truth:
    """Return the ground truth of a drawn table."""
    hidden = {tile.placed.group for tile in scene.tiles if tile.visible < MIN_VISIBLE_SHARE}
    return Truth(
        box.name,
        grids=tuple(grids),
        tiles=tuple(map(true_tile, scene.tiles)),
        covered=frozenset(hidden - {-1}),
        face_down=sum(tile.symbol is None for tile in scene.tiles),
    )


def true_tile(tile: DrawnTile) -> TrueTile:
    """Return a drawn tile as ground truth; its side is the mean length of its outline's sides."""
    x, y = tile.corners.mean(0)
    side = np.linalg.norm(tile.corners - np.roll(tile.corners, 1, 0), axis=1).mean()
    return TrueTile(tile.symbol, (float(x), float(y)), float(side), tile.visible < MIN_VISIBLE_SHARE)
