"""Where the log and the line lie where the configuration does not say."""

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


def log_of(config: TableConfig) -> Path:
    """Return the log's file, its folder made: the service keeps it in its StateDirectory."""
    path = Path(config.log) if config.log else state_folder() / "games.db"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadLog(f"the log's folder {path.parent} cannot be made: {error.strerror}") from error
    return path


def socket_of(config: TableConfig) -> Path:
    """Return where the line lies: the service keeps it in its RuntimeDirectory."""
    if config.socket:
        return Path(config.socket)
    if folder := os.environ.get("RUNTIME_DIRECTORY"):
        return Path(folder) / "line"
    if folder := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(folder) / "companion" / "line"
    return home() / "line"


def kept_profile(camera: CameraConfig) -> Profile | None:
    """Return what calibration knows of a camera, ``None`` before anybody set it up; raise BadProfile.

    Its file is the one that the configuration names, or the table's own: whichever was written last.
    """
    there = [path for path in profile_places(camera) if path.exists()]
    return read_profile(max(there, key=lambda path: path.stat().st_mtime_ns)) if there else None


def profile_of(camera: CameraConfig) -> Path:
    """Return where the table keeps what it learns of a camera: where the configuration says, if it may."""
    places = profile_places(camera)
    return next((path for path in places if writable(path)), places[-1])


def profile_places(camera: CameraConfig) -> list[Path]:
    """Return where a camera's profile may lie: where the configuration says, and among the table's state."""
    plain = re.sub(r"[^a-z0-9]+", "-", camera.called.lower()).strip("-")[:40]
    mark = hashlib.sha256(camera.called.encode()).hexdigest()[:8]
    own = state_folder() / "cameras" / f"{plain}-{mark}.toml"
    return [Path(camera.profile), own] if camera.profile else [own]


def writable(path: Path) -> bool:
    """Return whether a file can be written anew: its folder lets us."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def state_folder() -> Path:
    """Return the folder that keeps state: the service's own, or the host's."""
    folder = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(folder) if folder else home()
