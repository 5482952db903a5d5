"""Accuracy on drawn hand-made tiles after enrolment with three examples of each symbol."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from calibration.drawing.backgrounds import PATTERNED, TABLE_TOPS, TableTop
from calibration.drawing.camera import View
from calibration.drawing.fonts import handwriting_fonts
from calibration.drawing.handmade import Handwriting, enrolment_rows, hand_table, legible, random_handwriting
from calibration.drawing.layout import (
    FreeSpace,
    PlacedTile,
    crossword,
    place_grid,
    place_loose,
    random_jitter,
)
from calibration.drawing.rng import Rng
from calibration.drawing.scene import Scene
from calibration.enrolment.enrol import enrol
from calibration.enrolment.storage import save_set
from calibration.evaluation.drawn import true_tile
from calibration.evaluation.metric import Metric, Progress, cpu_timed, percent
from calibration.evaluation.scoring import Score, score, total
from calibration.evaluation.truth import Truth
from companion.errors import BadEnrolment
from companion.model.tiles import BLANK, TileSet
from companion.vision.fewshot.sheet import Examples
from companion.vision.pipeline.reader import Reader

SEED = 60_000
"""Family k of a kind is drawn from (SEED, number of the kind, k)."""

KINDS: dict[str, tuple[str, ...]] = {
    "binary tiles": ("0", "1", "+", "-", "x", "/", "=", "AND", "OR", "NOT", "XOR", BLANK),
    "letters": tuple("ADEGIKLNORST"),
    "signs never trained on": tuple("あいうえおかくけこたのほ"),
}
"""Sets of twelve symbols."""

EXAMPLES = 3
MAX_PHOTOGRAPHS = 12
"""Largest number of enrolment photographs that are tried."""
FRESH_PICTURES, CLOTH_PICTURES = 2, 2
"""Numbers of pictures of play read after each enrolment: on any table, and on patterned cloths."""
CAREFUL_SEVERITY = 0.6
"""Severity of blur and noise in a careful photograph."""
SIZE = (1600, 1200)
TABLEAUX, TABLEAU_TILES, LOOSE_TILES = 2, 16, 6
"""Numbers of crosswords on a table, of tiles in each, and of loose tiles."""
MIN_RIGHT_PERCENT, MAX_LEARNING_MS = 99.5, 5000.0
"""Targets: symbols right in per cent, and processor time to learn a set."""


@dataclass(frozen=True, slots=True)
class EnrolmentTrial:
    """Enrolment and play with one hand-made set.

    ``refused`` is the number of refused photographs, ``learnt_ms`` the processor time to learn the set.  The
    scores are those of legible pictures of play on any table, of those on patterned ``cloths``, and of
    ``overexposed`` pictures, in which some symbols are invisible.
    """

    refused: int
    learnt_ms: float
    score: Score
    cloths: Score
    overexposed: Score


def enrolment_metrics(scenes: int, progress: Progress) -> Iterator[Metric]:
    """Yield the metrics of ``scenes`` hand-made sets of each kind; raise NoFonts."""
    every: list[EnrolmentTrial] = []
    given_up = 0
    for number, (kind, symbols) in enumerate(KINDS.items()):
        families = []
        for k in range(scenes):
            progress(f"hand-made {kind}, family {k + 1} of {scenes}")
            try:
                families.append(enrolment_trial(np.random.default_rng((SEED, number, k)), symbols))
            except BadEnrolment:
                given_up += 1
        yield from kind_metrics(f"hand-made {kind}", total(one.score for one in families))
        every += families
    how = f"of {scenes * len(KINDS)}: none of {MAX_PHOTOGRAPHS} photographs understood; in no other figure"
    yield Metric("hand-made: families that could not enrol", given_up, "", most=0, how=how)
    if not every:
        return
    yield from kind_metrics("hand-made, on patterned cloths", total(one.cloths for one in every))
    refused = sum(one.refused for one in every)
    how = (
        f"{len(every) + refused} photographs of {EXAMPLES} tiles of each of 12 symbols, the first upright, "
        "the others at any turn"
    )
    yield Metric("hand-made: enrolment photographs refused", refused, "", how=how)
    overexposed = total(one.overexposed for one in every)
    how = f"{overexposed.pictures} pictures in which light hides what is on some tiles; the light check tells"
    yield Metric("hand-made: silent faults in pictures burnt out", overexposed.silent, "", most=0, how=how)
    slowest = max(one.learnt_ms for one in every)
    middle = statistics.median(one.learnt_ms for one in every)
    yield Metric(
        "hand-made: learn a set", slowest, "ms", most=MAX_LEARNING_MS, how=f"CPU time; median {middle:.0f} ms"
    )


def kind_metrics(name: str, one: Score) -> Iterator[Metric]:
    """Yield accuracy, silent faults and doubts of one kind of pictures."""
    how = (
        f"{one.right:,} of {one.tiles:,}; {one.wrong} wrong, {one.missed} missed, {one.invented} invented; "
        f"{EXAMPLES} examples of each symbol, {one.pictures} fresh pictures"
    )
    yield Metric(
        f"{name}: symbols right", percent(one.right, one.tiles), "%", least=MIN_RIGHT_PERCENT, how=how
    )
    yield Metric(f"{name}: silent faults", one.silent, "", most=0, how="wrong or invented and no doubt")
    yield Metric(f"{name}: doubts", percent(one.doubts, one.tiles), "%", how=f"{one.doubts:,} tiles")


def enrolment_trial(rng: Rng, symbols: Sequence[str]) -> EnrolmentTrial:
    """Return the trial of one random hand-made set; raise BadEnrolment or NoFonts."""
    hand = random_handwriting(rng, symbols, handwriting_fonts())
    examples, refused = enrolment_photograph(rng, symbols, hand)
    tiles = TileSet("family", tuple(symbols))
    with TemporaryDirectory() as desk:
        kept = save_set(tiles, examples, Path(desk))
        reader, learnt_ms = cpu_timed(lambda: Reader(kept))
    fresh, overexposed = pictures_of(FRESH_PICTURES, TABLE_TOPS, rng, symbols, hand)
    cloths, overexposed_too = pictures_of(CLOTH_PICTURES, PATTERNED, rng, symbols, hand)
    lots = fresh, cloths, overexposed + overexposed_too
    on_tables, on_cloths, lost = (
        total(score(truth_of(one), reader.read(one.picture)) for one in lot) for lot in lots
    )
    return EnrolmentTrial(refused, learnt_ms, on_tables, on_cloths, lost)


def pictures_of(
    count: int, tops: Mapping[TableTop, float], rng: Rng, symbols: Sequence[str], hand: Handwriting
) -> tuple[list[Scene], list[Scene]]:
    """Return ``count`` legible pictures of play, and the overexposed ones that were drawn meanwhile."""
    lots: dict[bool, list[Scene]] = {True: [], False: []}
    while len(lots[True]) < count:
        scene = drawn_play(rng, symbols, hand, tops)
        lots[legible(scene)].append(scene)
    return lots[True], lots[False]


def enrolment_photograph(rng: Rng, symbols: Sequence[str], hand: Handwriting) -> tuple[Examples, int]:
    """Return the examples of the first photograph that enrols, and the number of those refused before it."""
    shown = [symbol for symbol in symbols for _ in range(EXAMPLES)]
    for refused in range(MAX_PHOTOGRAPHS):
        view = View(*SIZE, float(rng.uniform(50, 90)), float(abs(rng.normal(0, 5))), 0.0)
        scene = hand_table(rng, view, enrolment_rows(rng, shown, 9, each=EXAMPLES), hand, CAREFUL_SEVERITY)
        if legible(scene):
            found = enrol([(scene.picture, symbols)])
            if found.examples and not found.problems:
                return found.examples, refused
    raise BadEnrolment(f"none of {MAX_PHOTOGRAPHS} drawn photographs of a set was understood")


def drawn_play(rng: Rng, symbols: Sequence[str], hand: Handwriting, tops: Mapping[TableTop, float]) -> Scene:
    """Return a picture of play on one of ``tops``: crosswords at any rotation, and loose tiles."""
    view = View(*SIZE, float(rng.uniform(32, 48)), float(abs(rng.normal(0, 7))), float(rng.normal(0, 3)))
    half = SIZE[0] / view.tile_px / 2, SIZE[1] / view.tile_px / 2
    words = [[symbols[k] for k in lot] for lot in rng.integers(len(symbols), size=(200, 4)).tolist()]
    laid: list[PlacedTile] = []
    for number in range(TABLEAUX):
        grid = crossword(rng, TABLEAU_TILES, words, max_extent=9)
        at = ((number - (TABLEAUX - 1) / 2) * half[0], float(rng.normal(0, 1)))
        laid += place_grid(rng, grid, at, float(rng.uniform(0, 2 * np.pi)), random_jitter(rng), number)
    floor = FreeSpace(half[0] - 1, half[1] - 1)
    floor.occupy(laid)
    lettered = [symbol for symbol in symbols if symbol]
    loose = [lettered[k] for k in rng.integers(len(lettered), size=LOOSE_TILES)]
    return hand_table(rng, view, laid + place_loose(rng, floor, loose, gap=2.2), hand, tops=tops)


def truth_of(scene: Scene) -> Truth:
    """Return the ground truth of a table of hand-made tiles; a blank counts as a
    symbol only in a crossword.
    """
    tiles = [
        replace(true_tile(tile), symbol=tile.placed.symbol if tile.placed.group >= 0 else tile.symbol)
        for tile in scene.tiles
    ]
    return Truth("family", tiles=tuple(tiles))
