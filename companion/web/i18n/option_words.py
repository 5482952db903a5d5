"""Players' words for the options of the games: labels, hints, choices and groups of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath

from companion.web.i18n.language import N_, _

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        N_("How you play"),
        (
            "series",
            "rounds",
            "target",
            "scoring",
            "start_tiles",
            "handicaps",
            "order",
            "letter_values",
            "rare",
            "policy",
        ),
    ),
    (N_("Time"), ("clock", "cap_s", "player_s", "overtime_points", "warn_s")),
    (
        N_("Calls and ties"),
        ("call_name", "tie", "tie_ms", "peel_merge_ms", "flip_merge_ms", "bad_call", "lookup"),
    ),
    (N_("House rules"), ()),
)
"""Titles of the groups and the options in them; the last takes all others."""

LABELS = {
    "adjacency": N_("Pieces are together where"),
    "bad_call": N_("A wrong word costs"),
    "bingo": N_("Points for all nine tiles at once"),
    "bonus": N_("Bonus of an equation"),
    "call_name": N_("The winning call is"),
    "cap_s": N_("Time limit of a round, in seconds"),
    "clock": N_("The clock counts"),
    "division": N_("A quotient"),
    "double_not": N_("NOT NOT may be written"),
    "dump_order": N_("A tile that is put back"),
    "dump_short": N_("With fewer than three tiles to draw"),
    "duplicates": N_("The same word may stand twice"),
    "exchange_least": N_("Tiles that must be left for an exchange"),
    "false_done_penalty": N_("Points off for a wrong final DONE"),
    "flip_merge_ms": N_("Flips that count as one, in milliseconds"),
    "freeze_endgame": N_("No PEEL any more once the bunch was too small"),
    "going_out": N_("Who goes out gets"),
    "handicaps": N_("Handicap of each seat"),
    "identity": N_("Idle arithmetic that is forbidden"),
    "last_standing_wins": N_("The last player who is not disqualified wins"),
    "leftover_penalty": N_("Points off for each tile left over"),
    "letter_values": N_("Values of the letters"),
    "long_words": N_("Words of more than 15 letters are judged by"),
    "lookup": N_("Players may ask whether a word is good"),
    "losers_score": N_("Who has not finished scores"),
    "negatives": N_("Below zero"),
    "number_crossings": N_("Equations may lie side by side where only numbers cross"),
    "order": N_("Order of operations"),
    "orthogonal": N_("No diagonals, for moving and for adjacency"),
    "overtime_points": N_("Points off for a minute of overtime"),
    "peel_merge_ms": N_("PEELs that count as one, in milliseconds"),
    "play_to_end": N_("The last player finishes too"),
    "player_s": N_("Each player’s own clock, in seconds"),
    "policy": N_("What a call needs from the camera"),
    "rare": N_("Rare words"),
    "remainder": N_("DONE with too few tiles for two each"),
    "rounds": N_("Rounds"),
    "scoring": N_("Scoring"),
    "series": N_("Rounds"),
    "sideways_equals": N_("An = turned sideways stands for 11"),
    "start_tiles": N_("Tiles at the start"),
    "strict_peel": N_("PEEL needs valid words too"),
    "target": N_("A total over it ends the game"),
    "tie": N_("Who wins a tie"),
    "tie_ms": N_("Calls that count as made at once, in milliseconds"),
    "trade_return": N_("A tile that is put back"),
    "unique": N_("A player’s five words must differ"),
    "warn_s": N_("Warnings, in seconds before time is up"),
    "word_after_roll": N_("A word may still be called when the roll is used up"),
    "word_before_move": N_("A word may be called before the first move"),
    "xor": N_("XOR is played, by tiles of its own or by blanks"),
}
"""What a page calls the options; those of other people's games go by their own names."""

HINTS = {
    "call_name": N_("Both are heard."),
    "cap_s": N_("0: no limit"),
    "false_done_penalty": N_("for a word that is not valid"),
    "flip_merge_ms": N_("unless the new tile is placed by then"),
    "freeze_endgame": N_("even if tiles come back"),
    "handicaps": N_("Leave all of them empty: each is as in the player’s last game, and ten for a newcomer."),
    "leftover_penalty": N_("outside the largest group of who has not finished"),
    "number_crossings": N_("Such numbers score nothing."),
    "overtime_points": N_("for each minute begun"),
    "peel_merge_ms": N_("unless the new tile is placed by then"),
    "player_s": N_("0: no such clock"),
    "rounds": N_("0: until the host ends the game"),
    "start_tiles": N_("0: 21, 15 or 11, by the number of players"),
    "target": N_("The highest total wins; a tie means another round."),
    "warn_s": N_("several with commas between them"),
}
"""What stands in small letters below an option."""

