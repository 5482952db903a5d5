"""Options of Chew's rules."""

from __future__ import annotations

from companion.rules.options import COMMON, CROSSWORD, choice, flag, whole, wholes

SETTLED = "SETTLED.md, Chew's competitive rules"
RESERVE = 10
"""Tiles of the reserve set (chew.txt: "The reserve set has ten tiles in it")."""

NEWCOMER = 10
"""Tiles of a newcomer's handicap set."""

OPTIONS = (
    *COMMON,
    *CROSSWORD,
    wholes(
        "handicaps",
        (),
        (3, 134),
        "handicap set of each seat; empty: as each player's last game left it, ten for a newcomer",
        "chew.txt",
    ),
    whole(
        "flip_merge_ms",
        1500,
        (0, 60_000),
        "Flips this close are one, unless the new tile is placed by then",
        SETTLED,
    ),
    choice(
        "tie",
        "share",
        ("share", "edge", "referee"),
        "places of Dones inside the tie window: shared, by the earliest edge, or set by the referee",
        SETTLED,
    ),
    flag("play_to_end", False, "the last player finishes too", SETTLED),
    choice(
        "dump_short",
        "refuse",
        ("refuse", "take_rest"),
        "drawing three with fewer than three in the pool",
        SETTLED,
    ),
    choice(
        "long_words",
        "second_list",
        ("second_list", "first_list", "referee"),
        "who judges words over 15 letters; without a second list the referee",
        SETTLED,
    ),
    flag("lookup", True, "players may ask whether one word is good", SETTLED),
    whole(
        "rounds", 0, (0, 1000), "rounds of the game, agreed before it; 0: until the host ends it", "chew.txt"
    ),
)
