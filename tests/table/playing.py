"""A table to play at in tests: a camera that shows what it is told, lights that remember, a clock by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from companion.config.controls import Button, Controls, Place
from companion.config.table import TableConfig
from companion.errors import BadProfile
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history
from companion.model.calls import MILLISECOND, Order, Ordered
from companion.model.patterns import Pattern
from companion.model.reading import Cell, Face, Reading, Tableau, Tile
from companion.model.status import CheckLine, TileSets
from companion.rules import event as ev
from companion.rules.registry import game
from companion.table import CameraRig, Devices, Table, TableCamera, TableRequestHandler
from companion.table.devices import Shown
from companion.table.facing_seats import FacingSeats, even_facing_deg
from companion.table.views import View
from companion.vision.camera_frame import CameraFrame, Frame
from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import no_detections
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking import TrackedReading
from companion.words.lexicon import Lexicon

LOOKED = (CheckLine("cam", "picture", False, "it is dark", "Light a lamp."),)
WORDS = ("cat", "at", "dog", "cats", "to", "crane", "tiger")
SIDE = 20.0
WIDTH, HEIGHT = 640, 480
NO_LOOK = FrameDetections(
    (WIDTH, HEIGHT),
    no_detections(),
    ClassProbabilities((), np.zeros((0, 0, 4)), *(np.zeros(0) for _ in range(2))),
    None,
)


def tile(
    symbol: str | None, x: float, y: float, *, doubt: bool = False, where: Any = (None, None, None)
) -> Tile:
    """Return a tile that lies upright with its middle at a place."""
    h = SIDE / 2
    corners = ((x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h))
    face = Face.DOWN if symbol is None else Face.UP
    return Tile(symbol, face, corners, 1.0, doubt, None, *where)


def reading_of(*rows: tuple[str, float, float], loose: Sequence[Tile] = (), turn_deg: float = 0.0) -> Reading:
    """Return a reading of words, each left to right from a place on, and of loose tiles."""
    tiles: list[Tile] = []
    tableaux: list[Tableau] = []
    for n, (word, x, y) in enumerate(rows):
        cells = tuple(Cell(0, col, letter, False, 1.0) for col, letter in enumerate(word))
        tableaux.append(Tableau(cells, turn_deg))
        tiles += [tile(letter, x + SIDE * col, y, where=(n, 0, col)) for col, letter in enumerate(word)]
    return Reading(WIDTH, HEIGHT, "bananagrams-en", (*tiles, *loose), tuple(tableaux))


@dataclass(frozen=True, slots=True)
class FakeShot:
    frame: Frame
    at_ns: int


@dataclass(frozen=True, slots=True)
class FakeHealth:
    state: str = "ok"
    says: str = "sees the table"

    @property
    def sees(self) -> bool:
        return self.state == "ok"


class FakeCamera:
    """Takes a picture whenever it is told to; what is read from it is told with it."""

    def __init__(self) -> None:
        self.fares = FakeHealth()
        self.shots: list[tuple[FakeShot, TrackedReading]] = []
        self.changed = threading.Condition()
        self.began_ns, self.says_moved = 0, ""
        self.located: list[int] = []
        self.misfits, self.restarts = False, 0

    def locate(self, _frame: CameraFrame, *_tiles: Sequence[Tile]) -> str:
        if self.misfits:
            raise BadProfile("another size")
        self.located.append(self.shots[-1][0].at_ns)
        return self.says_moved

    def newest(self, after_ns: int, wait_s: float) -> FakeShot | None:
        with self.changed:
            self.changed.wait_for(lambda: bool(self.shots) and self.shots[-1][0].at_ns > after_ns, wait_s)
            if not self.shots or self.shots[-1][0].at_ns <= after_ns:
                return None
            return self.shots[-1][0]

    def health(self) -> FakeHealth:
        return self.fares

    def request_detection(self) -> None:
        """Do nothing: what is shown is what is known."""

    def restart(self) -> None:
        self.restarts += 1

    def update(self, frame: CameraFrame, at_ns: int) -> TrackedReading:
        return next(reading for shot, reading in self.shots if shot.at_ns == at_ns)

    def takes(self, reading: Reading, at_ns: int, since_ns: int, moving: Any = ()) -> None:
        frame = np.full((HEIGHT, WIDTH), 128, np.uint8)
        seen = TrackedReading(
            reading,
            NO_LOOK,
            since_ns,
            at_ns,
            not moving,
            moving=moving,
            unseen=moving,
            obscured=moving,
            whole_ns=at_ns,
            began_ns=self.began_ns,
        )
        with self.changed:
            self.shots.append((FakeShot(frame, at_ns), seen))
            self.changed.notify_all()


@dataclass(frozen=True, slots=True)
class FakeShown:
    pattern: str
    number: int


class Lamps:
    """Lights that remember everything that they showed."""

    def __init__(self) -> None:
        self.shown: list[tuple[Pattern, int | None, int]] = []

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        self.shown.append((pattern, seat, number))

    def showing(self) -> Mapping[int, Shown]:
        last = {seat: FakeShown(light, number) for light, seat, number in self.shown if seat}
        return dict(sorted(last.items()))

    def of(self, seat: int) -> list[Pattern]:
        return [light for light, at, _ in self.shown if at == seat]


class Voice:
    """Sound that remembers what was to be heard."""

    def __init__(self) -> None:
        self.said: list[tuple[Pattern, tuple[str, ...]]] = []

    def play(self, pattern: Pattern, clips: Sequence[str] = ()) -> None:
        self.said.append((pattern, tuple(clips)))


@dataclass(frozen=True, slots=True)
class FakePress:
    at_ns: int
    seat: int
    button: int = 1
    gesture: str = "short"
    late: bool = False


CONFIG = TableConfig(
    "bananagrams",
    ("Anna", "Bo"),
    controls=Controls(tuple(Place((Button(pin), Button(pin + 1))) for pin in (4, 6))),
)


@dataclass(slots=True)
class Playing:
    """A table under way; times are in ms of its clock, which stands unless it is moved."""

    path: Path
    config: TableConfig = CONFIG
    resume: bool = False
    camera: FakeCamera | None = field(default_factory=FakeCamera)
    view: View | None = None
    rig: CameraRig = field(default_factory=CameraRig)
    lamps: Lamps = field(default_factory=Lamps)
    voice: Voice = field(default_factory=Voice)
    now_ns: int = 10**12
    events: list[ev.Stamped] = field(default_factory=list)
    begun: list[Any] = field(default_factory=list)
    _undo: ExitStack = field(default_factory=ExitStack)
    log: EventLog = field(init=False)
    table: Table = field(init=False)
    desk: TableRequestHandler = field(init=False)

    def __enter__(self) -> Self:
        self.log = self._undo.enter_context(EventLog(self.path))
        words = Lexicon.of("test", WORDS)
        rules = game(self.config.game)
        if self.resume:
            match = Match.resumed(self.log, "one", words)
        else:
            match = Match.begun(self.log, "one", rules, self.config.seats, self.config.switches, words)
        rig = self.rig
        if self.camera is not None and not rig.cameras:
            view = self.view or FacingSeats(even_facing_deg(len(self.config.seats)))
            rig = CameraRig((TableCamera("cam", self.camera, self.camera, view, locate=self.camera.locate),))
        devices = Devices(lambda: self.now_ns, rig, self.lamps, self.voice)
        self.table = self._undo.enter_context(Table(self.config, match, devices, self.heard))
        self.desk = TableRequestHandler(self.table, self.begun.append, lambda: LOOKED, TileSets)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    def heard(self, events: Sequence[ev.Stamped], _state: object) -> None:
        """Keep what the table tells."""
        self.events.extend(events)

    @property
    def ms(self) -> int:
        return (self.now_ns - 10**12) // MILLISECOND

    def at(self, ms: int) -> int:
        """Return a time of the table's clock."""
        return 10**12 + ms * MILLISECOND

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.now_ns += ms * MILLISECOND

    def start(self) -> None:
        """Start the game and split, with people judging nothing."""
        self.table.loop.submit(Ordered(self.table.clock.now(), Order.START))
        self.wait(20)
        self.until(ev.RoundStarted)
        self.press(1)
        self.wait(1100)
        self.until(ev.PlayBegun)

    def press(self, seat: int, button: int = 1, **rest: Any) -> None:
        self.table.button_touched(seat)
        self.table.pressed(FakePress(self.now_ns, seat, button, **rest))

    def see(self, reading: Reading, since_ms: int | None = None, moving: Any = (), late_ms: int = 0) -> None:
        """Let the camera show a table, which is so since a time (when it was taken, where nothing is given).

        The picture was taken ``late_ms`` ago.
        """
        assert self.camera is not None
        self.now_ns += 1
        shot_ns = self.now_ns - late_ms * MILLISECOND
        since = shot_ns if since_ms is None else self.at(since_ms)
        self.camera.takes(reading, shot_ns, since, moving)
        patiently(
            lambda: (newest := self.table.cameras[0].newest) is not None and newest.shot.at_ns == shot_ns
        )
        time.sleep(0.02)

    def until(self, kind: type[ev.Event], many: int = 1) -> ev.Event:
        """Return the latest event of a kind, once there are so many."""
        patiently(lambda: self.count(kind) >= many, kind.__name__)
        return next(one.event for one in reversed(self.events) if isinstance(one.event, kind))

    def soon(self, kind: type[ev.Event], many: int = 1) -> None:
        """Let time pass until there are so many events of a kind."""

        def happened() -> bool:
            self.wait(5)
            return self.count(kind) >= many

        patiently(happened, kind.__name__)

    def count(self, kind: type[ev.Event]) -> int:
        return sum(isinstance(one.event, kind) for one in self.events)

    def texts(self) -> list[str]:
        return [one.event.text for one in history(self.log, "one") if isinstance(one.event, ev.Announced)]


def patiently(happened: Callable[[], bool], what: str = "it") -> None:
    """Wait until something has happened; fail after ten seconds."""
    until = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < until, f"{what} did not happen"
        time.sleep(0.002)


def with_policy(policy: str) -> TableConfig:
    """Return the table with a policy."""
    return replace(CONFIG, options={"policy": policy})
