"""Options of Martian Boggle."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.options import COMMON_OPTIONS, TURN_OPTIONS, WORD_OPTIONS, Group, choice, flag

SETTLED = "SETTLED.md, Martian Boggle"

OPTIONS = (
    *COMMON_OPTIONS,
    *TURN_OPTIONS,
    *WORD_OPTIONS,
    choice(
        "adjacency",
        "group",
        {
            "group": phrase("they are in the largest group"),
            "touching": phrase("each touches another"),
            "pairwise": phrase("every two of them touch"),
        },
        "pieces adjacent to each other: the largest connected group; all that touch another; "
        "the most of which every two touch (never five)",
        SETTLED,
    ).asked(phrase("Pieces are together where")),
    flag(
        "word_before_move", True, "a player may call a word before moving for the first time", SETTLED
    ).asked(phrase("A word may be called before the first move")),
    flag(
        "word_after_roll",
        True,
        "a word may still be called when the whole roll is used, until the other player begins; "
        "if not, the last step ends the turn",
        "martian_boggle.txt, Gameplay",
    ).asked(phrase("A word may still be called when the roll is used up")),
    choice(
        "bad_call",
        "free",
        {
            "free": phrase("nothing"),
            "lose_turn": phrase("the turn"),
        },
        "what a wrong word costs",
        SETTLED,
    ).asked(phrase("A wrong word costs"), Group.CALLS),
    flag("unique", True, "a player's five words must be different", SETTLED).asked(
        phrase("A player’s five words must differ")
    ),
    choice(
        "scoring",
        "values",
        {
            "values": phrase("the values of a word’s letters"),
            "craft": phrase("one point a word, as with craft tiles"),
        },
        "a word's points: its letters' values, or 1 with craft tiles",
        SETTLED,
    ).asked(phrase("Scoring"), Group.PLAY),
    choice(
        "letter_values",
        "scrabble-en",
        {
            "scrabble-en": phrase("English Scrabble"),
            "scrabble-de": phrase("German Scrabble"),
        },
        "the tile set whose values count",
        "martian_boggle.txt, Ending",
    ).asked(phrase("Values of the letters"), Group.PLAY),
    flag("orthogonal", False, "the variant: no diagonals for movement and adjacency", SETTLED).asked(
        phrase("No diagonals, for moving and for adjacency")
    ),
)
