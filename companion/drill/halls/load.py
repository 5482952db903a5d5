"""Load of a hall: phones at its pages, and a hundred tables and 250 phones at once."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Progress, quantile
from companion.bench.halls import WallClient
from companion.bench.processes import cpu_s, memory_mb
from companion.drill.crowd import Crowd
from companion.drill.halls.evening import (
    EVENING_TIMEOUT_S,
    POLL_S,
    compare_logs,
    is_over,
    last_log_line,
    progress_text,
    tournament_state,
)
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.hostile_phones import ARRIVAL_S, MAX_P99_MS, STAY_S, crowd_outcome
from companion.drill.outcome import Outcome
from companion.drill.table_processes import wait_for
from companion.events.log import EventLog

Shown = Mapping[str, list[tuple[int, int]]]
"""Number and time of each event that a phone showed, by table and in order of time."""

PAGES = ("/", "/standings", "/rounds", "/screen", "/players", "/players/p3", "/papers/standings.json")
"""Pages that phones open during an evening."""

LIVES = ("/live/wall", "/live/standings", "/live/rounds", "/live/screen")
"""Live streams of the phones."""

TABLES, PHONES = 100, 250
"""Numbers of tables and phones at once: the load that a hall on two cores must carry."""

CALL_INTERVAL_S = 1.0
"""Seconds between two calls at a table: a hundred of them write more than two hundred events a second."""

PHONES_STAY_S = 30.0
"""Seconds for which phones stay: about the duration of a round."""

MAX_MEMORY_MB = 200.0
"""Largest memory of the hall, in MB."""


def phones(count: int, seed: int, *, late_ms: float = MAX_P99_MS, stay_s: float = STAY_S) -> Outcome:
    """Return the response times of ``count`` phones at the hall's pages during an evening."""
    with TemporaryDirectory(prefix="drill-") as place, ExitStack() as stack:
        venue = HallProcesses(Path(place) / "venue", Path(place) / "hall", seed)
        stack.enter_context(closing(venue))
        venue.prepare()
        venue.start()
        found = Crowd(venue.port, seed, PAGES, LIVES)
        found.play(count, ARRIVAL_S, stay_s)
    return crowd_outcome("hall: honest phones while an evening goes on", count, found, late_ms)


def hall_load(
    tables: int,
    phones: int,
    seed: int,
    progress: Progress,
    *,
    late_ms: float = MAX_P99_MS,
    stay_s: float = PHONES_STAY_S,
) -> Outcome:
    """Return the outcome of an evening of two rounds at many tables with many phones.

    The latency of an event runs from the press at its table, by the clock that stamped it, to the complete
    message of the wall at a phone.
    """
    with TemporaryDirectory(prefix="drill-") as place, ExitStack() as stack:
        folders = Path(place) / "venue", Path(place) / "hall"
        venue = HallProcesses(*folders, seed, tables=tables, rounds=2, pace_s=CALL_INTERVAL_S)
        stack.enter_context(closing(venue))
        venue.prepare()
        venue.start()
        progress("hall: tables begin to play")
        wait_for(lambda: round_has_begun(venue), EVENING_TIMEOUT_S, POLL_S)
        context = multiprocessing.get_context("forkserver")
        receiving, sending = context.Pipe()
        stop = context.Event()
        context.Process(target=watch_wall, args=(venue.port, stop, sending), daemon=True).start()
        found = Crowd(venue.port, seed, PAGES, LIVES)
        began_s, before_s = time.monotonic(), hall_cpu_s(venue)
        progress(f"hall: {tables} tables and {phones} phones")
        found.play(phones, ARRIVAL_S, stay_s)
        seconds, cpu = time.monotonic() - began_s, hall_cpu_s(venue) - before_s
        until_ns = time.monotonic_ns()
        progress("hall: the evening goes on to its end")
        faults = list(found.failed)
        if not wait_for(lambda: is_over(venue), EVENING_TIMEOUT_S, POLL_S):
            faults.append(f"the evening came to no end: {progress_text(venue)}; {last_log_line(venue)}")
        held_mb = memory_mb(venue.hall.pid) if venue.hall else float("nan")
        stop.set()
        shown: Shown = receiving.recv()
        events, differing = compare_logs(venue)
        late_s, missed = lateness(table_events(venue), shown, int(began_s * 1e9), until_ns)
    faults += differing
    asked = {
        "99 of 100 presses were shown": (1000 * quantile(late_s, 0.99), late_ms, "ms"),
        "99 of 100 answers came": (1000 * quantile(found.answers_s, 0.99), late_ms, "ms"),
    }
    faults += [
        f"{what} within {got:.0f} {unit}; {most:.0f} are asked"
        for what, (got, most, unit) in asked.items()
        if not got <= most
    ]
    if missed:
        faults.append(f"{missed} events were never shown")
    if len(found.live_s) < phones:
        faults.append(f"{phones - len(found.live_s)} of {phones} phones never went live")
    if not held_mb <= MAX_MEMORY_MB:
        faults.append(f"the hall took {held_mb:.0f} MB; at most {MAX_MEMORY_MB:.0f} are asked")
    measured = {
        "tables": float(tables),
        "press to page, ms at the median": 1000 * quantile(late_s, 0.5),
        "ms for 99 of 100": 1000 * quantile(late_s, 0.99),
        "answers": float(len(found.answers_s)),
        "answer, ms at the median": 1000 * quantile(found.answers_s, 0.5),
        "answer, ms for 99 of 100": 1000 * quantile(found.answers_s, 0.99),
        "events shown": float(len(late_s)),
        "events a second": len(late_s) / seconds,
        "hall, MB": held_mb,
        "hall, % of one core": 100 * cpu / seconds,
        "hall, ms of a core for each event": 1000 * cpu / max(1, len(late_s)),
        "events compared": float(events),
    }
    return Outcome("hall: many tables and phones at once", phones, faults, measured)


