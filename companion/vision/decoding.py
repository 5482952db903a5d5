"""From probabilities to symbols: in one reading direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ROUND, ClassProbabilities
from companion.vision.grid.components import Edge

TINY = 1e-9
ODD_TURN = 0.003
"""Prior probability that a tile of a tableau lies turned against the others."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The decoded symbol of a face-up tile, its turn, its confidence, and the next best symbol."""

    symbol: str
    turn: int
    confidence: float
    runner_up: str | None


def turn_log_likelihoods(probabilities: ClassProbabilities) -> NDArray[np.float64]:
    """Return the log likelihood of each turn of a tile's own frame, (n, 4); 0 for blanks."""
    share = probabilities.p_symbol.sum(1)
    share = share / np.maximum(share.sum(1, keepdims=True), TINY)
    return np.asarray(np.where(probabilities.is_blank()[:, None], 0.0, np.log(share + ODD_TURN)))


def allowed_edges(found: list[Edge], probabilities: ClassProbabilities, blanks: bool) -> list[Edge]:
    """Return the edges between symbols, and with ``blanks`` those between a symbol and a blank face.

    Where a set has no blanks, a blank face is a tile lying face down, in no tableau.
    """
    bare = probabilities.is_blank().astype(int)
    return [link for link in found if bare[link.a] + bare[link.b] <= int(blanks)]


def decode_symbols(probabilities: ClassProbabilities, turns: NDArray[np.int_]) -> list[Choice]:
    """Return the choice for each tile, given its turn in ``turns``, (n,), -1 where it is not known."""
    likely, tile = symbol_likelihoods(probabilities, turns), np.arange(len(turns))
    order = np.argsort(-likely, axis=1)
    best, other = order[:, 0], order[:, min(1, order.shape[1] - 1)]
    sure = np.minimum(likely[tile, best], 1.0).tolist()
    resolved = np.where(turns >= 0, turns, probabilities.p_symbol[tile, best].argmax(1)).tolist()
    symbols = probabilities.symbols
    return [
        Choice(symbols[b], t, c, symbols[o] if o != b else None)
        for b, t, c, o in zip(best.tolist(), resolved, sure, other.tolist(), strict=True)
    ]


def symbol_likelihoods(probabilities: ClassProbabilities, turns: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return the probability of each symbol on each tile, given ``turns`` as above, (n, symbols).

    It is summed over turns for a symbol that looks alike in all: a value in the corner, where a Q has its
    tail, must not count against an upright O.
    """
    chance, tile = probabilities.p_symbol, np.arange(len(turns))
    any_turn = chance.sum(2)
    by_turn = chance.sum(1)
    known = turns >= 0
    turnless = np.array([symbol in ROUND for symbol in probabilities.symbols], np.bool_)
    in_turn = np.where(turnless, any_turn, chance[tile, :, np.maximum(turns, 0)] + ODD_TURN * any_turn)
    by_symbol = np.where(known[:, None], in_turn, any_turn)
    fitting = np.where(known, by_turn[tile, np.maximum(turns, 0)] / np.maximum(by_turn.max(1), TINY), 1.0)
    share = by_symbol / np.maximum(by_symbol.sum(1, keepdims=True), TINY)
    return np.asarray(share * (fitting * by_turn.sum(1))[:, None])
