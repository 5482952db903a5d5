"""Joint decisions: one reading direction per group, the set's counts as upper bounds, and what is in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.reading.lattice import Group, Link
from companion.reading.name import Names

ODD_TURN = 0.01
"""Chance that a tile of a tableau lies turned against the others."""

MIXED = 0.03
"""Neighbours whose symbols agree on a common turn with less than this chance are strangers."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is thought of one face-up tile: symbol, turn, confidence, and the next best symbol."""

    symbol: str
    turn: int
    confidence: float
    other: str | None


def by_frame(names: Names, quarters: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the chances with turns counted in a common frame, (n, symbols, 4).

    ``quarters`` (n,) is how far each tile's own frame is turned clockwise against the common one.
    """
    turn = (np.arange(4)[None] - quarters[:, None]) % 4
    return np.take_along_axis(names.chance, turn[:, None, :], axis=2)


def friendly(found: list[Link], names: Names, blanks: bool) -> list[Link]:
    """Return the links between symbols that can be read in one direction.

    With ``blanks`` a face without symbol may be a blank tile beside one with a symbol; else it is a
    tile lying face down and in no tableau.
    """
    share = names.chance.sum(1)
    share = (share + 0.01) / (share.sum(1, keepdims=True) + 0.04)
    down = names.down > 0.5

    def fits(link: Link) -> bool:
        if down[link.a] or down[link.b]:
            return blanks and not (down[link.a] and down[link.b])
        return float((share[link.a] * np.roll(share[link.b], link.turned)).sum()) > MIXED

    return [link for link in found if fits(link)]


def direction(group: Group, names: Names) -> int:
    """Return the reading direction, in quarters clockwise of the group's frame, that fits all its symbols best."""
    members = [k for k in group.tiles if names.down[k] <= 0.5]
    if not members:
        return 0
    quarters = np.array([group.quarters[k] for k in members])
    likely = by_frame(names.kept(np.array(members)), quarters).sum(1)
    return int(np.log(likely + ODD_TURN).sum(0).argmax())


def choices(chance: NDArray[np.float64], symbols: tuple[str, ...], turn: int | None) -> Choice:
    """Return the choice for one tile from its chances, (symbols, 4), read in ``turn`` where that is known."""
    if turn is None:
        by_symbol = chance.sum(1)
    else:
        by_symbol = chance[:, turn] + ODD_TURN * chance.sum(1)
    total = by_symbol.sum()
    order = np.argsort(-by_symbol)
    best, other = int(order[0]), int(order[1]) if len(order) > 1 else None
    confidence = (
        float(by_symbol[best] / total * min(1.0, chance.sum() if turn is None else total))
        if total > 0
        else 0.0
    )
    facing = int(chance[best].argmax()) if turn is None else turn
    return Choice(symbols[best], facing, min(confidence, 1.0), None if other is None else symbols[other])


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
