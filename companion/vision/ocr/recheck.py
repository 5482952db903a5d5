"""Doubted tiles are shown to a second reader; where both surely agree, there is no doubt left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities, crop_source, crops
from companion.vision.decoding import Choice, symbol_likelihoods
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


FIRST_SURE, SECOND_SURE = 0.6, 0.75
"""Probabilities of first and second reader from which their agreement is no doubt: of drawn doubts that
``companion bench second`` settles so, none is wrong."""

NO_SYMBOL = 0.15
"""Most probability of no symbol by the first reader for that: other things on a table have letters too."""


def agree(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Return whether two readings of one tile surely agree.

    Both are the probabilities of a set's symbols in the turn in which the tile is read, (symbols,), of a sum
    of at most 1.
    """
    best = int(first.argmax())
    alike = best == second.argmax() and first.sum() >= 1 - NO_SYMBOL
    return bool(alike and first[best] >= FIRST_SURE and second[best] >= SECOND_SURE)


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


def recheck_with_ocr(probabilities: ClassProbabilities, doubted: Mapping[int, Choice]) -> dict[int, Choice]:
    """Return what is thought of doubted tiles once what a second reader said of them counts too.

    A tile on which both surely agree is as sure as both together; of another one, the second reader's
    symbol is offered.  ``doubted`` are the choices by the tile's number in ``probabilities``; those of whose
    turn it said nothing are left out.
    """
    said = [k for k, choice in doubted.items() if probabilities.second[k, :, choice.turn].any()]
    numbers = np.array(said, np.intp)
    turns = np.array([doubted[k].turn for k in numbers], np.intp)
    firsts = symbol_likelihoods(probabilities.kept(numbers), turns)
    seconds = probabilities.second[numbers, :, turns]
    out = {}
    for k, first, second in zip(said, firsts, seconds, strict=True):
        symbol = probabilities.symbols[int(second.argmax())]
        if agree(first, second):
            out[k] = replace(doubted[k], confidence=1 - float((1 - first.max()) * (1 - second.max())))
        elif symbol != doubted[k].symbol:
            out[k] = replace(doubted[k], runner_up=symbol)
    return out
