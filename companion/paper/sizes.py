"""Sizes of paper, in millimetres."""

from __future__ import annotations

from dataclasses import dataclass

MARGIN_MM = 13.0
"""What home printers cannot print on, with some room."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A size of paper, upright, in mm."""

    name: str
    width: float
    height: float


PAPERS = {"a4": Paper("A4", 210.0, 297.0), "letter": Paper("Letter", 215.9, 279.4)}
