"""The formats by name, and a format from the options that a director chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from companion.errors import nearest
from companion.hall.formats.games_of_two import RoundRobin, Swiss
from companion.hall.formats.interface import Format
from companion.hall.formats.tables_of_many import BananagramsTournament, ChewEvening, LeagueCity
from companion.hall.formats.ties import NAMES
from companion.model.phrases import phrase
from companion.model.seats import MOST_SEATS

FORMATS: Mapping[str, type[Format]] = {
    kind.name: kind for kind in (ChewEvening, BananagramsTournament, LeagueCity, RoundRobin, Swiss)
}
"""Every format by its name."""


def format_of(name: str, options: Mapping[str, Any]) -> Format:
    """Return a format with its options; raise ValueError for a name or an option that there is none of."""
    if name not in FORMATS:
        raise ValueError(
            phrase(
                "no format %(name)s%(hint)s (there are %(known)s)",
                name=repr(name),
                hint=nearest(name, FORMATS),
                known=", ".join(FORMATS),
            )
        )
    kind = FORMATS[name]
    known = [one.name for one in fields(kind)]
    for key in options:
        if key not in known:
            raise ValueError(
                phrase(
                    "%(name)s has no option %(key)s%(hint)s (it has %(known)s)",
                    name=name,
                    key=repr(key),
                    hint=nearest(key, known),
                    known=", ".join(known),
                )
            )
    chosen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in options.items()
    }
    made = kind(**chosen)
    check(made)
    return made


def check(made: Format) -> None:
    """Raise ValueError where an option has no sense."""
    least, most, wanted = made.seats
    if not 2 <= least <= wanted <= most <= MOST_SEATS:
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
    if unknown := [name for name in made.tie_breaks if name not in NAMES]:
        raise ValueError(
            phrase(
                "no tie-break %(unknown)s; there are %(known)s",
                unknown=repr(unknown[0]),
                known=", ".join(NAMES),
            )
        )
