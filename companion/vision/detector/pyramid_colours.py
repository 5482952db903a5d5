"""Colours of translucent pyramids: what they do to the colour of a tile's face that shows through."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HUES = (
    (14, "red"),
    (42, "orange"),
    (75, "yellow"),
    (158, "green"),
    (200, "cyan"),
    (250, "blue"),
    (315, "purple"),
    (342, "pink"),
    (361, "red"),
)
"""Up to which hue, in degrees, a colour has which name."""

LEAST = 0.2
"""A face whose colour differs less from the others' has no pyramid on it."""
ALONG = 0.9
"""A shift is towards a colour where the cosine between them is more."""
WIDE = 0.1
"""Where no gap this wide parts covered faces from bare ones, those beside the gap are in doubt."""
NEARLY = 0.7
"""A gap so wide against the widest, in logarithms, is nearly as wide."""
APART = 0.5
"""Two colours differ at least so much in direction (radians); nearer ones are one."""
MOST = 5
"""Pyramids of one colour on the board."""


@dataclass(frozen=True, slots=True, eq=False)
class Tints:
    """What covers each cell.

    ``shift`` (2,) tells for each colour how a face changes, in logarithms of blue and red against green;
    ``of`` (n,) which of them covers each cell, -1 for none; ``doubt`` (n,) where that is not sure.
    """

    shifts: tuple[Floats, ...]
    of: NDArray[np.int_]
    doubt: NDArray[np.bool_]

    @property
    def ways(self) -> Floats:
        """The direction of each colour's shift, (colours, 2)."""
        return np.array([shift / np.linalg.norm(shift) for shift in self.shifts])

    @property
    def names(self) -> tuple[str, ...]:
        """A plain name for each colour; no two are alike."""
        names = [hue_name(shift) for shift in self.shifts]
        return tuple(f"{name} {k + 1}" if names.index(name) < k else name for k, name in enumerate(names))


def tints_of(shifts: Floats) -> Tints:
    """Return which faces are covered, and by which of two colours.

    ``shifts`` (n, 2) is how far each face's colour differs from that of bare ones; NaN where there is none.
    """
    away = np.nan_to_num(np.linalg.norm(shifts, axis=1))
    covered, doubt = parted(away)
    of = np.full(len(away), -1)
    centres: tuple[Floats, ...] = ()
    if covered.any():
        ways = shifts[covered] / away[covered, None]
        sides, unsure = two(ways)
        of[covered] = sides
        doubt[covered] |= unsure
        centres = tuple(np.median(shifts[covered][sides == k], 0) for k in range(int(sides.max()) + 1))
    for k in range(len(centres)):
        if (of == k).sum() > MOST:
            doubt |= of == k
    return Tints(centres, of, doubt)


def guessed(tints: Tints, shifts: Floats, bare: NDArray[np.bool_]) -> Tints:
    """Return tints in which places without any sure face have the likelier colour, in doubt.

    ``bare``, (n,), look like the board itself, as a pyramid does that is about as dark, or are washed out;
    ``shifts`` as before.
    """
    if not tints.shifts or not bare.any():
        return tints
    of = tints.of.copy()
    left = np.array([(of == k).sum() < MOST for k in range(len(tints.shifts))])
    of[bare] = (shifts[bare] @ tints.ways.T - np.where(left, 0.0, np.abs(shifts).max())).argmax(1)
    return Tints(tints.shifts, of, tints.doubt | bare)


def washed_out(tints: Tints, shifts: Floats) -> NDArray[np.bool_]:
    """Return which faces are off towards one of the colours, if less than others: light paled them."""
    if not tints.shifts:
        return np.zeros(len(shifts), np.bool_)
    away = np.linalg.norm(shifts, axis=1)
    along = (shifts @ tints.ways.T).max(1) / np.maximum(away, 1e-9)
    return np.asarray((away > LEAST) & (along > ALONG))


def parted(away: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which faces are covered, told by the widest gap in how far their colours are off, and doubts.

    Of gaps nearly as wide it is the lowest: one colour may be paler than the other.
    """
    order = np.sort(away)[::-1]
    ends = np.append(order[1:], 0.0)
    starts = order >= LEAST
    if not starts.any():
        return np.zeros(len(away), bool), np.zeros(len(away), bool)
    gaps = np.where(starts & (np.arange(len(order)) < 2 * MOST), np.log((order + 0.1) / (ends + 0.1)), -1.0)
    k = int(np.flatnonzero(gaps >= NEARLY * gaps.max())[-1])
    bound = (order[k] + ends[k]) / 2
    narrow = order[k] - ends[k] < WIDE
    return away > bound, narrow & (np.abs(away - bound) < WIDE)


def two(ways: Floats) -> tuple[NDArray[np.int_], NDArray[np.bool_]]:
    """Return which of two directions each unit vector has, (n,), and where that is not sure; or all one."""
    likeness = ways @ ways.T
    centres = ways[list(np.unravel_index(likeness.argmin(), likeness.shape))]
    for _ in range(4):
        sides = (ways @ centres.T).argmax(1)
        if sides.min() == sides.max():
            break
        centres = np.array([ways[sides == k].mean(0) for k in (0, 1)])
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
    near = np.clip(ways @ centres.T, -1, 1)
    angle = float(np.arccos(np.clip(centres[0] @ centres[1], -1, 1)))
    if angle < APART:
        return np.zeros(len(ways), int), np.zeros(len(ways), bool)
    off = np.arccos(near)
    return near.argmax(1), np.asarray(np.abs(off[:, 0] - off[:, 1]) < 0.3 * angle)


def hue_name(shift: Floats) -> str:
    """Return the plain name of a colour, told by what it does to blue and red against green."""
    blue, red = (float(np.exp(part)) for part in shift)
    most = max(blue, red, 1.0)
    hue = 360 * colorsys.rgb_to_hsv(red / most, 1 / most, blue / most)[0]
    return next(name for end, name in HUES if hue < end)
