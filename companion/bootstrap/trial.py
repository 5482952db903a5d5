"""What players do at a simulated table that is still to be set up: lay out tiles, try their buttons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from companion.bootstrap.sat import Fingers
from companion.config.controls import Controls
from companion.model.calls import SECOND
from hardware.simulated.stage import Stage
from hardware.simulated.world import Lying, Spot

LAID_S, PRESSED_S, EACH_S = 2.0, 6.0, 0.5
"""When tiles are laid out, when the first button is tried, and how long there is until the next one is."""

ACROSS, DOWN = tuple(0.13 + 0.075 * n for n in range(11)), tuple(0.09 + 0.082 * n for n in range(11))
"""Where tiles are laid out for the camera, as shares of the picture."""

ENOUGH = 18
"""About so many tiles are laid out."""

CORNER = 4.5
"""How far from the table's corners tiles lie, in tile sides: marker cards are there."""

CLEAR = 1.2
"""How far from the board and from the tiles in the middle they are laid, in tile sides."""


class Around(Protocol):
    """The table that is tried."""

    stage: Stage
    fingers: Fingers


class Trial:
    """Goes on until the table is set up; then the tiles go back to the others."""

    def __init__(self, around: Around, controls: Controls) -> None:
        self._around = around
        self._lay: dict[int, Lying] = {}
        self._over = False
        self._todo = [
            (seat, button)
            for seat, place in controls.places.items()
            for button in range(1, len(place.buttons) + 1)
        ]
        self._next_ns = round(PRESSED_S * SECOND)

    def act(self, since_ns: int) -> None:
        """Do what is due so long after the table was opened."""
        if not (self._lay or self._over) and since_ns > LAID_S * SECOND:
            spots = list(self._spots())
            self._lay = self._around.stage.spread(spots[:: max(1, len(spots) // ENOUGH)])
        if self._todo and since_ns > self._next_ns:
            self._around.fingers.press(*self._todo.pop(0))
            self._next_ns += round(EACH_S * SECOND)

    @property
    def laid_out(self) -> bool:
        """Whether tiles are laid out for the camera, or were."""
        return bool(self._lay) or self._over

    def end(self) -> None:
        """Put the tiles back as they lay."""
        self._around.stage.world.tiles |= self._lay
        self._lay, self._over = {}, True

    def _spots(self) -> Iterator[Spot]:
        """Yield places all over the table, but for its middle, where the other tiles lie."""
        seating = self._around.stage.seating
        (width, height), middle = seating.size, seating.middle
        taken = [(middle.x, middle.y, middle.broad / 2, middle.deep / 2)]
        if board := seating.board:
            taken.append((board.x, board.y, *(board.squares * board.pitch / 2,) * 2))
        for x, y in ((width * a, height * d) for d in DOWN for a in ACROSS):
            if not self._around.stage.in_corner((x, y)) and all(
                abs(x - u) > broad + CLEAR or abs(y - v) > deep + CLEAR for u, v, broad, deep in taken
            ):
                yield x, y
