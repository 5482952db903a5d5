"""A game's options as fields of a form, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.errors import BadOption
from companion.model.seats import MOST_SEATS
from companion.rules.card import written
from companion.rules.options import Option
from companion.rules.options import chosen as validated
from companion.rules.plain import plain
from companion.web.i18n.language import _, said
from companion.web.i18n.option_words import GROUPS, HINTS, LABELS, SERIES, group
from companion.web.live.watching import to_text

LONGEST = 300
"""Characters of an option's value."""


PER_SEAT = frozenset({"handicaps"})
"""Options that have a number for every seat."""


@dataclass(frozen=True, slots=True)
class Field:
    """An option as a page asks for it.

    ``form`` is ``choice``, ``flag``, ``number``, ``seats`` (a number for each) or ``text``; ``values`` the
    words of a choice; ``value`` what stands in the field at first, ``fault`` what is wrong with it.
    """

    option: Option
    form: str
    value: str
    values: tuple[str, ...] = ()
    least: str = ""
    most: str = ""
    fault: str = ""

    @property
    def hint(self) -> str:
        """What stands below the field, in English; options of other people's games say what they decide."""
        name = self.option.name
        return HINTS.get(name, "") if name in LABELS else self.option.doc.replace("`", "")

    def of_seat(self, seat: int) -> str:
        """Return what stands in the field of a seat at first."""
        return dict(enumerate(self.value.split(","), 1)).get(seat, "").strip()


def groups(
    options: Sequence[Option], given: Mapping[str, str], faults: Mapping[str, str]
) -> list[tuple[str, list[Field]]]:
    """Return the fields of a game in their groups, filled in as a form was sent; empty for a new one."""
    found: dict[str, list[Field]] = {title: [] for title, _names in GROUPS}
    for one in fields(options, given, faults):
        found[group(one.option.name)].append(one)
    for title, names in GROUPS:
        found[title].sort(key=lambda one: (*names, one.option.name).index(one.option.name))
    return list(found.items())


def fields(
    options: Sequence[Option], given: Mapping[str, str], faults: Mapping[str, str] | None = None
) -> list[Field]:
    """Return the fields of a game, filled in as a form was sent; a box without a tick was sent as nothing."""
    found = []
    for option in options:
        value = as_sent(option, given) if given else shown(option.default)
        found.append(replace(field(option, value), fault=(faults or {}).get(option.name, "")))
    return found


def as_sent(option: Option, form: Mapping[str, str]) -> str:
    """Return what a form says of an option, as it was typed."""
    if isinstance(option.default, bool):
        return "true" if form.get(f"option-{option.name}") == "true" else "false"
    if option.name in PER_SEAT:
        numbers = [form.get(f"option-{option.name}-{seat:02}", "") for seat in range(1, MOST_SEATS + 1)]
        return ",".join(one.strip()[:LONGEST] for one in numbers).rstrip(",")
    return form.get(f"option-{option.name}", shown(option.default)).strip()[:LONGEST]


def field(option: Option, value: str) -> Field:
    """Return one option as a field with a value."""
    if isinstance(option.default, bool):
        return Field(option, "flag", value)
    if bounds := re.fullmatch(r"(list of )?(-?\d+) to (-?\d+)", option.kind):
        form = "number" if not bounds[1] else "seats" if option.name in PER_SEAT else "text"
        return Field(option, form, value, least=bounds[2], most=bounds[3])
    words = SERIES.get(option.name) or tuple(re.findall(r"`([\w-]+)`", option.kind))
    if len(words) > 1 and option.default in words and all(fits(option, word) for word in words):
        return Field(option, "choice", value, words if value in words else (*words, value))
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


def wrong(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with options that were chosen, each by its name, in the language spoken."""
    found = {}
    for option in options:
        try:
            validated([option], {key: value for key, value in given.items() if key == option.name})
        except BadOption as error:
            asked = field(option, "")
            within = {"least": asked.least, "most": asked.most}
            told = _("This takes whole numbers from %(least)s to %(most)s.", **within)
            found[option.name] = told if asked.most else said(to_text(error))
    return found


def read(option: Option, form: Mapping[str, str]) -> Any:
    """Return what a form says of an option; its default where it says nothing."""
    text = as_sent(option, form)
    if isinstance(option.default, bool):
        return text == "true"
    if option.name in PER_SEAT and text:
        seats = [seat for seat in range(1, MOST_SEATS + 1) if form.get(f"name-{seat:02}", "").strip()]
        typed = text.split(",") + [""] * MOST_SEATS
        return [number(typed[seat - 1]) for seat in seats]
    if isinstance(option.default, tuple):
        return [number(part) for part in text.replace(",", " ").split()]
    return number(text) if isinstance(option.default, int) else text


def number(text: str) -> Any:
    """Return a whole number, or the text where it is none: the option then says what it wants."""
    return int(text) if re.fullmatch(r"[-+]?[0-9]{1,18}", text) else text
