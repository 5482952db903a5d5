"""The doubted tiles of a picture are shown to a second reader, and what it says is weighed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.crops import crops
from companion.vision.classifier.probabilities import LOOKALIKES, ClassProbabilities, crop_source
from companion.vision.decoding.choices import Choice, symbol_likelihoods
from companion.vision.detector.detections import Detections
from companion.vision.ocr.fusion import CAP, fuse
from companion.vision.ocr.interface import SymbolReader


def ask_ocr(
    second: SymbolReader,
    grey: NDArray[np.uint8],
    detections: Detections,
    probabilities: ClassProbabilities,
    doubted: Mapping[int, Choice],
) -> ClassProbabilities:
    """Return names with what a second reader says of the doubted tiles, shown upright, of a grey picture.

    ``detections`` and ``probabilities`` are those of all tiles, ``doubted`` the choices by the tile's
    number.  The surest are shown first, as they gain most and the reader reads so many and no more.
    """
    numbers = np.array(sorted(doubted, key=lambda k: -doubted[k].confidence), np.intp)
    turns = np.array([doubted[k].turn for k in numbers])
    upright = upright_crops(grey, detections.kept(numbers), turns)
    said = second.symbol_probabilities(upright, probabilities.symbols, np.zeros(len(numbers), np.intp))[
        ..., 0
    ]
    whole = probabilities.second.copy()
    whole[numbers, :, turns] = said
    return replace(probabilities, second=whole)


def upright_crops(
    grey: NDArray[np.uint8], detections: Detections, turns: NDArray[np.intp]
) -> NDArray[np.uint8]:
    """Return crops of tiles, (n, side, side), whose symbols' own top left lies at the corners ``turns``."""
    picture, quads = crop_source(grey, detections)
    return crops(
        picture, np.stack([np.roll(quad, -turn, 0) for quad, turn in zip(quads, turns, strict=True)])
    )


def recheck_with_ocr(probabilities: ClassProbabilities, doubted: Mapping[int, Choice]) -> dict[int, Choice]:
    """Return what is thought of doubted tiles once what a second reader said of them counts too.

    ``doubted`` are the choices by the tile's number in ``probabilities``; those of whose turn it said
    nothing are left out.
    """
    said = [k for k, choice in doubted.items() if probabilities.second[k, :, choice.turn].any()]
    numbers = np.array(said, np.intp)
    turns = np.array([doubted[k].turn for k in numbers], np.intp)
    first = symbol_likelihoods(probabilities.kept(numbers), turns)
    return {
        k: _after(doubted[k], probabilities.symbols, one, probabilities.second[k, :, doubted[k].turn])
        for k, one in zip(numbers.tolist(), first, strict=True)
    }


def _after(
    choice: Choice, symbols: tuple[str, ...], first: NDArray[np.float64], second: NDArray[np.float64]
) -> Choice:
    """Return the choice that two readings of one tile come to.

    What others look like stays a doubt: what deceives one eye deceives two.
    """
    end = fuse(first, second)
    confidence = min(end.confidence, CAP) if symbols[end.best] in LOOKALIKES else end.confidence
    rival = next((k for k in (int(second.argmax()), int(first.argmax()), *end.others) if k != end.best), None)
    other = choice.runner_up if rival is None else symbols[rival]
    return Choice(symbols[end.best], choice.turn, confidence, other)
