"""Options of League City's rules, and its tournament format."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.options import COMMON_OPTIONS, CROSSWORD_OPTIONS, Group, choice, whole
from companion.rules.tournament import Kind, Tournament

SETTLED = "SETTLED.md, League City"

OPTIONS = (
    *COMMON_OPTIONS,
    *CROSSWORD_OPTIONS,
    whole(
        "target",
        300,
        (1, 100_000),
        "a total over it ends the game; the highest wins, and a tie means another round",
        SETTLED + "; league_city.txt, The Win",
    ).asked(
        phrase("A total over it ends the game"),
        Group.PLAY,
        hint=phrase("The highest total wins; a tie means another round."),
    ),
    whole(
        "start_tiles",
        0,
        (0, 144),
        "tiles that each player selects; 0: 21, 15 or 11 for up to 4, up to 6 or more players",
        SETTLED + "; league_city.txt 1",
    ).asked(
        phrase("Tiles at the start"), Group.PLAY, hint=phrase("0: 21, 15 or 11, by the number of players")
    ),
    choice(
        "scoring",
        "daronian",
        {
            "daronian": phrase("Daronian: three points for each J, Q, X or Z"),
            "jamesian": phrase("Jamesian: a word with J, Q, X or Z counts twice"),
        },
        "difficult letters J Q X Z: three points a tile used, or twice the points of every word with one",
        SETTLED + "; league_city.txt 5",
    ).asked(phrase("Scoring"), Group.PLAY),
    choice(
        "trade_return",
        "return_first",
        {
            "return_first": phrase("goes back first and may be drawn again"),
            "draw_first": phrase("goes back last and cannot be drawn again"),
        },
        "whether the tile traded in may be drawn again",
        SETTLED,
    ).asked(phrase("A tile that is put back")),
    choice(
        "remainder",
        "deal",
        {
            "deal": phrase("they are dealt one by one, from the caller’s left"),
            "equal_only": phrase("all take the same number, the rest stays"),
        },
        "DONE with too few tiles for two each: one each in turn from the caller's left until none is left, "
        "or as many as all can have alike, and the rest stays",
        SETTLED + "; league_city.txt 3",
    ).asked(phrase("DONE with too few tiles for two each")),
    whole(
        "false_done_penalty",
        0,
        (0, 100),
        "points off for a final DONE with an invalid word",
        SETTLED,
    ).asked(phrase("Points off for a wrong final DONE"), hint=phrase("for a word that is not valid")),
    choice(
        "losers_score",
        "valid_words",
        {
            "valid_words": phrase("the valid words of the largest group"),
            "nothing": phrase("nothing"),
        },
        "what players who did not finish score: the valid words of their largest group, or nothing",
        SETTLED,
    ).asked(phrase("Who has not finished scores")),
    whole(
        "leftover_penalty",
        0,
        (0, 100),
        "points off for each tile outside the largest group of a player who did not finish",
        SETTLED,
    ).asked(
        phrase("Points off for each tile left over"),
        hint=phrase("outside the largest group of who has not finished"),
    ),
    choice(
        "tie",
        "each",
        {
            "each": phrase("each has finished first"),
            "edge": phrase("whoever pressed first"),
        },
        "final DONEs inside the tie window: each has finished first, or only the earliest",
        "SETTLED.md, All games",
    ).asked(phrase("Who wins a tie"), Group.CALLS),
)

LEAGUE = Tournament(
    "league_city",
    phrase("League City"),
    Kind.TOTALS,
    (2, 6, 4),
    at_table=lambda _best_of: {"target": 10_000},  # a target that no single table's total reaches
)
"""Rounds until one has gone over 300 points; then "the player with the highest total points wins"."""
