"""Assigns tiles to seats on a calibrated table: each seat has a zone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from companion.model.profile import Zone, ZoneKind
from companion.model.reading import Face, Point, Reading
from companion.table.views import Layout, SeatsView, SeatTiles
from companion.vision.grid.homography import Box, Points, distances

Mask = NDArray[np.bool_]
Numbers = NDArray[np.intp]

ToTable = Callable[[Points], Points]
"""Returns the table's points of pixels, in mm; both (n, 2)."""

SAMPLES_PER_BOX_SIDE = 6
"""Sample points across and down a box, none on its edge."""

SAMPLES_PER_ZONE_SIDE = 16
"""Sample points across and down a zone."""

OWNER_WEIGHT = 1.0
"""Weight of a tableau's previous owner in the choice of its seat."""

FACING_WEIGHT = 0.4
"""Weight of the seat that a tableau faces; less than that of half of its tiles in a zone."""

MIN_LEAD = 0.1
"""Least weight by which the likeliest seat leads: that of 7 degrees between two that face each other."""

MAX_SAME_TILE_SHIFT_SIDES = 0.5
"""Largest shift of a tile that counts as unmoved, in tile sides."""

MIN_TOUCHING_TILES = 3
"""Least number of another seat's tiles in a tableau that shows that two tableaux touch."""

MAX_BESIDE_DISTANCE_SIDES = 1.6
"""Largest distance of a loose tile from a tile of the tableau that it lies beside, in tile sides."""

NO_SEAT = 0
"""The number of no seat, as seats are numbered from 1."""


@dataclass(frozen=True, slots=True)
class TilePositions:
    """The tiles of a reading in the table's frame.

    ``places`` (n, 2) are their middles in mm, ``pixels`` (n, 2) those in the picture, ``near`` (n,) the
    distance in pixels within which a tile is beside each; ``zones`` (n,) the seat in whose zone each lies,
    ``turns`` (n,) their clockwise rotations, in radians; ``side`` the width of a tile, in mm.
    """

    places: Points = field(default_factory=lambda: np.zeros((0, 2)))
    pixels: Points = field(default_factory=lambda: np.zeros((0, 2)))
    near: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    zones: Numbers = field(default_factory=lambda: np.zeros(0, np.intp))
    turns: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    side: float = 0.0


