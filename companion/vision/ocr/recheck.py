"""Doubted tiles are shown to a second reader, and what both say is fused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities, crop_source, crops
from companion.vision.decoding import Choice, symbol_likelihoods
from companion.vision.detector.detections import Detections


class SymbolReader(Protocol):
    """Says how likely each symbol is on each tile."""

    def symbol_probabilities(
        self,
        cuts: NDArray[np.uint8],
        symbols: tuple[str, ...],
        turns: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Return how likely each symbol in each quarter turn is on each tile.

        Parameters
        ----------
        cuts
            Straightened tiles as ``companion.vision.classifier`` cuts them, the most
            urgent first, shape (n, side, side), uint8, side 32 to 96 pixels, the tile in the middle
            seven eighths.
        symbols
            The set's symbols without blanks.
        turns
            For each tile the corner, 0 to 3 clockwise from the top left, at which its symbol's
            own top left lies, or -1 where nobody knows; shape (n,).  ``None``: nobody knows any.

        Returns
        -------
        Shape (n, symbols, 4), float64, by that corner; a tile's sum is at most 1, and 0 where
        the reader has nothing to say.
        """
        ...


CAP = 0.84
"""Bound of the confidence unless both readers surely agree: just under what is no doubt any more."""

FIRST_SURE, SECOND_SURE = 0.6, 0.95
"""Probabilities of first and second reader from which their agreement is no doubt."""

NO_SYMBOL = 0.15
"""Most probability of no symbol by the first reader for that: other things on a table have letters too."""

WORTH = ((0.4, 0.7, 0.9, 0.99), (2.0, 3.0, 5.0, 10.0))
"""The second reader's probability, and the likelihood ratio that it gives its symbol."""


class Fused(NamedTuple):
    """The fused reading of a tile.

    ``best`` is the index of its symbol, ``confidence`` its probability (0: neither reader said anything),
    ``others`` at most two indices to offer besides, the likeliest first.
    """

    best: int
    confidence: float
    others: tuple[int, ...]


def fuse(first: NDArray[np.float64], second: NDArray[np.float64]) -> Fused:
    """Return the fusion of two readings of one tile.

    A silent reader changes nothing.  Where both agree, the confidence rises, but the tile stays a doubt
    unless the first was fairly sure and the second very.  Where they differ it stays a doubt, and the
    symbols of both are offered.

    Parameters
    ----------
    first, second
        Probabilities of a set's symbols in the turn in which the tile is read, summing to at most 1
        each, shape (symbols,), float64.

    Notes
    -----
    The numbers were chosen on drawn tiles that a bad camera took, and tried on others.  When last measured,
    both readers agreed on 227 of 948 doubts, wrongly on 17, and 41 were settled, none wrongly.
    ``companion bench second`` measures it anew.
    """
    if not second.any() or not first.any():
        return _ordered(first + second)
    one, two = int(first.argmax()), int(second.argmax())
    weight = np.ones(len(first))
    weight[two] = np.interp(second[two], *WORTH)
    joint = first * weight
    rest = max(0.0, 1.0 - float(first.sum()))
    likely = _ordered(joint / (float(joint.sum()) + rest))
    shown = rest <= NO_SYMBOL
    agree = shown and one == two and first[one] >= FIRST_SURE and second[two] >= SECOND_SURE
    confidence = likely.confidence if agree else min(likely.confidence, CAP)
    return Fused(likely.best, confidence, _with(likely, {one, two}))


def _ordered(chances: NDArray[np.float64]) -> Fused:
    """Return the likeliest symbol and the two next."""
    best, *others = np.argsort(-chances, kind="stable")[:3].tolist()
    return Fused(best, min(float(chances[best]), 1.0), tuple(k for k in others if chances[k] > 0))


def _with(likely: Fused, tops: set[int]) -> tuple[int, ...]:
    """Return the symbols to offer, both readers' own among them."""
    missing = tops - {likely.best, *likely.others}
    return (*likely.others[: 2 - len(missing)], *missing)


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
    """Return the choice that two readings of one tile come to."""
    end = fuse(first, second)
    rival = next((k for k in (int(second.argmax()), int(first.argmax()), *end.others) if k != end.best), None)
    other = choice.runner_up if rival is None else symbols[rival]
    return Choice(symbols[end.best], choice.turn, end.confidence, other)
