"""An evening of Chew's rules."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.chew.options import NEWCOMER
from companion.rules.chew.scores import LEAST, handicaps_after
from companion.rules.tournament import Handicaps, Kind, Tournament

EVENING = Tournament(
    "chew_evening",
    phrase("Chew evening"),
    Kind.GROUPS,
    (3, 6, 4),
    rounds=4,
    handicaps=Handicaps(NEWCOMER, LEAST, handicaps_after),
    at_table=lambda _best_of: {"rounds": 1},
)
"""Groups of three to six, points over the rounds, handicaps that change after each (chew.txt)."""
