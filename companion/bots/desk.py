"""A player's tiles: which lie in the crossword, which beside it, and how they get from here to there."""

from __future__ import annotations

import math
from collections.abc import Mapping

from companion.bots.crossword import Room
from companion.bots.interface import Reach
from companion.model.grid import Place

PITCH = 1.04
"""From tile to tile in a crossword, in tile sides."""

LOOSE_PITCH = 1.75
"""From tile to tile beside it: so far apart that nobody takes them for a word."""

EDGE = 1.0
"""What stays free along the area's edges."""

CLEAR = 0.97
"""Two tiles whose middles are nearer than this lie on each other."""

Spot = tuple[float, float]


class Desk:
    """The tiles before one player.

    ``room`` is where the crossword grows, its middle ``off`` from where it
    fits the own part best.  ``cells`` are the tiles of the crossword by row and column, ``loose``
    those beside it, face up, ``down`` those face down; ``strip`` is how deep
    a strip along the far side is kept for face-down tiles.
    """

    def __init__(self, reach: Reach, strip: float = 0.0) -> None:
        self.reach, self.strip = reach, strip
        self.cells: dict[Place, int] = {}
        self.loose: list[int] = []
        self.down: list[int] = []
        self._at: dict[int, Spot] = {}
        shelf = LOOSE_PITCH
        rows = int((reach.deep - 2 * EDGE - shelf - strip) / PITCH) + 1
        self.room = Room(rows, int((reach.broad - 2 * EDGE) / PITCH) + 1)
        self.off: Spot = (0.0, 0.0)

    @property
    def letters(self) -> dict[Place, str]:
        """The crossword's letters."""
        return {cell: self.reach.symbol(tile) for cell, tile in self.cells.items()}

    @property
    def hand(self) -> str:
        """The letters that lie loose."""
        return "".join(self.reach.symbol(tile) for tile in self.loose)

    @property
    def every(self) -> list[int]:
        """All tiles before the player."""
        return [*self.cells.values(), *self.loose, *self.down]

    def cell_spot(self, cell: Place) -> Spot:
        """Return where a cell of the crossword lies."""
        left = self.off[0] - (self.room.cols - 1) * PITCH / 2
        top = self.off[1] - self.reach.deep / 2 + EDGE + self.strip
        return left + cell[1] * PITCH, top + cell[0] * PITCH

    def lay_loose(self, tile: int, *, up: bool = True) -> None:
        """Put a tile beside the crossword: near the player first, then wherever there is room."""
        self.put(tile, self._free_spot(), up=up)
        (self.loose if up else self.down).append(tile)

    def lay_down(self, tile: int) -> None:
        """Put a face-down tile on the strip that is kept for such."""
        spots = (
            (-self.reach.broad / 2 + EDGE + 1.25 * k, -self.reach.deep / 2 + EDGE + 1.25 * row)
            for row in range(8)
            for k in range(int((self.reach.broad - 2 * EDGE) / 1.25) + 1)
        )
        self.put(tile, next(spot for spot in spots if self._free(spot, 1.15)), up=False)
        self.down.append(tile)

    def turn_up(self, tile: int) -> None:
        """Turn a face-down tile up, and lay it beside the crossword."""
        self.down.remove(tile)
        self.lay_loose(tile)

    def turn_all_up(self) -> None:
        """Turn all face-down tiles up where they lie."""
        for tile in self.down:
            self.put(tile, self._at[tile], up=True)
        self.loose += self.down
        self.down = []

    def forget(self, tile: int) -> None:
        """Give a tile away: it is no longer before the player."""
        self.cells = {cell: other for cell, other in self.cells.items() if other != tile}
        for some in (self.loose, self.down):
            if tile in some:
                some.remove(tile)
        self._at.pop(tile, None)

    def rebuild(self, letters: Mapping[Place, str]) -> None:
        """Move the tiles by hand until the crossword reads so; the others lie beside it."""
        held = self.cells
        kept = {
            cell: held[cell] for cell, s in letters.items() if cell in held and self._shows(held[cell], s)
        }
        spare = [tile for tile in [*self.loose, *held.values()] if tile not in set(kept.values())]
        goals: dict[int, Spot] = {}
        new = dict(kept)
        for cell, letter in letters.items():
            if cell not in kept:
                tile = next(tile for tile in spare if self._shows(tile, letter))
                spare.remove(tile)
                new[cell], goals[tile] = tile, self.cell_spot(cell)
        leaving = [tile for tile in spare if tile in held.values()]
        self.cells, self.loose = new, spare
        self._bring(goals)
        for tile in leaving:
            self.put(tile, self._free_spot())

    def _shows(self, tile: int, letter: str) -> bool:
        return self.reach.symbol(tile) == letter

    def _bring(self, goals: dict[int, Spot]) -> None:
        """Move tiles to their places, those first whose place is free; a tile in the way is put aside."""
        while goals:
            ready = [tile for tile, spot in goals.items() if self._clear(spot, CLEAR, but=tile)]
            for tile in ready:
                if self._clear(goals[tile], CLEAR, but=tile):
                    self.put(tile, goals.pop(tile))
            if not ready:
                spot = next(iter(goals.values()))
                blocking = [tile for tile, at in self._at.items() if math.dist(at, spot) < CLEAR]
                for tile in blocking:
                    self.put(tile, self._free_spot(goals.values()))

    def put(self, tile: int, spot: Spot, *, up: bool = True) -> None:
        """Put a tile on a place."""
        self._at[tile] = spot
        self.reach.carry(tile, *spot, up=up)

    def _clear(self, spot: Spot, apart: float, but: int | None = None) -> bool:
        """Return whether no other tile lies near a place."""
        return all(math.dist(at, spot) >= apart for tile, at in self._at.items() if tile != but)

    def _free(self, spot: Spot, apart: float) -> bool:
        """Return whether a tile may be put aside on a place."""
        return self.reach.may_lie(*spot) and self._clear(spot, apart)

    def _free_spot(self, besides: object = ()) -> Spot:
        """Return the nearest place before the player that keeps away from all tiles."""
        kept = list(besides) if hasattr(besides, "__iter__") else []
        bottom = self.reach.deep / 2 - 0.8
        cols = int((self.reach.broad - 2 * EDGE) / LOOSE_PITCH) + 1
        for apart in (LOOSE_PITCH - 0.05, 1.6, 1.4, 1.1):
            for row in range(int((self.reach.deep - 1.2) / LOOSE_PITCH) + 1):
                for col in range(cols):
                    spot = -self.reach.broad / 2 + EDGE + col * LOOSE_PITCH, bottom - row * LOOSE_PITCH
                    if self._free(spot, apart) and all(math.dist(spot, k) >= apart for k in kept):
                        return spot
        return 0.0, bottom