def watch_wall(port: int, stop: Event, out: Connection) -> None:
    """Follow the wall as one phone until ``stop`` is set, then send its shown events with their times.

    It runs in a process of its own, as the crowd keeps another one busy.
    """
    phone = WallClient(port)
    looking = threading.Thread(target=phone.look)
    looking.start()
    stop.wait()
    phone.stop.set()
    looking.join()
    out.send(phone.shown)


def round_has_begun(venue: HallProcesses) -> bool:
    """Return whether all groups of the first round have begun."""
    state = tournament_state(venue)
    now = state.current if state else None
    return now is not None and all(one.game for one in now.tables)


def hall_cpu_s(venue: HallProcesses) -> float:
    """Return the seconds that the hall has spent on processors."""
    return cpu_s(venue.hall.pid) if venue.hall else 0.0


def table_events(venue: HallProcesses) -> dict[str, list[tuple[int, int]]]:
    """Return numbers and times of all events of each table, in order."""
    opened: dict[str, Mapping[str, int]] = {}
    for path in venue.folder.glob("*.opened"):
        opened |= json.loads(path.read_text("ascii"))
    found: dict[str, list[tuple[int, int]]] = {}
    for name, path in venue.logs.items():
        with EventLog(path, writable=False) as log:
            found[name] = [
                (row.number, began_ns + row.at_ns)
                for game, began_ns in sorted(opened.get(name, {}).items())
                for row in log.rows(game)
            ]
    return found


def lateness(
    pressed: Mapping[str, list[tuple[int, int]]],
    shown: Shown,
    from_ns: int,
    until_ns: int,
) -> tuple[list[float], int]:
    """Return the latency of each event within a time span, in seconds, and the number of events never shown.

    ``pressed`` and ``shown`` are numbers of events with times, by table and in order of time.  Numbers begin
    again with each game: an event is shown by the first message after it with its number or a later one, or
    with any number after the next game has begun.
    """
    late_s, missed = [], 0
    for table, events in pressed.items():
        begins_ns = [at_ns for number, at_ns in events if number == 1]
        for number, at_ns in events:
            if not from_ns <= at_ns < until_ns:
                continue
            next_ns = next((one for one in begins_ns if one > at_ns), None)
            when = next(
                (
                    seen_ns
                    for seen, seen_ns in shown.get(table, ())
                    if seen_ns >= at_ns and (seen >= number or (next_ns is not None and seen_ns >= next_ns))
                ),
                None,
            )
            if when is None:
                missed += 1
            else:
                late_s.append((when - at_ns) / 1e9)
    return late_s, missed
