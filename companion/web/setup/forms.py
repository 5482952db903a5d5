"""Forms of the set-up pages: positions in percent of the picture's sides, and a game's options."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from companion.errors import BadOption, UsageError
from companion.model.phrases import Text
from companion.model.seats import MAX_SEATS
from companion.model.set_up import WizardStatus, ZoneAt
from companion.model.tiles import tile_set, tile_set_names
from companion.rules.card import default_text
from companion.rules.options import SHARED_OPTION_NAMES, Group, Option
from companion.rules.options import option_values as validated
from companion.rules.record import to_jsonable
from companion.web.i18n.language import N_, _, translate
from companion.web.live.monitor import to_text

Spot = tuple[float, float]

MAX_ZONES, MAX_CORNERS = MAX_SEATS + 1, 32


@dataclass(frozen=True, slots=True)
class Shape:
    """A figure on the picture as its form shows it: corners in percent of the picture's width and height."""

    name: str
    kind: str
    seat: int | None
    facing: int
    corners: tuple[Spot, ...]


def number(text: str, name: str) -> float:
    """Return a number as people type it, with a point or a comma; raise UsageError for anything else."""
    try:
        found = float(text.strip().replace(",", "."))
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or abs(found) > 1e6:
        raise UsageError(_("%(name)s must be a number; got “%(text)s”", name=name, text=text[:20]))
    return found


def numbers(form: Mapping[str, str], *names: str) -> tuple[float, ...] | None:
    """Return several fields' numbers; ``None`` where all are empty."""
    given = [form.get(name, "").strip() for name in names]
    if not any(given):
        return None
    return tuple(number(text, _(name)) for text, name in zip(given, names, strict=True))


def size(form: Mapping[str, str]) -> Spot | None:
    """Return the breadth and depth in a form, in mm, ``None`` where both are empty."""
    found = numbers(form, "breadth", "depth")
    return None if found is None else (found[0], found[1])


def percent(spots: Sequence[Spot], known: WizardStatus) -> tuple[Spot, ...]:
    """Return pixels of the picture in percent of its sides."""
    wide, high = max(known.width, 1), max(known.height, 1)
    return tuple((round(100 * (x + 0.5) / wide, 2), round(100 * (y + 0.5) / high, 2)) for x, y in spots)


def pixels(spots: Sequence[Spot], known: WizardStatus) -> tuple[Spot, ...]:
    """Return percents of the picture's sides in pixels."""
    return tuple((x * known.width / 100 - 0.5, y * known.height / 100 - 0.5) for x, y in spots)


def parse_corners(form: Mapping[str, str], before: str, most: int = MAX_CORNERS) -> tuple[Spot, ...]:
    """Return the corners that the fields ``BEFORE-x-N`` and ``BEFORE-y-N`` give, in percent."""
    found: list[Spot] = []
    for k in range(most):
        pair = numbers(form, f"{before}-x-{k}", f"{before}-y-{k}")
        if pair is None:
            break
        found.append((pair[0], pair[1]))
    return tuple(found)


def zones(form: Mapping[str, str], known: WizardStatus) -> list[ZoneAt]:
    """Return the zones of a form; raise UsageError for a text that is no number."""
    found = []
    for k in range(MAX_ZONES):
        corners = parse_corners(form, f"zone{k}")
        if not corners:
            break
        seat = numbers(form, f"zone{k}-seat")
        facing = numbers(form, f"zone{k}-facing") or (0.0,)
        kind = form.get(f"zone{k}-kind", "seat")
        found.append(ZoneAt(kind, int(seat[0]) if seat else None, pixels(corners, known), facing[0]))
    return found


def shapes(zones_at: Sequence[ZoneAt], known: WizardStatus) -> list[Shape]:
    """Return zones as a form shows them."""
    names = {"pool": _("Pool"), "board": _("Board")}
    return [
        Shape(
            _("Seat %(number)s", number=zone.seat) if zone.seat else names.get(zone.kind, zone.kind),
            zone.kind,
            zone.seat,
            round(zone.facing_deg) % 360,
            percent(zone.corners, known),
        )
        for zone in zones_at
    ]


def symbols(text: str) -> list[str]:
    """Return the symbols of a tile set, which are separated by spaces."""
    return text.split()[:200]


MAX_OPTION_CHARS = 300
"""Longest text of an option's value, in characters."""

GROUP_TITLES: Mapping[Group, str] = {
    Group.PLAY: N_("How you play"),
    Group.TIME: N_("Time"),
    Group.CALLS: N_("Calls and ties"),
    Group.HOUSE: N_("House rules"),
}
"""Titles of the groups of options, in their order."""


