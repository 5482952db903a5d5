"""The drills of a hall, and how they run."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Progress
from companion.drill.halls.cameras import camera_losses
from companion.drill.halls.clocks import step_clock
from companion.drill.halls.disks import copy_damage, disk_faults
from companion.drill.halls.evening import EveningResult, FaultAction, play_evening
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.halls.hostile_topics import hostile_topics
from companion.drill.halls.kills import broker_outage, part_kills
from companion.drill.halls.load import PHONES, TABLES, hall_load, phones
from companion.drill.halls.message_faults import message_faults
from companion.drill.outcome import Outcome
from companion.drill.powercuts import Card
from companion.errors import UsageError

MAX_EVENINGS = 10
"""Largest number of evenings of one drill; each has time for some faults."""

FaultInjector = Callable[[HallProcesses, random.Random], AbstractContextManager[FaultAction]]
"""Context manager that prepares a fault and yields the action that injects it."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A drill: its description and its fault.

    ``apart`` gives the hall a broker of its own, ``card`` a disk of its own, which needs root.  ``many`` is
    the number of messages that count as one fault, for drills that count messages.
    """

    what: str
    injector: FaultInjector
    apart: bool = False
    card: bool = False
    many: int = 1


DRILLS: Mapping[str, Drill] = {
    "kills": Drill("table, hall, broker and pages killed at random", part_kills),
    "gone": Drill("broker gone for a round", broker_outage),
    "deliveries": Drill(
        "duplicated, re-ordered, delayed, lost and forged deliveries", message_faults, apart=True, many=10
    ),
    "disks": Drill("full, read-only and slow disk", disk_faults, card=True),
    "damage": Drill("damaged copies of the tables' logs", copy_damage),
    "clocks": Drill("clock stepped", step_clock),
    "cameras": Drill("a table's camera lost and back while its round is played", camera_losses),
    "topics": Drill("hostile topics and payloads", hostile_topics, many=100),
}
"""Every drill of a hall by its name."""


def run_hall_drills(count: int, seed: int, progress: Progress) -> Iterator[Outcome]:
    """Run each drill with at least ``count`` faults; raise UsageError without permission to mount a disk."""
    for name in DRILLS:
        yield run_drill(name, count, seed, progress)
    progress("hall: phones")
    yield phones(PHONES, seed)
    yield hall_load(TABLES, PHONES, seed, progress)


def run_drill(name: str, count: int, seed: int, progress: Progress) -> Outcome:
    """Run one drill over the evenings that it needs, and return its outcome."""
    drill, rng = DRILLS[name], random.Random(f"{name} {seed}")
    if drill.card and os.geteuid() != 0:
        raise UsageError("a disk that fails needs a file system of its own; call this drill with sudo")
    whole, acts, count = EveningResult(), 0, count * drill.many
    for evening in range(MAX_EVENINGS):
        progress(f"hall: {drill.what}, {acts} of {count}")
        found = run_evening(drill, count - acts, rng, seed + evening, acts)
        whole.add(found)
        acts += int(sum(found.done.values()))
        if acts >= count or not found.done:
            break
    return whole.outcome(f"hall: {drill.what}")


def run_evening(drill: Drill, acts: int, rng: random.Random, seed: int, before: int) -> EveningResult:
    """Run a drill for one evening; ``before`` is the number of faults in the evenings before."""
    with TemporaryDirectory(prefix="drill-") as place, ExitStack() as stack:
        folder, kept = Path(place) / "venue", Path(place) / "hall"
        folder.mkdir()
        if drill.card:
            card = Card(folder / "card", kept)
            card.make()
            stack.callback(card.unmount)
        venue = stack.enter_context(
            closing(HallProcesses(folder, kept, seed, apart=drill.apart, before=before))
        )
        venue.prepare()
        act = stack.enter_context(drill.injector(venue, rng))
        return play_evening(venue, act, acts, rng)
