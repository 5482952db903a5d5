"""A tournament of Bananagrams."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.tournament import Kind, Tournament

KNOCKOUT = Tournament(
    "bananagrams_tournament",
    phrase("Bananagrams tournament"),
    Kind.KNOCKOUT,
    (2, 4, 4),
    best_of=3,
    at_table=lambda best_of: {"series": "single" if best_of == 1 else f"best_of_{best_of}"},
)
"""Groups of four, winners on, then pairs; each meeting is a best of some games at one table."""
