"""A tournament by League City's rules."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.tournament import Kind, Tournament

LEAGUE = Tournament(
    "league_city",
    phrase("League City"),
    Kind.TOTALS,
    (2, 6, 4),
    at_table=lambda _best_of: {"target": 10_000},  # one that no single table's total ends at
)
"""Rounds until one has gone over 300 points; then "the player with the highest total points wins"."""
