"""An evening to which harm is done, and whether the hall ends with what the tables' own logs say."""

from __future__ import annotations

import http.client
import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from companion.drill.halls.venue import ROUNDS, Venue
from companion.drill.outcome import Outcome
from companion.drill.stage import wait_for
from companion.errors import CompanionError
from companion.events.log import EventLog
from companion.hall import entries as en
from companion.hall.replica import LogReplica
from companion.hall.tournament import Tournament, fold
from companion.hall.tournament_service import read
from companion.hall.verification import verify

LONGEST_S = 240.0
"""Seconds after the last harm in which an evening must be over."""

CAUGHT_UP_S = 60.0
"""Seconds after its end in which the hall must show what the tables' logs say."""

PAUSE_S = (0.5, 2.5)
"""Seconds between two acts, from and to."""

LOOK_S = 0.2

Done = Mapping[str, float]
"""How often what was done."""

Act = Callable[[], Done]
"""Does some harm once, and returns what it was; nothing where there was nothing to do any more."""


@dataclass(slots=True)
class Harmed:
    """What was done to an evening, and what came of it."""

    faults: list[str] = field(default_factory=list)
    done: dict[str, float] = field(default_factory=dict)
    compared: int = 0
    seconds: float = 0.0

    def add(self, other: Harmed) -> None:
        """Add what was done to another evening."""
        self.faults += other.faults
        for what, many in other.done.items():
            self.done[what] = self.done.get(what, 0.0) + many
        self.compared += other.compared
        self.seconds += other.seconds

    def outcome(self, what: str) -> Outcome:
        """Return it as a line of the table of drills."""
        acts = int(sum(self.done.values()))
        faults = [*self.faults] if acts else [*self.faults, "the evening was over before any harm was done"]
        more = {**self.done, "events compared": float(self.compared), "seconds": self.seconds}
        return Outcome(what, acts, faults, more)


def played(venue: Venue, act: Act, times: int, rng: random.Random) -> Harmed:
    """Run an evening, act so often meanwhile, and compare at its end; ``times`` acts fit in rarely more."""
    found, began_s = Harmed(), time.monotonic()
    venue.start()
    for _ in range(times):
        if wait_for(lambda: over(venue), rng.uniform(*PAUSE_S), LOOK_S):
            break
        for what, many in act().items():
            found.done[what] = found.done.get(what, 0.0) + many
    venue.start()
    if not wait_for(lambda: over(venue), LONGEST_S, LOOK_S):
        found.faults.append(f"the evening came to no end: {where(venue)}; {last(venue)}")
    found.compared, faults = compared(venue)
    found.faults += [*faults, *venue.faults]
    found.seconds = time.monotonic() - began_s
    return found


def entries(venue: Venue) -> Tournament | None:
    """Return the tournament as the hall's own log has it; ``None`` while it cannot be read."""
    with suppress(CompanionError), EventLog(venue.own_log, writable=False) as log:
        return fold(read(log, log.games()[-1]))
    return None


def over(venue: Venue) -> bool:
    """Return whether the tournament is over, by the hall's own log."""
    with suppress(CompanionError), EventLog(venue.own_log, writable=False) as log:
        return any(log.rows_of(log.games()[-1], en.TournamentEnded.__name__))
    return False


def where(venue: Venue) -> str:
    """Return how far the evening is, in words."""
    state = entries(venue)
    if state is None or state.current is None:
        return "no round was drawn"
    tables = ", ".join(f"{one.table} game {one.game or 'none'}" for one in state.current.tables)
    return f"round {state.current.number} of {ROUNDS}: {tables}"


def last(venue: Venue) -> str:
    """Return what the hall said last of itself."""
    lines = (venue.folder / "hall.err").read_text("utf-8", "replace").splitlines()
    return f"it said last: {lines[-1] if lines else 'nothing'}"


def compared(venue: Venue) -> tuple[int, list[str]]:
    """Return how many events the tables' logs hold of the tournament, and what the hall has otherwise."""
    own, fits = verify(venue.own_log, venue.logs)
    faults = [] if fits else [own[: own.index("{")].replace("\n", "; ")]
    wanted = own[own.index("{") :]
    if not wait_for(lambda: shown(venue.port) == wanted, CAUGHT_UP_S, LOOK_S):
        faults.append(f"the hall's standings are others than those of the tables' own logs; {last(venue)}")
    events, differing = rows(venue)
    faults += [f"the hall's copy of {key} differs from the table's log" for key in differing]
    told = venue.told
    if "Traceback" in told:
        faults.append(told[told.index("Traceback") :].replace("\n", " | ")[:800])
    return events, faults


def shown(port: int) -> str:
    """Return the tournament as the hall's pages tell it now, nothing where they do not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/papers/standings.json")
        return connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        connection.close()


def rows(venue: Venue) -> tuple[int, list[str]]:
    """Return how many events the games of the tournament have, and which the hall's copies have otherwise."""
    state, count, differing = entries(venue), 0, list[str]()
    with LogReplica(venue.kept / "tables.db") as copies:
        for one in state.rounds if state else ():
            for table in one.tables:
                with EventLog(venue.logs[table.table], writable=False) as log:
                    own = list(log.rows(table.game))
                count += len(own)
                if not wait_for(
                    lambda key=(table.table, table.game), own=own: copies.rows(key) == own,  # type: ignore[misc]
                    CAUGHT_UP_S,
                    LOOK_S,
                ):
                    differing.append(f"{table.table} {table.game}")
    return count, differing
