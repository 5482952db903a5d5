"""Random kills of tables, hall, broker and pages, and an outage of the broker for a whole round."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from companion.drill.halls.evening import POLL_S, FaultAction, FaultCounts, tournament_state
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.table_processes import wait_for
from companion.errors import CompanionError
from companion.events.log import EventLog
from companion.events.replay import history, rules_of
from companion.hall.tournament import Round
from companion.rules.play import fold

RESTART_DELAY_RANGE_S = (0.0, 3.0)
"""Least and greatest time until a killed part is started again, in seconds."""

ROUND_TIMEOUT_S = 120.0
"""Longest time until a round begins, and until tables alone finish it, in seconds."""


@contextmanager
def part_kills(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that kills one part, each kind in turn, and starts it again after a while."""
    parts = ("table", "hall", "broker", "web")
    turns = venue.in_turn(parts)

    def act() -> FaultCounts:
        what = next(turns)
        table = rng.choice(venue.names)
        match what:
            case "table":
                venue.kill_table(table)
            case "hall":
                venue.kill_hall()
            case "broker":
                venue.broker.kill()
            case _:
                venue.kill_web()
        time.sleep(rng.uniform(*RESTART_DELAY_RANGE_S))
        venue.start()
        return {f"{what} killed": 1}

    yield act


@contextmanager
def broker_outage(venue: HallProcesses, _rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that stops the broker from the start of all games of a round until they end."""
    seen: set[int] = set()

    def act() -> FaultCounts:
        found: list[Round] = []

        def begun() -> bool:
            state = tournament_state(venue)
            now = state.current if state else None
            if state is not None and state.ended:
                return True
            if now is None or now.number in seen or not all(one.game for one in now.tables):
                return False
            found.append(now)
            return all(game_stage(venue, one.table, one.game)[0] for one in now.tables)

        if not wait_for(begun, ROUND_TIMEOUT_S, POLL_S):
            return {"rounds that never began": 1}
        if not found:
            return {}
        now = found[-1]
        seen.add(now.number)
        venue.broker.kill()
        ended = wait_for(
            lambda: all(game_stage(venue, one.table, one.game)[1] for one in now.tables),
            ROUND_TIMEOUT_S,
            POLL_S,
        )
        venue.start()
        return {"rounds without the broker" if ended else "rounds that tables did not finish alone": 1}

    yield act


def game_stage(venue: HallProcesses, table: str, game: str) -> tuple[bool, bool]:
    """Return whether a game has started and whether its result is confirmed, by the table's own log."""
    try:
        with EventLog(venue.logs[table], writable=False) as log:
            events = history(log, game)
    except CompanionError:
        return False, False
    state = fold(rules_of(events), events)
    return state.started, state.confirmed
