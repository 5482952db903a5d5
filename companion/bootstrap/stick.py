"""``python -m companion.bootstrap.stick DEVICE``: back up all games to a USB stick that was plugged in.

A stick requests it by a folder named ``companion-backup``; other sticks are not changed.  The Pi's activity
LED blinks during the backup.  When it stays lit, the stick is unmounted and can be pulled out.
"""

from __future__ import annotations

import logging
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

from companion import processes
from companion.events.restoring import pack_backup
from companion.files import copy_file, replacing

BACKUP_FOLDER = "companion-backup"
PACKAGE_PATTERN = "tableau-companion_*.deb"
README = "Every file is one game. The page /host of a table brings them back."

LOG_FILE = Path("/var/lib/companion/games.db")
TABLE_FILE = Path("/etc/tableau-companion/table.toml")
INCOMING = Path("/var/lib/tableau-companion/incoming")
MOUNT_POINT = Path("/run/companion-backup")
LEDS = (Path("/sys/class/leds/ACT"), Path("/sys/class/leds/led0"))
"""The Pi's activity LED, by its name in Debian 12 and later, and in earlier systems."""

AS_WEB_USER = ("setpriv", "--reuid=companion-web", "--regid=companion", "--init-groups", "--")
"""Prefix of a command that reads the log as the pages' user: root opens no file of another user."""

FILE_SYSTEMS = "vfat,exfat,ext4"
MAX_PACKAGE_BYTES = 400 * 2**20
"""Greatest size of a package that is copied from a stick, in bytes; ours have about 10**8."""

SHOW_RESULT_S = 20.0
"""Seconds for which the LED shows the result."""

Run = Callable[[Sequence[str]], CompletedProcess[str]]
Pack = Callable[[IO[bytes]], None]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Light:
    """An LED of the kernel's LED class; what it cannot show is not shown."""

    folder: Path | None

    @classmethod
    def found(cls, folders: Sequence[Path] = LEDS) -> Light:
        """Return the first LED that this machine has."""
        return cls(next((one for one in folders if one.is_dir()), None))

    @contextmanager
    def borrowed(self) -> Iterator[Light]:
        """Use the LED during a block, and then restore its trigger, such as the SD card's activity."""
        before = self._read("trigger").partition("[")[2].partition("]")[0]
        try:
            yield self
        finally:
            self._write("trigger", before or "none")

    def blink(self, period_ms: int) -> None:
        """Blink with a period in milliseconds."""
        self._write("trigger", "timer")
        self._write("delay_on", str(period_ms // 2))
        self._write("delay_off", str(period_ms // 2))

    def stay(self) -> None:
        """Stay lit."""
        self._write("trigger", "none")
        self._write("brightness", "1")

    def _read(self, name: str) -> str:
        with suppress(OSError):
            return (self.folder / name).read_text(encoding="ascii") if self.folder else ""
        return ""

    def _write(self, name: str, text: str) -> None:
        with suppress(OSError):  # as of a kernel without the trigger "timer"
            if self.folder:
                (self.folder / name).write_text(text, encoding="ascii")


@contextmanager
def mounted(device: str, place: Path, run: Run = processes.run) -> Iterator[Path]:
    """Mount a stick during a block; raise OSError where it cannot be mounted or unmounted."""
    place.mkdir(mode=0o700, exist_ok=True)
    run_checked(run, "mount", "-t", FILE_SYSTEMS, "-o", "nosuid,nodev,noexec", device, str(place))
    try:
        yield place
    finally:
        run_checked(run, "umount", str(place))


def run_checked(run: Run, *words: str) -> None:
    """Run a command; raise OSError with its error output where it fails."""
    done = run(words)
    if done.returncode:
        raise OSError(f"{words[0]}: {done.stderr.strip()}")


def asks_for_backup(stick: Path) -> bool:
    """Return whether a stick has a backup folder that is no symbolic link."""
    found = stick / BACKUP_FOLDER
    return found.is_dir() and not found.is_symlink()


def back_up(stick: Path, pack: Pack, table: Path, now: datetime) -> Path:
    """Write the games and the table's file to a stick, each atomically; return the path of the games.

    Parameters
    ----------
    stick
        The stick's mount point.
    pack
        Writes the archive of the games to a file.
    table
        The table's file; left out where there is none.
    now
        The time, which names the files.
    """
    name = f"{now:%Y-%m-%d-%H%M%S}"
    games = stick / BACKUP_FOLDER / f"games-{name}.zip"
    with replacing(games) as file:
        pack(file)
    if table.exists():
        copy_file(table, stick / BACKUP_FOLDER / f"table-{name}.toml")
    return games


def collect_packages(stick: Path, incoming: Path) -> list[str]:
    """Copy packages of the companion from a stick to ``incoming`` for the host's page; return their names."""
    names = []
    for path in sorted(stick.glob(PACKAGE_PATTERN)):
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_PACKAGE_BYTES or not incoming.is_dir():
            continue
        copy_file(path, incoming / path.name)
        names.append(path.name)
    return names


def pack_as_pages(file: IO[bytes]) -> None:
    """Write the archive of all games to a file; raise OSError."""
    command = [*AS_WEB_USER, sys.executable, "-P", "-m", "companion.bootstrap.stick", "--pack", str(LOG_FILE)]
    if processes.start(command, stdout=file).wait():
        raise OSError("the games could not be read")


def main(device: str, light: Light, sleep: Callable[[float], None] = time.sleep) -> int:
    """Back up to a device if its stick asks for it; return 0, and 1 where that failed."""
    try:
        with mounted(device, MOUNT_POINT / Path(device).name) as stick:
            if not asks_for_backup(stick):
                return 0
            light.blink(200)
            log.info(
                "backup: %s", back_up(stick, pack_as_pages, TABLE_FILE, datetime.now().astimezone()).name
            )
            log.info("packages from the stick: %s", ", ".join(collect_packages(stick, INCOMING)) or "none")
    except OSError as error:
        log.warning("failed with %s: %s", device, error)
        light.blink(2000)
        sleep(SHOW_RESULT_S)
        return 1
    light.stay()
    sleep(SHOW_RESULT_S)
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if sys.argv[1] == "--pack":
        pack_backup(Path(sys.argv[2]), README, sys.stdout.buffer)
        sys.exit(0)
    with Light.found().borrowed() as borrowed:
        sys.exit(main(sys.argv[1], borrowed))
