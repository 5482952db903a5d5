"""Loss and return of a table's camera during a round."""

from __future__ import annotations

import http.client
import random
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from companion.drill.halls.evening import POLL_S, FaultAction, FaultCounts, tournament_state
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.halls.kills import game_stage
from companion.drill.table_processes import wait_for

WALL_UPDATE_TIMEOUT_S = 15.0
"""Longest time until the wall shows that a camera is gone or back, in seconds."""

CAMERA_LOSS_RANGE_S = (0.0, 2.0)
"""Least and greatest time for which a camera stays lost, in seconds."""

WALL_ATTENTION_PATTERN = re.compile(r'<b>(?P<table>[^<]*)</b> <span class="sign">(?P<sign>[^<]*)</span>')
"""A table that needs attention on the wall page, and the reason."""


@contextmanager
def camera_losses(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that takes away the camera of a playing table and returns it
    once the wall shows that.
    """

    def act() -> FaultCounts:
        at_play: list[str] = []

        def begun() -> bool:
            at_play[:] = tables_in_play(venue)
            return bool(at_play) or is_over(venue)

        if not wait_for(begun, WALL_UPDATE_TIMEOUT_S, POLL_S) or not at_play:
            return {}
        table = rng.choice(at_play)
        venue.camera(table, there=False)
        if not wait_for(lambda: wall_shows_lost(venue.port, table), WALL_UPDATE_TIMEOUT_S, POLL_S):
            venue.faults.append(f"the wall did not show that the camera of {table} is gone")
        time.sleep(rng.uniform(*CAMERA_LOSS_RANGE_S))
        venue.camera(table, there=True)
        if not wait_for(lambda: not wall_shows_lost(venue.port, table), WALL_UPDATE_TIMEOUT_S, POLL_S):
            venue.faults.append(f"the wall did not show that the camera of {table} is back")
        return {"cameras lost and back": 1}

    yield act


def is_over(venue: HallProcesses) -> bool:
    """Return whether the tournament is over."""
    state = tournament_state(venue)
    return state is not None and state.ended


def tables_in_play(venue: HallProcesses) -> list[str]:
    """Return the tables whose game of the round has started and is not decided."""
    state = tournament_state(venue)
    now = state.current if state else None
    tables = now.tables if now is not None and not now.closed else ()
    return [
        one.table for one in tables if one.game and game_stage(venue, one.table, one.game) == (True, False)
    ]


def wall_shows_lost(port: int, table: str) -> bool:
    """Return whether the wall page shows that a table's camera is lost."""
    name = f"Table {table.removeprefix('table-')}"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with suppress(OSError, http.client.HTTPException), closing(connection):
        connection.request("GET", "/")
        page = connection.getresponse().read().decode()
        return any(
            (one["table"], one["sign"]) == (name, "Camera") for one in WALL_ATTENTION_PATTERN.finditer(page)
        )
    return False
