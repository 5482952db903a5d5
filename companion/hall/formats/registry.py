"""The formats by name, and a format from the options that a director chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from companion.errors import nearest
from companion.hall.formats.games_of_two import RoundRobin, Swiss
from companion.hall.formats.interface import Format
from companion.hall.formats.tables_of_many import Groups, KnockOut, Totals
from companion.hall.formats.ties import TIE_BREAK_NAMES
from companion.model.phrases import phrase
from companion.model.seats import MAX_SEATS
from companion.rules.registry import installed
from companion.rules.tournament import Kind, Tournament

FORMAT_CLASSES: Mapping[Kind, type[Format]] = {
    Kind.GROUPS: Groups,
    Kind.KNOCKOUT: KnockOut,
    Kind.TOTALS: Totals,
    Kind.ROUND_ROBIN: RoundRobin,
    Kind.SWISS: Swiss,
}


def load_formats() -> Mapping[str, Format]:
    """Return the formats that the installed games declare, by name."""
    plays: dict[Tournament, list[str]] = {}
    for game in installed():
        for form in game.tournaments:
            plays.setdefault(form, []).append(game.name)
    return {form.name: FORMAT_CLASSES[form.kind].of(form, games) for form, games in plays.items()}


FORMATS = load_formats()
"""Every format by its name."""

MIN_HANDICAP = min((one.handicaps.least for one in FORMATS.values() if one.handicaps), default=0)
"""The smallest handicap of any game."""

FORMAT_OPTIONS = [one.name for one in fields(Format) if one.name not in {"form", "plays"}]
"""Names of the options that a director may choose."""


def format_of(name: str, options: Mapping[str, Any]) -> Format:
    """Return a format with its options; raise ValueError for an unknown name or option."""
    if name not in FORMATS:
        raise ValueError(
            phrase(
                "no format %(name)s%(hint)s (there are %(known)s)",
                name=repr(name),
                hint=nearest(name, FORMATS),
                known=", ".join(FORMATS),
            )
        )
    for key in options:
        if key not in FORMAT_OPTIONS:
            raise ValueError(
                phrase(
                    "%(name)s has no option %(key)s%(hint)s (it has %(known)s)",
                    name=name,
                    key=repr(key),
                    hint=nearest(key, FORMAT_OPTIONS),
                    known=", ".join(FORMAT_OPTIONS),
                )
            )
    chosen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in options.items()
    }
    made = replace(FORMATS[name], **chosen)
    validate_format(made)
    return made


def validate_format(made: Format) -> None:
    """Raise ValueError for an invalid option."""
    least, most, wanted = made.seats
    if not 2 <= least <= wanted <= most <= MAX_SEATS:
        raise ValueError(phrase("seats are from, to and wanted, 2 to 13; got %(seats)s", seats=made.seats))
    if not 0 <= made.rounds <= 200 or made.best_of % 2 == 0 or not 1 <= made.best_of <= 99:
        raise ValueError(
            phrase(
                "rounds are 0 to 200, best_of is odd; got %(rounds)s and %(best_of)s",
                rounds=made.rounds,
                best_of=made.best_of,
            )
        )
    if made.game not in made.plays:
        raise ValueError(
            phrase(
                "no game %(game)s in this format; there are %(known)s",
                game=repr(made.game),
                known=", ".join(made.plays),
            )
        )
    if unknown := [name for name in made.tie_breaks if name not in TIE_BREAK_NAMES]:
        raise ValueError(
            phrase(
                "no tie-break %(unknown)s; there are %(known)s",
                unknown=repr(unknown[0]),
                known=", ".join(TIE_BREAK_NAMES),
            )
        )
