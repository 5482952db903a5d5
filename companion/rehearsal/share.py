"""Holds a process to a share of one core: by control groups, or else by stopping it in between."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.errors import UsageError

GROUPS = Path("/sys/fs/cgroup")
"""Where Linux has its control groups."""

PERIOD_US = 20_000
"""How often the share is dealt out, in microseconds: short beside what a verdict takes."""

LOOKED_S = 0.004
"""How often a process is looked at that is stopped and let go."""


@contextmanager
def held(pid: int, share: float, groups: Path = GROUPS) -> Iterator[str]:
    """Hold a process to a share of one core during a block, and yield by what means.

    Raises
    ------
    UsageError
        Where this machine has no means to.
    """
    group = made(groups, share)
    if group is None:
        with stopping(pid, share):
            yield "by stopping it in between"
        return
    try:
        (group / "cgroup.procs").write_text(str(pid), "utf-8")
        yield f"by the control group {group}"
    finally:
        left(group)


def made(groups: Path, share: float) -> Path | None:
    """Return a new control group that has a share of one core, of either version, where one can be made."""
    quota, name = max(1000, round(share * PERIOD_US)), f"companion-rehearse-{os.getpid()}"
    limits = (
        (groups / "cpu", {"cpu.cfs_period_us": f"{PERIOD_US}", "cpu.cfs_quota_us": f"{quota}"}),
        (groups, {"cpu.max": f"{quota} {PERIOD_US}"}),
    )
    for parent, files in limits:
        group = parent / name
        try:
            group.mkdir()
            if not all((group / file).exists() for file in files):
                group.rmdir()
                continue
            for file, text in files.items():
                (group / file).write_text(text, "utf-8")
        except OSError:
            continue
        return group
    return None


def left(group: Path) -> None:
    """Remove a control group once no process is in it any more."""
    for process in (group / "cgroup.procs").read_text("utf-8").split():
        (group.parent / "cgroup.procs").write_text(process, "utf-8")
    group.rmdir()


@contextmanager
def stopping(pid: int, share: float) -> Iterator[None]:
    """Stop a process whenever it has used up its share, and let it go on later, during a block."""
    if not Path(f"/proc/{pid}/stat").exists():
        raise UsageError("--core-share needs Linux: nothing else tells what a process has used")
    over = threading.Event()
    thread = threading.Thread(target=_meter, args=(pid, share, over), name="share", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _meter(pid: int, share: float, over: threading.Event) -> None:
    """Stop and let go a process by what it has used, until told to end or the process has."""
    begun_s, used_s, stopped = time.monotonic(), used(pid), False
    try:
        while not over.wait(LOOKED_S):
            owes = used(pid) - used_s > share * (time.monotonic() - begun_s)
            if owes != stopped:
                os.kill(pid, signal.SIGSTOP if owes else signal.SIGCONT)
                stopped = owes
        os.kill(pid, signal.SIGCONT)
    except (ProcessLookupError, FileNotFoundError):
        return


def used(pid: int) -> float:
    """Return the seconds that the processor has worked for a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
