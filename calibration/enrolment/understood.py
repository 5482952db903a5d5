"""From photographs of laid tiles to what they teach, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.enrolment.laid import Laid, aslant, examples_of, fault_of, laid_in
from calibration.enrolment.photograph import Grey
from calibration.enrolment.preview import preview
from calibration.enrolment.report import Report, report_of
from companion.errors import BadEnrolment, BadTileSet
from companion.vision.classifier import crop_source, crops
from companion.vision.detector.detections import no_detections
from companion.vision.fewshot.embedding import CROP, TILE, Embedder, SignEmbedding
from companion.vision.fewshot.head import fit_head
from companion.vision.fewshot.sheet import Examples

Floats = NDArray[np.float64]

LIKELIER = 0.9
"""A tile is thought to lie turned only where it so lies nearer to the others than this share of before."""
ROUNDS = 3
"""Times that each tile is laid beside the others of its symbol."""

Shot = tuple[Grey, Laid]
"""A grey photograph and what lies in it."""


def righted(signs: SignEmbedding, shots: Sequence[tuple[Grey, Laid]]) -> list[tuple[Grey, Laid]]:
    """Return photographs in which each tile's turn is its symbol's own.

    The tiles of a symbol, in all photographs, are turned by quarters until they look most like those that
    come first in each, which lie upright.
    """
    seen = [places_of(signs, picture, laid) for picture, laid in shots]
    turns = [np.zeros(len(laid.detections), int) for _, laid in shots]
    for symbol in {symbol for _, laid in shots for symbol in laid.symbols if symbol}:
        own = [(k, n) for k, (_, laid) in enumerate(shots) for n in tiles_of(laid, symbol)]
        first = [n == tiles_of(shots[k][1], symbol)[0] for k, n in own]
        told = alike(np.array([seen[k][n] for k, n in own]), np.array(first))
        for (k, n), quarters in zip(own, told.tolist(), strict=True):
            turns[k][n] = quarters
    return [(picture, turned(laid, quarters)) for (picture, laid), quarters in zip(shots, turns, strict=True)]


def tiles_of(laid: Laid, symbol: str) -> list[int]:
    """Return the numbers of the tiles that show a symbol, in order."""
    return [n for n, one in enumerate(laid.symbols) if one == symbol]


def places_of(signs: SignEmbedding, picture: Grey, laid: Laid) -> Floats:
    """Return where each tile lies among signs, (n, 4, d), when turned back by 0 to 3 quarters."""
    cut = crops(*crop_source(picture, laid.detections), CROP, TILE)
    back = np.concatenate([np.rot90(cut, quarters, (1, 2)) for quarters in range(4)])
    places, _ = signs.embed(back)
    return np.asarray(places.reshape(4, len(cut), -1).swapaxes(0, 1), np.float64)


def alike(places: Floats, first: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Return by how many quarters clockwise each tile of one symbol lies turned, (n,).

    ``places`` (n, 4, d) are those of ``places_of``; ``first`` (n,) marks tiles that lie upright.
    """
    turns = np.zeros(len(places), int)
    model = places[first, 0].mean(0)
    for _ in range(ROUNDS):
        away = ((places - model) ** 2).sum(2)
        away[:, 0] *= LIKELIER
        turns = np.where(first, 0, away.argmin(1))
        model = places[np.arange(len(places)), turns].mean(0)
    return turns


def turned(laid: Laid, quarters: NDArray[np.int_]) -> Laid:
    """Return what was laid with its tiles turned clockwise by quarters, (n,)."""
    return replace(
        laid, detections=replace(laid.detections, turns=laid.detections.turns + quarters * np.pi / 2)
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong and what to do: with one photograph, counted from 0, or with all together (``None``)."""

    photograph: int | None
    says: str


@dataclass(frozen=True, slots=True)
class Understood:
    """What photographs teach.

    ``shots`` are the photographs in their order with what lies in each; ``problems`` what is wrong, empty
    where all is well; ``examples`` and ``report`` are there without problems, and the
    report also where the tiles can hardly be told from each other.
    """

    shots: tuple[Shot, ...]
    problems: tuple[Problem, ...] = ()
    examples: Examples | None = None
    report: Report | None = None

    def previews(self) -> list[NDArray[np.uint8]]:
        """Return each photograph with what was understood drawn on it, uint8 (h, w, 3) BGR."""
        return [preview(picture, laid) for picture, laid in self.shots]


def understood(photographs: Sequence[tuple[Grey, Sequence[str]]]) -> Understood:
    """Return what photographs teach, each grey, (h, w), with the symbols laid in it in their order."""
    looked = [looked_at(picture, order) for picture, order in photographs]
    shots = tuple(shot for shot, _ in looked)
    problems = tuple(Problem(k, fault) for k, (_, fault) in enumerate(looked) if fault)
    return Understood(shots, problems) if problems else taught(shots)


def looked_at(picture: Grey, order: Sequence[str]) -> tuple[Shot, str]:
    """Return a photograph with what lies in it, and what is wrong with that, ``""`` where nothing is."""
    try:
        laid = laid_in(picture, order)
    except BadEnrolment as error:
        return (picture, Laid(no_detections(), ())), str(error)
    return (picture, laid), fault_of(laid, order) or aslant(laid) or ""


def taught(shots: Sequence[Shot]) -> Understood:
    """Return what photographs teach together in which every tile is known."""
    sight = Embedder()
    upright = tuple(righted(sight.signs, shots))
    try:
        examples = examples_of(upright)
    except (BadEnrolment, BadTileSet) as error:
        return Understood(upright, (Problem(None, str(error)),))
    report = report_of(*fit_head(sight, examples))
    return Understood(upright, tuple(Problem(None, fault) for fault in report.faults()), examples, report)
