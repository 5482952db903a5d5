"""A game's options as fields of a form, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from companion.rules.card import written
from companion.rules.options import Option
from companion.rules.plain import plain
from companion.web.language import N_

FIRST = (
    "policy",
    "series",
    "rounds",
    "clock",
    "cap_s",
    "player_s",
    "rare",
    "handicaps",
    "scoring",
    "start_tiles",
    "order",
)
"""Options that most hosts look at; the others are folded away as house rules."""

LABELS = {
    "policy": N_("What the camera has to say"),
    "series": N_("Series"),
    "rounds": N_("Rounds"),
    "clock": N_("The clock counts"),
    "cap_s": N_("Time limit of a round, in seconds"),
    "player_s": N_("Each player’s own clock, in seconds"),
    "handicaps": N_("Handicap of each seat"),
    "scoring": N_("Scoring"),
    "start_tiles": N_("Tiles at the start"),
    "order": N_("Order of operations"),
    "warn_s": N_("Warnings, in seconds before the end"),
    "tie_ms": N_("Tie window, in milliseconds"),
    "rare": N_("Rare words"),
    "duplicates": N_("A word may stand twice"),
    "tie": N_("Who wins a tie"),
    "peel_merge_ms": N_("PEELs that are one, in milliseconds"),
    "flip_merge_ms": N_("Flips that are one, in milliseconds"),
    "overtime_points": N_("Points off for a minute of overtime"),
}
"""What a page calls the options; the others go by their own names."""

BOXES = {
    "bananagrams-en": N_("English Bananagrams"),
    "bananagrams-fi": N_("Finnish Bananagrams"),
    "binary": N_("Binary Number Scrabble"),
    "scrabble-de": N_("German Scrabble"),
    "scrabble-en": N_("English Scrabble"),
}
"""What a page calls the tiles that the reader knows from the start; others go by their own names."""

LONGEST = 300
"""Characters of an option's value."""


@dataclass(frozen=True, slots=True)
class Field:
    """An option as a page asks for it.

    ``form`` is ``choice``, ``flag``, ``number`` or ``text``; ``values`` the
    words of a choice; ``value`` what stands in the field at first.
    """

    option: Option
    form: str
    value: str
    values: tuple[str, ...] = ()
    least: str = ""
    most: str = ""

    @property
    def first(self) -> bool:
        """Whether the field is shown at once."""
        return self.option.name in FIRST


def label(name: str) -> str:
    """Return what a page calls an option, in English."""
    return LABELS.get(name, name.replace("_", " ").capitalize())


def box_name(tiles: str) -> str:
    """Return what a page calls some tiles, in English: those of a file by the file's name."""
    return BOXES.get(tiles, PurePath(tiles).stem)


def fields(options: Sequence[Option], given: Mapping[str, str]) -> list[Field]:
    """Return the fields of a game, filled in as given before; those that most hosts look at come first."""
    found = [field(option, given) for option in options]
    return sorted(found, key=lambda one: FIRST.index(one.option.name) if one.first else len(FIRST))


def field(option: Option, given: Mapping[str, str]) -> Field:
    """Return one option as a field."""
    value = given.get(option.name, shown(option.default))
    if isinstance(option.default, bool):
        return Field(option, "flag", value)
    if bounds := re.fullmatch(r"(-?\d+) to (-?\d+)", option.kind):
        return Field(option, "number", value, least=bounds[1], most=bounds[2])
    words = tuple(re.findall(r"`(\w+)`", option.kind))
    if len(words) > 1 and option.default in words and all(fits(option, word) for word in words):
        return Field(option, "choice", value, words)
    return Field(option, "text", value)


def fits(option: Option, word: str) -> bool:
    """Return whether an option takes a word as it stands."""
    try:
        return bool(option.parse(word) == word)
    except (ValueError, TypeError):
        return False


def shown(default: Any) -> str:
    """Return a value as a field shows it: lists with commas."""
    if isinstance(default, tuple | list):
        return ", ".join(str(one) for one in default)
    return written(default)


def chosen(options: Sequence[Option], form: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that differ from their defaults, as a set-up takes them."""
    given = {option.name: read(option, form) for option in options}
    return {
        option.name: given[option.name] for option in options if given[option.name] != plain(option.default)
    }


def read(option: Option, form: Mapping[str, str]) -> Any:
    """Return what a form says of an option; its default where it says nothing."""
    if isinstance(option.default, bool):
        return form.get(f"option-{option.name}") == "true"
    text = form.get(f"option-{option.name}", shown(option.default)).strip()[:LONGEST]
    if isinstance(option.default, tuple):
        return [number(part) for part in text.replace(",", " ").split()]
    return number(text) if isinstance(option.default, int) else text


def number(text: str) -> Any:
    """Return a whole number, or the text where it is none: the option then says what it wants."""
    try:
        return json.loads(text)
    except ValueError:
        return text
