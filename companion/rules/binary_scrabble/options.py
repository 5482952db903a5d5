"""Options of Binary Number Scrabble."""

from __future__ import annotations

from companion.rules.options import COMMON, TURNS, choice, flag, whole

SETTLED = "SETTLED.md, Binary Number Scrabble"
RULES = "binary_scrabble.txt, The Rules"

RACK = 9
"""Tiles in hand ("Players keep 9 tiles in their hand at all times")."""

OPTIONS = (
    *COMMON,
    *TURNS,
    choice(
        "order",
        "left_to_right",
        ("left_to_right", "standard"),
        "order of operations: as written, or NOT, then x /, then + -, then AND, then XOR, then OR",
        SETTLED,
    ),
    choice(
        "bonus",
        "largest_bit",
        ("largest_bit", "floor_log2", "none"),
        "an equation's bonus: the value of its largest set bit (1001: 8), or that bit's position (1001: 3)",
        SETTLED,
    ),
    choice(
        "negatives",
        "intermediate",
        ("off", "intermediate", "on"),
        "below zero: nothing; a step of + - x /, but no operand of AND, OR, XOR and no side; or all, "
        "written ones too, in two's complement for AND, OR, XOR",
        SETTLED,
    ),
    choice(
        "division",
        "exact",
        ("exact", "floor", "fraction"),
        "a quotient: whole at every step, rounded down, or a fraction until the side is worked out",
        SETTLED,
    ),
    flag("double_not", False, "NOT NOT n may be written and is n", SETTLED),
    flag(
        "number_crossings",
        False,
        "an equation may lie alongside another where only plain numbers cross; these score nothing",
        SETTLED,
    ),
    choice(
        "identity",
        "off",
        ("off", "tournament", "tournament_and_or"),
        "banned fragments: none; the whole number in x1, +0, -0; AND 1 and OR 0 too",
        SETTLED,
    ),
    flag("xor", False, "XOR is played, by tiles made for it or by blanks", SETTLED),
    flag("sideways_equals", False, "an = tile turned sideways stands for 11", SETTLED),
    whole("bingo", 0, (0, 100), "points for all nine tiles at once", SETTLED),
    choice(
        "going_out",
        "numbers",
        ("numbers", "all", "scrabble", "none"),
        "who goes out gets the values of the others' unplayed 0 and 1; of all their tiles; of all, and "
        "they lose them; nothing",
        SETTLED,
    ),
    whole(
        "exchange_least",
        RACK,
        (1, 100),
        "tiles that must be left for an exchange; Scrabble asks for a full hand",
        "as in Scrabble",
    ),
)
