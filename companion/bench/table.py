"""Response times, memory and idle load of the table's process."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import companion
from calibration.evaluation.metric import Metric
from calibration.profile import write_profile
from companion.bootstrap.simulated.game import SimulatedGame
from companion.vision.tracking.tracker import SETTLE_NS
from hardware.simulated.draw import Canvas
from hardware.simulated.world import PlacedTile, World

PRESSES, IDLE_S = 60, 5.0
MAX_LIGHT_MS, MAX_VERDICT_MS, MAX_VERDICT_FRAMES, MAX_MEMORY_MB, MAX_IDLE_PERCENT, MAX_START_S = (
    5.0,
    30.0,
    2.0,
    200.0,
    5.0,
    2.0,
)
MAX_OWN_MEMORY_MB = 120.0
FPS = 10.0
TABLE_PROCESS_TIMEOUT_S = 180.0

PLAYER_WORDS = ("GARDEN", "ORANGE", "PLANET")
"""Words in front of each player."""


def table_metrics(presses: int = PRESSES, idle_s: float = IDLE_S) -> Iterator[Metric]:
    """Yield every metric of this module, measured on a table in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        prepare(folder, presses, idle_s)
        start_s, found, fault = run_table_process(folder)
    if found is None:
        yield Metric.not_measured("the table", fault)
        return
    yield from metrics(start_s, found)


def metrics(start_s: float, found: Mapping[str, Any]) -> Iterator[Metric]:
    """Yield the metrics from what the table's process measured."""
    light, verdict = known_times(found["light_ms"]), known_times(found["verdict_ms"])
    how = (
        f"{len(light)} of {len(found['light_ms'])} presses, bouncing; {found['reads_per_s']:g} reads a second"
    )
    yield Metric("press to light, 99th percentile", percentile_99(light), "ms", most=MAX_LIGHT_MS, how=how)
    yield Metric("press to light, median", statistics.median(light or [math.nan]), "ms", how=how)
    how = f"{len(verdict)} of {len(found['verdict_ms'])} presses over tiles at rest, safe in the log and lit"
    yield Metric(
        "press to verdict, median",
        statistics.median(verdict or [math.nan]),
        "ms",
        most=MAX_VERDICT_MS,
        how=how,
    )
    yield Metric("press to verdict, 99th percentile", percentile_99(verdict), "ms", how=how)
    frames = (found["placed_ms"] - SETTLE_NS / 1e6) * FPS / 1000
    how = f"{found['placed_ms']:.0f} ms after the first of {FPS:g} pictures a second that shows the tile"
    yield Metric("last tile to verdict, after stillness", frames, "frames", most=MAX_VERDICT_FRAMES, how=how)
    how = "peak of the process, its simulated pins and pictures included"
    yield Metric("memory", found["peak_mb"], "MB", most=MAX_MEMORY_MB, how=how)
    how = "without libraries' files: the kernel maps more of those where they have just been installed"
    yield Metric("memory of its own", found["own_mb"], "MB", most=MAX_OWN_MEMORY_MB, how=how)
    how = f"of one core, {FPS:g} pictures a second, before the game begins"
    yield Metric("idle", found["idle_percent"], "%", most=MAX_IDLE_PERCENT, how=how)
    how = f"from the start of Python; {found['start_cpu_s']:.2f} s of it on the processor"
    yield Metric("start to first verdict", start_s, "s", most=MAX_START_S, how=how)


def known_times(times: Sequence[float | None]) -> list[float]:
    """Return the times that are not ``None``."""
    return [one for one in times if one is not None]


def percentile_99(times: Sequence[float]) -> float:
    """Return the 99th percentile."""
    return float(np.percentile(times, 99)) if times else math.nan


def prepare(folder: Path, presses: int, idle_s: float) -> None:
    """Write the plan, the profile and the pictures of a table."""
    plan = SimulatedGame.of("bananagrams", 2, 1, folder)
    write_profile(plan.profile(), folder / "profile.toml")
    table: dict[str, Any] = {
        "game": "bananagrams",
        "seats": ["Ada", "Ben"],
        "log": "games.db",
        "socket": "line",
        "cameras": [{"kind": "simulated", "profile": "profile.toml"}],
        "controls": {
            "seats": [
                {
                    "buttons": [{"pin": pin, "short": ["split", "peel"]}],
                    "light": {"kind": "single", "pins": [pin + 1]},
                }
                for pin in (4, 22)
            ]
        },
    }
    (folder / "plan.json").write_text(json.dumps({"table": table, "presses": presses, "idle_s": idle_s}))
    for name, tiles in scenes(plan).items():
        world = World(plan.seating.size, tiles, [])
        frame = Canvas(world, plan.table_image(), plan.tile_px, 1).frame()
        np.save(folder / f"{name}.npy", cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY))


def scenes(plan: SimulatedGame) -> dict[str, list[PlacedTile]]:
    """Return the tiles before and after the last tile is laid, and with one tile of the
    other player moved.
    """
    found: dict[str, list[PlacedTile]] = {}
    for name in ("before", "after", "after-moved"):
        tiles: list[PlacedTile] = []
        for number, area in enumerate(plan.seating.seats):
            for row, word in enumerate(PLAYER_WORDS[: 1 if number == 0 else 3]):
                letters = word if name != "before" or number else word[:-1]
                for col, letter in enumerate(letters):
                    shift = 2.5 if name == "after-moved" and number and col == row == 0 else 0.0
                    x, y = area.spot(col - 2.5 - shift, row * 2.0 - 2.0)
                    tiles.append(PlacedTile(letter, x, y, area.turn, up=True))
        found[name] = tiles
    return found


def run_table_process(folder: Path) -> tuple[float, Mapping[str, Any] | None, str]:
    """Return the seconds to the first verdict and the measurements, or ``None`` and the reason."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "companion.bench.table_process", str(folder)]
    root = Path(companion.__file__).parents[1]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            first = child.stdout.readline() if child.stdout else ""
            start_s = time.perf_counter() - begun
            out, err = child.communicate(timeout=TABLE_PROCESS_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            return math.nan, None, f"it took longer than {TABLE_PROCESS_TIMEOUT_S:g} s"
    if child.returncode or first.strip() != "verdict" or not out.strip():
        return math.nan, None, (err.strip().splitlines() or ["it ended without a word"])[-1]
    return start_s, json.loads(out.splitlines()[-1]), ""
