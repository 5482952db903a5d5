"""Options of Chew's rules, and its tournament format."""

from __future__ import annotations

from companion.model.phrases import phrase
from companion.rules.chew.scores import MIN_HANDICAP, handicaps_after
from companion.rules.options import COMMON_OPTIONS, CROSSWORD_OPTIONS, Group, choice, flag, whole, wholes
from companion.rules.tournament import Handicaps, Kind, Tournament

SETTLED = "SETTLED.md, Chew's competitive rules"
RESERVE_TILES = 10
"""Tiles of the reserve set (chew.txt: "The reserve set has ten tiles in it")."""

NEWCOMER_HANDICAP = 10
"""Tiles of a newcomer's handicap set."""

OPTIONS = (
    *COMMON_OPTIONS,
    *CROSSWORD_OPTIONS,
    whole(
        "rounds", 0, (0, 1000), "rounds of the game, agreed before it; 0: until the host ends it", "chew.txt"
    ).asked(phrase("Rounds"), Group.PLAY, hint=phrase("0: until the host ends the game")),
    wholes(
        "handicaps",
        (),
        (3, 134),
        "handicap set of each seat; empty: as each player's last game left it, ten for a newcomer",
        "chew.txt",
    ).asked(
        phrase("Handicap of each seat"),
        Group.PLAY,
        hint=phrase("Leave all of them empty: each is as in the player’s last game, and ten for a newcomer."),
        per_seat=True,
    ),
    whole(
        "flip_merge_ms",
        1500,
        (0, 60_000),
        "Flips this close are one, unless the new tile is placed by then",
        SETTLED,
    ).asked(
        phrase("Flips that count as one, in milliseconds"),
        Group.CALLS,
        hint=phrase("unless the new tile is placed by then"),
    ),
    choice(
        "tie",
        "share",
        {
            "share": phrase("they share the place"),
            "edge": phrase("whoever pressed first"),
            "referee": phrase("the referee decides"),
        },
        "places of Dones inside the tie window: shared, by the earliest edge, or set by the referee",
        SETTLED,
    ).asked(phrase("Who wins a tie"), Group.CALLS),
    flag("play_to_end", False, "the last player finishes too", SETTLED).asked(
        phrase("The last player finishes too")
    ),
    choice(
        "dump_short",
        "refuse",
        {
            "refuse": phrase("no tile can be changed"),
            "take_rest": phrase("the player takes what is left"),
        },
        "drawing three with fewer than three in the pool",
        SETTLED,
    ).asked(phrase("With fewer than three tiles to draw")),
    choice(
        "long_words",
        "second_list",
        {
            "second_list": phrase("the second word list"),
            "first_list": phrase("the same word list"),
            "referee": phrase("the referee"),
        },
        "who judges words over 15 letters; without a second list the referee",
        SETTLED,
    ).asked(phrase("Words of more than 15 letters are judged by")),
    flag("lookup", True, "players may ask whether one word is good", SETTLED).asked(
        phrase("Players may ask whether a word is good"), Group.CALLS
    ),
)

EVENING = Tournament(
    "chew_evening",
    phrase("Chew evening"),
    Kind.GROUPS,
    (3, 6, 4),
    rounds=4,
    handicaps=Handicaps(NEWCOMER_HANDICAP, MIN_HANDICAP, handicaps_after),
    at_table=lambda _best_of: {"rounds": 1},
)
"""Groups of three to six, points over the rounds, handicaps that change after each (chew.txt)."""
