"""Which way round a board lies: every camera finds it as it sees it, and all must read it one way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.model.grid import Place
from companion.model.profile import Profile
from companion.table.glimpse import UNIT, Glimpse, glimpsed, to_pixels
from companion.table.merging import Floats, Part, nearest
from companion.vision.grid.homography import Matrix3, inverse, project, to_table
from companion.vision.tracking import TrackedReading
from companion.vision.tracking.track import overlap

LEAST = 0.5
"""So much must the tiles of two cameras agree, as a share of those that fewer are seen of, and in tiles."""

CLEARLY = 0.3
"""By so much, in tiles, must one way round agree better than every other."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways round in which a board may be read that a camera found, whose columns and rows lie so."""

    seen: TrackedReading
    homography: Matrix3
    cells: int

    def glimpse(self, quarters: int) -> Glimpse:
        """Return it with its rows turned clockwise by so many quarters."""
        return glimpsed(self.seen, to_pixels(self.homography, self.cells, quarters), self.cells)


class Turns:
    """How far the common rows of a board are turned from those that each camera finds.

    A camera whose profile knows the table tells it by the table: the rows that run nearest to the table's
    left to right are the common ones, and later those nearest to them.  For others the tiles tell it: the way
    round in which they agree with what is known already.  Where nobody knows the table, the first camera sets
    it; until that has seen the board, each sees it as it finds it.

    Parameters
    ----------
    profiles
        What calibration knows of each camera, by its name, the first camera first.
    cells
        Squares along a side of the board.
    """

    def __init__(self, profiles: Mapping[str, Profile | None], cells: int) -> None:
        self._profiles = {name: one for name, one in profiles.items() if one and one.table}
        self._first, self._cells = next(iter(profiles)), cells
        self._rows_deg = 0.0
        self._told: dict[str, int] = {}
        self._newest: dict[str, int] = {}

    def glimpses(self, readings: Mapping[str, TrackedReading]) -> dict[str, Glimpse]:
        """Return the board as each camera knows it; those whose way round is not known are left out."""
        boards = {name: one.look.board.homography for name, one in readings.items() if one.look.board}
        found: dict[str, Glimpse] = {}
        for name in sorted(boards, key=self._rank):
            ways = Ways(readings[name], boards[name], self._cells)
            if (quarters := self._quarters(name, ways, list(found.values()))) is None:
                continue
            found[name] = ways.glimpse(quarters)
            self._newest[name] = quarters
            if len(found) > 1 or name == self._first:
                self._told[name] = quarters
        return {name: found[name] for name in readings if name in found}

    def cells(self, name: str, homography: Matrix3, pixels: Floats) -> list[Place] | None:
        """Return the common cells of a camera's pixels, (n, 2).

        ``homography`` leads to them from the columns and rows that the camera found.  ``None`` where it is
        not known how far these are turned.
        """
        if name not in self._newest:
            return None
        common = inverse(to_pixels(homography, self._cells, self._newest[name]))
        found = np.floor(project(common, pixels) / UNIT).astype(int)
        return [(row, col) for col, row in found.tolist()]

    def _rank(self, name: str) -> tuple[bool, ...]:
        """Return what sorts those first whom the others follow."""
        return name not in self._profiles, name != self._first, name not in self._told

    def _quarters(self, name: str, ways: Ways, known: Sequence[Glimpse]) -> int | None:
        """Return how far the rows are to be turned for a camera, beside those of which it is known."""
        if name in self._profiles:
            return self._by_table(ways, self._profiles[name])
        if not known:
            return self._told.get(name, 0)
        parts = [ways.glimpse(quarters).part for quarters in range(4)]
        return fitting(parts, [one.part for one in known], self._told.get(name))

    def _by_table(self, ways: Ways, profile: Profile) -> int:
        """Return how far the rows are to be turned, by where they run on the table."""
        middle = self._cells / 2
        ends = project(ways.homography, np.array([[middle - 1, middle], [middle + 1, middle]]))
        across, down = np.diff(to_table(ends, profile), axis=0)[0]
        rows_deg = float(np.degrees(np.arctan2(down, across)))
        quarters = round((self._rows_deg - rows_deg) / 90)
        self._rows_deg = rows_deg + 90 * quarters
        return quarters % 4


def fitting(ways: Sequence[Part], known: Sequence[Part], before: int | None) -> int | None:
    """Return which of four ways round tiles agree with known ones, or ``None`` where nothing tells.

    ``before`` is the way round as told before, which stays unless another is clearly better.
    """
    agree = [sum(agreement(one, way) for one in known) for way in ways]
    best, second = sorted(agree)[:-3:-1]
    fewer = min(len(ways[0].look.detections), max(len(one.look.detections) for one in known))
    clear = best > LEAST * max(1, fewer) and best > second + CLEARLY
    return agree.index(best) if clear else before


def agreement(one: Part, other: Part) -> float:
    """Return how many tiles two cameras see alike, in the same places and turned the same way."""
    ours, theirs = one.look.detections, other.look.detections
    a, b = nearest(ours, theirs)
    probabilities = other.look.probabilities.kept(b).rotated(ours.turns[a] - theirs.turns[b])
    return float(overlap(one.look.probabilities.kept(a), probabilities).sum())
