"""Assigns tiles to seats on a table without calibration: every tableau faces its player.

The previous owner of tiles is preferred, so that a tableau keeps its seat while it grows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from companion.model.reading import Point, Reading, Tile
from companion.table.views import SeatsView, SeatTiles, bounding_box, overlap, side_of
from companion.vision.grid.homography import Box

OWNER_WEIGHT = 1.0
"""Weight of a tableau's previous owner in the choice of its seat."""

MAX_SAME_TILE_SHIFT_SIDES = 0.5
"""Largest shift of a tile that counts as unmoved, in tile sides."""


def even_facing_deg(seats: int) -> tuple[float, ...]:
    """Return the facing of seats in degrees, evenly spread, the first at the lower edge."""
    return tuple(n * 360 / seats for n in range(seats))


class FacingSeats(SeatsView):
    """Gives every seat the tableaux that face it, and the loose tiles nearest to them.

    Parameters
    ----------
    facing_deg
        The rotation of each seat's reading direction, clockwise from the picture's left to right: 0 for a
        player at the lower edge, 90 for one at the left, who reads from top to bottom.
    """

    def __init__(self, facing_deg: Sequence[float]) -> None:
        super().__init__(range(1, len(facing_deg) + 1))
        self._turns = {seat: math.radians(deg) for seat, deg in enumerate(facing_deg, 1)}
        self._previous: dict[int, list[Point]] = {}
        self._boxes: dict[int, Box] = {}

    def shares(self, reading: Reading) -> dict[int, SeatTiles]:
        """Return the tiles of each seat."""
        members: dict[int, list[Tile]] = {n: [] for n in range(len(reading.tableaux))}
        for tile in reading.tiles:
            if tile.tableau is not None:
                members[tile.tableau].append(tile)
        owners = {n: self._owner(reading, n, tiles) for n, tiles in members.items() if tiles}
        held: dict[int, list[Tile]] = {seat: [] for seat in self._turns}
        for n, seat in owners.items():
            held[seat] += members[n]
        loose: dict[int, list[Tile]] = {seat: [] for seat in self._turns}
        for tile in reading.tiles:
            if tile.tableau is None:
                loose[self._nearest(reading, tile, held)].append(tile)
        self._previous = {seat: [tile.centre for tile in held[seat] + loose[seat]] for seat in self._turns}
        self._boxes = {
            seat: box
            for seat in self._turns
            if (box := bounding_box([*held[seat], *loose[seat]])) is not None
        }
        return {
            seat: SeatTiles(
                tuple(one for n, one in enumerate(reading.tableaux) if owners.get(n) == seat),
                tuple(loose[seat]),
            )
            for seat in self._turns
        }

    def seats_touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats whose areas overlap some boxes."""
        return {seat for seat, own in self._boxes.items() if any(overlap(own, box) for box in boxes)}

    def _owner(self, reading: Reading, number: int, tiles: Sequence[Tile]) -> int:
        """Return the seat of a tableau."""
        middle = mean([tile.centre for tile in tiles])
        turn = math.radians(reading.tableaux[number].turn_deg)
        side = side_of(tiles[0])
        return max(
            self._turns,
            key=lambda seat: (
                math.cos(turn - self._turns[seat])
                + self._towards(reading, seat, middle)
                + OWNER_WEIGHT * self._same_owner(seat, tiles, MAX_SAME_TILE_SHIFT_SIDES * side)
            ),
        )

    def _towards(self, reading: Reading, seat: int, at: Point) -> float:
        """Return a point's offset towards a seat's side of the picture: 1 at its edge, 0 in the middle."""
        x, y = at[0] / reading.width - 0.5, at[1] / reading.height - 0.5
        turn = self._turns[seat]
        return 2 * (y * math.cos(turn) - x * math.sin(turn))

    def _same_owner(self, seat: int, tiles: Sequence[Tile], reach: float) -> float:
        """Return the share of tiles that lie where the seat had one before."""
        had = self._previous.get(seat, ())
        return sum(any(math.dist(tile.centre, at) < reach for at in had) for tile in tiles) / len(tiles)

    def _nearest(self, reading: Reading, tile: Tile, held: Mapping[int, Sequence[Tile]]) -> int:
        """Return a loose tile's seat: the one with the nearest tableau, or whose side it is on."""
        near = {
            seat: min(math.dist(tile.centre, other.centre) for other in tiles)
            for seat, tiles in held.items()
            if tiles
        }
        if len(near) == len(self._turns):
            return min(near, key=near.__getitem__)
        return max(self._turns, key=lambda seat: self._towards(reading, seat, tile.centre))


def mean(points: Sequence[Point]) -> Point:
    """Return the mean of points."""
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