class ZonedSeats(SeatsView):
    """Gives every seat the tiles in its zone, and those of its tableau beyond it.

    Players build beyond their zones: a tableau stays with the seat that has had its tiles, and a loose tile
    beside a tableau belongs to it.

    Parameters
    ----------
    zones
        Those of the camera's profile; tiles outside all seats' zones belong to no seat, nor do those in the
        pool, which has priority.
    to_table
        Mapping of the profile from pixels to mm.
    only
        The seats that are seen; without it all that have a zone.
    """

    counts = True

    def __init__(self, zones: Sequence[Zone], to_table: ToTable, only: Sequence[int] | None = None) -> None:
        seats = {zone.seat: zone for zone in zones if zone.kind is ZoneKind.SEAT and zone.seat}
        super().__init__(sorted(seats) if only is None else only)
        self._zones: Mapping[int, Sequence[Point]] = {seat: zone.corners_mm for seat, zone in seats.items()}
        self._turns = {seat: math.radians(zone.facing_deg) for seat, zone in seats.items()}
        self._pools = [zone.corners_mm for zone in zones if zone.kind is ZoneKind.POOL]
        self._to_table = to_table
        self.has_pool = bool(self._pools)
        self._previous, self._owners = TilePositions(), np.zeros(0, np.intp)

    def shares(self, reading: Reading) -> dict[int, SeatTiles]:
        """Return the tiles of each seat."""
        laid, tiles = self._positions(reading), reading.tiles
        kept = self._same_owner(laid)
        owners = self._owners_of(reading, laid, kept)
        loose = np.array([tile.tableau is None for tile in tiles], bool)
        owned = np.array(
            [owners[tile.tableau] if tile.tableau is not None else NO_SEAT for tile in tiles], np.intp
        )
        whose = np.where(loose, self._beside(reading, laid, owned), owned)
        touching = self._remember(laid, kept, owned, whose)
        beyond = (laid.zones == NO_SEAT) & (owned == NO_SEAT)
        pooled = int(self._in_pool(laid.places[beyond]).sum())
        self.layout = Layout(pooled if self._pools else None, int(beyond.sum()) - pooled, touching)
        return {
            seat: SeatTiles(
                tuple(tableau for n, tableau in enumerate(reading.tableaux) if owners.get(n) == seat),
                tuple(tiles[k] for k in np.flatnonzero(loose & (whose == seat))),
            )
            for seat in self._zones
        }

    def with_seats(self, reading: Reading) -> Reading:
        """Return a reading whose tableaux have their seats, ``"1"`` and up, or ``None`` where unclear."""
        laid = self._positions(reading)
        owners = self._owners_of(reading, laid, self._same_owner(laid))
        seats = [owners.get(n, NO_SEAT) for n in range(len(reading.tableaux))]
        named = (
            replace(one, seat=str(seat) if seat else None)
            for one, seat in zip(reading.tableaux, seats, strict=True)
        )
        return replace(reading, tableaux=tuple(named))

    def seats_touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats whose tiles are near some boxes.

        Neighbours' hands pass through a seat's zone on their way to the pool; all of it counts only while
        the seat has no tiles.
        """
        if not boxes:
            return set()
        sides, had = np.array(boxes, float).T[..., None], self._previous
        x, y = had.pixels.T
        left, top, right, bottom = sides
        away = np.hypot(
            np.maximum(0, np.maximum(left - x, x - right)), np.maximum(0, np.maximum(top - y, y - bottom))
        )
        found = set(self._owners[(away < had.near).any(0)].tolist()) - {NO_SEAT}
        if bare := self._zones.keys() - set(self._owners.tolist()):
            found |= bare & set(self._seats_at(self._to_table(box_samples(boxes))).tolist())
        return found

    def _positions(self, reading: Reading) -> TilePositions:
        """Return the tiles of a reading in the table's frame."""
        if not reading.tiles:
            return TilePositions()
        corners = np.array([tile.corners for tile in reading.tiles])
        pixels, across = corners.mean(1), corners[:, 1] - corners[:, 0]
        ends = self._to_table(np.concatenate([pixels, corners[:, 0], corners[:, 1]])).reshape(3, -1, 2)
        way = ends[2] - ends[1]
        return TilePositions(
            ends[0],
            pixels,
            MAX_BESIDE_DISTANCE_SIDES * np.hypot(*across.T),
            self._seats_at(ends[0]),
            np.arctan2(way[:, 1], way[:, 0]),
            float(np.sort(np.hypot(*way.T))[len(way) // 2]),
        )

    def _same_owner(self, laid: TilePositions) -> dict[int, Mask]:
        """Return for each seat a mask of the tiles, (n,), that lie where it had one before."""
        near = distances(laid.places, self._previous.places) < MAX_SAME_TILE_SHIFT_SIDES * laid.side
        return {seat: np.asarray(near[:, self._owners == seat].any(axis=1)) for seat in self._zones}

    def _owners_of(self, reading: Reading, laid: TilePositions, kept: Mapping[int, Mask]) -> dict[int, int]:
        """Return the seat of each tableau that has tiles, by its index."""
        return {
            n: self._owner(np.array(numbers), reading, laid, kept)
            for n, numbers in by_tableau(reading).items()
        }

    def _owner(
        self, numbers: Numbers, reading: Reading, laid: TilePositions, kept: Mapping[int, Mask]
    ) -> int:
        """Return the seat of a tableau, by its previous owner, its zone and the seat that it faces.

        Returns ``NO_SEAT`` where two are as likely for a tableau that none had.
        """
        zones, had = laid.zones[numbers], {seat: kept[seat][numbers].mean() for seat in self._zones}
        shown = laid.turns[[k for k in numbers if reading.tiles[k].symbol]]

        def belongs(seat: int) -> float:
            faces = np.cos(shown - self._turns[seat]).mean() if len(shown) else 0.0
            return float((zones == seat).mean() + OWNER_WEIGHT * had[seat] + FACING_WEIGHT * faces)

        likely = [seat for seat in self._zones if had[seat] or (zones == seat).any()]
        weights = sorted(((belongs(seat), -seat) for seat in likely), reverse=True)
        unclear = len(weights) > 1 and weights[0][0] - weights[1][0] < MIN_LEAD and not any(had.values())
        return NO_SEAT if not weights or unclear else -weights[0][1]

    def _remember(
        self, laid: TilePositions, kept: Mapping[int, Mask], owned: Numbers, whose: Numbers
    ) -> tuple[tuple[int, int], ...]:
        """Keep the owners of all tiles; return the pairs of seats of which one now has tiles of the other.

        A tile that lay there before keeps its owner, as two tableaux that touch are read as one.  ``owned``
        (n,) are the seats of the tiles in tableaux, ``whose`` (n,) those of all tiles.
        """
        whose, touching = whose.copy(), Counter[tuple[int, int]]()
        for k in np.flatnonzero(owned != NO_SEAT):
            had = [seat for seat, mask in kept.items() if mask[k]]
            if had and owned[k] not in had:
                whose[k] = min(had)
                touching[int(owned[k]), min(had)] += 1
        self._previous, self._owners = laid, whose
        return tuple(pair for pair, many in touching.items() if many >= MIN_TOUCHING_TILES)

    def _beside(self, reading: Reading, laid: TilePositions, owned: Numbers) -> Numbers:
        """Return the seats of loose tiles, (n,): of the tableau that a tile is beside, else of its zone.

        ``owned`` (n,) are the seats of the tiles in tableaux.
        """
        held = np.flatnonzero(owned != NO_SEAT)
        if not len(held):
            return laid.zones
        apart = distances(laid.places, laid.places[held])
        up = np.array([tile.face is Face.UP for tile in reading.tiles], bool)
        beside = up & (laid.zones != NO_SEAT) & (apart.min(1) <= MAX_BESIDE_DISTANCE_SIDES * laid.side)
        return np.where(beside, owned[held[apart.argmin(1)]], laid.zones)

    def _seats_at(self, places: Points) -> Numbers:
        """Return the seats, (n,), whose zones have some points; ``NO_SEAT`` in the pool and elsewhere."""
        found = np.full(len(places), NO_SEAT)
        for seat, corners in self._zones.items():
            found[(found == NO_SEAT) & is_inside_polygon(corners, places)] = seat
        return np.where(self._in_pool(places), NO_SEAT, found)

    def _in_pool(self, places: Points) -> Mask:
        """Return a mask of points of the table, (n, 2), in the pool."""
        return np.asarray(
            np.any([is_inside_polygon(corners, places) for corners in self._pools], 0)
            & np.ones(len(places), bool)
        )


def by_tableau(reading: Reading) -> dict[int, list[int]]:
    """Return the indices of each tableau's tiles, by the tableau's index."""
    groups: dict[int, list[int]] = {}
    for k, tile in enumerate(reading.tiles):
        if tile.tableau is not None:
            groups.setdefault(tile.tableau, []).append(k)
    return groups


def box_samples(boxes: Sequence[Box]) -> Points:
    """Return sample points of boxes, (n, 2)."""
    steps = (np.arange(SAMPLES_PER_BOX_SIDE) + 0.5) / SAMPLES_PER_BOX_SIDE
    left, top, right, bottom = np.array(boxes, float).T[..., None, None]
    x, y = left + (right - left) * steps, top + (bottom - top) * steps[:, None]
    return np.stack(np.broadcast_arrays(x, y), -1).reshape(-1, 2)


def polygon_samples(corners: Sequence[Point]) -> Points:
    """Return sample points inside a polygon, (n, 2)."""
    outline, steps = np.array(corners), (np.arange(SAMPLES_PER_ZONE_SIDE) + 0.5) / SAMPLES_PER_ZONE_SIDE
    least, most = outline.min(0), outline.max(0)
    y, x = np.meshgrid(steps, steps, indexing="ij")
    grid = least + np.stack([x.ravel(), y.ravel()], -1) * (most - least)
    return np.asarray(grid[is_inside_polygon(corners, grid)])


def is_inside_polygon(corners: Sequence[Point], places: Points) -> Mask:
    """Return a mask of points, (n, 2), inside a polygon, by ray casting."""
    x, y = places.T
    odd = np.zeros(len(places), bool)
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if y0 != y1:
            odd ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return odd
