"""Options of the Bananagrams Council of League City."""

from __future__ import annotations

from companion.rules.options import COMMON, CROSSWORD, choice, whole

SETTLED = "SETTLED.md, League City"

OPTIONS = (
    *COMMON,
    *CROSSWORD,
    whole(
        "start_tiles",
        0,
        (0, 144),
        "tiles that each player selects; 0: 21, 15 or 11 for up to 4, up to 6 or more players",
        SETTLED + "; league_city.txt 1",
    ),
    choice(
        "scoring",
        "daronian",
        ("daronian", "jamesian"),
        "difficult letters J Q X Z: three points a tile used, or twice the points of every word with one",
        SETTLED + "; league_city.txt 5",
    ),
    choice(
        "trade_return",
        "return_first",
        ("return_first", "draw_first"),
        "whether the tile traded in may be drawn again",
        SETTLED,
    ),
    choice(
        "remainder",
        "deal",
        ("deal", "equal_only"),
        "DONE with too few tiles for two each: one each in turn from the caller's left until none is left, "
        "or as many as all can have alike, and the rest stays",
        SETTLED + "; league_city.txt 3",
    ),
    whole(
        "false_done_penalty",
        0,
        (0, 100),
        "points off for a final DONE with an invalid word",
        SETTLED,
    ),
    choice(
        "losers_score",
        "valid_words",
        ("valid_words", "nothing"),
        "what players who did not finish score: the valid words of their largest group, or nothing",
        SETTLED,
    ),
    whole(
        "leftover_penalty",
        0,
        (0, 100),
        "points off for each tile outside the largest group of a player who did not finish",
        SETTLED,
    ),
    whole(
        "target",
        300,
        (1, 100_000),
        "a total over it ends the game; the highest wins, and a tie means another round",
        SETTLED + "; league_city.txt, The Win",
    ),
    choice(
        "tie",
        "each",
        ("each", "edge"),
        "final DONEs inside the tie window: each has finished first, or only the earliest",
        "SETTLED.md, All games",
    ),
)
