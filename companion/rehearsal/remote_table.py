"""A table in another process, limited to a share of one core, while the simulation runs in this one."""

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

from calibration.evaluation.metric import limit_to_one_thread
from companion.bootstrap.devices import Simulation
from companion.bootstrap.paths import log_path
from companion.bootstrap.running import RunOptions, game_over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated.game import PICTURE_HEIGHT_PX, PICTURE_WIDTH_PX
from companion.config.controls import Gesture
from companion.config.table import TableConfig
from companion.events.log import EventLog
from companion.events.replay import history
from companion.model.calls import Input
from companion.rehearsal.cpu_limit import limit_cpu
from companion.rehearsal.shared_frames import SharedFrames, SharedMemoryCamera
from companion.rules.event import Stamped
from companion.rules.interface import RuleSystem, WordSource
from companion.rules.play import fold
from companion.rules.registry import game as game_named
from companion.table import Table
from companion.table.devices import GameClock
from companion.words.lexicon import Lexicon
from hardware.clock import Clock
from hardware.simulated.pins import SimulatedControls

CLOSE_TIMEOUT_S = 60.0
"""Seconds that a table may take to close."""

Shape = tuple[int, int, int]


@dataclass(slots=True)
class MatchProxy:
    """The match of the remote table: its state is folded from its log and from the events that it sends."""

    name: str
    game: RuleSystem[Any]
    words: WordSource
    state: Any
    number: int


@dataclass(slots=True)
class LoopProxy:
    """The loop of the remote table; ``submit`` sends it an input."""

    match: MatchProxy
    submit: Callable[[Input], None]

    @property
    def state(self) -> Any:
        """The newest state of the game that was received."""
        return self.match.state


@dataclass(frozen=True, slots=True)
class TableProxy:
    """The remote table, as ``companion.bootstrap.simulated.protocols.TableProtocol``."""

    config: TableConfig
    clock: GameClock
    loop: LoopProxy


@dataclass(slots=True)
class TableCallbacks:
    """Callbacks: ``ready(table)`` when the table is open, ``on_events(events, state, now_ns)`` thereafter."""

    ready: Callable[[TableProxy], None]
    on_events: Callable[[Sequence[Stamped], Any, int], None]


