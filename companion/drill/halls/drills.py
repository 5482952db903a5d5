"""The drills of a hall, one after the other."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Progress
from companion.drill.halls.cameras import cameras
from companion.drill.halls.clocks import stepped
from companion.drill.halls.crowded import PHONES, TABLES, crowded
from companion.drill.halls.deliveries import mischief
from companion.drill.halls.disks import damaged, failing
from companion.drill.halls.evening import Act, Harmed, played
from companion.drill.halls.kills import gone, kills
from companion.drill.halls.phones import phones
from companion.drill.halls.topics import hostile
from companion.drill.halls.venue import Venue
from companion.drill.outcome import Outcome
from companion.drill.powercuts import Card
from companion.errors import UsageError

MOST_EVENINGS = 10
"""Evenings of one drill: in each there is time for some acts."""

Harm = Callable[[Venue, random.Random], AbstractContextManager[Act]]
"""Gives what does harm to an evening."""


@dataclass(frozen=True, slots=True)
class Drill:
    """What is told of a drill, and what does the harm.

    ``apart`` gives the hall a broker of its own, ``card`` a disk of its own, for which one must be root.
    ``many`` is how many messages stand for one act, where messages are what is counted.
    """

    what: str
    harm: Harm
    apart: bool = False
    card: bool = False
    many: int = 1


DRILLS: Mapping[str, Drill] = {
    "kills": Drill("table, hall, broker and pages killed at random", kills),
    "gone": Drill("broker gone for a round", gone),
    "deliveries": Drill(
        "duplicated, re-ordered, delayed, lost and forged deliveries", mischief, apart=True, many=10
    ),
    "disks": Drill("full, read-only and slow disk", failing, card=True),
    "damage": Drill("damaged copies of the tables' logs", damaged),
    "clocks": Drill("clock stepped", stepped),
    "cameras": Drill("a table's camera lost and back while its round is played", cameras),
    "topics": Drill("hostile topics and payloads", hostile, many=100),
}
"""Every drill of a hall by its name."""


def halls(count: int, seed: int, progress: Progress) -> Iterator[Outcome]:
    """Do each drill, with so many acts at least; raise UsageError for who may not mount a disk."""
    for name in DRILLS:
        yield drilled(name, count, seed, progress)
    progress("hall: phones")
    yield phones(PHONES, seed)
    yield crowded(TABLES, PHONES, seed, progress)


def drilled(name: str, count: int, seed: int, progress: Progress) -> Outcome:
    """Do one drill in as many evenings as it takes, and return what came of it."""
    drill, rng = DRILLS[name], random.Random(f"{name} {seed}")
    if drill.card and os.geteuid() != 0:
        raise UsageError("a disk that fails needs a file system of its own; call this drill with sudo")
    whole, acts, count = Harmed(), 0, count * drill.many
    for evening in range(MOST_EVENINGS):
        progress(f"hall: {drill.what}, {acts} of {count}")
        found = once(drill, count - acts, rng, seed + evening, acts)
        whole.add(found)
        acts += int(sum(found.done.values()))
        if acts >= count or not found.done:
            break
    return whole.outcome(f"hall: {drill.what}")


def once(drill: Drill, acts: int, rng: random.Random, seed: int, before: int) -> Harmed:
    """Do a drill for one evening; ``before`` is how often it was done to those before."""
    with TemporaryDirectory(prefix="drill-") as place, ExitStack() as stack:
        folder, kept = Path(place) / "venue", Path(place) / "hall"
        folder.mkdir()
        if drill.card:
            card = Card(folder / "card", kept)
            card.make()
            stack.callback(card.unmount)
        venue = stack.enter_context(closing(Venue(folder, kept, seed, apart=drill.apart, before=before)))
        venue.prepare()
        act = stack.enter_context(drill.harm(venue, rng))
        return played(venue, act, acts, rng)
