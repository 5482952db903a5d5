"""Options of standard Bananagrams."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.bananagrams.series import SERIES
from companion.rules.options import COMMON, CROSSWORD, Group, choice, flag, whole

SETTLED = "SETTLED.md, Standard Bananagrams"

OPTIONS = (
    *COMMON,
    *CROSSWORD,
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
