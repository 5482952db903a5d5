"""Pyramids as several cameras see them on one board and beside it, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from companion.model.reading import Piece
from companion.table.glimpse import UNIT, Glimpse, Stood
from companion.table.merging import Member, grouped
from companion.vision.detector.pyramids import MOST
from companion.vision.grid.volcano.finding import LARGE

APART, DRIFT = 0.6, 0.05
"""One pyramid beside the board may be seen so far apart, in squares, as each camera sees another side of it;
and so much farther for each square between it and the board, on which alone the cameras agree."""

FAR = 99.0
"""How far apart two squares of the board are, for no pyramid is seen on two."""


class Told(NamedTuple):
    """A pyramid, and whether a camera that sees its place plainly sees none there."""

    piece: Piece
    denied: bool


def pyramids(glimpses: Sequence[Glimpse], played: Collection[str] = ()) -> tuple[Piece, ...]:
    """Return the pyramids that cameras know together, in reading order; they stand in the common frame.

    Where those disagree that see its place plainly, about its colour or size or whether it is there, a
    pyramid is in doubt; but none is there where all of its colour stand elsewhere, as glare looks like one.
    One that none of them sees plainly is remembered, unless another sees it gone.  ``played`` are the colours
    of the players: where as many see another as one of these, it is this.
    """
    members = [(n, k) for n, one in enumerate(glimpses) for k in range(len(one.stood))]
    groups = grouped(members, pairs(glimpses, members))
    found = [one for group in groups if (one := one_pyramid(glimpses, group, played))]
    stand = Counter(one.piece.colour for one in found if one.piece.size == LARGE and not one.denied)
    real = [
        one.piece
        for one in found
        if not (one.denied and one.piece.size == LARGE and stand[one.piece.colour] >= MOST)
    ]
    return tuple(sorted(real, key=lambda one: (one.row, one.col, one.colour)))


def pairs(glimpses: Sequence[Glimpse], members: Sequence[Member]) -> list[tuple[Member, Member]]:
    """Return which pyramids of different cameras may be one, the nearest first."""
    found = [
        (far, one, other)
        for one, other in combinations(members, 2)
        if one[0] != other[0]
        and (far := apart(of(glimpses, one), of(glimpses, other), len(glimpses[0].squares))) < 1
    ]
    return [(one, other) for _, one, other in sorted(found)]


def apart(one: Stood, other: Stood, cells: int) -> float:
    """Return how far pyramids are apart, as a share of how far one may be; on one square, not at all."""
    if one.on_board(cells) or other.on_board(cells):
        return 0.0 if one.square == other.square else FAR
    beyond = np.hypot(*np.maximum(0, np.abs(one.place / UNIT - cells / 2) - cells / 2))
    return float(np.hypot(*(one.place - other.place))) / UNIT / float(APART + DRIFT * beyond)


def of(glimpses: Sequence[Glimpse], member: Member) -> Stood:
    """Return a camera's pyramid."""
    return glimpses[member[0]].stood[member[1]]


def one_pyramid(glimpses: Sequence[Glimpse], group: Sequence[Member], played: Collection[str]) -> Told | None:
    """Return a pyramid as those see it together who tell of it, ``None`` where others see that it is gone."""
    place = np.mean([of(glimpses, one).place for one in group], 0)
    plain = [n for n, one in enumerate(glimpses) if one.part.sees(place[None])[0]]
    telling = [of(glimpses, one).piece for one in group if one[0] in plain]
    denied = bool(set(plain) - {n for n, _ in group})
    if denied and not telling:
        return None
    asked = telling or [of(glimpses, one).piece for one in group]
    sure = [piece for piece in asked if not piece.doubt]
    looks = Counter((piece.colour, piece.size) for piece in sure or asked)
    colour, size = max(sorted(looks), key=lambda look: (looks[look], look[0] in played))
    col, row = np.floor(place / UNIT).astype(int).tolist()
    x, y = place.tolist()
    return Told(Piece(colour, row, col, size, denied or not sure or len(looks) > 1, (x, y)), denied)
