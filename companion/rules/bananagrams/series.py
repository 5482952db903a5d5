"""Series of rounds: one, best of some, first to some."""

from __future__ import annotations

import re
from typing import Any

from companion.model.phrases import phrase
from companion.rules.options import Group, Option

FORM = re.compile(r"(best|first)_(?:of|to)_(\d{1,2})")


def series(given: Any) -> str:
    """Return a series as ``single``, ``best_of_3`` or ``first_to_4``; a number is the best of so many."""
    if isinstance(given, int) and not isinstance(given, bool):
        given = "single" if given == 1 else f"best_of_{given}"
    form = str(given).strip().lower().replace(" ", "_").replace("-", "_")
    if form == "single":
        return form
    match = FORM.fullmatch(form)
    if not match or int(match[2]) < 1 or (match[1] == "best" and int(match[2]) % 2 == 0):
        raise ValueError(
            f"must be single, best_of_ and an odd number, or first_to_ and a number; got {given!r}"
        )
    return f"best_of_{int(match[2])}" if match[1] == "best" else f"first_to_{int(match[2])}"


def wins_needed(chosen: str) -> int:
    """Return how many rounds decide a series."""
    match = FORM.fullmatch(chosen)
    if not match:
        return 1
    return int(match[2]) // 2 + 1 if match[1] == "best" else int(match[2])


SERIES = Option(
    "series",
    "single",
    "how many rounds make the game",
    "SETTLED.md, Standard Bananagrams; bananagrams.txt 6",
    "`single`, `best_of_N` (N odd) or `first_to_N`",
    series,
    {
        "single": phrase("One round"),
        **{f"best_of_{count}": phrase("Best of %(count)s rounds", count=count) for count in (3, 5, 7)},
        **{f"first_to_{count}": phrase("First to win %(count)s rounds", count=count) for count in (2, 3, 5)},
    },
).asked(phrase("Rounds"), Group.PLAY)
