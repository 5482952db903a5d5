"""Options of Binary Number Scrabble."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.options import COMMON_OPTIONS, TURN_OPTIONS, Group, choice, flag, whole

SETTLED = "SETTLED.md, Binary Number Scrabble"

RACK_TILES = 9
"""Tiles in hand ("Players keep 9 tiles in their hand at all times")."""

OPTIONS = (
    *COMMON_OPTIONS,
    *TURN_OPTIONS,
    choice(
        "order",
        "left_to_right",
        {
            "left_to_right": phrase("as written, from left to right"),
            "standard": phrase("NOT, then x /, then + -, then AND, XOR, OR"),
        },
        "order of operations: as written, or NOT, then x /, then + -, then AND, then XOR, then OR",
        SETTLED,
    ).asked(phrase("Order of operations"), Group.PLAY),
    choice(
        "bonus",
        "largest_bit",
        {
            "largest_bit": phrase("the value of its largest bit (1001: 8)"),
            "floor_log2": phrase("the place of its largest bit (1001: 3)"),
            "none": phrase("none"),
        },
        "an equation's bonus: the value of its largest set bit (1001: 8), or that bit's position (1001: 3)",
        SETTLED,
    ).asked(phrase("Bonus of an equation")),
    choice(
        "negatives",
        "intermediate",
        {
            "off": phrase("nothing may be"),
            "intermediate": phrase("a step of + - x / may be, but no side"),
            "on": phrase("everything may be, in two’s complement"),
        },
        "below zero: nothing; a step of + - x /, but no operand of AND, OR, XOR and no side; or all, "
        "written ones too, in two's complement for AND, OR, XOR",
        SETTLED,
    ).asked(phrase("Below zero")),
    choice(
        "division",
        "exact",
        {
            "exact": phrase("must be whole"),
            "floor": phrase("is rounded down"),
            "fraction": phrase("may be a fraction on the way"),
        },
        "a quotient: whole at every step, rounded down, or a fraction until the side is worked out",
        SETTLED,
    ).asked(phrase("A quotient")),
    flag("double_not", False, "NOT NOT n may be written and is n", SETTLED).asked(
        phrase("NOT NOT may be written")
    ),
    flag(
        "number_crossings",
        False,
        "an equation may lie alongside another where only plain numbers cross; these score nothing",
        SETTLED,
    ).asked(
        phrase("Equations may lie side by side where only numbers cross"),
        hint=phrase("Such numbers score nothing."),
    ),
    choice(
        "identity",
        "off",
        {
            "off": phrase("none"),
            "tournament": phrase("x1, +0, -0"),
            "tournament_and_or": phrase("x1, +0, -0, AND 1, OR 0"),
        },
        "banned fragments: none; the whole number in x1, +0, -0; AND 1 and OR 0 too",
        SETTLED,
    ).asked(phrase("Idle arithmetic that is forbidden")),
    flag("xor", False, "XOR is played, by tiles made for it or by blanks", SETTLED).asked(
        phrase("XOR is played, by tiles of its own or by blanks")
    ),
    flag("sideways_equals", False, "an = tile turned sideways stands for 11", SETTLED).asked(
        phrase("An = turned sideways stands for 11")
    ),
    whole("bingo", 0, (0, 100), "points for all nine tiles at once", SETTLED).asked(
        phrase("Points for all nine tiles at once")
    ),
    choice(
        "going_out",
        "numbers",
        {
            "numbers": phrase("the values of the others’ 0 and 1"),
            "all": phrase("the values of the others’ tiles"),
            "scrabble": phrase("the values of the others’ tiles, and they lose them"),
            "none": phrase("nothing"),
        },
        "who goes out gets the values of the others' unplayed 0 and 1; of all their tiles; of all, and "
        "they lose them; nothing",
        SETTLED,
    ).asked(phrase("Who goes out gets")),
    whole(
        "exchange_least",
        RACK_TILES,
        (1, 100),
        "tiles that must be left for an exchange; Scrabble asks for a full hand",
        "as in Scrabble",
    ).asked(phrase("Tiles that must be left for an exchange")),
)
