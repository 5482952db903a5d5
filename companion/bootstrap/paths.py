"""Paths of the log, the socket and the camera profiles, with their defaults."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from calibration.profile import read_profile
from companion.config.cameras import CameraConfig
from companion.config.table import TableConfig
from companion.errors import BadLog
from companion.model.profile import Profile
from companion.words.chosen import home


def log_path(config: TableConfig) -> Path:
    """Return the log's path, and create its folder; raise BadLog.  A service uses its StateDirectory."""
    path = Path(config.log) if config.log else state_folder() / "games.db"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadLog(f"the log's folder {path.parent} cannot be made: {error.strerror}") from error
    return path


def socket_path(config: TableConfig) -> Path:
    """Return the socket's path.  A service uses its RuntimeDirectory."""
    if config.socket:
        return Path(config.socket)
    if folder := os.environ.get("RUNTIME_DIRECTORY"):
        return Path(folder) / "line"
    if folder := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(folder) / "companion" / "line"
    return home() / "line"


def load_profile(camera: CameraConfig) -> Profile | None:
    """Return a camera's profile, ``None`` where it has none yet; raise BadProfile.

    Of the configured file and the one in the state folder, the newer one is read.
    """
    there = [path for path in profile_paths(camera) if path.exists()]
    return read_profile(max(there, key=lambda path: path.stat().st_mtime_ns)) if there else None


def profile_path(camera: CameraConfig) -> Path:
    """Return the path to write a camera's profile to: the configured one where it is writable."""
    places = profile_paths(camera)
    return next((path for path in places if writable(path)), places[-1])


def profile_paths(camera: CameraConfig) -> list[Path]:
    """Return the possible paths of a camera's profile: the configured one, and one in the state folder."""
    plain = re.sub(r"[^a-z0-9]+", "-", camera.called.lower()).strip("-")[:40]
    mark = hashlib.sha256(camera.called.encode()).hexdigest()[:8]
    own = state_folder() / "cameras" / f"{plain}-{mark}.toml"
    return [Path(camera.profile), own] if camera.profile else [own]


def writable(path: Path) -> bool:
    """Return whether a file can be created or overwritten."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def state_folder() -> Path:
    """Return the state folder: the service's StateDirectory, or the user's."""
    folder = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(folder) if folder else home()
