"""A table in a process of its own, held to a share of one core, while its world goes on in another."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from calibration.evaluation.figure import one_thread
from companion.bootstrap.devices import Simulation
from companion.bootstrap.places import log_of
from companion.bootstrap.running import Run, over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated.game import HEIGHT, WIDTH
from companion.config.controls import Gesture
from companion.config.table import TableConfig
from companion.events.log import EventLog
from companion.events.replay import history
from companion.model.calls import Input
from companion.rehearsal.frames import FarCamera, Frames
from companion.rehearsal.share import held
from companion.rules.event import Stamped
from companion.rules.interface import RuleSystem, WordSource
from companion.rules.play import fold
from companion.rules.registry import game as game_named
from companion.table import Table
from companion.table.devices import GameClock
from companion.words.lexicon import Lexicon
from hardware.clock import Clock
from hardware.simulated.pins import SimulatedControls

ENDS_S = 60.0
"""How long a table may take to close."""

Shape = tuple[int, int, int]


@dataclass(slots=True)
class FarMatch:
    """The game of a table in another process, folded from its log and from what it tells."""

    name: str
    game: RuleSystem[Any]
    words: WordSource
    state: Any
    number: int


@dataclass(slots=True)
class FarLoop:
    """What decides at that table: ``submit`` queues an input."""

    match: FarMatch
    submit: Callable[[Input], None]

    @property
    def state(self) -> Any:
        """The game's state as last heard of."""
        return self.match.state


@dataclass(frozen=True, slots=True)
class FarTable:
    """A table in another process as the players at it know it."""

    config: TableConfig
    clock: GameClock
    loop: FarLoop


@dataclass(slots=True)
class Heeds:
    """Who hears of a far table: that it is open, and what it decided, with the state and its time then."""

    ready: Callable[[FarTable], None]
    heard: Callable[[Sequence[Stamped], Any, int], None]


@dataclass(slots=True)
class Far:
    """The way to a table in another process, from ``with`` to the end of its block.

    ``frames`` are those of its camera.  ``spent_s`` is what the processor has worked for the table when it
    has closed, ``fault`` what stopped it.
    """

    config: TableConfig
    seed: int
    words: Lexicon
    heeds: Heeds
    share: float
    frames: Frames = field(default_factory=lambda: Frames((HEIGHT, WIDTH, 3)))
    table: FarTable | None = None
    spent_s: float = 0.0
    fault: str = ""
    closed: threading.Event = field(default_factory=threading.Event)
    _undo: ExitStack = field(default_factory=ExitStack)
    _to: Any = None

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("spawn")
        self._to, theirs = context.Pipe()
        given = (self.config, self.seed, theirs, self.frames.shape, self.frames.name)
        process = context.Process(target=at_table, args=given, daemon=True)
        process.start()
        self._undo.callback(self.frames.close)
        self._undo.callback(process.join, ENDS_S)
        listening = (process.pid or 0,)
        threading.Thread(target=self._listen, args=listening, name="far table", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._send("stop")
        self.closed.wait(ENDS_S)
        self._undo.close()

    def press(
        self, seat: int, button: int, gesture: Gesture = Gesture.SHORT, at_ns: int | None = None
    ) -> int:
        """Press a button, as a ``SimulatedControls`` has it."""
        begun_ns = max(at_ns or 0, time.monotonic_ns())
        self._send("press", seat, button, gesture, begun_ns)
        return begun_ns

    def _send(self, *message: Any) -> None:
        with suppress(OSError):
            self._to.send(message)

    def _listen(self, pid: int) -> None:
        """Hear what the table says, until it is closed; hold its process as soon as it is open."""
        with ExitStack() as undo:
            while True:
                try:
                    what, *told = self._to.recv()
                except (EOFError, OSError):
                    break
                if what == "sat":
                    if self.table is None and self.share < 1:
                        undo.enter_context(held(pid, self.share))
                    self._sat(*told)
                elif what == "heard":
                    self._heard(*told)
                else:
                    self.spent_s, self.fault = told
                    break
        self.closed.set()

    def _sat(self, name: str, game: str, clock: tuple[int, int]) -> None:
        """Take in that a table is open: its game as its log has it."""
        with EventLog(log_of(self.config), writable=False) as log:
            events = history(log, name)
        rules = game_named(game)
        match = FarMatch(name, rules, self.words, fold(rules, events), events[-1].number)
        loop = FarLoop(match, lambda heard: self._send("tell", heard))
        self.table = FarTable(self.config, GameClock(time.monotonic_ns, *clock), loop)
        self.heeds.ready(self.table)

    def _heard(self, events: Sequence[Stamped], now_ns: int) -> None:
        """Take in what the table has decided."""
        if self.table is None:
            return
        match = self.table.loop.match
        new = [one for one in events if one.number > match.number]
        for one in new:
            match.state = match.game.evolve(match.state, one.event, one.at_ns)
            match.number = one.number
        if new:
            self.heeds.heard(new, match.state, now_ns)


def at_table(config: TableConfig, seed: int, to: Connection, shape: Shape, frames: str) -> None:
    """Run a table whose world is in another process; the process's main function."""
    one_thread()
    clock, tables, stop, lock = Clock(), list[Table](), threading.Event(), threading.Lock()
    seen, fault = Frames(shape, frames), ""

    def say(*message: Any) -> None:
        with lock, suppress(OSError):
            to.send(message)

    def heard(events: Sequence[Stamped], _state: Any) -> None:
        say("heard", [portable(one) for one in events], tables[-1].clock.now() if tables else 0)

    def ready(table: Table) -> None:
        tables.append(table)
        match, times = table.loop.match, table.clock
        say("sat", match.name, match.game.name, (times.base_ns, times.from_ns))

    with SimulatedControls(config.controls, seed, clock) as mock:
        threading.Thread(target=obey, args=(to, mock, tables, stop), daemon=True).start()
        simulation = Simulation(mock.pins, lambda _config: FarCamera(seen, clock), clock)
        try:
            run_table(config, Run(until=over, listener=heard, simulation=simulation, ready=ready, stop=stop))
        except Exception as error:  # noqa: BLE001  the other process tells of it
            fault = f"the table has failed: {error}"
    say("closed", time.process_time(), fault)


def portable(one: Stamped) -> Stamped:
    """Return an event whose mappings can be sent to another process."""
    details = getattr(one.event, "details", None)
    return one if details is None else replace(one, event=replace(one.event, details=dict(details)))  # type: ignore[call-arg]


def obey(to: Connection, mock: SimulatedControls, tables: Sequence[Table], stop: threading.Event) -> None:
    """Press what is to be pressed, and tell the table what it is to hear, until told to stop."""
    with suppress(EOFError, OSError):
        while not stop.is_set():
            what, *told = to.recv()
            if what == "press":
                mock.press(*told)
            elif what == "tell" and tables:
                tables[-1].loop.submit(told[0])
            elif what == "stop":
                stop.set()
    stop.set()
