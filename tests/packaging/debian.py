"""Fresh Debian systems in folders, for packages to be installed in; nothing of them is left mounted."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2

TABLE = """game = "bananagrams"
seats = ["Anna", "Bo"]
policy = "off"

[[cameras]]
kind = "film"
where = "/srv/film.avi"
"""
"""A table at which a film stands for the camera."""

MIRROR = "http://deb.debian.org/debian"

ENTER = """
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/run" || exit 97
exec chroot "$@"
"""
"""Run in a mount namespace of its own, which ends with the command."""

CLEAN = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}

OURS = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/apt/apt.conf.d")
"""What a network may ask of everybody in it: names, certificates, a proxy."""


def lacking() -> str:
    """Return why no Debian can be made here, or nothing."""
    if os.geteuid() != 0:
        return "only root can make a Debian system in a folder"
    if shutil.which("debootstrap") is None:
        return "debootstrap is not here (package debootstrap)"
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
    return f"no mounts can be made here: {done.stderr.strip()}" if done.returncode else ""


def mirror() -> str:
    """Return where this machine has its packages from, else Debian's own mirror."""
    told = subprocess.run(["apt-cache", "policy"], capture_output=True, text=True, check=False).stdout
    found = re.search(r" (https?\S*/debian) ", told)
    return found[1] if found else MIRROR


@dataclass(frozen=True, slots=True)
class Debian:
    """A Debian system in a folder."""

    folder: Path

    @classmethod
    def fresh(cls, release: str, place: Path) -> Debian:
        """Return a minimal system; what debootstrap made is kept beside it, for the next time."""
        base, folder = place / f"{release}.base", place / f"{release}.run"
        if not (base / "made").exists():
            shutil.rmtree(base, ignore_errors=True)
            place.mkdir(parents=True, exist_ok=True)
            words = ["--variant=minbase", "--include=ca-certificates", release, str(base), mirror()]
            subprocess.run(["debootstrap", *words], check=True, stdout=subprocess.DEVNULL)
            (base / "made").touch()
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "-a", str(base), str(folder)], check=True)
        for path in map(Path, OURS):
            if path.is_dir():
                shutil.copytree(path, folder / path.relative_to("/"), dirs_exist_ok=True)
            elif path.exists():
                shutil.copy(path, folder / path.relative_to("/"))
        return cls(folder)

    def at(self, path: str) -> Path:
        """Return where a file of the system lies here."""
        return self.folder / path.lstrip("/")

    def entering(self, *words: str) -> list[str]:
        """Return the command that runs a command in the system."""
        return ["unshare", "--mount", "sh", "-c", ENTER, "sh", str(self.folder), *words]

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command in the system as root."""
        return subprocess.run(
            self.entering(*words), env=CLEAN, input=given, capture_output=True, text=True, check=False
        )

    def apt_get(self, *words: str) -> str:
        """Run apt-get, and return what it said; raise AssertionError where it fails."""
        done = self.run("apt-get", "-q", "-y", "--no-install-recommends", *words)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout + done.stderr

    @contextmanager
    def service(self, unit: str, log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run what a unit runs, as its user and with its folders, without systemd; its words go to a log."""
        told = self.at(f"/usr/lib/systemd/system/{unit}").read_text()
        known = dict(re.findall(r"^(\w+)=(.*)$", told, re.MULTILINE))
        state, user, group = f"/var/lib/{known['StateDirectory']}", known["User"], known["Group"]
        made = ["install", "-d", "-o", user, "-g", group, "-m", known["StateDirectoryMode"], state]
        assert self.run(*made).returncode == 0
        line = self.at("/var/lib/line")  # every command has its own /run, and they meet over a socket
        line.mkdir(exist_ok=True)
        line.chmod(0o777)
        folders = ["STATE_DIRECTORY=" + state, "RUNTIME_DIRECTORY=/var/lib/line"]
        folders += re.findall(r"^Environment=(.*)$", told, re.MULTILINE)
        command = [one.replace("/run/companion", "/var/lib/line") for one in shlex.split(known["ExecStart"])]
        become = ["setpriv", "--reuid", user, "--regid", group, "--init-groups", "env", *folders]
        with log.open("ab") as file:
            running = subprocess.Popen(
                self.entering(*become, *command, *words), env=CLEAN, stdout=file, stderr=subprocess.STDOUT
            )
            try:
                yield running
            finally:
                running.terminate()
                running.wait(30)


def film(picture: Path, place: Path) -> None:
    """Write a film in which a photograph lies still."""
    frame = cv2.imread(str(picture))
    assert frame is not None
    height, width = frame.shape[:2]
    out = cv2.VideoWriter(str(place), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (width, height))
    for _ in range(25):
        out.write(frame)
    out.release()
