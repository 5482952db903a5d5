"""Simulated tables: games played by random calls through the rules and the log, without camera or buttons."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.errors import Unanswered
from companion.events.following import LogFollower
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history
from companion.hall.contract.messages import payload
from companion.hall.contract.topics import Channel, topic
from companion.hall.mqtt import Broker, LastWill, MqttConnection
from companion.hall.publishing.publisher import LOG_POLL_S, Outbox, PublishedTable, Publisher
from companion.hall.publishing.summary import offline
from companion.model.calls import Called, Order, Ordered, Tick
from companion.rules.registry import game as game_named
from companion.rules.state import Phase
from companion.words.lexicon import Lexicon

SIMULATED_LEXICON = Lexicon.of("simulated", ["cat", "cot"])

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
"""No options."""

STEP_S = 0.02
"""Seconds between two steps of all tables."""

STATUS_POLL_S = 0.5
"""Seconds between two polls of the tables' status."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """A simulated table's answer to an order."""

    accepted: bool | None
    text: str = ""


@dataclass(slots=True)
class SimulatedTable:
    """A table whose players Flip and finish at random; its host confirms every round.

    Parameters
    ----------
    log
        The log of its games.
    chance
        The random generator that chooses calls.
    pace_s
        Seconds between two calls, on average.

    ``opened`` is the ``time.monotonic_ns`` at which each game's clock was zero.
    """

    log: EventLog
    chance: random.Random
    pace_s: float = 1.0
    match: Match | None = None
    due_s: float = 0.0
    opened_ns: int = field(default_factory=time.monotonic_ns)
    opened: dict[str, int] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        """Resume the newest game, with its clock at the last event."""
        if games := self.log.games():
            self.match = Match.resumed(self.log, games[-1], SIMULATED_LEXICON)
            self.opened_ns -= history(self.log, games[-1])[-1].at_ns
            self.opened[games[-1]] = self.opened_ns

    def now_ns(self) -> int:
        """Return the game's clock."""
        return time.monotonic_ns() - self.opened_ns

    def order(self, order: str) -> SimulatedAnswer:
        """Carry out the host's order."""
        with self.lock:
            if self.match is None:
                raise Unanswered("no game is set up at this table")
            before = self.match.number
            self.match.handle(Ordered(self.now_ns(), Order(order)))
            refused = self.match.number == before + 1
            self.due_s = time.monotonic() + self.pace_s
            return SimulatedAnswer(accepted=not refused, text="")

    def set_up(
        self, game: str, seats: Sequence[str], options: Mapping[str, Any] = NO_OPTIONS, words: str = ""
    ) -> SimulatedAnswer:
        """Begin another game; the words are those of the simulation."""
        del words
        with self.lock:
            if self.match is not None and self.match.state.stage in {Phase.PLAYING, Phase.JUDGING}:
                return SimulatedAnswer(accepted=False, text="a game is being played")
            name = f"{len(self.log.games()) + 1:04}"
            rules = game_named(game)
            merged = (
                {"flip_merge_ms": 0} if rules.calls.keys() >= {"flip"} else {}
            )  # random calls have no reaction time
            given = {**options, "policy": "off", **merged}
            self.opened[name] = self.opened_ns = time.monotonic_ns()
            self.match = Match.begun(self.log, name, rules, tuple(seats), given, SIMULATED_LEXICON)
            return SimulatedAnswer(accepted=True, text=name)

    def step(self) -> None:
        """Make the next call if it is due."""
        with self.lock:
            match = self.match
            if match is None or not match.state.started or time.monotonic() < self.due_s:
                return
            self.due_s = time.monotonic() + self.pace_s * self.chance.uniform(0.5, 1.5)
            if match.state.phase is Phase.PLAYING:
                match.handle(Called(self.now_ns(), *self.call(match)))
            elif match.state.phase is Phase.JUDGING and not match.state.confirmed:
                match.handle(Ordered(self.now_ns(), Order.CONFIRM))
            else:
                match.handle(Tick(self.now_ns()))

    def call(self, match: Match) -> tuple[int, str]:
        """Return seat and name of the next call: Flip while tiles lie face down, then Done."""
        seats = match.state.seats
        building = [n for n in match.state.active if seats[n - 1].done_ns is None]
        seat = self.chance.choice(building)
        return seat, "flip" if any(seats[n - 1].face_down for n in building) else "done"


def simulated_publisher(
    name: str,
    table: SimulatedTable | None,
    folder: Path,
    broker: Broker,
    pages: str = "",
    status: Callable[[], Any] | None = None,
) -> Publisher:
    """Return a publisher of a simulated table's log, connected to a broker; ``pages`` shows the log."""
    publisher = Publisher(
        PublishedTable(name, f"Table {name.removeprefix('table-')}", table, status, lambda: pages),
        LogFollower(folder / f"{name}.db"),
        Outbox(folder / f"{name}.json"),
    )
    will = LastWill(topic(name, Channel.HEALTH), payload(offline(name)))
    link = MqttConnection(broker, name, publisher.topics(), publisher.receive, will)
    publisher.attach(link)
    link.start()
    return publisher


class SimulatedTables:
    """Some simulated tables in threads of this process, each published as a real one is.

    ``status`` returns a table's status, by its id.  One thread plays all tables and one publishes them: a
    hundred threads of their own would wake up five thousand times a second.
    """

    def __init__(
        self,
        folder: Path,
        brokers: Mapping[str, Broker],
        pace_s: float,
        seed: int = 1,
        pages: str = "",
        status: Callable[[str], Any] | None = None,
    ) -> None:
        self.stop = threading.Event()
        self.tables: dict[str, SimulatedTable] = {}
        self.publishers: list[Publisher] = []
        self.threads: list[threading.Thread] = []
        for name, broker in brokers.items():
            chance = random.Random(f"{seed} {name}")
            table = SimulatedTable(EventLog(folder / f"{name}.db"), chance, pace_s)
            self.tables[name] = table
            table_status = None if status is None else partial(status, name)
            self.publishers.append(simulated_publisher(name, table, folder, broker, pages, table_status))
        every: list[tuple[float, list[Callable[[], None]]]] = [
            (STEP_S, [one.step for one in self.tables.values()]),
            (LOG_POLL_S, [one.step for one in self.publishers]),
            (
                STATUS_POLL_S,
                [partial(one.poll_health, one.table.status) for one in self.publishers if one.table.status],
            ),
        ]
        for wait_s, acts in every:
            self.threads.append(threading.Thread(target=self.run, args=(wait_s, acts), daemon=True))
            self.threads[-1].start()

    def run(self, wait_s: float, acts: Sequence[Callable[[], None]]) -> None:
        """Call functions every ``wait_s`` seconds until stopped; an exception is logged and ends nothing."""
        while acts and not self.stop.wait(wait_s):
            for act in acts:
                try:
                    act()
                except Exception:
                    logger.exception("a simulated table has failed")

    def close(self) -> None:
        """Stop all tables."""
        self.stop.set()
        for thread in self.threads:
            thread.join(5)
        for publisher in self.publishers:
            publisher.close()
            if publisher.link is not None:
                publisher.link.close()
        for table in self.tables.values():
            table.log.close()
