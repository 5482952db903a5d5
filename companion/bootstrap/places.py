"""Where the log and the line lie where the configuration does not say."""

from __future__ import annotations

import os
from pathlib import Path

from companion.config.table import TableConfig
from companion.errors import BadLog
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


def state_folder() -> Path:
    """Return the folder that keeps state: the service's own, or the host's."""
    folder = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(folder) if folder else home()
