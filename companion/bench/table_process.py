"""Program: a table with simulated pins and a camera that shows prepared pictures; it measures itself.

``python -m companion.bench.table_process FOLDER`` reads ``plan.json`` and the pictures from a folder, plays,
and prints what it measured as one line of JSON, after a line at its first verdict.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from companion.bench.processes import memory_mb, own_memory_mb
from companion.bootstrap.devices import Simulation
from companion.bootstrap.running import RunOptions, run
from companion.config.parse import parsed
from companion.config.table import TableConfig
from companion.model.calls import MILLISECOND, Order, Ordered
from companion.model.patterns import Pattern
from companion.rules import event as ev
from companion.rules.state import Phase, State
from companion.table import Table
from companion.table.devices import Lights, Shown
from companion.vision.camera_frame import Frame
from hardware.cameras.health import Health
from hardware.cameras.health import State as Fares
from hardware.frames import Shot
from hardware.simulated.camera import AlwaysOpen
from hardware.simulated.pins import SimulatedControls

MOVE_INTERVAL_S = 0.4
"""Seconds between two moves of a tile while the camera sends at its full rate."""

WAIT_TIMEOUT_S = 20.0
"""Longest wait for a condition, in seconds."""

MAX_CAMERA_FPS = 30.0
"""Largest frame rate of a table's camera, in frames a second."""


class PreparedCamera(AlwaysOpen):
    """A camera that shows pictures by their name."""

    def __init__(self, pictures: Mapping[str, Frame]) -> None:
        self._pictures = pictures
        self.fps, self.busy = 10.0, False
        self.shows = "before"
        self.changed_ns = 0
        self._last = Shot(pictures["before"], 0, "none")
        self._since_ns = time.monotonic_ns()

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the next picture at its time."""
        due_ns = self._last.at_ns + round(1e9 / (MAX_CAMERA_FPS if self.busy else self.fps))
        wait = (due_ns - time.monotonic_ns()) / 1e9
        if wait > wait_s:
            time.sleep(wait_s)
            return None
        time.sleep(max(0.0, wait))
        name = self.shows
        if self.busy and int(time.monotonic() / MOVE_INTERVAL_S) % 2:
            name = f"{name}-moved"
        now_ns = time.monotonic_ns()
        self._last = Shot(self._pictures[name], now_ns, name)
        if name == "after" and not self.changed_ns:
            self.changed_ns = now_ns
        return self._last if now_ns > after_ns else None

    def health(self) -> Health:
        """Return OK: the camera never fails."""
        return Health(Fares.OK, self._since_ns, "sees the table")


@dataclass(slots=True)
class TimedLights:
    """Lights that note the time of every change, in ns."""

    lights: Lights
    shown: list[tuple[Pattern, int | None, int]] = field(default_factory=list)

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Show a pattern and note the time."""
        self.lights.show(pattern, seat, number)
        self.shown.append((pattern, seat, time.monotonic_ns()))

    def showing(self) -> Mapping[int, Shown]:
        """Return the patterns of all seats."""
        return self.lights.showing()

    def after(self, lights: Sequence[Pattern], at_ns: int) -> int | None:
        """Return the first time after ``at_ns`` at which one of some patterns was shown."""
        return next((when for light, _, when in self.shown if light in lights and when > at_ns), None)


@dataclass(slots=True)
class MeasuredSession:
    """The measurements at the running table: pressed buttons, a new tile, idle time."""

    camera: PreparedCamera
    pins: SimulatedControls
    presses: int
    idle_s: float
    found: dict[str, Any] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list)

    def tell(self, events: Sequence[ev.Stamped], _state: State) -> None:
        """Note when sightings are in the log, and print a line at the first."""
        if any(isinstance(one.event, ev.TilesSeen) for one in events):
            if not self.seen:
                self.found["start_cpu_s"] = time.process_time()
                sys.stdout.write("verdict\n")
                sys.stdout.flush()
            self.seen.append(time.monotonic_ns())

    def play(self, table: Table, how: RunOptions) -> None:
        """Take all measurements, then stop the table."""
        try:
            self._play(table)
        finally:
            how.stop.set()

    def _play(self, table: Table) -> None:
        lights = TimedLights(table.feedback.lights)
        table.feedback.lights = lights
        wait_until(lambda: bool(self.seen))
        time.sleep(1.0)
        begun = time.process_time()
        time.sleep(self.idle_s)
        self.found["idle_percent"] = 100 * (time.process_time() - begun) / self.idle_s
        table.loop.submit(Ordered(table.clock.now(), Order.START))
        time.sleep(0.3)
        self.pins.press(1, 1)
        wait_until(lambda: table.loop.state.phase is Phase.PLAYING)
        time.sleep(1.0)
        self.found["placed_ms"] = self._placed()
        self.camera.busy = True
        time.sleep(1.0)
        acknowledged, verdicts = [], []
        for _ in range(self.presses):
            at_ns = self.pins.press(1, 1)
            time.sleep(0.35)
            first, last = (
                lights.after([Pattern.HEARD], at_ns),
                lights.after([Pattern.ACCEPTED, Pattern.REFUSED], at_ns),
            )
            acknowledged.append(first and (first - at_ns) / MILLISECOND)
            verdicts.append(last and (last - at_ns) / MILLISECOND)
        self.found |= {"light_ms": acknowledged, "verdict_ms": verdicts}
        self.found["reads_per_s"] = table.cameras[0].status().reads_per_s
        self.found |= {"own_mb": own_memory_mb(os.getpid()), "peak_mb": memory_mb(os.getpid())}

    def _placed(self) -> float:
        """Return the time from the first picture with a new tile to its verdict in the log, in ms."""
        self.camera.changed_ns = 0
        many = len(self.seen)
        self.camera.shows = "after"
        wait_until(lambda: len(self.seen) > many)
        return (self.seen[-1] - self.camera.changed_ns) / MILLISECOND


def wait_until(happened: Any) -> None:
    """Wait until a condition holds; raise TimeoutError where it does not in time."""
    until = time.monotonic() + WAIT_TIMEOUT_S
    while not happened():
        if time.monotonic() > until:
            raise TimeoutError("nothing was seen")
        time.sleep(0.001)


def main(folder: Path) -> None:
    """Run the table of the plan and print the measurements as JSON."""
    plan = json.loads((folder / "plan.json").read_text())
    config = parsed(plan["table"], TableConfig).from_folder(folder)
    pictures = {path.stem: np.load(path) for path in folder.glob("*.npy")}
    camera, pins = PreparedCamera(pictures), SimulatedControls(config.controls)
    session = MeasuredSession(camera, pins, plan["presses"], plan["idle_s"])
    how = RunOptions(listener=session.tell, simulation=Simulation(pins.pins, lambda _config: camera))

    def ready(table: Table) -> None:
        threading.Thread(target=session.play, args=(table, how), daemon=True).start()

    how.ready = ready
    with pins:
        run(config, how)
    sys.stdout.write(json.dumps(session.found) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
