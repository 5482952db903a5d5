"""The Python packages of a Debian package: those of the lock file, and the companion itself."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from companion import processes
from companion.bootstrap.copying import LEFT_OUT, PROJECT
from companion.errors import BadOutput
from companion.packaging.slim import slim

LOCKS = {"amd64": ("x86_64", "play"), "arm64": ("aarch64", "pi")}
"""Debian's name of a kind of machine: Python's name of it, and the lock file; arm64 is the Pi."""


def fill(site: Path, python: str, arch: str) -> None:
    """Install the locked packages and the companion into a folder, without what playing never opens.

    Nothing that is installed is run, so it may be for another kind of machine and another Python.

    Parameters
    ----------
    site
        The folder, made here.
    python
        The version of Python that will use it, as ``3.13``.
    arch
        Debian's name of the machine, a key of ``LOCKS``.

    Raises
    ------
    BadOutput
        Where pip's stand-in cannot get a package that the lock file names.
    """
    machine, lock = LOCKS[arch]
    target = ["--target", str(site), "--python-version", python]
    target += ["--python-platform", f"{machine}-manylinux_2_36", "--no-deps", "--link-mode", "copy"]
    locked = str(PROJECT / f".requirements/{lock}.txt")
    uv("install", *target, "--require-hashes", "--only-binary", ":all:", "-r", locked)
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder) / "clean"  # what lay in a checkout's build folder is never packed
        shutil.copytree(PROJECT, clean, ignore=LEFT_OUT)
        uv("install", *target, "--no-build-isolation", str(clean))
    slim(site, machine)


def uv(*words: str) -> None:
    """Run ``uv pip``; raise BadOutput with what it says."""
    command = [sys.executable, "-m", "uv", "pip", *words, "--no-config", "--python", sys.executable]
    done = processes.run(command)
    if done.returncode:
        raise BadOutput(f"uv pip {words[0]}: {done.stderr.strip()[-2000:]}")