@dataclass(slots=True)
class RemoteTable:
    """Starts a table in another process, and stops it at the end of the ``with`` block.

    ``frames`` receives the pictures of its camera.  After it has closed, ``cpu_s`` is its processor time and
    ``fault`` the error that stopped it, if any.
    """

    config: TableConfig
    seed: int
    words: Lexicon
    callbacks: TableCallbacks
    core_share: float
    frames: SharedFrames = field(
        default_factory=lambda: SharedFrames((PICTURE_HEIGHT_PX, PICTURE_WIDTH_PX, 3))
    )
    table: TableProxy | None = None
    cpu_s: float = 0.0
    fault: str = ""
    closed: threading.Event = field(default_factory=threading.Event)
    _undo: ExitStack = field(default_factory=ExitStack)
    _to: Any = None

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("spawn")
        self._to, theirs = context.Pipe()
        given = (self.config, self.seed, theirs, self.frames.shape, self.frames.name)
        process = context.Process(target=table_main, args=given, daemon=True)
        process.start()
        self._undo.callback(self.frames.close)
        self._undo.callback(process.join, CLOSE_TIMEOUT_S)
        listening = (process.pid or 0,)
        threading.Thread(target=self._listen, args=listening, name="remote table", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._send("stop")
        self.closed.wait(CLOSE_TIMEOUT_S)
        self._undo.close()

    def press(
        self, seat: int, button: int, gesture: Gesture = Gesture.SHORT, at_ns: int | None = None
    ) -> int:
        """Press a button as ``SimulatedControls.press`` does."""
        begun_ns = max(at_ns or 0, time.monotonic_ns())
        self._send("press", seat, button, gesture, begun_ns)
        return begun_ns

    def _send(self, *message: Any) -> None:
        with suppress(OSError):
            self._to.send(message)

    def _listen(self, pid: int) -> None:
        """Receive messages until the table is closed; limit its process as soon as it is open."""
        self.fault = "nobody listens to the table's process any more"
        with ExitStack() as undo:
            undo.callback(self.closed.set)
            while True:
                try:
                    what, *received = self._to.recv()
                except (EOFError, OSError):
                    break
                if what == "open":
                    if self.table is None and self.core_share < 1:
                        undo.enter_context(limit_cpu(pid, self.core_share))
                    self._on_open(*received)
                elif what == "events":
                    self._on_events(*received)
                else:
                    self.cpu_s, self.fault = received
                    break

    def _on_open(self, name: str, game: str, clock: tuple[int, int]) -> None:
        """Create the proxies of an open table, from its log."""
        with EventLog(log_path(self.config), writable=False) as log:
            events = history(log, name)
        rules = game_named(game)
        match = MatchProxy(name, rules, self.words, fold(rules, events), events[-1].number)
        loop = LoopProxy(match, lambda heard: self._send("tell", heard))
        self.table = TableProxy(self.config, GameClock(time.monotonic_ns, *clock), loop)
        self.callbacks.ready(self.table)

    def _on_events(self, events: Sequence[Stamped], now_ns: int) -> None:
        """Apply new events to the state, and pass them on."""
        if self.table is None:
            return
        match = self.table.loop.match
        new = [one for one in events if one.number > match.number]
        for one in new:
            match.state = match.game.evolve(match.state, one.event, one.at_ns)
            match.number = one.number
        if new:
            self.callbacks.on_events(new, match.state, now_ns)


def table_main(config: TableConfig, seed: int, to: Connection, shape: Shape, frames: str) -> None:
    """Run a table whose camera frames come from another process; the main function of its process."""
    limit_to_one_thread()
    clock, tables, stop, lock = Clock(), list[Table](), threading.Event(), threading.Lock()
    seen, fault = SharedFrames(shape, frames), ""

    def send(*message: Any) -> None:
        with lock, suppress(OSError):
            to.send(message)

    def on_events(events: Sequence[Stamped], _state: Any) -> None:
        send("events", [picklable(one) for one in events], tables[-1].clock.now() if tables else 0)

    def ready(table: Table) -> None:
        tables.append(table)
        match, times = table.loop.match, table.clock
        send("open", match.name, match.game.name, (times.base_ns, times.from_ns))

    with SimulatedControls(config.controls, seed, clock) as mock:
        threading.Thread(target=serve_commands, args=(to, mock, tables, stop), daemon=True).start()
        simulation = Simulation(mock.pins, lambda _config: SharedMemoryCamera(seen, clock), clock)
        try:
            run_table(
                config,
                RunOptions(
                    until=game_over, listener=on_events, simulation=simulation, ready=ready, stop=stop
                ),
            )
        except Exception as error:  # noqa: BLE001  the other process reports it
            fault = f"the table has failed: {error}"
    send("closed", time.process_time(), fault)


def picklable(one: Stamped) -> Stamped:
    """Return an event whose mappings can be pickled."""
    details = getattr(one.event, "details", None)
    return one if details is None else replace(one, event=replace(one.event, details=dict(details)))  # type: ignore[call-arg]


def serve_commands(
    to: Connection, mock: SimulatedControls, tables: Sequence[Table], stop: threading.Event
) -> None:
    """Carry out the messages of the other process, until it sends ``stop`` or is gone."""
    with suppress(EOFError, OSError):
        while not stop.is_set():
            what, *received = to.recv()
            if what == "press":
                mock.press(*received)
            elif what == "tell" and tables:
                tables[-1].loop.submit(received[0])
            elif what == "stop":
                stop.set()
    stop.set()
