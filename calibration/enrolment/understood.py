"""From photographs of laid tiles to what they teach, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.enrolment.laid import Laid, aslant, examples_of, fault_of, laid_in
from calibration.enrolment.photograph import Grey
from calibration.enrolment.preview import preview
from calibration.enrolment.report import Report, report_of
from calibration.enrolment.righted import righted
from companion.errors import BadEnrolment, BadTileSet
from companion.vision.detector.detections import no_detections
from companion.vision.fewshot.embedding import Embedder
from companion.vision.fewshot.head import fit_head
from companion.vision.fewshot.sheet import Examples

Shot = tuple[Grey, Laid]
"""A grey photograph and what lies in it."""


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
