"""``companion read`` as a process of its own: how long and how much memory it takes.

The kernel tells the peak memory of a process that has ended, but counts what
it had before it became another program, which is a copy of its parent.  So
a small process starts the command, not this one, which holds pictures.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import companion
from calibration.evaluation.figure import Figure

ROOT = Path(companion.__file__).parents[1]
WALL_S, PEAK_MB = 0.6, 150.0

STARTER = """
import json, resource, subprocess, sys, time
begun = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
wall_s = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6,
                  done.stderr.decode(errors="replace") if done.returncode else ""]))
"""
"""Runs a command and prints its seconds, its seconds on the processor, its peak in MB and what went wrong."""


@contextmanager
def served(words: Sequence[object]) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a command of ours that serves pages in a process of its own; yield it and the port of its pages."""
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = next(line for line in process.stdout or () if line.startswith("http"))
            yield process, int(address.rstrip("/\n").rpartition(":")[2])
        finally:
            process.terminate()


@dataclass(frozen=True, slots=True)
class Launch:
    """What one run of a command took; ``fault`` is what it said where it failed."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    fault: str


def launch(command: Sequence[str]) -> Launch:
    """Run a command and return what it took."""
    start = [sys.executable, "-S", "-c", STARTER, *command]
    done = subprocess.run(start, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return Launch(*json.loads(done.stdout))


def launched_figures(picture: Path, name: str, runs: int) -> Iterator[Figure]:
    """Yield what ``companion read`` of a picture takes, several times over."""
    command = [sys.executable, "-m", "companion", "read", str(picture)]
    launches = [launch(command) for _ in range(runs)]
    fault = next((one.fault for one in launches if one.fault), None)
    what = f"companion read of {name}, as a process"
    if fault is not None:
        yield Figure.missing(what, fault.strip())
        return
    wall_s = statistics.median(one.wall_s for one in launches)
    cpu_s = statistics.median(one.cpu_s for one in launches)
    how = f"median of {runs}, wall time"
    yield Figure(f"{what}: from start to end", wall_s, "s", most=WALL_S, how=how)
    how = f"median of {runs}; what it took longer from start to end went by waiting"
    yield Figure(f"{what}: CPU time", cpu_s, "s", how=how)
    peak_mb = max(one.peak_mb for one in launches)
    yield Figure(f"{what}: peak memory", peak_mb, "MB", most=PEAK_MB, how=f"most of {runs}")
