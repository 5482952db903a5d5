"""Copy this program to a folder that the services' users can read."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

from companion.errors import BadOutput, UsageError

PROJECT = Path(__file__).parents[2]
COPY_FOLDER = Path("/opt/companion")
"""Folder of the copy; home directories are closed to other users."""

COPY_MARKER = ".copied-by-install"
"""Name of the file that marks a folder as such a copy."""

EXCLUDED = shutil.ignore_patterns(
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


def inaccessible_folder(*files: Path) -> Path | None:
    """Return the first parent folder of some files that other users may not enter, or ``None``."""
    folders = (folder for file in files for folder in file.absolute().parents)
    return next((one for one in folders if one.is_dir() and not one.stat().st_mode & stat.S_IXOTH), None)


def copy_program(place: Path) -> None:
    """Copy the program to a folder; a virtual environment there is kept.

    Raises
    ------
    UsageError
        Where the folder exists and is no such copy.
    BadOutput
        Where it cannot be written.
    """
    if place.exists() and not (place / COPY_MARKER).exists():
        raise UsageError(f"{place} is there and no copy of install's; move it, or install from there")
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / COPY_MARKER).touch()
        for old in place.iterdir():
            if old.name not in {COPY_MARKER, ".venv"}:
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copytree(PROJECT, place, ignore=EXCLUDED, dirs_exist_ok=True)
        for path in (place, *place.rglob("*")):
            if ".venv" not in path.parts:
                path.chmod(0o755 if path.is_dir() or path.name == "run" else 0o644)
    except OSError as error:
        raise BadOutput(f"{place}: {error.strerror}; as root: sudo ./run install") from error
