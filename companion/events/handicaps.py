"""Handicaps as players bring them from game to game: kept by the player's name, looked up in the log."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping, Sequence

from companion.errors import BadLog
from companion.events.log import EventLog
from companion.events.reading import history, rules_of
from companion.rules import event as ev
from companion.rules.play import fold

logger = logging.getLogger(__name__)

MOST_GAMES = 200
"""Games that are looked into, the newest first: who has not played in so long is a newcomer."""

SEATED = (ev.GameSetUp.__name__, ev.PlayerSubstituted.__name__)
"""The events that name players."""


def kept(log: EventLog, game: str, names: Sequence[str]) -> Mapping[str, int]:
    """Return the handicap that each of some players had at the end of the last game by the same rules.

    Names are compared without regard to capitals and to spaces around them; who has not played is left out.
    """
    wanted = {known(name): name for name in names}
    found: dict[str, int] = {}
    for earlier in sorted(log.games(), reverse=True)[:MOST_GAMES]:
        missing = wanted.keys() - {known(name) for name in found}
        if not missing:
            break
        if played(log, game, earlier, missing):
            found |= {wanted[name]: own for name, own in left_by(log, earlier).items() if name in missing}
    return found


def played(log: EventLog, game: str, earlier: str, names: Collection[str]) -> bool:
    """Return whether any of some players sat at an earlier game by the same rules."""
    first, *others = [json.loads(row.body) for row in log.rows_of(earlier, *SEATED)] or [{}]
    sat = [*first.get("seats", ()), *(one["name"] for one in others)]
    return first.get("game") == game and any(known(name) in names for name in sat)


def left_by(log: EventLog, earlier: str) -> Mapping[str, int]:
    """Return the handicaps that an earlier game left its players, by name; none where it is damaged."""
    try:
        events = history(log, earlier)
    except BadLog as error:
        logger.warning("its handicaps are not known: %s", error)
        return {}
    seats = fold(rules_of(events), events).seats
    return {known(seat.name): seat.handicap for seat in seats if seat.handicap is not None}


def known(name: str) -> str:
    """Return a name as it is compared."""
    return name.strip().casefold()
