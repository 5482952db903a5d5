"""Accuracy on drawn boards in colour: games of equations and of Martian Boggle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, Variation, equation_game
from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.rng import Rng
from calibration.drawing.volcano import BOARD_GROUP as ON_BOARD
from calibration.drawing.volcano import PyramidTruth, VolcanoScene, VolcanoTable, volcano_table
from calibration.evaluation.drawn import true_tile, vocabulary
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.results import (
    EvaluationResults,
    ReaderFactory,
    Targets,
    score_metrics,
    share_metric,
    timed_read,
)
from calibration.evaluation.scoring import MATCH_RADIUS, Score, match_points, score
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.reading import Piece, Reading, Tile
from companion.model.tiles import BLANK, tile_set
from companion.vision.camera_frame import Frame
from companion.vision.grid.volcano import on_board

Word = tuple[TrueTile, ...]
"""The tiles of a word in the order of reading."""

SEED = 30_000
"""Scene k of a kind is drawn from (SEED, number of the kind, k)."""
SIZE, LARGE_PICTURE_SCALE, LARGE_PICTURE_DIVISOR = (1600, 1200), 2, 3
"""Size of a picture of 2 megapixels; scale of a larger one, and the factor by which fewer are drawn."""
MIN_EXACT_PERCENT = 98.0
"""Share of the scenes that must be read exactly, in per cent."""
EQUATION_TILE_SET, LETTER_TILE_SET = "binary", "bananagrams-en"
"""The tile sets that are drawn."""
WORD_LENGTH = 5
"""Letters of a word of Martian Boggle."""
AWARD_REACH = 40.0
"""Match radius of awards, in pixels of a picture of 2 megapixels."""

Awards = tuple[PyramidTruth, ...]
"""The pyramids beside a board."""


def spelt_metrics(
    name: str, spelt: Sequence[Sequence[Word]], readings: Sequence[Reading]
) -> Iterator[Metric]:
    """Yield the share of words that are read whole, if there are any; those with a covered letter do not
    count.
    """
    whole = [
        is_whole(word, reading)
        for words, reading in zip(spelt, readings, strict=True)
        for word in words
        if not any(tile.covered for tile in word)
    ]
    if whole:
        yield share_metric(f"{name}: words beside the board whole", (sum(whole), len(whole)), None)


def is_whole(word: Word, reading: Reading) -> bool:
    """Return whether the letters of a word are adjacent in one tableau without other letters."""
    reach = MATCH_RADIUS * min(tile.side or 0.0 for tile in word)
    pairs = dict(match_points([tile.centre for tile in word], [tile.centre for tile in reading.tiles], reach))
    found = [reading.tiles[pairs[k]] for k in range(len(word)) if k in pairs]
    if len(found) < len(word) or found[0].tableau is None:
        return False
    others = sum(tile.tableau == found[0].tableau for tile in reading.tiles) - len(found)
    return others == 0 and all(follows(one, following) for one, following in pairwise(found))


def follows(one: Tile, following: Tile) -> bool:
    """Return whether a tile is the right neighbour of another one in a tableau."""
    return (
        one.row is not None
        and one.col is not None
        and (one.tableau, one.row, one.col + 1) == (following.tableau, following.row, following.col)
    )


@dataclass(frozen=True, slots=True)
class Game:
    """A labelled picture of a board, with the pyramids and words beside it."""

    picture: Frame
    truth: Truth
    beside: Awards = ()
    spelt: tuple[Word, ...] = ()


def board_metrics(scenes: int, reader_for: ReaderFactory, progress: Progress) -> Iterator[Metric]:
    """Yield the metrics of ``scenes`` boards of each kind; raise NoFonts."""
    for number, (name, (draw, finer)) in enumerate(KINDS.items()):
        beside, spelt, done, seen = [], [], [], []
        many = scenes if finer == 1 else max(1, scenes // LARGE_PICTURE_DIVISOR)
        for k in range(many):
            progress(f"{name}, {k + 1} of {many}")
            game = draw(np.random.default_rng((SEED, number, k)), finer)
            reading, ms = timed_read(reader_for(game.truth.tile_set, game.truth.board), game.picture)
            beside.append(game.beside)
            spelt.append(game.spelt)
            seen.append(reading)
            done.append((f"{name}, {k + 1} of {many}", score(game.truth, reading), ms))
        names, scores, took = zip(*done, strict=True)
        every = EvaluationResults(names, scores, took)
        whole = sum(map(is_exact, scores))
        where = every.pictures_where(lambda one: not is_exact(one))
        yield share_metric(f"{name}: boards exact", (whole, many), MIN_EXACT_PERCENT, where)
        yield from score_metrics(name, every, Targets())
        yield from award_metrics(name, beside, seen, AWARD_REACH * finer)
        yield from spelt_metrics(name, spelt, seen)


def is_exact(one: Score) -> bool:
    """Return whether every tile and pyramid is right, and nothing is invented."""
    tiles = one.right == one.tiles and one.invented == 0
    return tiles and one.exact == one.tableaux and one.pieces_right == one.pieces and not one.pieces_silent


def award_metrics(
    name: str, true_by_board: Sequence[Awards], readings: Sequence[Reading], reach: float = AWARD_REACH
) -> Iterator[Metric]:
    """Yield the accuracy of pyramids beside the board, if there are any, matched within ``reach`` pixels."""
    there = sum(map(len, true_by_board))
    if not there:
        return
    right = silent = 0
    for true, reading in zip(true_by_board, readings, strict=True):
        read = [piece for piece in reading.pieces if piece.at and not on_board(piece.row, piece.col)]
        pairs = match_points([one.at for one in true], [one.at for one in read if one.at], reach)
        fine = {j for i, j in pairs if read[j].size == true[i].size}
        right += len(fine)
        silent += sum(not piece.doubt for j, piece in enumerate(read) if j not in fine)
    yield share_metric(f"{name}: awards beside the board right", (right, there), None)
    yield Metric(f"{name}: awards wrong or invented, without a doubt", silent, "", how="told alone")


def binary(rng: Rng, finer: int = 1, most: int | None = None) -> Game:
    """Return a drawn game of equations with a tilt of up to 20 degrees, ``finer`` times as large as 2 MP.

    ``most`` is the largest number of tiles; by default there are as many as usual.
    """
    scene = equations(rng, random_view(rng, (28, 44), 8, 20, finer), most)
    tiles = tuple(
        replace(true_tile(one), symbol=one.symbol or BLANK) if one.placed.group >= 0 else true_tile(one)
        for one in scene.tiles
    )
    return Game(scene.picture, Truth(EQUATION_TILE_SET, "scrabble", (scene.grid,), tiles))


def equations(rng: Rng, seen_from: View, most: int | None = None) -> EquationScene:
    """Return a scene of equations with the tiles of the box."""
    counts = tile_set(EQUATION_TILE_SET).counts or {}
    return equation_game(rng, seen_from, counts, evaluation_fonts(), Variation(most=most))


def volcano(rng: Rng, finer: int = 1) -> Game:
    """Return a drawn game of Martian Boggle with a tilt of up to 25 degrees, ``finer`` times as large as 2
    MP.
    """
    scene = martian_boggle_scene(rng, volcano_view(rng, finer))
    beside = tuple(one for one in scene.pyramids if not one.cell)
    return Game(scene.picture, volcano_truth(scene), beside, words_of(scene))


def volcano_truth(scene: VolcanoScene) -> Truth:
    """Return the ground truth of a scene of Martian Boggle."""
    pieces = tuple(Piece(one.colour, *one.cell, one.size) for one in scene.pyramids if one.cell)
    return Truth(LETTER_TILE_SET, "volcano", tiles=tuple(map(true_tile, scene.tiles)), pieces=pieces)


def words_of(scene: VolcanoScene) -> tuple[Word, ...]:
    """Return the words beside a board."""
    laid = sorted(
        (t for t in scene.tiles if t.placed.group > ON_BOARD), key=lambda t: (t.placed.group, t.placed.cell)
    )
    return tuple(
        tuple(true_tile(tile) for tile in word) for _, word in groupby(laid, lambda t: t.placed.group)
    )


def volcano_view(rng: Rng, finer: int = 1) -> View:
    """Return the camera above a drawn game of Martian Boggle."""
    return random_view(rng, (26, 46), 12, 25, finer)


def martian_boggle_scene(rng: Rng, seen_from: View) -> VolcanoScene:
    """Return a scene of Martian Boggle with the letters of the box, and words."""
    return martian_boggle_table(rng, seen_from).scene(rng)


def martian_boggle_table(rng: Rng, seen_from: View) -> VolcanoTable:
    """Return the table of such a scene, before its pyramids are drawn."""
    letters = sorted(Counter(tile_set(LETTER_TILE_SET).counts).elements())
    words = [word for word in vocabulary() if len(word) == WORD_LENGTH]
    return volcano_table(rng, seen_from, letters, words, evaluation_fonts())


def random_view(
    rng: Rng, tile_px: tuple[float, float], usual_deg: float, most_deg: float, finer: int = 1
) -> View:
    """Return a random camera with a tile side within ``tile_px`` and any rotation.

    ``usual_deg`` is the standard deviation of its tilt and ``most_deg`` the largest one.  Picture and tiles
    are ``finer`` times as large as in 2 megapixels.
    """
    width, height = SIZE
    tilt = min(most_deg, abs(float(rng.normal(0, usual_deg))))
    distortion = float(rng.normal(0, 0.01))
    side = float(rng.uniform(*tile_px))
    return View(width * finer, height * finer, side * finer, tilt, float(rng.uniform(0, 360)), distortion)


KINDS: dict[str, tuple[Callable[[Rng, int], Game], int]] = {
    "binary board": (binary, 1),
    "Volcano board": (volcano, 1),
    "binary board at 8 MP": (binary, LARGE_PICTURE_SCALE),
    "Volcano board at 8 MP": (volcano, LARGE_PICTURE_SCALE),
}
"""The function that draws each kind of board, and the scale of its pictures."""
