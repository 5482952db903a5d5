"""The machine as an update sees it: dpkg, apt and systemd of Debian."""

from __future__ import annotations

import shutil
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from pathlib import Path
from subprocess import CompletedProcess, SubprocessError

from companion import processes
from companion.files import copy_file
from companion.updating.state import INCOMING_FOLDER, VERSION
from companion.updating.update import Failed, Offer

PACKAGE_NAME = "tableau-companion"
PACKAGE_CACHE = Path("/var/cache") / PACKAGE_NAME
"""The folder of the installed package and the one before it."""

UNITS = ("companion-table.service", "companion-web.service")
LOG_PATH = Path("/var/lib/companion/games.db")
LOG_OWNER = "companion-table"

START_TIMEOUT_S = 100.0
"""How long the services may take to be ready: TimeoutStartSec of their units, and ten seconds for systemd."""

MIN_READY_S = 35.0
"""How long they have to stay ready: longer than WatchdogSec of their units."""

INSTALL_TIMEOUT_S = 900.0
"""How long apt may take; on a Zero 2 W it unpacks for minutes."""

LOG_BACKUP_SCRIPT = """
set -e
rm -f "$1.before-update" "$1.before-update-wal" # those of a former update
[ ! -e "$1-wal" ] || cp -p "$1-wal" "$1.before-update-wal"
cp -p "$1" "$1.before-update.part" # of a full disk: it never looks like a whole copy
mv "$1.before-update.part" "$1.before-update"
"""
LOG_RESTORE_SCRIPT = """
set -e
rm -f "$1-wal" "$1-shm" "$1.newer"
ln "$1" "$1.newer"
mv -f "$1.before-update" "$1" # at every moment there is a whole log
"""
LOG_FORMAT_SCRIPT = """
import sqlite3, sys
log = sqlite3.connect(sys.argv[1])
print(*log.execute("PRAGMA user_version").fetchone())
log.execute("PRAGMA wal_checkpoint(TRUNCATE)")
log.close()
"""
"""Prints the format of a log, and leaves all its events in the one file."""

Run = Callable[[Sequence[str], float], CompletedProcess[str]]


def run(command: Sequence[str], timeout_s: float) -> CompletedProcess[str]:
    """Run a command in the environment of a system service."""
    known = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    known |= {"DPKG_DEB_COMPRESSOR_TYPE": "zstd", "DPKG_DEB_COMPRESSOR_LEVEL": "3"}  # seconds to repack
    return processes.run(command, timeout_s=timeout_s, env=known)


