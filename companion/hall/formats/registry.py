"""The formats by name, and a format from the options that a director chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from companion.hall.formats.games_of_two import RoundRobin, Swiss
from companion.hall.formats.interface import Format
from companion.hall.formats.tables_of_many import BananagramsTournament, ChewEvening, LeagueCity
from companion.hall.formats.ties import NAMES
from companion.rules.options import nearest

FORMATS: Mapping[str, type[Format]] = {
    kind.name: kind for kind in (ChewEvening, BananagramsTournament, LeagueCity, RoundRobin, Swiss)
}
"""Every format by its name."""


def format_of(name: str, options: Mapping[str, Any]) -> Format:
    """Return a format with its options; raise ValueError for a name or an option that there is none of."""
    if name not in FORMATS:
        raise ValueError(f"no format {name!r}{nearest(name, FORMATS)} (there are {', '.join(FORMATS)})")
    kind = FORMATS[name]
    known = [one.name for one in fields(kind)]
    for key in options:
        if key not in known:
            raise ValueError(f"{name} has no option {key!r}{nearest(key, known)} (it has {', '.join(known)})")
    chosen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in options.items()
    }
    made = kind(**chosen)
    check(made)
    return made


def check(made: Format) -> None:
    """Raise ValueError where an option has no sense."""
    least, most, wanted = made.seats
    if not 2 <= least <= wanted <= most <= 13:
        raise ValueError(f"seats are from, to and wanted, 2 to 13; got {made.seats}")
    if not 0 <= made.rounds <= 200 or made.best_of % 2 == 0 or not 1 <= made.best_of <= 99:
        raise ValueError(f"rounds are 0 to 200, best_of is odd; got {made.rounds} and {made.best_of}")
    if unknown := [name for name in made.tie_breaks if name not in NAMES]:
        raise ValueError(f"no tie-break {unknown[0]!r}; there are {', '.join(NAMES)}")
