"""Paper sizes; ``companion.paper.page`` writes PDF pages with text in any alphabet."""

from __future__ import annotations

from dataclasses import dataclass

MARGIN_MM = 13.0
"""Width of the margin that home printers cannot print on, with some reserve."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper size in portrait orientation, in mm."""

    name: str
    width: float
    height: float


PAPERS = {"a4": Paper("A4", 210.0, 297.0), "letter": Paper("Letter", 215.9, 279.4)}