@dataclass(frozen=True, slots=True)
class Debian:
    """The machine; commands are run by ``run``, times are read and waited for by ``clock`` and ``sleep``."""

    run: Run = run
    incoming: Path = INCOMING_FOLDER
    cache: Path = PACKAGE_CACHE
    log: Path = LOG_PATH
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    starts_s: float = START_TIMEOUT_S
    stays_s: float = MIN_READY_S

    def asked(self, *words: str, timeout_s: float = 60.0) -> str:
        """Run a command and return its output; raise Failed."""
        try:
            done = self.run(words, timeout_s)
        except (OSError, SubprocessError) as error:
            raise Failed(f"{words[0]}: {error}") from error
        if done.returncode:
            raise Failed(f"{words[0]}: {(done.stderr or done.stdout).strip()[-500:]}")
        return done.stdout

    def installed(self) -> str:
        """Return the installed version; raise Failed."""
        return self.asked("dpkg-query", "--show", "--showformat=${Version}", PACKAGE_NAME).strip()

    def newer(self, one: str, other: str) -> bool:
        """Return whether a version is higher than another."""
        return self.run(("dpkg", "--compare-versions", one, "gt", other), 60.0).returncode == 0

    def offers(self) -> Sequence[Offer]:
        """Return newer packages of the incoming folder and of apt's lists, the newest last; raise Failed."""
        installed, arch = self.installed(), self.asked("dpkg", "--print-architecture").strip()
        found = [offer for path in sorted(self.incoming.glob("*.deb")) if (offer := self.laid(path, arch))]
        listed = self.asked("apt-cache", "policy", PACKAGE_NAME).splitlines()
        candidate = next((line.split(":", 1)[1].strip() for line in listed if "Candidate:" in line), "")
        if VERSION.fullmatch(candidate):
            found.append(Offer(candidate))
        offers = [one for one in found if self.newer(one.version, installed)]

        def compared(one: Offer, other: Offer) -> int:
            return self.newer(one.version, other.version) - self.newer(other.version, one.version)

        return sorted(offers, key=cmp_to_key(compared))

    def discard_outdated(self) -> None:
        """Delete packages that are not newer than the installed one from the incoming folder; raise Failed.

        Files that are no package for this machine, such as one that is still being copied, stay.
        """
        installed, arch = self.installed(), self.asked("dpkg", "--print-architecture").strip()
        for path in self.incoming.glob("*.deb"):
            offer = self.laid(path, arch)
            if offer is not None and not self.newer(offer.version, installed):
                path.unlink()

    def laid(self, path: Path, arch: str) -> Offer | None:
        """Return a package of the incoming folder; ``None`` unless only root can write it and it fits."""
        known = path.lstat()
        if known.st_uid != self.incoming.stat().st_uid or not stat.S_ISREG(known.st_mode):
            return None
        if known.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return None
        show = "--showformat=${Package} ${Architecture} ${Version}"
        fields = self.run(("dpkg-deb", "--show", show, str(path)), 60.0).stdout.split()
        if fields[:2] != [PACKAGE_NAME, arch] or len(fields) != 3 or not VERSION.fullmatch(fields[2]):
            return None
        return Offer(fields[2], path)

    def package(self, offer: Offer) -> Path:
        """Return the file of an offer in the cache, where only the installed one stays; raise Failed."""
        self.cache.mkdir(mode=0o755, exist_ok=True)
        installed = self.kept(self.installed())
        for path in set(self.cache.iterdir()) - {installed}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        kept = self.kept(offer.version)
        if offer.file is not None:
            copy_file(offer.file, kept)
            return kept
        words = ("sh", "-c", 'cd "$1" && apt-get -q download "$2"', "sh")
        self.asked(*words, str(self.cache), f"{PACKAGE_NAME}={offer.version}", timeout_s=INSTALL_TIMEOUT_S)
        for path in self.cache.glob(f"{PACKAGE_NAME}_*.deb"):
            path.replace(kept)
        return kept

    def kept(self, version: str) -> Path:
        """Return the path in the cache of a version's package."""
        return self.cache / f"{version}.deb"

    def present(self) -> Path:
        """Return the installed package from the cache, or rebuilt; raise Failed."""
        kept = self.kept(self.installed())
        if not kept.exists():
            words = ("sh", "-c", 'cd "$1" && dpkg-repack "$2"', "sh")
            self.asked(*words, str(self.cache), PACKAGE_NAME, timeout_s=INSTALL_TIMEOUT_S)
            for path in self.cache.glob(f"{PACKAGE_NAME}_*.deb"):
                path.replace(kept)
        return kept

    def repair(self) -> bool:
        """Let dpkg finish what was cut short; return whether the package is whole; raise Failed."""
        self.run(("dpkg", "--force-confold", "--configure", "--pending"), INSTALL_TIMEOUT_S)
        words = ("dpkg-query", "--show", "--showformat=${db:Status-Abbrev}", PACKAGE_NAME)
        return self.asked(*words).strip() == "ii"

    def enabled(self) -> Sequence[str]:
        """Return the services that start with the machine."""
        command = ("systemctl", "is-enabled", "--quiet")
        return [unit for unit in UNITS if self.run((*command, unit), 60.0).returncode == 0]

    def running(self) -> Sequence[str]:
        """Return the services that run."""
        return [unit for unit in UNITS if self.active(unit)]

    def active(self, unit: str) -> bool:
        """Return whether a service is ready."""
        return self.run(("systemctl", "is-active", "--quiet", unit), 60.0).returncode == 0

    def stop(self, units: Sequence[str]) -> None:
        """Stop services; raise Failed."""
        if units:
            self.asked("systemctl", "stop", *units)

    def install(self, file: Path) -> None:
        """Install a package with its dependencies, keeping changed settings; raise Failed."""
        if not self.repair():  # apt would want the very version that was cut short
            self.run(("dpkg", "--force-confold", "--install", str(file)), INSTALL_TIMEOUT_S)
        words = ["-q", "-y", "--no-install-recommends", "--allow-downgrades", "--reinstall"]
        words += ["-o", "Dpkg::Options::=--force-confold", "-o", "DPkg::Lock::Timeout=300"]
        self.asked("apt-get", *words, "install", str(file), timeout_s=INSTALL_TIMEOUT_S)

    def up(self, units: Sequence[str]) -> bool:
        """Start stopped services; return whether all are ready in time and stay ready."""
        if not units:
            return True
        self.run(("systemctl", "start", "--no-block", *units), 60.0)
        begun = self.clock()
        ready: float | None = None
        while (now := self.clock()) - begun < self.starts_s + self.stays_s:
            if not all(map(self.active, units)):
                ready = None
            elif ready is None:
                ready = now
            elif now - ready >= self.stays_s:
                return True
            self.sleep(1.0)
        return False

    def keep_log(self) -> None:
        """Copy the log beside itself, as its owner; raise Failed."""
        if self.log.exists():
            self.as_owner("sh", "-c", LOG_BACKUP_SCRIPT, "sh", str(self.log))

    def return_log(self) -> None:
        """Restore the copy of the log if the log now has another format; raise Failed."""
        copy = self.log.with_name(f"{self.log.name}.before-update")
        if copy.exists() and self.format_of(copy) != self.format_of(self.log):
            self.as_owner("sh", "-c", LOG_RESTORE_SCRIPT, "sh", str(self.log))

    def format_of(self, log: Path) -> str:
        """Return the format of a log; raise Failed."""
        return self.as_owner("/usr/bin/python3", "-I", "-c", LOG_FORMAT_SCRIPT, str(log)).strip()

    def as_owner(self, *words: str) -> str:
        """Run a command as the log's owner: root opens no file that another user could have swapped."""
        return self.asked(
            "setpriv", f"--reuid={LOG_OWNER}", "--regid=companion", "--init-groups", "--", *words
        )
