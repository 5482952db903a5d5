"""A table's camera lost while its round is played, and back again."""

from __future__ import annotations

import http.client
import random
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from companion.drill.halls.evening import LOOK_S, Act, Done, entries
from companion.drill.halls.kills import stage
from companion.drill.halls.venue import Venue
from companion.drill.stage import wait_for

SHOWN_S = 15.0
"""Seconds in which the wall must show that a camera is gone, or back."""

GONE_S = (0.0, 2.0)
"""Seconds for which a camera that the wall shows as gone stays so, from and to."""

WAITS = re.compile(r'<b>(?P<table>[^<]*)</b> <span class="sign">(?P<sign>[^<]*)</span>')
"""A table that the wall names among those to which somebody should go, and why."""


@contextmanager
def cameras(venue: Venue, rng: random.Random) -> Iterator[Act]:
    """Yield what takes a table's camera away while it plays, and brings it back when the wall has said so."""

    def act() -> Done:
        at_play: list[str] = []

        def begun() -> bool:
            at_play[:] = playing(venue)
            return bool(at_play) or over(venue)

        if not wait_for(begun, SHOWN_S, LOOK_S) or not at_play:
            return {}
        table = rng.choice(at_play)
        venue.camera(table, there=False)
        if not wait_for(lambda: blind(venue.port, table), SHOWN_S, LOOK_S):
            venue.faults.append(f"the wall did not show that the camera of {table} is gone")
        time.sleep(rng.uniform(*GONE_S))
        venue.camera(table, there=True)
        if not wait_for(lambda: not blind(venue.port, table), SHOWN_S, LOOK_S):
            venue.faults.append(f"the wall did not show that the camera of {table} is back")
        return {"cameras lost and back": 1}

    yield act


def over(venue: Venue) -> bool:
    """Return whether the tournament is over."""
    state = entries(venue)
    return state is not None and state.ended


def playing(venue: Venue) -> list[str]:
    """Return the tables whose game of the round has started and is not decided."""
    state = entries(venue)
    now = state.current if state else None
    tables = now.tables if now is not None and not now.closed else ()
    return [one.table for one in tables if one.game and stage(venue, one.table, one.game) == (True, False)]


def blind(port: int, table: str) -> bool:
    """Return whether the wall names a table among those whose camera is gone."""
    name = f"Table {table.removeprefix('table-')}"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with suppress(OSError, http.client.HTTPException), closing(connection):
        connection.request("GET", "/")
        page = connection.getresponse().read().decode()
        return any((one["table"], one["sign"]) == (name, "Camera") for one in WAITS.finditer(page))
    return False
