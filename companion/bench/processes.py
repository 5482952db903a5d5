"""Time and memory of the product's commands, run as processes of their own.

The peak memory that the kernel reports for an ended child includes the copy of its parent before ``exec``.
So a small process starts the measured command, not this one, which holds pictures.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import companion
from calibration.evaluation.metric import Metric

ROOT = Path(companion.__file__).parents[1]
MAX_WALL_S, MAX_PEAK_MEMORY_MB = 0.6, 150.0

LAUNCH_SCRIPT = """
import json, resource, subprocess, sys, time
begun = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
wall_s = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6,
                  done.stderr.decode(errors="replace") if done.returncode else ""]))
"""
"""Runs a command and prints as JSON: wall time and processor time in s, peak memory in MB, and the error."""


@contextmanager
def run_server(words: Sequence[object]) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a command of the product that serves pages; yield its process and the port of its pages.

    Raises
    ------
    ChildProcessError
        Where it ends before it serves any.
    """
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = next((line for line in process.stdout or () if line.startswith("http")), None)
            if address is None:
                raise ChildProcessError(f"companion {words[0]} ended before it served pages")
            yield process, int(address.rstrip("/\n").rpartition(":")[2])
        finally:
            process.terminate()


@dataclass(frozen=True, slots=True)
class Launch:
    """Time and memory of one run of a command; ``fault`` is its error output where it failed, else empty."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    fault: str


def launch(command: Sequence[str], settings: Mapping[str, str] | None = None) -> Launch:
    """Run a command and return its time and memory; ``settings`` replace the environment."""
    start = [sys.executable, "-S", "-c", LAUNCH_SCRIPT, *command]
    done = subprocess.run(start, cwd=ROOT, stdout=subprocess.PIPE, check=True, env=settings)
    return Launch(*json.loads(done.stdout))


def launched_metrics(picture: Path, name: str, runs: int) -> Iterator[Metric]:
    """Yield wall time, processor time and peak memory of ``companion read``, over several runs.

    A first run, which does not count, compiles the modules to bytecode, as packages have them.
    """
    command = [sys.executable, "-m", "companion", "read", str(picture)]
    with TemporaryDirectory() as folder:
        settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        settings["PYTHONPYCACHEPREFIX"] = folder
        launches = [launch(command, settings) for _ in range(runs + 1)][1:]
    fault = next((one.fault for one in launches if one.fault), None)
    what = f"companion read of {name}, as a process"
    if fault is not None:
        yield Metric.not_measured(what, fault.strip())
        return
    wall_s = statistics.median(one.wall_s for one in launches)
    cpu_s = statistics.median(one.cpu_s for one in launches)
    how = f"median of {runs}, wall time"
    yield Metric(f"{what}: from start to end", wall_s, "s", most=MAX_WALL_S, how=how)
    how = f"median of {runs}; what it took longer from start to end went by waiting"
    yield Metric(f"{what}: CPU time", cpu_s, "s", how=how)
    peak_mb = max(one.peak_mb for one in launches)
    yield Metric(f"{what}: peak memory", peak_mb, "MB", most=MAX_PEAK_MEMORY_MB, how=f"most of {runs}")


def memory_mb(process: int) -> float:
    """Return the peak resident memory of a process, by its number, in MB."""
    return _status_mb(process, "VmHWM")


def own_memory_mb(process: int) -> float:
    """Return the peak resident memory of a process without the pages of mapped files, in MB.

    How many pages of a library the kernel maps beside the used ones depends on how the file was written:
    the same process holds 68 MB of them, or 110 MB where the libraries have just been installed.
    """
    return _status_mb(process, "VmHWM") - _status_mb(process, "RssFile")


def _status_mb(process: int, field: str) -> float:
    """Return a field of a process's status that counts memory, in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    line = next(line for line in status.splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024 / 1e6


def cpu_s(process: int) -> float:
    """Return the processor time that a process, by its number, has used, in seconds."""
    fields = (
        Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
