"""A simulated table for a browser to be host of: bots play at it, for as long as a test lets them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from companion.bootstrap.running import RunOptions, run
from companion.bootstrap.simulated.game import SimulatedGame
from companion.bootstrap.simulated.table import SimulatedTable
from companion.events.log import EventLog, Row
from companion.model.calls import SECOND, Order
from companion.rules import event as ev
from companion.rules.state import Phase, State
from companion.table import Table
from hardware.simulated.camera import SteppedClock
from tests.web.browsing import PATIENCE_S

HURRY = 8.0
"""How many times as fast as people the hands are."""


@dataclass
class Pace:
    """Whether time goes on at all, and whether it leaps because nobody plays."""

    going: threading.Event = field(default_factory=threading.Event)
    leaps: bool = True


@dataclass(frozen=True)
class HeldClock(SteppedClock):
    """A clock that stands while a test looks at the game."""

    pace: Pace = field(default_factory=Pace)

    def step(self, ns: int) -> None:
        """Let so much time pass, a second at least where it leaps."""
        self.pace.going.wait()
        SteppedClock.step(self, max(ns, SECOND) if self.pace.leaps else ns)


class Guests(SimulatedTable):
    """Bots whose host is somebody else: theirs only looks at tiles in doubt."""

    def order(self, order: Order) -> None:
        """Leave the orders to whoever is host."""


@dataclass
class Playing:
    """A simulated table at work, its log and the way to it."""

    simulated_table: SimulatedTable
    pace: Pace
    state: State | None = None
    events: list[ev.Stamped] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return Path(self.simulated_table.config.log)

    @property
    def line(self) -> Path:
        return Path(self.simulated_table.config.socket)

    def on_events(self, events: Sequence[ev.Stamped], state: State) -> None:
        """Take in what is safe in the log."""
        self.pace.leaps = not state.started or state.phase in {Phase.JUDGING, Phase.OVER}
        self.events.extend(events)
        self.state = state
        self.simulated_table.on_events(events, state)

    def happened(self, kind: type[ev.Event]) -> int:
        """Return how often something has happened."""
        return sum(isinstance(one.event, kind) for one in self.events)

    @property
    def name(self) -> str:
        """The newest game's name in the log."""
        with EventLog(self.log, writable=False) as log:
            return log.games()[-1]

    @property
    def done(self) -> int:
        """The seat that was the last to be done; 0 before any."""
        return next((one.event.seat for one in self.events[::-1] if isinstance(one.event, ev.SeatDone)), 0)

    def rows(self) -> list[Row]:
        """Return the newest game as it is in the log."""
        with EventLog(self.log, writable=False) as log:
            return list(log.rows(self.name))

    def goes_on(self, until: Callable[[], bool], what: str) -> None:
        """Let the bots play until something is so; then time stands."""
        late_s = time.monotonic() + 3 * PATIENCE_S
        with self.going():
            while not until():
                assert time.monotonic() < late_s, f"{what} did not happen"
                time.sleep(0.01)

    @contextmanager
    def going(self) -> Iterator[None]:
        """Let time go on during a block."""
        self.pace.going.set()
        try:
            yield
        finally:
            self.pace.going.clear()


@contextmanager
def playing(plan: SimulatedGame) -> Iterator[Playing]:
    """Yield a table of bots that waits for its host."""
    clock = HeldClock()
    found = Playing(Guests(plan, clock, HURRY), clock.pace)
    opened = threading.Event()

    def ready(table: Table) -> None:
        found.simulated_table.attach(table)
        opened.set()

    how = RunOptions(listener=found.on_events, simulation=found.simulated_table.simulation, ready=ready)
    thread = threading.Thread(target=run, args=(found.simulated_table.config, how), name="table")
    with found.simulated_table.mock:
        thread.start()
        try:
            assert opened.wait(30)
            yield found
        finally:
            how.stop.set()
            clock.pace.going.set()
            thread.join(30)
    assert not thread.is_alive()
