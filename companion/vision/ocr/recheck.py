"""The doubted tiles of a picture are shown to a second reader."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.crops import crops
from companion.vision.classifier.probabilities import ALIKE, Names, cut_from
from companion.vision.decoding.choices import Choice, likelihoods
from companion.vision.detector.detections import Finds
from companion.vision.ocr.fusion import CAP, settled
from companion.vision.ocr.interface import SymbolReader


def looked_at_again(
    second: SymbolReader, grey: NDArray[np.uint8], finds: Finds, names: Names, doubted: Mapping[int, Choice]
) -> dict[int, Choice]:
    """Return what is thought of doubted tiles once a second reader has seen them, upright, in a grey picture.

    ``finds`` and ``names`` are those of all tiles, ``doubted`` the choices by the tile's number.  The surest
    are shown first, as they gain most where the time runs out.
    """
    numbers = sorted(doubted, key=lambda k: -doubted[k].confidence)
    turns = np.array([doubted[k].turn for k in numbers])
    picture, quads = cut_from(grey, finds.kept(np.array(numbers)))
    upright = np.stack([np.roll(quad, -turn, 0) for quad, turn in zip(quads, turns, strict=True)])
    said = second.chances(crops(picture, upright), names.symbols, turns=np.zeros(len(numbers), np.intp))[
        ..., 0
    ]
    first = likelihoods(names.kept(np.array(numbers)), turns)
    return {
        k: _after(doubted[k], names.symbols, one, two)
        for k, one, two in zip(numbers, first, said, strict=True)
    }


def _after(
    choice: Choice, symbols: tuple[str, ...], first: NDArray[np.float64], second: NDArray[np.float64]
) -> Choice:
    """Return the choice that two readings of one tile come to; a silent second reader changes nothing.

    What others look like stays a doubt: what deceives one eye deceives two.
    """
    if not second.any():
        return choice
    end = settled(first, second)
    confidence = min(end.confidence, CAP) if symbols[end.best] in ALIKE else end.confidence
    rival = next((k for k in (int(second.argmax()), int(first.argmax()), *end.others) if k != end.best), None)
    other = choice.other if rival is None else symbols[rival]
    return Choice(symbols[end.best], choice.turn, confidence, other)
