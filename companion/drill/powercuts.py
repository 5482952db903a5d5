"""The power cut at random moments: what the card had not been told to keep is gone.

The log lies on a file system of its own in a file, which stands for the card.  At the cut the table is held,
and the file is copied as it is then: what had been written and not synced is in the kernel's memory alone,
not in the copy.  Mounted again, the copy is what the next start finds.
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
from companion.drill.checked import missing
from companion.drill.clients import Answered, Asking
from companion.drill.kills import CLIENTS, MOST_ANSWERS, SILENT, live, stopped
from companion.drill.outcome import Outcome
from companion.drill.stage import Stage, wait_for
from companion.errors import UsageError

CARD_MB = 300
"""A table begins no game where little room is left."""

GAME_CUTS = 10
"""Cuts after which a new game begins."""

HELD_S = 0.1
"""How long answers that are under way may still arrive after the table was held."""

TRIES, TRY_S = 40, 0.25
"""How often, and how far apart, the card is tried to be taken out."""


@dataclass(frozen=True, slots=True)
class Card:
    """A file system in a file."""

    image: Path
    place: Path

    def make(self) -> None:
        """Make it, empty, and mount it."""
        with self.image.open("wb") as file:
            file.truncate(CARD_MB << 20)
        system("mkfs.ext4", "-q", str(self.image))
        self.place.mkdir()
        self.mount()

    def mount(self) -> None:
        """Let it be written and read."""
        system("mount", "-o", "loop,errors=remount-ro", str(self.image), str(self.place))

    def unmount(self) -> None:
        """Take it out as soon as nobody holds a file of it."""
        for _ in range(TRIES):
            with suppress(UsageError):
                system("umount", str(self.place))
                return
            time.sleep(TRY_S)

    def fail(self) -> None:
        """Let it fail: the kernel lets nothing be written from now on, as after an error of the disk."""
        words = ["findmnt", "-n", "-o", "SOURCE", str(self.place)]
        device = Path(processes.run(words).stdout.strip()).name
        with suppress(OSError):  # the kernel's answer to this is an error
            Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("drill", "ascii")

    def copy(self, to: Path) -> None:
        """Copy what it holds at this moment."""
        system("cp", "--sparse=always", str(self.image), str(to))


def system(*command: str) -> None:
    """Run a command of the system; raise UsageError where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"{' '.join(command[:1])} failed: {done.stderr.strip()}")


def powercuts(count: int, seed: int, progress: Progress) -> Outcome:
    """Cut the power of a table so often; raise UsageError for who may not mount."""
    if os.geteuid() != 0:
        raise UsageError("power cuts need a file system of their own; call this drill with sudo")
    rng, faults, answered = random.Random(f"cuts {seed}"), list[str](), 0
    with TemporaryDirectory(prefix="drill-") as place:
        card = Card(Path(place) / "card", Path(place) / "mounted")
        card.make()
        stage = Stage(Path(place), card.place, seed)
        try:
            for number in range(count):
                progress(f"cut {number + 1} of {count}")
                told = cut(stage, card, rng, resume=number % GAME_CUTS > 0)
                answered += len(told)
                faults += [f"cut {number + 1}: {fault}" for fault in missing(stage.log, told, {})]
        finally:
            stage.end()
            card.unmount()
    faults += [] if answered else [SILENT]
    return Outcome("power cut: what was not synced is gone", count, faults, {"answers": answered})


def cut(stage: Stage, card: Card, rng: random.Random, *, resume: bool) -> list[Answered]:
    """Let a table live for a random time, cut the power, and mount what is left; return what was answered."""
    stage.start_table(resume=resume)
    asking = [Asking(stage.socket, f"{rng.random()} {number}") for number in range(CLIENTS)]
    wait_for(stage.answers)
    for one in asking:
        one.start()
    live(asking, rng.randrange(MOST_ANSWERS), rng)
    left = card.image.with_suffix(".left")
    if stage.table is not None and stage.table.pid is not None:
        os.kill(stage.table.pid, signal.SIGSTOP)
        time.sleep(HELD_S)
        for one in asking:
            one.over = True
        card.copy(left)
        stage.table.kill()
        stage.table.join()
    told = stopped(asking)
    card.unmount()
    left.replace(card.image)
    card.mount()
    return told
