"""Who sits where on a table that is calibrated: each seat has a zone of its own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.model.profile import Zone, ZoneKind
from companion.model.reading import Face, Point, Reading, Tile
from companion.table.layout import Layout
from companion.table.sighted import Share
from companion.vision.pipeline.frame import Box

ToTable = Callable[[Sequence[Point]], Sequence[Point]]
"""Returns where on the table pixels lie, in mm."""

SAMPLES = 6
"""A part of the picture is looked at in so many places across and down, none at its very edge."""

PLACES = 16
"""And a zone in so many."""


STAYS = 1.0
"""How much more a tableau belongs to the seat that has had its tiles already."""

FACES = 0.4
"""How much more a tableau belongs to the seat that it faces: less than half of it in a zone."""

SAME = 0.5
"""A tile lies where one lay before if it is nearer than so many of its sides."""

MANY = 3
"""Tiles of another seat's by which it is told that its tableau touches one."""

NEAR = 1.6
"""A loose tile lies beside a tableau if its middle is at most so many sides from one of its tiles."""


class Zoned:
    """Gives every seat the tiles in its zone, and those that it laid from there on.

    Players build over the borders of their parts: a tableau stays with the seat that has had its tiles, and
    a loose tile beside a tableau is that tableau's.

    Parameters
    ----------
    zones
        Those of the camera's profile; tiles outside all seats' zones are nobody's, and so are those in the
        pool, which comes before the seats.
    to_table
        From pixels to mm, as the profile has it.
    """

    counts = True

    def __init__(self, zones: Sequence[Zone], to_table: ToTable) -> None:
        seats = {zone.seat: zone for zone in zones if zone.kind is ZoneKind.SEAT and zone.seat}
        self._zones: Mapping[int, Sequence[Point]] = {seat: zone.corners_mm for seat, zone in seats.items()}
        self._turns = {seat: math.radians(zone.facing_deg) for seat, zone in seats.items()}
        self._pools = [zone.corners_mm for zone in zones if zone.kind is ZoneKind.POOL]
        self._to_table = to_table
        self._had: dict[int, list[Point]] = {}
        self._side = 0.0
        self.layout = Layout()

    @property
    def has_pool(self) -> bool:
        """Whether it is known where the pool lies."""
        return bool(self._pools)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that have a zone here."""
        return tuple(sorted(self._zones))

    def shares(self, reading: Reading) -> dict[int, Share]:
        """Return what lies before each seat."""
        laid = self._laid(reading)
        owners = {n: self._owner(tiles) for n, tiles in groupby_tableau(laid).items()}
        held: dict[int, list[Laid]] = {seat: [] for seat in self._zones}
        for one in laid:
            if (owner := owners.get(one.tableau)) is not None:
                held[owner].append(one)
        loose: dict[int, list[Laid]] = {seat: [] for seat in self._zones}
        for one in laid:
            if one.tableau is None and (owner := self._beside(one, held)) is not None:
                loose[owner].append(one)
        touching = self._remember(held, loose)
        beyond = [one for one in laid if one.seat is None and owners.get(one.tableau) is None]
        pooled = sum(self._in_pool(one.at) for one in beyond)
        self.layout = Layout(pooled if self._pools else None, len(beyond) - pooled, touching)
        return {
            seat: Share(
                tuple(tableau for n, tableau in enumerate(reading.tableaux) if owners.get(n) == seat),
                tuple(one.tile for one in loose[seat]),
            )
            for seat in self._zones
        }

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats on or beside whose tiles some parts of the picture lie.

        Neighbours' hands pass through a seat's zone on their way to the pool; all of it counts only while
        the seat has no tiles.
        """
        points = [p for box in boxes for p in spread(box)]
        if not points:
            return set()
        places = np.array(self._to_table(points))
        near, found = NEAR * self._side, set()
        for seat in self._zones:
            if had := self._had.get(seat):
                apart = np.linalg.norm(places[:, None] - np.array(had)[None], axis=-1)
                touches = bool((apart < near).any())
            else:
                touches = any(self._seat_at((float(x), float(y))) == seat for x, y in places)
            found |= {seat} if touches else set()
        return found

    def _laid(self, reading: Reading) -> list[Laid]:
        """Return the tiles of a reading with where they lie on the table."""
        if not reading.tiles:
            return []
        ends = self._to_table([p for tile in reading.tiles for p in (tile.centre, *tile.corners[:2])])
        laid = [
            Laid(tile, ends[3 * n], self._seat_at(ends[3 * n]), turn_of(ends[3 * n + 1], ends[3 * n + 2]))
            for n, tile in enumerate(reading.tiles)
        ]
        self._side = sorted(math.dist(a, b) for a, b in zip(ends[1::3], ends[2::3], strict=True))[
            len(laid) // 2
        ]
        return laid

    def _owner(self, tiles: Sequence[Laid]) -> int | None:
        """Return the seat of a tableau: who has had its tiles, in whose zone it lies, whom it faces."""
        shares = Counter(one.seat for one in tiles if one.seat is not None)
        likely = {seat for seat in self._zones if shares[seat]} | {
            seat for seat in self._had if self._kept(seat, tiles)
        }
        return max(
            sorted(likely),
            key=lambda seat: (
                shares[seat] / len(tiles) + STAYS * self._kept(seat, tiles) + FACES * self._faces(seat, tiles)
            ),
            default=None,
        )

    def _kept(self, seat: int, tiles: Sequence[Laid]) -> float:
        """Return the share of tiles that lie where the seat had one before."""
        had = self._had.get(seat, ())
        near = SAME * self._side
        return sum(any(math.dist(one.at, at) < near for at in had) for one in tiles) / len(tiles)

    def _faces(self, seat: int, tiles: Sequence[Laid]) -> float:
        """Return how well tiles face a seat: 1 towards it, -1 away from it; 0 for tiles that tell nothing."""
        shown = [one.turn for one in tiles if one.tile.symbol]
        return sum(math.cos(turn - self._turns[seat]) for turn in shown) / len(shown) if shown else 0.0

    def _remember(
        self, held: Mapping[int, Sequence[Laid]], loose: Mapping[int, Sequence[Laid]]
    ) -> tuple[tuple[int, int], ...]:
        """Remember whose tiles lie where; return the seats of which one now holds tiles of the other.

        A tile that lay there before stays whose it was: two tableaux that touch are read as one.
        """
        has: dict[int, list[Point]] = {seat: [one.at for one in loose[seat]] for seat in self._zones}
        touching = []
        for seat, tiles in held.items():
            taken: Counter[int] = Counter()
            for one in tiles:
                had = {other for other in self._had if self._kept(other, [one])}
                owner = seat if seat in had or not had else min(had)
                has[owner].append(one.at)
                taken[owner] += 1
            touching += [(seat, other) for other, many in taken.items() if other != seat and many >= MANY]
        self._had = has
        return tuple(touching)

    def _beside(self, one: Laid, held: Mapping[int, Sequence[Laid]]) -> int | None:
        """Return the seat of a loose tile: whose tableau it lies beside, else in whose zone it lies."""
        if one.seat is None or one.tile.face is not Face.UP:
            return one.seat
        apart = {
            seat: min(math.dist(one.at, other.at) for other in tiles) for seat, tiles in held.items() if tiles
        }
        nearest = min(apart, key=apart.__getitem__, default=None)
        if nearest is None or apart[nearest] > NEAR * self._side:
            return one.seat
        return nearest

    def _seat_at(self, at: Point) -> int | None:
        """Return the seat in whose zone a place of the table lies, or ``None`` in the pool and elsewhere."""
        if self._in_pool(at):
            return None
        return next((seat for seat, corners in self._zones.items() if inside(corners, at)), None)

    def _in_pool(self, at: Point) -> bool:
        """Return whether a place of the table lies in the pool."""
        return any(inside(corners, at) for corners in self._pools)


