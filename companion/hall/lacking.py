"""Games of which events are missing: what to ask for, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

AGAIN_S, LONGEST_AGAIN_S = 2.0, 30.0
"""Seconds between two requests for the same, doubled each time up to the longest."""

UNHEARD = 2**63
"""Beyond any event: the table itself must say which is its newest."""

BY_BROKER = 2
"""Requests over the broker that stay in vain, before the table's pages are asked too."""


@dataclass(slots=True)
class Lacking:
    """A game of which events are missing: when to ask next, how long to wait after that, how often in vain.

    ``known`` is the hash of one of its events: by it the table's pages know that the hall follows the game.
    ``until`` is the newest event that was heard of: only the table's answer ends it sooner.
    """

    due_s: float
    known: bytes
    until: int
    wait_s: float = AGAIN_S
    tries: int = 0


def digest_of(given: Any) -> bytes:
    """Return a hash from its hexadecimal digits; nothing where it is none."""
    try:
        return bytes.fromhex(given) if isinstance(given, str) else b""
    except ValueError:
        return b""
