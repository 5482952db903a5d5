"""Players' handicaps at the end of their last game, found by name in the log."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping, Sequence

from companion.errors import BadLog
from companion.events.log import EventLog
from companion.events.replay import history, rules_of
from companion.rules import event as ev
from companion.rules.play import fold

logger = logging.getLogger(__name__)

MAX_SEARCHED_GAMES = 200
"""Most games that are searched, the newest first; a player of none of them is a newcomer."""

SEATING_EVENTS = (ev.GameSetUp.__name__, ev.PlayerSubstituted.__name__)
"""The events that name players."""


def last_handicaps(log: EventLog, game: str, names: Sequence[str]) -> Mapping[str, int]:
    """Return the handicap of each player at the end of their last game by the same rules.

    Names are compared without regard to case and to spaces around them.  Players without a game are left out.
    """
    wanted = {name_key(name): name for name in names}
    found: dict[str, int] = {}
    for earlier in sorted(log.games(), reverse=True)[:MAX_SEARCHED_GAMES]:
        missing = wanted.keys() - {name_key(name) for name in found}
        if not missing:
            break
        if is_seated(log, game, earlier, missing):
            found |= {
                wanted[name]: own for name, own in final_handicaps(log, earlier).items() if name in missing
            }
    return found


def is_seated(log: EventLog, game: str, earlier: str, names: Collection[str]) -> bool:
    """Return whether any of the players took part in an earlier game by the same rules."""
    first, *others = [json.loads(row.body) for row in log.rows_of(earlier, *SEATING_EVENTS)] or [{}]
    sat = [*first.get("seats", ()), *(one["name"] for one in others)]
    return first.get("game") == game and any(name_key(name) in names for name in sat)


def final_handicaps(log: EventLog, earlier: str) -> Mapping[str, int]:
    """Return the handicaps at the end of an earlier game, by name; empty if it is damaged."""
    try:
        events = history(log, earlier)
    except BadLog as error:
        logger.warning("its handicaps are not known: %s", error)
        return {}
    seats = fold(rules_of(events), events).seats
    return {name_key(seat.name): seat.handicap for seat in seats if seat.handicap is not None}


def name_key(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return name.strip().casefold()
