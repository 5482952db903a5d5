"""Options of Martian Boggle."""

from __future__ import annotations

from companion.rules.options import COMMON, TURNS, WORDS, choice, flag

SETTLED = "SETTLED.md, Martian Boggle"

OPTIONS = (
    *COMMON,
    *TURNS,
    *WORDS,
    choice(
        "adjacency",
        "group",
        ("group", "touching", "pairwise"),
        "pieces adjacent to each other: the largest connected group; all that touch another; "
        "the most of which every two touch (never five)",
        SETTLED,
    ),
    flag("word_before_move", True, "a player may call a word before moving for the first time", SETTLED),
    flag(
        "word_after_roll",
        True,
        "a word may still be called when the whole roll is used, until the other player begins; "
        "if not, the last step ends the turn",
        "martian_boggle.txt, Gameplay",
    ),
    choice("bad_call", "free", ("free", "lose_turn"), "what a wrong word costs", SETTLED),
    flag("unique", True, "a player's five words must be different", SETTLED),
    choice(
        "scoring",
        "values",
        ("values", "craft"),
        "a word's points: its letters' values, or 1 with craft tiles",
        SETTLED,
    ),
    choice(
        "letter_values",
        "scrabble-en",
        ("scrabble-en", "scrabble-de"),
        "the tile set whose values count",
        "martian_boggle.txt, Ending",
    ),
    flag("orthogonal", False, "the variant: no diagonals for movement and adjacency", SETTLED),
)