@dataclass(frozen=True, slots=True)
class Field:
    """An option as a page asks for it.

    ``form`` is ``choice``, ``flag``, ``number``, ``seats`` (a number for each) or ``text``; ``values`` the
    words of a choice; ``value`` is the field's initial content, ``fault`` its error message.
    """

    option: Option
    form: str
    value: str
    values: tuple[str, ...] = ()
    least: str = ""
    most: str = ""
    fault: str = ""

    @property
    def label(self) -> Text:
        """The option's label, or its name where it has none."""
        return self.option.label or self.option.name.replace("_", " ")

    @property
    def hint(self) -> Text:
        """The text below the field; for an option without a label, its documentation."""
        return self.option.hint if self.option.label else self.option.doc.replace("`", "")

    def word(self, value: str) -> Text:
        """Return players' words for a value."""
        return self.option.words.get(value, value.replace("_", " "))

    def of_seat(self, seat: int) -> str:
        """Return the initial value of a seat's field."""
        return dict(enumerate(self.value.split(","), 1)).get(seat, "").strip()


def groups(
    options: Sequence[Option], given: Mapping[str, str], faults: Mapping[str, str]
) -> list[tuple[str, list[Field]]]:
    """Return the fields of a game in their groups, its own first, filled in as a form was sent."""
    ordered = sorted(fields(options, given, faults), key=lambda one: one.option.name in SHARED_OPTION_NAMES)
    return [
        (title, [one for one in ordered if one.option.group is group])
        for group, title in GROUP_TITLES.items()
    ]


def fields(
    options: Sequence[Option], given: Mapping[str, str], faults: Mapping[str, str] | None = None
) -> list[Field]:
    """Return the fields of a game with the values of a sent form; an unticked checkbox is missing there."""
    found = []
    for option in options:
        value = submitted_value(option, given) if given else format_default(option.default)
        found.append(replace(field(option, value), fault=(faults or {}).get(option.name, "")))
    return found


def submitted_value(option: Option, form: Mapping[str, str]) -> str:
    """Return an option's value in a form, as text."""
    if isinstance(option.default, bool):
        return "true" if form.get(f"option-{option.name}") == "true" else "false"
    if option.per_seat:
        numbers = [form.get(f"option-{option.name}-{seat:02}", "") for seat in range(1, MAX_SEATS + 1)]
        return ",".join(one.strip()[:MAX_OPTION_CHARS] for one in numbers).rstrip(",")
    return form.get(f"option-{option.name}", format_default(option.default)).strip()[:MAX_OPTION_CHARS]


def field(option: Option, value: str) -> Field:
    """Return one option as a field with a value."""
    if isinstance(option.default, bool):
        return Field(option, "flag", value)
    if bounds := re.fullmatch(r"(list of )?(-?\d+) to (-?\d+)", option.kind):
        form = "number" if not bounds[1] else "seats" if option.per_seat else "text"
        return Field(option, form, value, least=bounds[2], most=bounds[3])
    if values := tuple(option.words):
        return Field(option, "choice", value, values if value in values else (*values, value))
    return Field(option, "text", value)


def format_default(default: Any) -> str:
    """Return a value as a field shows it: lists with commas."""
    if isinstance(default, tuple | list):
        return ", ".join(str(one) for one in default)
    return default_text(default)


def changed_options(options: Sequence[Option], form: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that differ from their defaults, as a set-up takes them."""
    given = {option.name: parse_option(option, form) for option in options}
    return {
        option.name: given[option.name]
        for option in options
        if given[option.name] != to_jsonable(option.default)
    }


def option_faults(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, str]:
    """Return the faults of chosen options by option name, in the current language."""
    found = {}
    for option in options:
        try:
            validated([option], {key: value for key, value in given.items() if key == option.name})
        except BadOption as error:
            own_field = field(option, "")
            within = {"least": own_field.least, "most": own_field.most}
            message = _("This takes whole numbers from %(least)s to %(most)s.", **within)
            found[option.name] = message if own_field.most else translate(to_text(error))
    return found


def parse_option(option: Option, form: Mapping[str, str]) -> Any:
    """Return an option's parsed value in a form, its default where the form has none."""
    text = submitted_value(option, form)
    if isinstance(option.default, bool):
        return text == "true"
    if option.per_seat and text:
        seats = [seat for seat in range(1, MAX_SEATS + 1) if form.get(f"name-{seat:02}", "").strip()]
        typed = text.split(",") + [""] * MAX_SEATS
        return [parse_whole(typed[seat - 1]) for seat in seats]
    if isinstance(option.default, tuple):
        return [parse_whole(part) for part in text.replace(",", " ").split()]
    return parse_whole(text) if isinstance(option.default, int) else text


def parse_whole(text: str) -> Any:
    """Return a whole number, or the text where it is none, which the option's validation refuses."""
    return int(text) if re.fullmatch(r"[-+]?[0-9]{1,18}", text) else text


def title_of(tiles: str) -> str:
    """Return the English title of a tile set; the file's name for one from a file."""
    return (tile_set(tiles).title if tiles in tile_set_names() else "") or PurePath(tiles).stem
