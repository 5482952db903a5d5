"""An evening with injected faults, and the comparison of the hall with the tables' own logs."""

from __future__ import annotations

import http.client
import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from companion.drill.halls.hall_processes import DEFAULT_ROUNDS, HallProcesses
from companion.drill.outcome import Outcome
from companion.drill.table_processes import wait_for
from companion.errors import CompanionError
from companion.events.log import EventLog
from companion.hall import entries as en
from companion.hall.replica import LogReplica
from companion.hall.tournament import Tournament, fold
from companion.hall.tournament_service import read
from companion.hall.verification import verify

EVENING_TIMEOUT_S = 240.0
"""Longest time from the last fault to the end of an evening, in seconds."""

CATCH_UP_TIMEOUT_S = 60.0
"""Longest time after its end until the hall shows the state of the tables' logs, in seconds."""

FAULT_INTERVAL_RANGE_S = (0.5, 2.5)
"""Least and greatest time between two faults, in seconds."""

POLL_S = 0.2

FaultCounts = Mapping[str, float]
"""Number of injected faults by their description."""

FaultAction = Callable[[], FaultCounts]
"""Injects one fault and returns its counts; empty where no fault was left."""


@dataclass(slots=True)
class EveningResult:
    """The injected faults of an evening, and its result."""

    faults: list[str] = field(default_factory=list)
    done: dict[str, float] = field(default_factory=dict)
    compared: int = 0
    seconds: float = 0.0

    def add(self, other: EveningResult) -> None:
        """Add the result of another evening."""
        self.faults += other.faults
        for what, many in other.done.items():
            self.done[what] = self.done.get(what, 0.0) + many
        self.compared += other.compared
        self.seconds += other.seconds

    def outcome(self, what: str) -> Outcome:
        """Return the result as an outcome."""
        acts = int(sum(self.done.values()))
        faults = [*self.faults] if acts else [*self.faults, "the evening was over before any harm was done"]
        more = {**self.done, "events compared": float(self.compared), "seconds": self.seconds}
        return Outcome(what, acts, faults, more)


def play_evening(venue: HallProcesses, act: FaultAction, times: int, rng: random.Random) -> EveningResult:
    """Run an evening with up to ``times`` faults, and compare the hall with the tables' logs at its end."""
    found, began_s = EveningResult(), time.monotonic()
    venue.start()
    for _ in range(times):
        if wait_for(lambda: is_over(venue), rng.uniform(*FAULT_INTERVAL_RANGE_S), POLL_S):
            break
        for what, many in act().items():
            found.done[what] = found.done.get(what, 0.0) + many
    venue.start()
    if not wait_for(lambda: is_over(venue), EVENING_TIMEOUT_S, POLL_S):
        found.faults.append(f"the evening came to no end: {progress_text(venue)}; {last_log_line(venue)}")
    found.compared, faults = compare_logs(venue)
    found.faults += [*faults, *venue.faults]
    found.seconds = time.monotonic() - began_s
    return found


def tournament_state(venue: HallProcesses) -> Tournament | None:
    """Return the tournament in the hall's own log; ``None`` while it cannot be read."""
    with suppress(CompanionError), EventLog(venue.own_log, writable=False) as log:
        return fold(read(log, log.games()[-1]))
    return None


def is_over(venue: HallProcesses) -> bool:
    """Return whether the tournament is over, by the hall's own log."""
    with suppress(CompanionError), EventLog(venue.own_log, writable=False) as log:
        return any(log.rows_of(log.games()[-1], en.TournamentEnded.__name__))
    return False


def progress_text(venue: HallProcesses) -> str:
    """Return the progress of the evening in words."""
    state = tournament_state(venue)
    if state is None or state.current is None:
        return "no round was drawn"
    tables = ", ".join(f"{one.table} game {one.game or 'none'}" for one in state.current.tables)
    return f"round {state.current.number} of {DEFAULT_ROUNDS}: {tables}"


def last_log_line(venue: HallProcesses) -> str:
    """Return the last line of the hall's error output."""
    lines = (venue.folder / "hall.err").read_text("utf-8", "replace").splitlines()
    return f"it said last: {lines[-1] if lines else 'nothing'}"


def compare_logs(venue: HallProcesses) -> tuple[int, list[str]]:
    """Return the number of the tournament's events in the tables' logs, and the differences of the hall."""
    expected, fits = verify(venue.own_log, venue.logs)
    faults = [] if fits else [expected[: expected.index("{")].replace("\n", "; ")]
    wanted = expected[expected.index("{") :]
    if not wait_for(lambda: shown_standings(venue.port) == wanted, CATCH_UP_TIMEOUT_S, POLL_S):
        faults.append(
            f"the hall's standings are others than those of the tables' own logs; {last_log_line(venue)}"
        )
    events, differing = compare_copies(venue)
    faults += [f"the hall's copy of {key} differs from the table's log" for key in differing]
    output = venue.error_output
    if "Traceback" in output:
        faults.append(output[output.index("Traceback") :].replace("\n", " | ")[:800])
    return events, faults


def shown_standings(port: int) -> str:
    """Return the standings of the hall's pages as JSON, empty where they do not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/papers/standings.json")
        return connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        connection.close()


def compare_copies(venue: HallProcesses) -> tuple[int, list[str]]:
    """Return the number of events of the tournament's games, and the games whose copies differ."""
    state, count, differing = tournament_state(venue), 0, list[str]()
    with LogReplica(venue.kept / "tables.db") as copies:
        for one in state.rounds if state else ():
            for table in one.tables:
                with EventLog(venue.logs[table.table], writable=False) as log:
                    own = list(log.rows(table.game))
                count += len(own)
                if not wait_for(
                    lambda key=(table.table, table.game), own=own: copies.rows(key) == own,  # type: ignore[misc]
                    CATCH_UP_TIMEOUT_S,
                    POLL_S,
                ):
                    differing.append(f"{table.table} {table.game}")
    return count, differing
