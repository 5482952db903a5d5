"""Who sits where on a table that is calibrated: each seat has a zone of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from companion.model.profile import Zone, ZoneKind
from companion.model.reading import Point, Reading, Tile
from companion.reading.look import Box
from companion.table.sighted import Share

ToTable = Callable[[Sequence[Point]], Sequence[Point]]
"""Returns where on the table pixels lie, in mm."""

SAMPLES = 6
"""A part of the picture is looked at in so many places across and down, none at its very edge."""

PLACES = 16
"""And a zone in so many."""


class Zoned:
    """Gives every seat the tiles in its zone.

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
        self._zones: Mapping[int, Sequence[Point]] = {
            zone.seat: zone.corners_mm for zone in zones if zone.kind is ZoneKind.SEAT and zone.seat
        }
        self._pools = [zone.corners_mm for zone in zones if zone.kind is ZoneKind.POOL]
        self._to_table = to_table

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that have a zone here."""
        return tuple(sorted(self._zones))

    def shares(self, reading: Reading) -> dict[int, Share]:
        """Return what lies before each seat; a tableau is before the seat that has most of its tiles."""
        where = self._seats_at([tile.centre for tile in reading.tiles])
        owners = self._owners(reading, where)
        loose: dict[int, list[Tile]] = {seat: [] for seat in self._zones}
        for tile, seat in zip(reading.tiles, where, strict=True):
            if tile.tableau is None and seat is not None:
                loose[seat].append(tile)
        return {
            seat: Share(
                tuple(tableau for n, tableau in enumerate(reading.tableaux) if owners.get(n) == seat),
                tuple(loose[seat]),
            )
            for seat in self._zones
        }

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats in whose zone one of some parts of the picture lies, or may lie."""
        return {seat for seat in self._seats_at([p for box in boxes for p in spread(box)]) if seat}

    def _owners(self, reading: Reading, where: Sequence[int | None]) -> dict[int, int]:
        """Return the seat of each tableau: the one in whose zone most of its tiles lie, if any does."""
        votes: dict[int, Counter[int]] = {}
        for tile, seat in zip(reading.tiles, where, strict=True):
            if tile.tableau is not None and seat is not None:
                votes.setdefault(tile.tableau, Counter())[seat] += 1
        return {n: count.most_common(1)[0][0] for n, count in votes.items()}

    def _seats_at(self, points: Sequence[Point]) -> list[int | None]:
        """Return the seat in whose zone each pixel lies."""
        if not points:
            return []
        return [self._seat_at(at) for at in self._to_table(points)]

    def _seat_at(self, at: Point) -> int | None:
        """Return the seat in whose zone a place of the table lies, or ``None`` in the pool and elsewhere."""
        if any(inside(corners, at) for corners in self._pools):
            return None
        return next((seat for seat, corners in self._zones.items() if inside(corners, at)), None)


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
