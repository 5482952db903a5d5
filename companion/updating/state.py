"""The state of updates, written by the root service and read by the pages, and the pages' requests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.files import write_atomically

FOLDER = Path("/var/lib/tableau-companion")
"""The folder of the root service; only root writes there."""

STATE_PATH = FOLDER / "update.json"

INCOMING_FOLDER = FOLDER / "incoming"
"""Folder for packages that root has put there, or that came on a USB stick."""

REQUEST_FILE = "update-request"
"""Name of the request file in the pages' folder; it holds the version to install."""

VERSION = re.compile(r"[0-9][A-Za-z0-9.+:~-]{0,63}")
"""A version of Debian (Debian policy, 5.6.12), of at most 64 characters."""


class Outcome(StrEnum):
    """The result of the last update."""

    NONE = ""
    RUNNING = "running"
    INSTALLED = "installed"
    REFUSED = "refused"
    ROLLED_BACK = "rolled back"
    BROKEN = "broken"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class State:
    """The installed version, an available newer one, and the result of the last update.

    ``offered`` is empty where no newer one is known; ``detail`` is the tools' output, in English.
    """

    installed: str
    offered: str = ""
    outcome: Outcome = Outcome.NONE
    version: str = ""
    detail: str = ""

    @classmethod
    def from_json(cls, text: str) -> State:
        """Return a state from its text; raise ValueError where that is invalid."""
        found: Mapping[str, Any] = json.loads(text)
        try:
            words = {name: str(found[name]) for name in ("installed", "offered", "version", "detail")}
            return cls(**words, outcome=Outcome(found["outcome"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"no state of updates: {text[:80]}") from error

    def to_json(self) -> str:
        """Return the state as a text."""
        return json.dumps(asdict(self), indent=1) + "\n"


def read(path: Path = STATE_PATH) -> State | None:
    """Return the stored state of updates, ``None`` where there is none."""
    try:
        return State.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write(state: State, path: Path = STATE_PATH) -> None:
    """Replace the state of updates, which all users may read; raise OSError."""
    write_atomically(path, state.to_json().encode())
    path.chmod(0o644)
