"""Actions at a simulated table before it is set up: tiles are laid out and every button is pressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from companion.bootstrap.simulated.protocols import ButtonPresser
from companion.config.controls import Controls
from companion.model.calls import SECOND
from hardware.simulated.tabletop import Tabletop
from hardware.simulated.world import PlacedTile, Spot

LAY_OUT_DELAY_S, FIRST_PRESS_DELAY_S, PRESS_INTERVAL_S = 2.0, 6.0, 0.5
"""Seconds until tiles are laid out, until the first button is pressed, and between two presses."""

COLUMN_SHARES, ROW_SHARES = (
    tuple(0.13 + 0.075 * n for n in range(11)),
    tuple(0.09 + 0.082 * n for n in range(11)),
)
"""Grid on which tiles are laid out, as fractions of the picture's width and height."""

TILES_LAID_OUT = 18
"""Approximate number of tiles that are laid out."""

CORNER_MARGIN = 4.5
"""Distance of tiles from the table's corners, where marker cards lie, in tile sides."""

CLEARANCE = 1.2
"""Distance of the laid-out tiles from the board and the pool, in tile sides."""


class SetupTable(Protocol):
    """The table that is set up."""

    tabletop: Tabletop
    buttons: ButtonPresser


class SetupScript:
    """Runs until the table is set up; then the tiles are returned to the pool."""

    def __init__(self, setup_table: SetupTable, controls: Controls) -> None:
        self._table = setup_table
        self._laid: dict[int, PlacedTile] = {}
        self._over = False
        self._todo = [
            (seat, button)
            for seat, place in controls.places.items()
            for button in range(1, len(place.buttons) + 1)
        ]
        self._next_ns = round(FIRST_PRESS_DELAY_S * SECOND)

    def act(self, since_ns: int) -> None:
        """Do what is due ``since_ns`` after the table was opened."""
        if not (self._laid or self._over) and since_ns > LAY_OUT_DELAY_S * SECOND:
            spots = list(self._free_spots())
            self._laid = self._table.tabletop.lay_out(spots[:: max(1, len(spots) // TILES_LAID_OUT)])
        if self._todo and since_ns > self._next_ns:
            self._table.buttons.press(*self._todo.pop(0))
            self._next_ns += round(PRESS_INTERVAL_S * SECOND)

    @property
    def tiles_laid_out(self) -> bool:
        """Whether tiles are, or have been, laid out."""
        return bool(self._laid) or self._over

    def end(self) -> None:
        """Return the tiles to where they were."""
        self._table.tabletop.world.tiles |= self._laid
        self._laid, self._over = {}, True

    def _free_spots(self) -> Iterator[Spot]:
        """Yield the points of the grid that are clear of pool, board and corners, in tile sides."""
        seating = self._table.tabletop.seating
        (width, height), middle = seating.size, seating.middle
        taken = [(middle.x, middle.y, middle.width / 2, middle.depth / 2)]
        if board := seating.board:
            taken.append((board.x, board.y, *(board.squares * board.pitch / 2,) * 2))
        for x, y in ((width * a, height * d) for d in ROW_SHARES for a in COLUMN_SHARES):
            if not self._table.tabletop.in_corner((x, y)) and all(
                abs(x - u) > broad + CLEARANCE or abs(y - v) > deep + CLEARANCE for u, v, broad, deep in taken
            ):
                yield x, y
