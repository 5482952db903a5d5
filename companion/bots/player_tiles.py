"""The layout of a bot's tiles: the crossword, loose tiles and face-down tiles, and moves between them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from companion.bots.crossword import GridSize
from companion.bots.interface import SeatInterface
from companion.model.grid import Place

TILE_PITCH_SIDES = 1.04
"""Distance between tiles of a crossword, in tile sides."""

LOOSE_PITCH_SIDES = 1.75
"""Distance between loose tiles, in tile sides: too far apart to form a word."""

EDGE_MARGIN_SIDES = 1.0
"""Free margin along the area's edges, in tile sides."""

MIN_TILE_DISTANCE_SIDES = 0.97
"""Two tiles whose centres are nearer than this overlap, in tile sides."""

Spot = tuple[float, float]


class PlayerTiles:
    """The tiles of one bot.

    ``room`` limits the rows and columns of the crossword, and ``offset`` shifts it from its default position,
    in tile sides.  ``cells`` has the tiles of the crossword by row and column, ``loose`` the face-up tiles
    beside it, ``down`` the face-down ones.  A strip of ``face_down_depth`` tile sides along the far side is
    kept for face-down tiles.
    """

    def __init__(self, seat: SeatInterface, face_down_depth: float = 0.0) -> None:
        self.seat, self.face_down_depth = seat, face_down_depth
        self.cells: dict[Place, int] = {}
        self.loose: list[int] = []
        self.down: list[int] = []
        self._at: dict[int, Spot] = {}
        shelf = LOOSE_PITCH_SIDES
        rows = int((seat.depth - 2 * EDGE_MARGIN_SIDES - shelf - face_down_depth) / TILE_PITCH_SIDES) + 1
        self.room = GridSize(rows, int((seat.width - 2 * EDGE_MARGIN_SIDES) / TILE_PITCH_SIDES) + 1)
        self.offset: Spot = (0.0, 0.0)

    @property
    def letters(self) -> dict[Place, str]:
        """The letters of the crossword, by cell."""
        return {cell: self.seat.symbol(tile) for cell, tile in self.cells.items()}

    @property
    def loose_letters(self) -> str:
        """The letters of the loose tiles."""
        return "".join(self.seat.symbol(tile) for tile in self.loose)

    @property
    def all_tiles(self) -> list[int]:
        """The numbers of all the bot's tiles."""
        return [*self.cells.values(), *self.loose, *self.down]

    def cell_spot(self, cell: Place) -> Spot:
        """Return the position of a cell of the crossword, in tile sides from the area's middle."""
        left = self.offset[0] - (self.room.cols - 1) * TILE_PITCH_SIDES / 2
        top = self.offset[1] - self.seat.depth / 2 + EDGE_MARGIN_SIDES + self.face_down_depth
        return left + cell[1] * TILE_PITCH_SIDES, top + cell[0] * TILE_PITCH_SIDES

    def add_loose(self, tile: int, *, up: bool = True) -> None:
        """Put a tile beside the crossword, as near to the player as there is room."""
        self.put(tile, self._free_spot(), up=up)
        (self.loose if up else self.down).append(tile)

    def add_face_down(self, tile: int) -> None:
        """Put a face-down tile on the strip for face-down tiles."""
        spots = (
            (
                -self.seat.width / 2 + EDGE_MARGIN_SIDES + 1.25 * k,
                -self.seat.depth / 2 + EDGE_MARGIN_SIDES + 1.25 * row,
            )
            for row in range(8)
            for k in range(int((self.seat.width - 2 * EDGE_MARGIN_SIDES) / 1.25) + 1)
        )
        self.put(tile, next(spot for spot in spots if self._free(spot, 1.15)), up=False)
        self.down.append(tile)

    def turn_face_up(self, tile: int) -> None:
        """Turn a tile face up, and put it beside the crossword."""
        self.down.remove(tile)
        self.add_loose(tile)

    def turn_all_face_up(self) -> None:
        """Turn all face-down tiles face up where they lie."""
        for tile in self.down:
            self.put(tile, self._at[tile], up=True)
        self.loose += self.down
        self.down = []

    def remove(self, tile: int) -> None:
        """Remove a tile from the layout."""
        self.cells = {cell: other for cell, other in self.cells.items() if other != tile}
        for some in (self.loose, self.down):
            if tile in some:
                some.remove(tile)
        self._at.pop(tile, None)

    def rearrange(self, letters: Mapping[Place, str]) -> None:
        """Move tiles until the crossword has these letters; the other tiles lie beside it."""
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
        return self.seat.symbol(tile) == letter

    def _bring(self, goals: dict[int, Spot]) -> None:
        """Move tiles to their positions, free ones first; a tile that blocks all others is put aside."""
        while goals:
            ready = [
                tile for tile, spot in goals.items() if self._clear(spot, MIN_TILE_DISTANCE_SIDES, but=tile)
            ]
            for tile in ready:
                if self._clear(goals[tile], MIN_TILE_DISTANCE_SIDES, but=tile):
                    self.put(tile, goals.pop(tile))
            if not ready:
                spot = next(iter(goals.values()))
                blocking = [
                    tile for tile, at in self._at.items() if math.dist(at, spot) < MIN_TILE_DISTANCE_SIDES
                ]
                for tile in blocking:
                    self.put(tile, self._free_spot(goals.values()))

    def put(self, tile: int, spot: Spot, *, up: bool = True) -> None:
        """Put a tile on a position."""
        self._at[tile] = spot
        self.seat.place_tile(tile, *spot, up=up)

    def _clear(self, spot: Spot, apart: float, but: int | None = None) -> bool:
        """Return whether no other tile lies within ``apart`` of a position."""
        return all(math.dist(at, spot) >= apart for tile, at in self._at.items() if tile != but)

    def _free(self, spot: Spot, apart: float) -> bool:
        """Return whether a tile may be put on a position."""
        return self.seat.allows_tile(*spot) and self._clear(spot, apart)

    def _free_spot(self, besides: object = ()) -> Spot:
        """Return the free position nearest to the player, the lower left one where none is free."""
        kept = list(besides) if hasattr(besides, "__iter__") else []
        bottom = self.seat.depth / 2 - 0.8
        cols = int((self.seat.width - 2 * EDGE_MARGIN_SIDES) / LOOSE_PITCH_SIDES) + 1
        for apart in (LOOSE_PITCH_SIDES - 0.05, 1.6, 1.4, 1.1):
            for row in range(int((self.seat.depth - 1.2) / LOOSE_PITCH_SIDES) + 1):
                for col in range(cols):
                    spot = (
                        -self.seat.width / 2 + EDGE_MARGIN_SIDES + col * LOOSE_PITCH_SIDES,
                        bottom - row * LOOSE_PITCH_SIDES,
                    )
                    if self._free(spot, apart) and all(math.dist(spot, k) >= apart for k in kept):
                        return spot
        return 0.0, bottom
