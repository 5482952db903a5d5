"""Program: several tables of a hall in one process, each with its own log and publisher.

``python -m companion.bench.hall_tables_process`` reads its task as a line of JSON, prints a line when it is
ready, and begins when its input ends.  It prints for each event the table, its number, and the time of its
write to the disk by the machine's monotonic clock.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.bench.rules import calls_of_evening, new_match
from companion.events.log import EventLog
from companion.events.match import Match
from companion.hall.mqtt import Broker
from companion.hall.publishing.publisher import Publisher
from companion.hall.simulated import simulated_publisher
from companion.model.calls import Input

SYNC_TIMEOUT_S = 60.0
"""Longest time until all tables are connected, and until all events are acknowledged, in seconds."""

POLL_INTERVAL_S = 0.01
"""Seconds between two rounds of all publishers."""


@dataclass(slots=True)
class Bench:
    """A table: its game, its next calls and sightings, and when the next one is due."""

    name: str
    match: Match
    hears: Iterator[Input]
    publisher: Publisher
    due_s: float = 0.0

    def act(self) -> list[tuple[str, int, int]]:
        """Append the events of the next call or sighting; return table, number and time of each."""
        events: list[Any] = []
        while not events:
            events = self.match.handle(next(self.hears))
        at_ns = time.monotonic_ns()
        return [(self.name, one.number, at_ns) for one in events]

    @property
    def behind(self) -> bool:
        """Whether the broker has not acknowledged everything."""
        return self.publisher.outbox.after(self.match.name) < self.match.number


def main() -> None:
    """Run the tables that standard input describes."""
    asked = json.loads(sys.stdin.readline())
    tables = [new_table(name, asked) for name in asked["tables"]]
    run_publishers(tables, lambda: any(one.behind for one in tables), time.monotonic() + SYNC_TIMEOUT_S)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()  # waits until all are ready
    begin_s = time.monotonic() + 1.0
    step_s = 1.0 / asked["rate"]
    for number, one in enumerate(tables):
        one.due_s = begin_s + step_s * number / len(tables)
    written = []
    end_s = begin_s + asked["seconds"]
    while time.monotonic() < end_s:
        for one in tables:
            if one.due_s <= time.monotonic():
                written += one.act()
                one.due_s += step_s
                one.publisher.step()
        for one in tables:
            one.publisher.step()
        time.sleep(POLL_INTERVAL_S)
    run_publishers(tables, lambda: any(one.behind for one in tables), time.monotonic() + SYNC_TIMEOUT_S)
    for name, number, at_ns in written:
        sys.stdout.write(f"{name} {number} {at_ns}\n")


def new_table(name: str, asked: dict[str, Any]) -> Bench:
    """Return a table with a new game."""
    folder = Path(asked["folder"])
    match = new_match(EventLog(folder / f"{name}.db"), 4)
    host, port, password, authority = asked["broker"]
    broker = Broker(host, port, name, asked["passwords"][name] or password, Path(authority))
    return Bench(name, match, calls_of_evening(4), simulated_publisher(name, None, folder, broker))


def run_publishers(tables: list[Bench], waits: Any, until_s: float) -> None:
    """Run all publishers while a condition holds, at most until a time."""
    while waits() and time.monotonic() < until_s:
        for one in tables:
            one.publisher.step()
        time.sleep(POLL_INTERVAL_S)


if __name__ == "__main__":
    main()
