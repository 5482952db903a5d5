"""Options of standard Bananagrams, and its tournament format."""

from __future__ import annotations

import re
from typing import Any

from companion.model.phrases import phrase
from companion.rules.options import COMMON_OPTIONS, CROSSWORD_OPTIONS, Group, Option, choice, flag, whole
from companion.rules.tournament import Kind, Tournament

SERIES_PATTERN = re.compile(r"(best|first)_(?:of|to)_(\d{1,2})")

SETTLED = "SETTLED.md, Standard Bananagrams"


def series(given: Any) -> str:
    """Return a series as ``single``, ``best_of_3`` or ``first_to_4``; a number n is a best of n."""
    if isinstance(given, int) and not isinstance(given, bool):
        given = "single" if given == 1 else f"best_of_{given}"
    form = str(given).strip().lower().replace(" ", "_").replace("-", "_")
    if form == "single":
        return form
    match = SERIES_PATTERN.fullmatch(form)
    if not match or int(match[2]) < 1 or (match[1] == "best" and int(match[2]) % 2 == 0):
        raise ValueError(
            phrase(
                "must be single, best_of_ and an odd number, or first_to_ and a number; got %(given)s",
                given=repr(given),
            )
        )
    return f"best_of_{int(match[2])}" if match[1] == "best" else f"first_to_{int(match[2])}"


def wins_needed(chosen: str) -> int:
    """Return how many rounds decide a series."""
    match = SERIES_PATTERN.fullmatch(chosen)
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

OPTIONS = (
    *COMMON_OPTIONS,
    *CROSSWORD_OPTIONS,
    choice(
        "call_name",
        "bananas",
        {
            "bananas": phrase("BANANAS"),
            "bananagrams": phrase("BANANAGRAMS"),
        },
        "what the winning call is called; both are heard",
        SETTLED,
    ).asked(phrase("The winning call is"), Group.CALLS, hint=phrase("Both are heard.")),
    choice(
        "tie",
        "most_words",
        {
            "edge": phrase("whoever pressed first"),
            "most_words": phrase("most words, then the longest word"),
            "longest": phrase("the longest word, then most words"),
            "play_on": phrase("nobody: play goes on"),
        },
        "who wins of those who finish inside the tie window: the earliest edge; most words, then the "
        "longest word; the longest word, then most words; nobody, play goes on",
        SETTLED + "; bananagrams.txt 7",
    ).asked(phrase("Who wins a tie"), Group.CALLS),
    whole(
        "peel_merge_ms",
        1500,
        (0, 60_000),
        "PEELs this close are one, unless the new tile is placed by then",
        SETTLED,
    ).asked(
        phrase("PEELs that count as one, in milliseconds"),
        Group.CALLS,
        hint=phrase("unless the new tile is placed by then"),
    ),
    flag(
        "freeze_endgame", False, "once the bunch was too small, no PEEL even if tiles come back", SETTLED
    ).asked(phrase("No PEEL any more once the bunch was too small"), hint=phrase("even if tiles come back")),
    flag(
        "last_standing_wins", False, "the last player who is not disqualified wins without finishing", SETTLED
    ).asked(phrase("The last player who is not disqualified wins")),
    flag("strict_peel", False, "PEEL needs valid words too", SETTLED).asked(
        phrase("PEEL needs valid words too")
    ),
    choice(
        "dump_short",
        "refuse",
        {
            "refuse": phrase("no tile can be changed"),
            "take_rest": phrase("the player takes what is left"),
        },
        "DUMP with fewer than three tiles in the bunch",
        SETTLED,
    ).asked(phrase("With fewer than three tiles to draw")),
    choice(
        "dump_order",
        "return_first",
        {
            "return_first": phrase("goes back first and may be drawn again"),
            "draw_first": phrase("goes back last and cannot be drawn again"),
        },
        "whether the dumped tile may be drawn again",
        SETTLED,
    ).asked(phrase("A tile that is put back")),
    SERIES,
)

KNOCKOUT = Tournament(
    "bananagrams_tournament",
    phrase("Bananagrams tournament"),
    Kind.KNOCKOUT,
    (2, 4, 4),
    best_of=3,
    at_table=lambda best_of: {"series": "single" if best_of == 1 else f"best_of_{best_of}"},
)
"""Groups of four, winners on, then pairs; each meeting is a best of some games at one table."""
