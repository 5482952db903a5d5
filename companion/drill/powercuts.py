"""Power cuts at random moments: writes that were not synced are lost.

The log is on a file system in an image file, which stands for the card.  At the cut the table is stopped and
the image is copied: writes that were not synced are in the kernel's memory only, not in the copy.  The next
start uses the copy.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Progress
from companion import processes
from companion.drill.kills import (
    CLIENT_THREADS,
    MAX_ANSWERS_BEFORE_STOP,
    NO_ANSWERS,
    stop_requests,
    wait_for_answers,
)
from companion.drill.log_checks import lost_events
from companion.drill.outcome import Outcome
from companion.drill.requests import AcceptedRequest, RequestThread
from companion.drill.table_processes import TableProcesses, wait_for
from companion.errors import UsageError

CARD_MB = 300
"""Size of the card, in MB: a table begins no game with little free space."""

CUTS_PER_GAME = 10
"""Cuts after which a new game begins."""

ANSWERS_GRACE_S = 0.1
"""Time after the stop of the table in which pending answers may arrive, in seconds."""

UNMOUNT_TRIES, UNMOUNT_RETRY_S = 40, 0.25
"""Number of attempts to unmount the card, and seconds between two."""


@dataclass(frozen=True, slots=True)
class Card:
    """A file system in a file."""

    image: Path
    place: Path

    def make(self) -> None:
        """Make it, empty, and mount it."""
        with self.image.open("wb") as file:
            file.truncate(CARD_MB << 20)
        run_system_command("mkfs.ext4", "-q", str(self.image))
        self.place.mkdir()
        self.mount()

    def mount(self) -> None:
        """Mount the image."""
        run_system_command("mount", "-o", "loop,errors=remount-ro", str(self.image), str(self.place))

    def unmount(self) -> None:
        """Unmount the image as soon as no file of it is open."""
        for _ in range(UNMOUNT_TRIES):
            with suppress(UsageError):
                run_system_command("umount", str(self.place))
                return
            time.sleep(UNMOUNT_RETRY_S)

    def fail(self) -> None:
        """Trigger a file system error, after which the kernel makes it read-only."""
        words = ["findmnt", "-n", "-o", "SOURCE", str(self.place)]
        device = Path(processes.run(words).stdout.strip()).name
        with suppress(OSError):  # the kernel's answer to this is an error
            Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("drill", "ascii")

    def copy(self, to: Path) -> None:
        """Copy the image as it is now."""
        run_system_command("cp", "--sparse=always", str(self.image), str(to))


def run_system_command(*command: str) -> None:
    """Run a command of the system; raise UsageError where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"{' '.join(command[:1])} failed: {done.stderr.strip()}")


def powercuts(count: int, seed: int, progress: Progress) -> Outcome:
    """Cut the power of a table ``count`` times; raise UsageError without permission to mount."""
    if os.geteuid() != 0:
        raise UsageError("power cuts need a file system of their own; call this drill with sudo")
    rng, faults, answered = random.Random(f"cuts {seed}"), list[str](), 0
    with TemporaryDirectory(prefix="drill-") as place:
        card = Card(Path(place) / "card", Path(place) / "mounted")
        card.make()
        stage = TableProcesses(Path(place), card.place, seed)
        try:
            for number in range(count):
                progress(f"cut {number + 1} of {count}")
                accepted = cut_power(stage, card, rng, resume=number % CUTS_PER_GAME > 0)
                answered += len(accepted)
                faults += [f"cut {number + 1}: {fault}" for fault in lost_events(stage.log, accepted, {})]
        finally:
            stage.end()
            card.unmount()
    faults += [] if answered else [NO_ANSWERS]
    return Outcome("power cut: what was not synced is gone", count, faults, {"answers": answered})


def cut_power(
    stage: TableProcesses, card: Card, rng: random.Random, *, resume: bool
) -> list[AcceptedRequest]:
    """Run a table for a random time, cut the power, and mount the copy; return the accepted requests."""
    stage.start_table(resume=resume)
    asking = [RequestThread(stage.socket, f"{rng.random()} {number}") for number in range(CLIENT_THREADS)]
    wait_for(stage.answers)
    for one in asking:
        one.start()
    wait_for_answers(asking, rng.randrange(MAX_ANSWERS_BEFORE_STOP), rng)
    left = card.image.with_suffix(".left")
    if stage.table is not None and stage.table.pid is not None:
        os.kill(stage.table.pid, signal.SIGSTOP)
        time.sleep(ANSWERS_GRACE_S)
        for one in asking:
            one.over = True
        card.copy(left)
        stage.table.kill()
        stage.table.join()
    accepted = stop_requests(asking)
    card.unmount()
    left.replace(card.image)
    card.mount()
    return accepted
