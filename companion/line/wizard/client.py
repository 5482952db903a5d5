"""The pages' end of the line while a table is set up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.config.parse import parsed
from companion.line.client import asked, text_of
from companion.line.wizard import questions as ask
from companion.line.wizard.values import SheetKind, Shown, Spot, WizardStatus, ZoneAt

PATIENCE_S = 40.0
"""How long a step may take: some pictures are waited for and read on a slow machine."""


class WizardLine:
    """Asks the table, as ``WizardDesk`` has it; raises BadLine with a text for the person who asked."""

    def __init__(self, path: Path, patience_s: float = PATIENCE_S) -> None:
        self.path, self.patience_s = Path(path), patience_s

    def state(self, camera: int) -> WizardStatus:
        """Return how far the table is set up."""
        return parsed(self._asked(ask.AskState(camera))[0], WizardStatus, "the table's state")

    def shown(self, camera: int, kind: Shown, width: int, words: Mapping[str, str] | None = None) -> bytes:
        """Return a picture as JPEG; ``words`` call in another language what is drawn on it."""
        return self._asked(ask.AskShown(camera, kind, width, words or {}))[1]

    def sheet(self, kind: SheetKind, paper: str, seats: int, url: str) -> bytes:
        """Return what is to be printed as PDF."""
        return self._asked(ask.AskSheet(kind, paper, seats, url))[1]

    def light(self, camera: int) -> str:
        """Look at the light."""
        return self._said(ask.AskLight(camera))

    def guide(self, camera: int, *, on: bool) -> str:
        """Begin to measure the lens anew, or leave it."""
        return self._said(ask.AskGuide(on, camera))

    def lens(self, camera: int) -> str:
        """Keep the lens that was measured."""
        return self._said(ask.AskLens(camera))

    def markers(self, camera: int, size_mm: Spot | None, ruler_mm: float | None) -> str:
        """Find the table by its markers."""
        return self._said(ask.AskMarkers(camera, size_mm, ruler_mm))

    def taps(self, camera: int, corners: Sequence[Spot], size_mm: Spot) -> str:
        """Take the table's corners as somebody pointed at them."""
        first, second, third, fourth = corners
        return self._said(ask.AskTaps((first, second, third, fourth), size_mm, camera))

    def tile(self, camera: int, tile_mm: float | None) -> str:
        """Keep how broad a tile is."""
        return self._said(ask.AskTile(camera, tile_mm))

    def seats(self, camera: int, seats: int, board_mm: Spot | None) -> str:
        """Share the table among its seats anew."""
        return self._said(ask.AskSeats(seats, camera, board_mm))

    def zones(self, camera: int, zones: Sequence[ZoneAt]) -> str:
        """Keep zones as somebody has moved them."""
        return self._said(ask.AskZones(tuple(zones), camera))

    def drift(self, camera: int) -> str:
        """Look whether the camera still stands as it did."""
        return self._said(ask.AskDrift(camera))

    def mend(self, camera: int, tap: Spot | None) -> str:
        """Keep where the table is now."""
        return self._said(ask.AskMend(camera, tap))

    def learn(self, name: str, order: Sequence[str]) -> str:
        """Begin to learn a tile set."""
        return self._said(ask.AskLearn(name, tuple(order)))

    def example(self, camera: int, symbol: str) -> str:
        """Take the tiles in the newest picture as examples of one symbol."""
        return self._said(ask.AskExample(symbol, camera))

    def learnt(self) -> str:
        """Keep the tile set that was learnt."""
        return self._said(ask.AskLearnt())

    def _said(self, question: ask.WizardQuestion) -> str:
        """Return what the table says to a question."""
        return text_of(self._asked(question)[0])

    def _asked(self, question: ask.WizardQuestion) -> tuple[Any, bytes]:
        """Return what the table answers to a question."""
        return asked(self.path, question, self.patience_s)
