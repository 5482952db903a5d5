"""The doubted tiles of a picture are shown to a second reader, and what it says is weighed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.crops import crops
from companion.vision.classifier.probabilities import ALIKE, Names, cut_from
from companion.vision.decoding.choices import Choice, likelihoods
from companion.vision.detector.detections import Finds
from companion.vision.ocr.fusion import CAP, settled
from companion.vision.ocr.interface import SymbolReader


def asked(
    second: SymbolReader, grey: NDArray[np.uint8], finds: Finds, names: Names, doubted: Mapping[int, Choice]
) -> Names:
    """Return names with what a second reader says of the doubted tiles, shown upright, of a grey picture.

    ``finds`` and ``names`` are those of all tiles, ``doubted`` the choices by the tile's number.  The surest
    are shown first, as they gain most and the reader reads so many and no more.
    """
    numbers = np.array(sorted(doubted, key=lambda k: -doubted[k].confidence), np.intp)
    turns = np.array([doubted[k].turn for k in numbers])
    upright = upright_crops(grey, finds.kept(numbers), turns)
    said = second.chances(upright, names.symbols, np.zeros(len(numbers), np.intp))[..., 0]
    whole = names.second.copy()
    whole[numbers, :, turns] = said
    return replace(names, second=whole)


def upright_crops(grey: NDArray[np.uint8], finds: Finds, turns: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return crops of tiles, (n, side, side), whose symbols' own top left lies at the corners ``turns``."""
    picture, quads = cut_from(grey, finds)
    return crops(
        picture, np.stack([np.roll(quad, -turn, 0) for quad, turn in zip(quads, turns, strict=True)])
    )


def weighed(names: Names, doubted: Mapping[int, Choice]) -> dict[int, Choice]:
    """Return what is thought of doubted tiles once what a second reader said of them counts too.

    ``doubted`` are the choices by the tile's number in ``names``; those of whose turn it said nothing are
    left out.
    """
    said = [k for k, choice in doubted.items() if names.second[k, :, choice.turn].any()]
    numbers = np.array(said, np.intp)
    turns = np.array([doubted[k].turn for k in numbers], np.intp)
    first = likelihoods(names.kept(numbers), turns)
    return {
        k: _after(doubted[k], names.symbols, one, names.second[k, :, doubted[k].turn])
        for k, one in zip(numbers.tolist(), first, strict=True)
    }


def _after(
    choice: Choice, symbols: tuple[str, ...], first: NDArray[np.float64], second: NDArray[np.float64]
) -> Choice:
    """Return the choice that two readings of one tile come to.

    What others look like stays a doubt: what deceives one eye deceives two.
    """
    end = settled(first, second)
    confidence = min(end.confidence, CAP) if symbols[end.best] in ALIKE else end.confidence
    rival = next((k for k in (int(second.argmax()), int(first.argmax()), *end.others) if k != end.best), None)
    other = choice.other if rival is None else symbols[rival]
    return Choice(symbols[end.best], choice.turn, confidence, other)
