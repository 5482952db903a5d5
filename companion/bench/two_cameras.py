"""Accuracy of one camera and of two fused cameras on drawn boards, each camera with a lamp's reflection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.light_faults import with_glare
from calibration.drawing.rng import Rng
from calibration.drawing.tiles import DrawnTile
from calibration.evaluation.boards import (
    EQUATION_TILE_SET,
    LETTER_TILE_SET,
    equations,
    martian_boggle_scene,
    random_view,
)
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.results import share_metric
from companion.bench.photographs import reader_of
from companion.config.table import BoardConfig
from companion.model.grid import Place, islands
from companion.model.sightings import Board
from companion.table.board_fusion import BoardPlan
from companion.table.views import SHARED_BOARD, BoardView
from companion.vision.camera_frame import Frame
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading, Tracker

SEED = 31_000
"""Scene k of a kind is drawn from (SEED, number of the kind, k)."""
BOARD_SCENES_PER_PAIR = 5
"""Number of scenes of the boards section for each one that is drawn for two cameras."""
CAMERA_NAMES = ("one", "other")
REFLECTION_RADIUS_SHARE = 0.035
"""Radius of a reflection, as a share of the picture's width: it covers a tile."""

Seed = tuple[int, ...]
Letters = Mapping[Place, str]


@dataclass(frozen=True, slots=True)
class TwoViews:
    """A board seen by two cameras, and its uncovered letters by cell of the drawing."""

    config: BoardConfig
    tiles: str
    letters: Letters
    pictures: Sequence[Frame]


def two_camera_metrics(scenes: int, progress: Progress) -> Iterator[Metric]:
    """Yield the accuracy of one camera and of two on a fifth of ``scenes`` boards of each kind."""
    for number, (name, draw) in enumerate(KINDS.items()):
        alone, both = Counter[str](), Counter[str]()
        many = max(1, scenes // BOARD_SCENES_PER_PAIR)
        for k in range(many):
            progress(f"{name}, two cameras, {k + 1} of {many}")
            sides = draw(np.random.default_rng((SEED, number, k)), (SEED, number, k, 1))
            alone += fused_counts(sides, CAMERA_NAMES[:1])
            both += fused_counts(sides, CAMERA_NAMES)
        for who, count in (("one camera", alone), ("two cameras", both)):
            what = f"{name}, each camera dazzled by a lamp, {who}"
            yield share_metric(f"{what}: letters right and sure", (count["right"], count["letters"]), None)
            yield Metric(f"{what}: letters wrong or missed without a doubt", count["silent"], "")


def fused_counts(sides: TwoViews, names: Sequence[str]) -> Counter[str]:
    """Return the counts of letters that the named cameras read together: all, right, silent faults."""
    reader, config = reader_of(sides.tiles, sides.config.kind), sides.config
    seen = {name: settled_reading(reader, frame) for name, frame in zip(names, sides.pictures, strict=False)}
    one = BoardPlan(config, {name: BoardView(config) for name in names}, dict.fromkeys(names), reader)
    found = one.seen(seen).get(SHARED_BOARD)
    board = found if isinstance(found, Board) else Board()
    ways = (
        count_letters(sides.letters, rotated_board(board, quarters, config.size[0])) for quarters in range(4)
    )
    return max(ways, key=lambda count: count["right"])


def settled_reading(reader: Reader, frame: Frame) -> TrackedReading:
    """Return the tracked reading of a picture that stays the same until it counts as at rest."""
    steady = Tracker(reader, settle_ns=0)
    steady.update(frame, 1)
    return steady.update(frame, 2)


def rotated_board(board: Board, quarters: int, side: int) -> Board:
    """Return a board after quarter turns; the cameras' rotations are unknown."""
    cells, doubts = board.symbols(), board.doubts
    for _ in range(quarters):
        cells = {(col, side - 1 - row): symbol for (row, col), symbol in cells.items()}
        doubts = tuple((col, side - 1 - row) for row, col in doubts)
    return replace(Board.of(cells), doubts=doubts)


def count_letters(letters: Letters, board: Board) -> Counter[str]:
    """Return the number of letters, of those read right and sure, and of those wrong or missed without a
    doubt.

    A missed letter is asked about where a doubt lies beside it or beside other missed letters next to it.
    """
    read, asked = board.symbols(), set(board.doubts)
    missed = letters.keys() - read.keys()
    asked = asked.union(*(group for group in islands(missed | asked) if not asked.isdisjoint(group)))
    sure = [place for place in letters if place not in asked]
    right = sum(read.get(place) == letters[place] for place in sure)
    return Counter(letters=len(letters), right=right, silent=len(sure) - right)


def binary(rng: Rng, seed: Seed) -> TwoViews:
    """Return a drawn game of equations."""
    scenes = [equations(np.random.default_rng(seed), one) for one in two_views(rng, (28, 44))]
    pictures = [with_reflection(rng, one.picture, one.tiles) for one in scenes]
    letters = {
        place: symbol for place, symbol in scenes[0].grid.items() if scenes[1].grid.get(place) == symbol
    }
    return TwoViews(BoardConfig("scrabble"), EQUATION_TILE_SET, letters, pictures)


def volcano(rng: Rng, seed: Seed) -> TwoViews:
    """Return a drawn game of Martian Boggle; letters under pyramids do not count."""
    scenes = [martian_boggle_scene(np.random.default_rng(seed), one) for one in two_views(rng, (26, 46))]
    pictures = [with_reflection(rng, one.picture, one.tiles) for one in scenes]
    there = {one.placed.cell: one.symbol or "" for one in scenes[0].tiles if one.placed.group == 0}
    open_ = {cell: symbol for cell, symbol in there.items() if cell not in scenes[0].covered}
    return TwoViews(BoardConfig("volcano"), LETTER_TILE_SET, open_, pictures)


def two_views(rng: Rng, tile_px: tuple[float, float]) -> tuple[View, View]:
    """Return two random cameras in which tiles are equally large."""
    one, other = random_view(rng, tile_px, 8, 20), random_view(rng, tile_px, 8, 20)
    return one, replace(other, tile_px=one.tile_px)


def with_reflection(rng: Rng, picture: Frame, tiles: Sequence[DrawnTile]) -> Frame:
    """Return a picture with a lamp's reflection over a random tile on the board."""
    on_board = [one for one in tiles if one.placed.group == 0]
    x, y = np.mean(on_board[int(rng.integers(len(on_board)))].corners, 0)
    high, wide = picture.shape[:2]
    planes = [
        with_glare(plane.astype(np.float32), (x / wide, y / high), REFLECTION_RADIUS_SHARE)[0]
        for plane in cv2.split(picture)
    ]
    return np.asarray(np.clip(cv2.merge(planes), 0, 255), np.uint8)


KINDS: dict[str, Callable[[Rng, Seed], TwoViews]] = {"binary board": binary, "Volcano board": volcano}
"""The function that draws each kind of board."""
