"""Logs with games in them, and how they are damaged by hand."""

from __future__ import annotations

import sqlite3
from io import BytesIO
from pathlib import Path

from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.restoring import pack_backup
from companion.model.calls import SECOND, Called, Order, Ordered
from companion.rules.registry import game
from companion.words.lexicon import Lexicon

WORDS = Lexicon.of("test", ["aa"])


def two_games(path: Path) -> Path:
    """Write a log with two games of 14 events each, and return its path."""
    with EventLog(path) as log:
        for name in ("one", "two"):
            match = Match.begun(log, name, game("bananagrams"), ["north", "east"], {"policy": "off"}, WORDS)
            match.handle(Ordered(0, Order.START))
            match.handle(Called(SECOND, 1, "split"))
            for second in (2, 3):
                match.handle(Called(second * SECOND, 1, "dump"))
    return path


def packed(path: Path) -> BytesIO:
    """Return a backup of a log."""
    written = BytesIO()
    pack_backup(path, "note", written)
    return written


def tampered(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(f"DROP TRIGGER no_update; DROP TRIGGER no_delete; {statement};")
    connection.close()
