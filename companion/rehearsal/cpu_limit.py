"""Limit a process to a share of one core: by a control group, else by SIGSTOP and SIGCONT."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.errors import UsageError

CGROUP_ROOT = Path("/sys/fs/cgroup")
"""Mount point of Linux's control groups."""

QUOTA_PERIOD_US = 20_000
"""Period of the quota, in microseconds: short compared with the time of a verdict."""

CHECK_INTERVAL_S = 0.004
"""Seconds between two checks of a process that is limited by signals."""


@contextmanager
def limit_cpu(pid: int, share: float, groups: Path = CGROUP_ROOT) -> Iterator[str]:
    """Limit a process to a share of one core during a block, and yield a text that names the means.

    Raises
    ------
    UsageError
        Where this machine has neither means.
    """
    group = create_group(groups, share)
    if group is None:
        with throttle_by_signals(pid, share):
            yield "by stopping it in between"
        return
    try:
        (group / "cgroup.procs").write_text(str(pid), "utf-8")
        yield f"by the control group {group}"
    finally:
        remove_group(group)


def create_group(groups: Path, share: float) -> Path | None:
    """Create a control group, of version 1 or 2, with a share of one core; ``None`` where that fails."""
    quota, name = max(1000, round(share * QUOTA_PERIOD_US)), f"companion-rehearse-{os.getpid()}"
    limits = (
        (groups / "cpu", {"cpu.cfs_period_us": f"{QUOTA_PERIOD_US}", "cpu.cfs_quota_us": f"{quota}"}),
        (groups, {"cpu.max": f"{quota} {QUOTA_PERIOD_US}"}),
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


def remove_group(group: Path) -> None:
    """Move the processes of a control group to its parent, and remove it."""
    for process in (group / "cgroup.procs").read_text("utf-8").split():
        (group.parent / "cgroup.procs").write_text(process, "utf-8")
    group.rmdir()


@contextmanager
def throttle_by_signals(pid: int, share: float) -> Iterator[None]:
    """Limit a process to its share during a block, by stopping and continuing it with signals."""
    if not Path(f"/proc/{pid}/stat").exists():
        raise UsageError("--core-share needs Linux: nothing else tells what a process has used")
    over = threading.Event()
    thread = threading.Thread(target=_throttle, args=(pid, share, over), name="cpu limit", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _throttle(pid: int, share: float, over: threading.Event) -> None:
    """Stop and continue a process by its processor time, until ``over`` is set or the process has ended."""
    begun_s, used_s, stopped = time.monotonic(), cpu_seconds(pid), False
    try:
        while not over.wait(CHECK_INTERVAL_S):
            owes = cpu_seconds(pid) - used_s > share * (time.monotonic() - begun_s)
            if owes != stopped:
                os.kill(pid, signal.SIGSTOP if owes else signal.SIGCONT)
                stopped = owes
        os.kill(pid, signal.SIGCONT)
    except (ProcessLookupError, FileNotFoundError):
        return


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
