"""What a table answers while it is set up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from companion.line.wizard.values import SheetKind, Shown, Spot, WizardStatus, ZoneAt


class WizardDesk(Protocol):
    """Sets a table up, step by step; every step that worked is kept at once.

    ``camera`` counts from 0.  Raises a CompanionError whose text is for the person who asked.
    """

    def state(self, camera: int) -> WizardStatus:
        """Return how far the table is set up."""
        ...

    def shown(self, camera: int, kind: Shown, width: int, words: Mapping[str, str]) -> bytes:
        """Return a picture as JPEG, at most ``width`` pixels broad; ``words`` call what ``DRAWN`` names."""
        ...

    def sheet(self, kind: SheetKind, paper: str, seats: int, url: str) -> bytes:
        """Return what is to be printed as PDF; ``url`` is where the pages are, for the seats' codes."""
        ...

    def light(self, camera: int) -> str:
        """Look at the light, and say how it is."""
        ...

    def guide(self, camera: int, *, on: bool) -> str:
        """Begin to measure the lens anew, or leave it; meanwhile each look at ``Shown.LENS`` counts."""
        ...

    def lens(self, camera: int) -> str:
        """Keep the lens that was measured; the table's corners are to be found anew then."""
        ...

    def markers(self, camera: int, size_mm: Spot | None, ruler_mm: float | None) -> str:
        """Find the table by its printed markers, and say what was found.

        ``size_mm`` is what a tape measure says between their outer corners; ``ruler_mm`` what the sheet's
        100 mm measure; either may be unknown.
        """
        ...

    def taps(self, camera: int, corners: Sequence[Spot], size_mm: Spot) -> str:
        """Take the table's four corners as somebody tapped them, clockwise from the top left, in pixels."""
        ...

    def tile(self, camera: int, tile_mm: float | None) -> str:
        """Keep how broad a tile is; without a number, tiles in the picture tell."""
        ...

    def seats(self, camera: int, seats: int, board_mm: Spot | None) -> str:
        """Share the table among so many seats anew, a board of that size in its middle if there is one."""
        ...

    def zones(self, camera: int, zones: Sequence[ZoneAt]) -> str:
        """Keep zones as somebody has moved them."""
        ...

    def drift(self, camera: int) -> str:
        """Look whether the camera still stands as it did, and say so."""
        ...

    def mend(self, camera: int, tap: Spot | None) -> str:
        """Keep where the table is now, after a bump; ``tap`` is its top left corner where nothing tells."""
        ...

    def learn(self, name: str, order: Sequence[str]) -> str:
        """Begin to learn a tile set of one's own."""
        ...

    def example(self, camera: int, symbol: str) -> str:
        """Take the tiles in the newest picture as examples of one symbol."""
        ...

    def learnt(self) -> str:
        """Keep the tile set that was learnt, and say how well it is read."""
        ...
