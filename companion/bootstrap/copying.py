"""A copy of this program where services with users of their own can read it."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

from companion.errors import BadOutput, UsageError

PROJECT = Path(__file__).parents[2]
COPY = Path("/opt/companion")
"""Where the copy goes: home directories are closed to other users."""

MARK = ".copied-by-install"
"""The file that tells a copy from a folder of somebody's own."""

LEFT_OUT = shutil.ignore_patterns(
    ".git*",
    ".ci",
    ".venv",
    ".*cache",
    ".hypothesis",
    ".coverage*",
    "__pycache__",
    "*.egg-info",
    "tests",
    "build",
)


def closed_to_others(*files: Path) -> Path | None:
    """Return the first folder on the way to some files that other users may not enter, or ``None``."""
    folders = (folder for file in files for folder in file.absolute().parents)
    return next((one for one in folders if one.is_dir() and not one.stat().st_mode & stat.S_IXOTH), None)


def copy(place: Path) -> None:
    """Copy the program to a place; what its virtual environment holds there stays.

    Raises
    ------
    UsageError
        Where the place is somebody's own folder.
    BadOutput
        Where it cannot be written.
    """
    if place.exists() and not (place / MARK).exists():
        raise UsageError(f"{place} is there and no copy of install's; move it, or install from there")
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / MARK).touch()
        for old in place.iterdir():
            if old.name not in {MARK, ".venv"}:
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copytree(PROJECT, place, ignore=LEFT_OUT, dirs_exist_ok=True)
        for path in (place, *place.rglob("*")):
            if ".venv" not in path.parts:
                path.chmod(0o755 if path.is_dir() or path.name == "run" else 0o644)
    except OSError as error:
        raise BadOutput(f"{place}: {error.strerror}; as root: sudo ./run install") from error
