"""Doubted tiles are shown to a second reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities, crop_source, crops
from companion.vision.decoding import Choice
from companion.vision.detector.detections import Detections


class SymbolReader(Protocol):
    """Says how likely each symbol is on each tile."""

    def symbol_probabilities(self, cuts: NDArray[np.uint8], symbols: tuple[str, ...]) -> NDArray[np.float64]:
        """Return how likely each symbol is on each tile.

        Parameters
        ----------
        cuts
            Upright tiles as ``companion.vision.classifier`` cuts them, the most urgent first, shape
            (n, side, side), uint8, side 32 to 96 pixels, the tile in the middle seven eighths.
        symbols
            The set's symbols without blanks.

        Returns
        -------
        Shape (n, symbols), float64; a tile's sum is at most 1, and 0 where the reader has nothing to say.
        """
        ...


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
    whole = probabilities.second.copy()
    whole[numbers, :, turns] = second.symbol_probabilities(upright, probabilities.symbols)
    return replace(probabilities, second=whole)


def upright_crops(
    grey: NDArray[np.uint8], detections: Detections, turns: NDArray[np.intp]
) -> NDArray[np.uint8]:
    """Return crops of tiles, (n, side, side), whose symbols' own top left lies at the corners ``turns``."""
    picture, quads = crop_source(grey, detections)
    return crops(
        picture, np.stack([np.roll(quad, -turn, 0) for quad, turn in zip(quads, turns, strict=True)])
    )
