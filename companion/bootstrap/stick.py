"""``python -m companion.bootstrap.stick DEVICE``: back all games up to a USB stick that was plugged in.

The stick asks for it by a folder named ``companion-backup``; other sticks are left as they are.  The green
light of the Pi blinks meanwhile.  When it stays lit the stick is no longer in use and can be pulled out.
"""

from __future__ import annotations

import logging
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

from companion import processes
from companion.events.restoring import pack_backup

FOLDER = "companion-backup"
PACKAGES = "tableau-companion_*.deb"
README = "Every file is one game. The page /host of a table brings them back."

LOG = Path("/var/lib/companion/games.db")
TABLE = Path("/etc/tableau-companion/table.toml")
INCOMING = Path("/var/lib/tableau-companion/incoming")
MOUNTED = Path("/run/companion-backup")
LEDS = (Path("/sys/class/leds/ACT"), Path("/sys/class/leds/led0"))
"""The light of the Pi's activity, under its names of Debian 12 and later, and of earlier systems."""

READER = ("setpriv", "--reuid=companion-web", "--regid=companion", "--init-groups", "--")
"""The log is read as the pages read it: root opens nothing in a folder of another user's."""

TYPES = "vfat,exfat,ext4"
LARGEST = 400 * 2**20
"""Bytes of a package that is taken from a stick; ours have a hundred million."""

SHOWN_S = 20.0
"""Seconds for which the light tells the end: time enough to come back to the table and look."""

Run = Callable[[Sequence[str]], CompletedProcess[str]]
Pack = Callable[[IO[bytes]], None]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Light:
    """A light of the kernel's LED class; without one, nothing is shown.

    The light's own trigger, as the SD card's activity, comes back when it is closed.
    """

    folder: Path | None

    @classmethod
    def found(cls, folders: Sequence[Path] = LEDS) -> Light:
        """Return the first light that this machine has."""
        return cls(next((one for one in folders if one.is_dir()), None))

    @contextmanager
    def lent(self) -> Iterator[Light]:
        """Have the light for a while."""
        before = self._read("trigger").partition("[")[2].partition("]")[0]
        try:
            yield self
        finally:
            self._write("trigger", before or "none")

    def blink(self, period_ms: int) -> None:
        """Go on and off, half of the period each."""
        self._write("trigger", "timer")
        self._write("delay_on", str(period_ms // 2))
        self._write("delay_off", str(period_ms // 2))

    def stay(self) -> None:
        """Stay lit."""
        self._write("trigger", "none")
        self._write("brightness", "1")

    def _read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="ascii") if self.folder else ""

    def _write(self, name: str, text: str) -> None:
        if self.folder:
            (self.folder / name).write_text(text, encoding="ascii")


@contextmanager
def mounted(device: str, place: Path, run: Run = processes.run) -> Iterator[Path]:
    """Mount a stick for as long as it takes; raise OSError where it cannot be mounted or written out."""
    place.mkdir(mode=0o700, exist_ok=True)
    called(run, "mount", "-t", TYPES, "-o", "nosuid,nodev,noexec", device, str(place))
    try:
        yield place
    finally:
        called(run, "umount", str(place))


def called(run: Run, *words: str) -> None:
    """Run a command; raise OSError with what it said."""
    done = run(words)
    if done.returncode:
        raise OSError(f"{words[0]}: {done.stderr.strip()}")


def wanted(stick: Path) -> bool:
    """Return whether a stick asks for a backup: by a folder, and by no link to one."""
    found = stick / FOLDER
    return found.is_dir() and not found.is_symlink()


def back_up(stick: Path, pack: Pack, table: Path, now: datetime) -> Path:
    """Write the games and the table's file to a stick, each whole or not at all; return the games' file.

    Parameters
    ----------
    stick
        Where the stick is mounted.
    pack
        Writes the archive of the games to a file.
    table
        The table's file; left out where there is none.
    now
        The time, which names the files.
    """
    name = f"{now:%Y-%m-%d-%H%M%S}"
    games = stick / FOLDER / f"games-{name}.zip"
    written(games, pack)
    if table.exists():
        written(stick / FOLDER / f"table-{name}.toml", partial(copied, table))
    return games


def written(path: Path, fill: Pack) -> None:
    """Write a new file on a stick, whole or not at all; raise OSError."""
    fresh = path.with_name(f"{path.name}.part")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(handle, "wb") as file:
        fill(file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def taken(stick: Path, incoming: Path) -> list[str]:
    """Lay packages of the companion from a stick where the host's page finds them; return their names."""
    names = []
    for path in sorted(stick.glob(PACKAGES)):
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST or not incoming.is_dir():
            continue
        written(incoming / path.name, partial(copied, path))
        names.append(path.name)
    return names


def copied(path: Path, out: IO[bytes]) -> None:
    """Write what a file holds to another."""
    with path.open("rb") as file:
        shutil.copyfileobj(file, out)


def pack_as_pages(file: IO[bytes]) -> None:
    """Write the archive of all games to a file; raise OSError."""
    command = [*READER, sys.executable, "-P", "-m", "companion.bootstrap.stick", "--pack", str(LOG)]
    if processes.start(command, stdout=file).wait():
        raise OSError("the games could not be read")


def main(device: str, light: Light, sleep: Callable[[float], None] = time.sleep) -> int:
    """Back up to a device if its stick asks for it; return 0, and 1 where that failed."""
    try:
        with mounted(device, MOUNTED / Path(device).name) as stick:
            if not wanted(stick):
                return 0
            light.blink(200)
            log.info("packages from the stick: %s", ", ".join(taken(stick, INCOMING)) or "none")
            log.info("backup: %s", back_up(stick, pack_as_pages, TABLE, datetime.now().astimezone()).name)
    except OSError as error:
        log.warning("no backup to %s: %s", device, error)
        light.blink(2000)
        sleep(SHOWN_S)
        return 1
    light.stay()
    sleep(SHOWN_S)
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if sys.argv[1] == "--pack":
        sys.stdout.buffer.write(pack_backup(Path(sys.argv[2]), README))
        sys.exit(0)
    with Light.found().lent() as lent:
        sys.exit(main(sys.argv[1], lent))