BACK = {
    "return_first": N_("goes back first and may be drawn again"),
    "draw_first": N_("goes back last and cannot be drawn again"),
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "adjacency": {
        "group": N_("they are in the largest group"),
        "touching": N_("each touches another"),
        "pairwise": N_("every two of them touch"),
    },
    "bad_call": {"free": N_("nothing"), "lose_turn": N_("the turn")},
    "bonus": {
        "largest_bit": N_("the value of its largest bit (1001: 8)"),
        "floor_log2": N_("the place of its largest bit (1001: 3)"),
        "none": N_("none"),
    },
    "call_name": {"bananas": "BANANAS", "bananagrams": "BANANAGRAMS"},
    "clock": {"up": N_("up, from zero"), "down": N_("down, from the time limit")},
    "division": {
        "exact": N_("must be whole"),
        "floor": N_("is rounded down"),
        "fraction": N_("may be a fraction on the way"),
    },
    "dump_order": BACK,
    "dump_short": {"refuse": N_("no tile can be changed"), "take_rest": N_("the player takes what is left")},
    "going_out": {
        "numbers": N_("the values of the others’ 0 and 1"),
        "all": N_("the values of the others’ tiles"),
        "scrabble": N_("the values of the others’ tiles, and they lose them"),
        "none": N_("nothing"),
    },
    "identity": {
        "off": N_("none"),
        "tournament": "x1, +0, -0",
        "tournament_and_or": "x1, +0, -0, AND 1, OR 0",
    },
    "letter_values": {"scrabble-en": N_("English Scrabble"), "scrabble-de": N_("German Scrabble")},
    "long_words": {
        "second_list": N_("the second word list"),
        "first_list": N_("the same word list"),
        "referee": N_("the referee"),
    },
    "losers_score": {
        "valid_words": N_("the valid words of the largest group"),
        "nothing": N_("nothing"),
    },
    "negatives": {
        "off": N_("nothing may be"),
        "intermediate": N_("a step of + - x / may be, but no side"),
        "on": N_("everything may be, in two’s complement"),
    },
    "order": {
        "left_to_right": N_("as written, from left to right"),
        "standard": N_("NOT, then x /, then + -, then AND, XOR, OR"),
    },
    "policy": {
        "strict": N_("The camera must agree with a call"),
        "advise": N_("The camera advises, calls stand"),
        "off": N_("People judge, the camera only watches"),
    },
    "rare": {
        "accept": N_("are good"),
        "ask": N_("are asked about: the referee rules on each"),
        "refuse": N_("are not good"),
    },
    "remainder": {
        "deal": N_("they are dealt one by one, from the caller’s left"),
        "equal_only": N_("all take the same number, the rest stays"),
    },
    "scoring": {
        "daronian": N_("Daronian: three points for each J, Q, X or Z"),
        "jamesian": N_("Jamesian: a word with J, Q, X or Z counts twice"),
        "values": N_("the values of a word’s letters"),
        "craft": N_("one point a word, as with craft tiles"),
    },
    "series": {"single": N_("One round")},
    "tie": {
        "edge": N_("whoever pressed first"),
        "most_words": N_("most words, then the longest word"),
        "longest": N_("the longest word, then most words"),
        "play_on": N_("nobody: play goes on"),
        "share": N_("they share the place"),
        "referee": N_("the referee decides"),
        "each": N_("each has finished first"),
    },
    "trade_return": BACK,
}
"""The choices of each option."""

SERIES = {
    "series": ("single", "best_of_3", "best_of_5", "best_of_7", "first_to_2", "first_to_3", "first_to_5")
}
"""Choices of options that take more words than can be listed."""

BOXES = {
    "bananagrams-en": N_("English Bananagrams"),
    "bananagrams-fi": N_("Finnish Bananagrams"),
    "binary": N_("Binary Number Scrabble"),
    "scrabble-de": N_("German Scrabble"),
    "scrabble-en": N_("English Scrabble"),
}
"""What a page calls the tiles that the reader knows from the start; others go by their own names."""


def label(name: str) -> str:
    """Return what a page calls an option, in English."""
    return LABELS.get(name, sentence(name.replace("_", " ")))


def group(name: str) -> str:
    """Return the title of the group that an option belongs to, in English."""
    return next((title for title, names in GROUPS if name in names), GROUPS[-1][0])


def worded(name: str, value: str) -> str:
    """Return what a page calls a choice of an option, in the language spoken."""
    if found := re.fullmatch(r"best_of_(\d+)", value):
        return _("Best of %(count)s rounds", count=found[1])
    if found := re.fullmatch(r"first_to_(\d+)", value):
        return _("First to win %(count)s rounds", count=found[1])
    return _(WORDS.get(name, {}).get(value, value.replace("_", " ")))


def box_name(tiles: str) -> str:
    """Return what a page calls some tiles, in English: those of a file by the file's name."""
    return BOXES.get(tiles, PurePath(tiles).stem)


def sentence(text: str) -> str:
    """Return a text with its first letter as a capital, and all others as they are."""
    return text[:1].upper() + text[1:]