@dataclass(frozen=True, slots=True)
class Laid:
    """A tile with its middle in mm, the seat in whose zone it lies, and how far it is turned, in radians."""

    tile: Tile
    at: Point
    seat: int | None
    turn: float

    @property
    def tableau(self) -> int | None:
        """The number of its tableau, if it is in any."""
        return self.tile.tableau


def groupby_tableau(laid: Sequence[Laid]) -> dict[int | None, list[Laid]]:
    """Return the tiles of each tableau, by its number."""
    groups: dict[int | None, list[Laid]] = {}
    for one in laid:
        if one.tableau is not None:
            groups.setdefault(one.tableau, []).append(one)
    return groups


def turn_of(a: Point, b: Point) -> float:
    """Return how far the way from one place to another is turned clockwise, in radians."""
    return math.atan2(b[1] - a[1], b[0] - a[0])


def spread(box: Box) -> list[Point]:
    """Return places spread over a part of the picture."""
    left, top, right, bottom = box
    steps = [(n + 0.5) / SAMPLES for n in range(SAMPLES)]
    return [(left + (right - left) * s, top + (bottom - top) * t) for s in steps for t in steps]


def spread_over(corners: Sequence[Point]) -> list[Point]:
    """Return places spread over a polygon, its inside alone."""
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*corners, strict=True))
    steps = [(n + 0.5) / PLACES for n in range(PLACES)]
    grid = [(left + (right - left) * s, top + (bottom - top) * t) for t in steps for s in steps]
    return [at for at in grid if inside(corners, at)]


def inside(corners: Sequence[Point], at: Point) -> bool:
    """Return whether a place lies in a polygon: whether a ray from it crosses its edges oddly often."""
    x, y = at
    odd = False
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            odd = not odd
    return odd
