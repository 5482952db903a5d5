"""Joint decisions: one reading direction a group, the set's counts as upper bounds, what is in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.reading.lattice import Link
from companion.reading.name import Names

ODD_TURN = 0.003
"""Chance that a tile of a tableau lies turned against the others."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is thought of one face-up tile: symbol, turn, confidence, and the next best symbol."""

    symbol: str
    turn: int
    confidence: float
    other: str | None


def facing(names: Names) -> NDArray[np.float64]:
    """Return how well each tile can be read in each turn of its own frame, (n, 4), as log likelihood."""
    share = names.chance.sum(1)
    share = share / np.maximum(share.sum(1, keepdims=True), 1e-9)
    return np.asarray(np.where(names.down[:, None] > 0.5, 0.0, np.log(share + ODD_TURN)))


def linkable(found: list[Link], names: Names, blanks: bool) -> list[Link]:
    """Return the links between symbols, and with ``blanks`` those between a symbol and a bare face.

    Where a set has no blanks, a bare face is a tile lying face down and in no tableau.
    """
    bare = (names.down > 0.5).astype(int)
    return [link for link in found if bare[link.a] + bare[link.b] <= int(blanks)]


def choices(chance: NDArray[np.float64], symbols: tuple[str, ...], turn: int | None) -> Choice:
    """Return the choice for one tile from its chances, (symbols, 4), read in ``turn`` where that is known."""
    by_symbol = chance.sum(1) if turn is None else chance[:, turn] + ODD_TURN * chance.sum(1)
    total = float(by_symbol.sum())
    order = np.argsort(-by_symbol)
    best, other = int(order[0]), int(order[1]) if len(order) > 1 else None
    by_turn = chance.sum(0)
    fitting = 1.0 if turn is None else float(by_turn[turn] / max(by_turn.max(), 1e-9))
    confidence = float(by_symbol[best]) / max(total, 1e-9) * fitting * float(chance.sum())
    towards = int(chance[best].argmax()) if turn is None else turn
    return Choice(symbols[best], towards, min(confidence, 1.0), None if other is None else symbols[other])


def over_counted(chosen: Mapping[int, Choice], counts: Mapping[str, int] | None) -> set[int]:
    """Return the least sure tiles of every symbol that is seen more often than the set has it."""
    if not counts:
        return set()
    seen = Counter(choice.symbol for choice in chosen.values())
    out: set[int] = set()
    for symbol, many in seen.items():
        if many > (most := counts.get(symbol, many)):
            same = sorted(
                (k for k in chosen if chosen[k].symbol == symbol), key=lambda k: chosen[k].confidence
            )
            out |= set(same[: many - most])
    return out
