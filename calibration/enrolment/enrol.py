"""Enrolment from photographs of laid tiles: examples and a report, or the problems with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.enrolment.labelling import (
    LabelledDetections,
    count_fault,
    examples_of,
    label_tiles,
    rotation_fault,
)
from calibration.enrolment.photograph import Grey
from calibration.enrolment.preview import preview
from calibration.enrolment.report import EnrolmentReport, report_of
from companion.errors import BadEnrolment, BadTileSet
from companion.vision.classifier import crop_source, crops
from companion.vision.detector.detections import no_detections
from companion.vision.fewshot.embedding import SIGN_CROP, Embedder, SignEmbedding
from companion.vision.fewshot.head import fit_head
from companion.vision.fewshot.sheet import Examples

Floats = NDArray[np.float64]

MAX_ROTATED_SQ_DISTANCE_RATIO = 0.9
"""Largest ratio of a rotated tile's squared distance to the mean to the unrotated one's."""
ALIGNMENT_ITERATIONS = 3
"""Iterations of the alignment."""

Shot = tuple[Grey, LabelledDetections]
"""A grey photograph and its labelled tiles."""


def align_rotations(
    signs: SignEmbedding, shots: Sequence[tuple[Grey, LabelledDetections]]
) -> list[tuple[Grey, LabelledDetections]]:
    """Return photographs whose tiles have the rotation of their symbols.

    The tiles of a symbol, in all photographs, are rotated by quarter turns until their embeddings are nearest
    to those of the first ones, which are upright.
    """
    seen = [rotated_embeddings(signs, picture, laid) for picture, laid in shots]
    turns = [np.zeros(len(laid.detections), int) for _, laid in shots]
    for symbol in {symbol for _, laid in shots for symbol in laid.symbols if symbol}:
        own = [(k, n) for k, (_, laid) in enumerate(shots) for n in indices_of(laid, symbol)]
        first = [n == indices_of(shots[k][1], symbol)[0] for k, n in own]
        quarters_of = aligned_quarters(np.array([seen[k][n] for k, n in own]), np.array(first))
        for (k, n), quarters in zip(own, quarters_of.tolist(), strict=True):
            turns[k][n] = quarters
    return [
        (picture, rotated(laid, quarters)) for (picture, laid), quarters in zip(shots, turns, strict=True)
    ]


def indices_of(laid: LabelledDetections, symbol: str) -> list[int]:
    """Return the indices of the tiles with a symbol, in order."""
    return [n for n, one in enumerate(laid.symbols) if one == symbol]


def rotated_embeddings(signs: SignEmbedding, picture: Grey, laid: LabelledDetections) -> Floats:
    """Return the embeddings of each tile rotated back by 0 to 3 quarter turns, (n, 4, d)."""
    cut = crops(*crop_source(picture, laid.detections), *SIGN_CROP)
    back = np.concatenate([np.rot90(cut, quarters, (1, 2)) for quarters in range(4)])
    places, _ = signs.embed(back)
    return np.asarray(places.reshape(4, len(cut), -1).swapaxes(0, 1), np.float64)


def aligned_quarters(places: Floats, first: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Return the quarter turns clockwise of each tile of one symbol, (n,).

    ``places`` (n, 4, d) are ``rotated_embeddings``; ``first`` (n,) marks tiles that are upright.
    """
    turns = np.zeros(len(places), int)
    model = places[first, 0].mean(0)
    for _ in range(ALIGNMENT_ITERATIONS):
        away = ((places - model) ** 2).sum(2)
        away[:, 0] *= MAX_ROTATED_SQ_DISTANCE_RATIO
        turns = np.where(first, 0, away.argmin(1))
        model = places[np.arange(len(places)), turns].mean(0)
    return turns


def rotated(laid: LabelledDetections, quarters: NDArray[np.int_]) -> LabelledDetections:
    """Return labelled tiles rotated clockwise by quarter turns, (n,)."""
    return replace(
        laid, detections=replace(laid.detections, turns=laid.detections.turns + quarters * np.pi / 2)
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """A message for one photograph, by its index, or for all together (``None``)."""

    photograph: int | None
    text: str


@dataclass(frozen=True, slots=True)
class EnrolmentResult:
    """The result of an enrolment.

    ``shots`` are the photographs in their order with their labelled tiles; ``problems`` is empty where it
    succeeded.  ``examples`` and ``report`` are set without problems, and also where the report is the
    problem.
    """

    shots: tuple[Shot, ...]
    problems: tuple[Problem, ...] = ()
    examples: Examples | None = None
    report: EnrolmentReport | None = None

    def previews(self) -> list[NDArray[np.uint8]]:
        """Return each photograph with its labelled tiles drawn on it, uint8 (h, w, 3) BGR."""
        return [preview(picture, laid) for picture, laid in self.shots]


def enrol(photographs: Sequence[tuple[Grey, Sequence[str]]]) -> EnrolmentResult:
    """Return the result for grey photographs, (h, w), each with its symbols in the order of laying."""
    looked = [examine(picture, order) for picture, order in photographs]
    shots = tuple(shot for shot, _ in looked)
    problems = tuple(Problem(k, fault) for k, (_, fault) in enumerate(looked) if fault)
    return EnrolmentResult(shots, problems) if problems else enrol_labelled(shots)


def examine(picture: Grey, order: Sequence[str]) -> tuple[Shot, str]:
    """Return a photograph with its labelled tiles, and a message where they are wrong, else ``""``."""
    try:
        laid = label_tiles(picture, order)
    except BadEnrolment as error:
        return (picture, LabelledDetections(no_detections(), ())), str(error)
    return (picture, laid), count_fault(laid, order) or rotation_fault(laid) or ""


def enrol_labelled(shots: Sequence[Shot]) -> EnrolmentResult:
    """Return the result for photographs in which every tile is labelled."""
    sight = Embedder()
    upright = tuple(align_rotations(sight.signs, shots))
    try:
        examples = examples_of(upright)
    except (BadEnrolment, BadTileSet) as error:
        return EnrolmentResult(upright, (Problem(None, str(error)),))
    report = report_of(*fit_head(sight, examples))
    return EnrolmentResult(
        upright, tuple(Problem(None, fault) for fault in report.faults()), examples, report
    )
