"""Finds whose turn the finder misjudged are turned until their symbol can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.reading.find import Finds
from companion.reading.look import each, written
from companion.reading.name import Names, SetNamer, cut_from

TURNS = (-0.15, 0.15, -0.3, 0.3, -0.45, 0.45)
"""How far such a find is turned, in radians: seen steeply, a tile that lies askew looks like no square."""
SURE = 0.9
"""What is named surer than this in its own turn is left as it is."""
READABLE, GAIN = 0.9, 0.2
"""What is so sure in another turn, and by so much surer than before, shows that the turn was misjudged."""
BARELY = 0.5
"""What is no tile with at least this chance is turned too: askew it may be one."""
RING, TAILED = "O", "Q"
"""Symbols that others look like in an outline that is askew: it cuts off their ends, or adds a corner."""
VIEWS = tuple((turn, size) for size in (1.0, 0.85) for turn in (*TURNS, -0.6, 0.6))
"""How such a find is turned and made smaller to see whether it is another symbol."""
OTHER, TAIL = 0.7, 0.6
"""A ring is doubted where another symbol is so sure in another view; one is a Q, in doubt, where a Q is."""
MOST = 100
"""Finds turned in one picture, the strongest: a bound on what a wild pattern can cost."""


def righted(namer: SetNamer, grey: NDArray[np.uint8], finds: Finds, names: Names) -> tuple[Finds, Names]:
    """Return finds in a grey picture, and their names, with those turned that are read better so."""
    finds, names = readably_turned(namer, grey, finds, names)
    return finds, asked_again(namer, grey, finds, names)


def readably_turned(
    namer: SetNamer, grey: NDArray[np.uint8], finds: Finds, names: Names
) -> tuple[Finds, Names]:
    """Return finds and their names, those that are hardly read turned where they are read better so."""
    sure = np.maximum(names.likeliest(), names.down)
    unsure = np.flatnonzero(np.maximum(sure, np.where(names.none < BARELY, names.none, 0)) < SURE)[:MOST]
    if not len(unsure):
        return finds, names
    told = in_each_turn(namer, grey, finds.kept(unsure))
    read = np.maximum(told.likeliest(), told.down).reshape(len(TURNS), len(unsure))
    better = read.max(0) > np.maximum(READABLE, sure[unsure] + GAIN)
    turned, way = unsure[better], np.array(TURNS)[read.argmax(0)[better]]
    if not len(turned):
        return finds, names
    turns = finds.turns.copy()
    turns[turned] += way
    finds = replace(finds, turns=turns)
    again = namer.names(*cut_from(grey, finds.kept(turned)))
    return finds, each(lambda old, new: written(old, turned, new), names, again)


def in_each_turn(namer: SetNamer, grey: NDArray[np.uint8], finds: Finds) -> Names:
    """Return what finds are named in every turn, turn by turn."""
    return in_views(namer, grey, finds, tuple((turn, 1.0) for turn in TURNS))


def in_views(
    namer: SetNamer, grey: NDArray[np.uint8], finds: Finds, views: Sequence[tuple[float, float]]
) -> Names:
    """Return what finds are named turned and scaled in some ways, view by view."""
    turns, sizes = np.repeat(np.array(views), len(finds), 0).T
    some = finds.kept(np.tile(np.arange(len(finds)), len(views)))
    some = replace(some, turns=some.turns + turns, shapes=some.shapes * sizes[:, None, None])
    return namer.glance(*cut_from(grey, some))


def asked_again(namer: SetNamer, grey: NDArray[np.uint8], finds: Finds, names: Names) -> Names:
    """Return names in which a ring is doubted where another symbol is seen in another view.

    An O that shows a tail in any view is a Q; a Q that hides its tail in some is one still.
    """
    chance = names.chance.sum(2)
    asked = np.flatnonzero(chance[:, _are(names, RING + TAILED)].sum(1) > BARELY)[:MOST]
    if not len(asked):
        return names
    told = in_views(namer, grey, finds.kept(asked), VIEWS)
    seen = told.chance.sum(2).reshape(len(VIEWS), len(asked), -1)
    view, share = _questioned(seen, chance[asked].argmax(1), names)
    odd = share > 0
    rows, part = (view * len(asked) + np.arange(len(asked)))[odd], share[odd]
    return each(
        lambda old, new: written(old, asked[odd], _mixed(old[asked[odd]], new[rows], part)), names, told
    )


def _questioned(
    seen: NDArray[np.float64], own: NDArray[np.intp], names: Names
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the view of each ring that questions it most, and the share of it that is believed, (n,).

    ``seen`` is the chance of every symbol in every view, (views, n, symbols); ``own``, (n,), what the rings
    are taken for.
    """
    ring, tailed = _are(names, RING), _are(names, TAILED)
    other = np.where(np.eye(seen.shape[2], dtype=np.bool_)[own] | (tailed[own][:, None] & ring), 0.0, seen)
    tail = np.where(ring[own], seen[..., tailed].max(2, initial=0.0), 0.0)
    tails = tail.max(0) > TAIL
    view = np.where(tails, tail.argmax(0), other.max(2).argmax(0))
    return view, np.where(tails, 2 / 3, np.where(other.max((0, 2)) > OTHER, 1 / 2, 0.0))


def _are(names: Names, symbols: str) -> NDArray[np.bool_]:
    """Return which of the symbols that are named are one of some, (symbols,)."""
    return np.array([symbol != "" and symbol in symbols for symbol in names.symbols], np.bool_)


def _mixed(old: NDArray[Any], new: NDArray[Any], share: NDArray[np.float64]) -> NDArray[Any]:
    """Return rows of which a share each, (n,), is exchanged for others."""
    return np.asarray(old + (new - old) * share.reshape(-1, *[1] * (old.ndim - 1)))
