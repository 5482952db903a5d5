"""What is known of updates: written by the root service, read by the pages; and what the pages ask of it."""

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
"""What the root service keeps; only root writes there."""

STATE_PATH = FOLDER / "update.json"

INCOMING_FOLDER = FOLDER / "incoming"
"""Packages that somebody laid there as root, or that came on a USB stick."""

REQUEST_FILE = "update-request"
"""The file by which the pages ask, among what they keep; it holds the version that is to be installed."""

VERSION = re.compile(r"[0-9][A-Za-z0-9.+:~-]{0,63}")
"""A version of Debian (Debian policy, 5.6.12), of at most 64 characters."""


class Outcome(StrEnum):
    """What became of the last update."""

    NONE = ""
    RUNNING = "running"
    INSTALLED = "installed"
    REFUSED = "refused"
    ROLLED_BACK = "rolled back"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class State:
    """The installed version, a newer one that can be had, and what became of the last update.

    ``offered`` is empty where nothing newer is known; ``detail`` is what the tools said, in English.
    """

    installed: str
    offered: str = ""
    outcome: Outcome = Outcome.NONE
    version: str = ""
    detail: str = ""

    @classmethod
    def from_json(cls, text: str) -> State:
        """Return a state as it was written; raise ValueError where the text is none."""
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
    """Return what is known of updates, ``None`` where nothing is."""
    try:
        return State.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write(state: State, path: Path = STATE_PATH) -> None:
    """Replace the state of updates, which all users may read; raise OSError."""
    write_atomically(path, state.to_json().encode())
    path.chmod(0o644)
