"""Fields: parsers of the details that come with calls and rulings.

Each returns a value, or raises ValueError or TypeError with a text that says what is expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from companion.errors import BadCall, nearest
from companion.model.grid import BLANK_SIGN
from companion.model.phrases import Message, joined, phrase
from companion.model.tiles import BLANK

Field = Callable[[Any], Any]

MAX_TEXT_CHARS = 200

MAX_NAME_CHARS = 40

MAX_CLOCK_S = 86_400

CLOCK_PATTERN = re.compile(r"(-|−)?(\d{1,4}):([0-5]\d)")
"""Minutes and seconds, as clocks show them; a minus is for overtime."""

TYPED_SIGNS = str.maketrans("×÷−", "x/-")
"""Signs as printed on tiles, to the signs that the rules use."""


def cell_text(cell: Sequence[int]) -> Message:
    """Return a row and a column in words, counted from 1."""
    row, col = cell
    return phrase("row %(row)s column %(column)s", row=row + 1, column=col + 1)


def cells_text(cells: Iterable[Sequence[int]]) -> Message:
    """Return cells in words, with commas between them."""
    return joined(map(cell_text, cells), ", ")


@dataclass(frozen=True, slots=True)
class Offered:
    """A field with few values, which a page offers as buttons; ``values`` as they would be typed."""

    parse: Field
    values: tuple[str, ...]

    def __call__(self, given: Any) -> Any:
        """Return the field's value."""
        return self.parse(given)


@dataclass(frozen=True, slots=True)
class OnBoard:
    """A field that is a square of a board with ``side`` rows and columns, which a page lets people tap."""

    parse: Field
    side: int

    def __call__(self, given: Any) -> Any:
        """Return the field's square."""
        return self.parse(given)


def integer(low: int, high: int) -> Field:
    """Return a field that is a whole number within bounds, both included."""

    def parse(given: Any) -> int:
        if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
            raise ValueError(
                phrase(
                    "must be a whole number from %(low)s to %(high)s; got %(given)s",
                    low=low,
                    high=high,
                    given=repr(given),
                )
            )
        return given

    return parse


def points(given: Any) -> int | float:
    """Return a score: a multiple of one half, from minus to plus a million."""
    good = isinstance(given, int | float | Decimal) and not isinstance(given, bool)
    if not good or abs(given) > 1_000_000 or given * 2 != int(given * 2):
        raise ValueError(phrase("must be a whole or half number of points; got %(given)s", given=repr(given)))
    return int(given) if given == int(given) else float(given)


def points_off(given: Any) -> int | float:
    """Return points to be taken off: more than 0."""
    taken = points(given)
    if taken <= 0:
        raise ValueError(phrase("must be more than 0; got %(given)s", given=repr(given)))
    return taken


def clock_seconds(given: Any) -> int:
    """Return seconds, given as a whole number or as minutes and seconds (12:30); below 0 is overtime."""
    match = CLOCK_PATTERN.fullmatch(given) if isinstance(given, str) else None
    if match:
        sign, minutes, seconds = match.groups()
        given = (-1 if sign else 1) * (60 * int(minutes) + int(seconds))
    if isinstance(given, bool) or not isinstance(given, int) or abs(given) > MAX_CLOCK_S:
        raise ValueError(
            phrase(
                "must be minutes and seconds such as 12:30, or seconds; got %(given)s",
                given=repr(str(given)[:20]),
            )
        )
    return given


def shortened(given: Any) -> str:
    """Return what was given in quotes, at most 50 characters of it."""
    return repr(str(given)[:50])


def player(given: Any) -> str:
    """Return a player's name, without spaces around it."""
    if not isinstance(given, str) or not is_name(given):
        raise ValueError(
            phrase(
                "must be a name of 1 to %(most)s characters; got %(given)s",
                most=MAX_NAME_CHARS,
                given=shortened(given),
            )
        )
    return given.strip()


def is_name(name: str) -> bool:
    """Return whether a text can be a player's name."""
    return bool(name.strip()) and name.isprintable() and len(name) <= MAX_NAME_CHARS


def text(given: Any) -> str:
    """Return a text of 1 to ``MAX_TEXT_CHARS`` characters, without spaces around it."""
    if not isinstance(given, str) or not given.strip() or len(given) > MAX_TEXT_CHARS:
        raise ValueError(
            phrase(
                "must be a text of 1 to %(most)s characters; got %(given)s",
                most=MAX_TEXT_CHARS,
                given=shortened(given),
            )
        )
    return given.strip()


def word(given: Any) -> str:
    """Return a word in lower case."""
    if not isinstance(given, str) or not given.isalpha() or len(given) > MAX_TEXT_CHARS:
        raise ValueError(phrase("must be one word of letters; got %(given)s", given=shortened(given)))
    return given.lower()


def symbol(given: Any) -> str:
    """Return a tile's symbol: ``""`` a blank, also written ``?``; printed signs are as good as typed ones."""
    if not isinstance(given, str) or len(given) > 8:
        raise ValueError(phrase("must be a tile's symbol; got %(given)s", given=shortened(given)))
    return BLANK if given == BLANK_SIGN else given.translate(TYPED_SIGNS)


def yes_or_no(given: Any) -> bool:
    """Return true or false."""
    if not isinstance(given, bool):
        raise TypeError(phrase("must be true or false; got %(given)s", given=repr(given)))
    return given


def cell(given: Any) -> tuple[int, int]:
    """Return a cell: row and column from 0."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(phrase("must be a cell [row, column]; got %(given)s", given=repr(given)))
    row, col = (integer(0, 199)(number) for number in given)
    return row, col


def list_field(field: Field, most: int) -> Field:
    """Return a field that is a list of another field's values."""

    def parse(given: Any) -> tuple[Any, ...]:
        if not isinstance(given, list | tuple) or len(given) > most:
            raise ValueError(
                phrase("must be a list of at most %(most)s; got %(given)s", most=most, given=str(given)[:50])
            )
        return tuple(field(one) for one in given)

    return parse


def details(
    what: str, takes: Mapping[str, Field], needs: frozenset[str], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the details of a call or ruling, each parsed by its field.

    Raises
    ------
    BadCall
        For a detail that is unknown (with the nearest one), missing or wrong.
    """
    for name in given:
        if name not in takes:
            raise BadCall(
                f"{what} takes no {name!r}{nearest(name, takes)}"
                + (f" (it takes {', '.join(takes)})" if takes else "")
            )
    if missing := sorted(needs - set(given)):
        raise BadCall(phrase("%(what)s needs %(names)s", what=what, names=", ".join(map(repr, missing))))
    return {name: parse_detail(what, name, takes[name], value) for name, value in given.items()}


def parse_detail(what: str, name: str, field: Field, given: Any) -> Any:
    """Return one detail; raise BadCall where its field does not take it."""
    try:
        return field(given)
    except (ValueError, TypeError) as error:
        problem = joined([f"{what}: {name!r}", str(error)], " ")
        raise BadCall(problem) from error
