"""How right drawn boards are read by two cameras from two sides, each dazzled by a lamp."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.chance import Rng
from calibration.drawing.faults import with_glare
from calibration.drawing.tiles import Drawn
from calibration.evaluation.boards import EQUATIONS, LETTERS, equations, martian, view
from calibration.evaluation.figure import Figure
from calibration.evaluation.readings import Tell, share
from companion.bench.photographs import reader_of
from companion.config.table import BoardConfig
from companion.model.grid import Place
from companion.model.sightings import Board
from companion.table.board_fusion import BoardPlan
from companion.table.views import SHARED, BoardView
from companion.vision import Reader
from companion.vision.picture import Frame
from companion.vision.tracking import TrackedReading, Tracker

SEED = 31_000
"""Scene k of a kind is drawn from (SEED, number of the kind, k)."""
SHARE = 5
"""Of so many scenes that one camera sees, two cameras see one."""
NAMES = ("one", "other")
SHINES = 0.035
"""How far a reflection reaches, as a share of the picture's breadth: it drowns a tile."""

Seed = tuple[int, ...]
Letters = Mapping[Place, str]


@dataclass(frozen=True, slots=True)
class Sides:
    """A board as two cameras see it, with what lies in the open on it; rows run as the drawing has them."""

    config: BoardConfig
    tiles: str
    letters: Letters
    pictures: Sequence[Frame]


def two_camera_figures(scenes: int, tell: Tell) -> Iterator[Figure]:
    """Yield how right a fifth of so many boards of each kind are read by one camera and by two."""
    for number, (name, draw) in enumerate(KINDS.items()):
        alone, both = Counter[str](), Counter[str]()
        many = max(1, scenes // SHARE)
        for k in range(many):
            tell(f"{name}, two cameras, {k + 1} of {many}")
            sides = draw(np.random.default_rng((SEED, number, k)), (SEED, number, k, 1))
            alone += told(sides, NAMES[:1])
            both += told(sides, NAMES)
        for who, count in (("one camera", alone), ("two cameras", both)):
            what = f"{name}, each camera dazzled by a lamp, {who}"
            yield share(f"{what}: letters right and sure", (count["right"], count["letters"]), None)
            yield Figure(f"{what}: letters wrong or missed without a doubt", count["silent"], "")


def told(sides: Sides, names: Sequence[str]) -> Counter[str]:
    """Return how many letters there are, and how many of them some of the cameras read how."""
    reader, config = reader_of(sides.tiles, sides.config.kind), sides.config
    seen = {name: looked(reader, frame) for name, frame in zip(names, sides.pictures, strict=False)}
    one = BoardPlan(config, {name: BoardView(config) for name in names}, dict.fromkeys(names), reader)
    found = one.seen(seen).get(SHARED)
    board = found if isinstance(found, Board) else Board()
    ways = (counted(sides.letters, turned(board, quarters, config.size[0])) for quarters in range(4))
    return max(ways, key=lambda count: count["right"])


def looked(reader: Reader, frame: Frame) -> TrackedReading:
    """Return what a camera knows that sees the same picture until it is at rest."""
    steady = Tracker(reader, settle_ns=0)
    steady.update(frame, 1)
    return steady.update(frame, 2)


def turned(board: Board, quarters: int, side: int) -> Board:
    """Return a board as who sits so many quarters round it sees it: no camera was told which side is up."""
    cells, doubts = board.symbols(), board.doubts
    for _ in range(quarters):
        cells = {(col, side - 1 - row): symbol for (row, col), symbol in cells.items()}
        doubts = tuple((col, side - 1 - row) for row, col in doubts)
    return replace(Board.of(cells), doubts=doubts)


def counted(letters: Letters, board: Board) -> Counter[str]:
    """Return how many letters there are, read right and sure, and wrong or not at all without a doubt."""
    read, asked = board.symbols(), set(board.doubts)
    sure = [place for place in letters if place not in asked]
    right = sum(read.get(place) == letters[place] for place in sure)
    return Counter(letters=len(letters), right=right, silent=len(sure) - right)


def binary(rng: Rng, seed: Seed) -> Sides:
    """Return a drawn game of equations."""
    scenes = [equations(np.random.default_rng(seed), one) for one in two_views(rng, (28, 44))]
    pictures = [dazzled(rng, one.picture, one.tiles) for one in scenes]
    letters = {
        place: symbol for place, symbol in scenes[0].grid.items() if scenes[1].grid.get(place) == symbol
    }
    return Sides(BoardConfig("scrabble"), EQUATIONS, letters, pictures)


def volcano(rng: Rng, seed: Seed) -> Sides:
    """Return a drawn game of Martian Boggle; the letters under pyramids are not asked for."""
    scenes = [martian(np.random.default_rng(seed), one) for one in two_views(rng, (26, 46))]
    pictures = [dazzled(rng, one.picture, one.tiles) for one in scenes]
    there = {one.laid.cell: one.symbol or "" for one in scenes[0].tiles if one.laid.group == 0}
    open_ = {cell: symbol for cell, symbol in there.items() if cell not in scenes[0].covered}
    return Sides(BoardConfig("volcano"), LETTERS, open_, pictures)


def two_views(rng: Rng, tile_px: tuple[float, float]) -> tuple[View, View]:
    """Return where two cameras hang, each any way round, that see tiles equally large."""
    one, other = view(rng, tile_px, 8, 20), view(rng, tile_px, 8, 20)
    return one, replace(other, tile_px=one.tile_px)


def dazzled(rng: Rng, picture: Frame, tiles: Sequence[Drawn]) -> Frame:
    """Return a picture with a lamp's reflection over some tile on the board."""
    on_board = [one for one in tiles if one.laid.group == 0]
    x, y = np.mean(on_board[int(rng.integers(len(on_board)))].corners, 0)
    high, wide = picture.shape[:2]
    planes = [
        with_glare(plane.astype(np.float32), (x / wide, y / high), SHINES)[0] for plane in cv2.split(picture)
    ]
    return np.asarray(np.clip(cv2.merge(planes), 0, 255), np.uint8)


KINDS: dict[str, Callable[[Rng, Seed], Sides]] = {"binary board": binary, "Volcano board": volcano}
"""What is drawn of each kind of board."""
