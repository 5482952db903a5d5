"""A game's options: typed, validated, documented, frozen when a game begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

from companion.errors import BadOption, closest, nearest
from companion.model.phrases import Text, phrase
from companion.rules.fields import integer, yes_or_no
from companion.words.lexicon import Rare


class Group(StrEnum):
    """The section of the form in which a page asks for an option; ``HOUSE`` are house rules."""

    PLAY = "play"
    TIME = "time"
    CALLS = "calls"
    HOUSE = "house"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game.

    Parameters
    ----------
    name, default
        Its name in a set-up, and its value if the set-up does not give one.
    doc
        What it decides, for the table in the README and ``companion rules``.
    source
        The rule text, or the section of SETTLED.md, that it comes from.
    kind
        A description of the values that it takes.
    parse
        Returns the value of what a set-up gives; raises ValueError or TypeError with what is expected.
    words
        The players' words for each value that a page offers, if it has few values.
    label, group, hint
        Its label on a page, its section, and a hint below it; without a label the page shows its name and
        ``doc``.
    per_seat
        Whether it is a list with a number for every seat.
    """

    name: str
    default: Any
    doc: str
    source: str
    kind: str
    parse: Callable[[Any], Any]
    words: Mapping[str, Text] = field(default_factory=dict, hash=False)
    label: Text = ""
    group: Group = Group.HOUSE
    hint: Text = ""
    per_seat: bool = False

    def asked(
        self, label: Text, group: Group = Group.HOUSE, *, hint: Text = "", per_seat: bool = False
    ) -> Self:
        """Return the option as a page asks for it."""
        return replace(self, label=label, group=group, hint=hint, per_seat=per_seat)


def choice(name: str, default: str, values: Mapping[str, Text], doc: str, source: str) -> Option:
    """Return an option that is one of a few values, each with the players' words for it."""

    def parse(given: Any) -> str:
        if given not in list(values):
            wrong = phrase(
                "must be one of %(values)s; got %(given)s", values=", ".join(values), given=repr(given)
            )
            close = closest(given, values)
            raise ValueError(
                phrase("%(wrong)s; did you mean %(name)s?", wrong=wrong, name=repr(close)) if close else wrong
            )
        return str(given)

    return Option(name, default, doc, source, " or ".join(f"`{value}`" for value in values), parse, values)


def flag(name: str, default: bool, doc: str, source: str) -> Option:
    """Return an option that is on or off."""
    return Option(name, default, doc, source, "`true` or `false`", yes_or_no)


def whole(name: str, default: int, within: tuple[int, int], doc: str, source: str) -> Option:
    """Return an option that is a whole number within bounds, both included."""
    low, high = within

    return Option(name, default, doc, source, f"{low} to {high}", integer(low, high))


def wholes(name: str, default: tuple[int, ...], within: tuple[int, int], doc: str, source: str) -> Option:
    """Return an option that is a list of whole numbers within bounds, both included."""
    low, high = within
    one = integer(low, high)

    def parse(given: Any) -> tuple[int, ...]:
        if not isinstance(given, list | tuple) or len(given) > 100:
            raise TypeError(
                phrase(
                    "must be a list of whole numbers from %(low)s to %(high)s; got %(given)s",
                    low=low,
                    high=high,
                    given=repr(given),
                )
            )
        return tuple(one(number) for number in given)

    return Option(name, default, doc, source, f"list of {low} to {high}", parse)


def option_values(options: Iterable[Option], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the value of every option, its default if none is given, in a read-only mapping.

    Raises
    ------
    BadOption
        For an option that the game does not have (with the nearest name), or for a value that is not valid.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise BadOption(f"no option {name!r}{nearest(name, known)} (there are {', '.join(known)})")
    return MappingProxyType({name: value(option, given) for name, option in known.items()})


def value(option: Option, given: Mapping[str, Any]) -> Any:
    """Return one option's value; raise BadOption if the given one is not valid."""
    if option.name not in given:
        return option.default
    try:
        return option.parse(given[option.name])
    except (ValueError, TypeError) as error:
        wrong = phrase("option %(name)s %(wrong)s", name=repr(option.name), wrong=str(error))
        raise BadOption(wrong) from error


HOUSE = "SETTLED.md, All games"

COMMON_OPTIONS = (
    choice(
        "policy",
        "strict",
        {
            "strict": phrase("The camera must agree with a call"),
            "advise": phrase("The camera advises, calls stand"),
            "off": phrase("People judge, the camera only watches"),
        },
        "what a call needs from the camera: `strict` a confirming sighting; `advise` nothing, the table "
        "warns; `off` people judge",
        HOUSE,
    ).asked(phrase("What a call needs from the camera"), Group.PLAY),
    whole("tie_ms", 5, (0, 1000), "calls at most this far apart are simultaneous", HOUSE).asked(
        phrase("Calls that count as made at once, in milliseconds"), Group.CALLS
    ),
    choice(
        "clock",
        "up",
        {
            "up": phrase("up, from zero"),
            "down": phrase("down, from the time limit"),
        },
        "whether the round's clock counts up, or down from `cap_s`",
        "round clocks",
    ).asked(phrase("The clock counts"), Group.TIME),
    whole(
        "cap_s",
        0,
        (0, 86_400),
        "seconds until the round is stopped; 0: no cap",
        "SETTLED.md, nobody can finish, or a time cap",
    ).asked(phrase("Time limit of a round, in seconds"), Group.TIME, hint=phrase("0: no limit")),
    wholes(
        "warn_s", (60, 10), (1, 86_400), "warnings, in seconds before a clock runs out", "round clocks"
    ).asked(
        phrase("Warnings, in seconds before time is up"),
        Group.TIME,
        hint=phrase("several with commas between them"),
    ),
)
"""Options that every game has."""

WORD_OPTIONS = (
    choice(
        "rare",
        str(Rare.ACCEPT),
        {
            "accept": phrase("are good"),
            "ask": phrase("are asked about: the referee rules on each"),
            "refuse": phrase("are not good"),
        },
        "words that the list marks as rare: valid; left to the referee, one by one; not valid",
        "rare words",
    ).asked(phrase("Rare words"), Group.PLAY),
)
"""Options of the games that are played with words."""

CROSSWORD_OPTIONS = (
    *WORD_OPTIONS,
    flag(
        "duplicates",
        True,
        "whether a word may stand twice in a tableau",
        "SETTLED.md, All games; bananagrams.txt 7",
    ).asked(phrase("The same word may stand twice")),
)
"""Options of the games in which every player builds a tableau."""

TURN_OPTIONS = (
    whole(
        "player_s", 0, (0, 86_400), "seconds on each player's own clock; 0: no such clock", "player clocks"
    ).asked(phrase("Each player’s own clock, in seconds"), Group.TIME, hint=phrase("0: no such clock")),
    whole(
        "overtime_points",
        10,
        (0, 100),
        "points off for each minute begun beyond it",
        "player clocks, as in Scrabble",
    ).asked(phrase("Points off for a minute of overtime"), Group.TIME, hint=phrase("for each minute begun")),
)
"""Options of the games that are played in turns."""

SHARED_OPTION_NAMES = frozenset(
    option.name for option in (*COMMON_OPTIONS, *CROSSWORD_OPTIONS, *TURN_OPTIONS)
)
"""Names of the options that several games share."""
