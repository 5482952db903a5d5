"""A log that cannot be opened or written: mended where it can be, waited for where it cannot."""

from __future__ import annotations

import errno
import logging
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from companion.bootstrap.notify import notify
from companion.errors import BadLog, UnusableLog
from companion.events.checking import findings, repair_log
from companion.model.phrases import joined, phrase
from companion.table.evidence import pictures_folder, shrink

logger = logging.getLogger(__name__)

PROBE = 1 << 18
"""Bytes that must find room: the events of some calls, and SQLite's own files beside the log."""

RETRY_S = 1.0
"""How often a disk is looked at again that takes nothing."""

KEPT_SHARE = 0.75
"""Share of the kept pictures that stays each time that room must be made."""

ROOM_MADE = phrase("the disk of the log was full: the oldest pictures of calls were deleted")
FOR_A_WHILE = phrase("the log could not be written for a while")

Tell = Callable[[str], None]


def recover(log: Path, error: BadLog, tell: Tell, stop: threading.Event) -> str:
    """Make a log usable again after an error, and return what was done, for the host.

    Waits for as long as the disk takes nothing; while it is full, the oldest kept pictures are deleted.

    Parameters
    ----------
    log
        The log's file.
    error
        What was raised when it was opened or written.
    tell
        Told why people must wait, whenever that changes.
    stop
        Ends the wait.

    Raises
    ------
    BadLog
        The error itself where nothing is wrong with disk or file that could be mended, or when told to stop.
    """
    done = waited(log, tell, stop)
    if stop.is_set():
        raise error
    if log.exists() and (damage := [one for one in findings(log) if one.damage]):
        kept = repair_log(log)
        logger.error("log %s was damaged: %s", log, "; ".join(map(str, damage)))
        done.append(
            phrase(
                "the log was damaged and the table goes on with what is whole; "
                "the damaged file is kept as %(kept)s",
                kept=kept.name,
            )
        )
    elif not isinstance(error, UnusableLog):
        raise error
    elif not done:
        tell(str(error))
        stop.wait(RETRY_S)
        done.append(FOR_A_WHILE)
    return joined(done, "; ")


def waited(log: Path, tell: Tell, stop: threading.Event) -> list[str]:
    """Wait until a log's disk takes something; return what the host is to know of it, nothing at once."""
    done, said = list[str](), ""
    while (why := hindrance(log.parent)) and not stop.is_set():
        notify("READY=1", "WATCHDOG=1", f"STATUS={why}")
        if shrink(pictures_folder(log), KEPT_SHARE):
            done = [ROOM_MADE]
            continue
        if why != said:
            logger.error("%s", why)
        said = why
        tell(why)
        stop.wait(RETRY_S)
        done = done or [FOR_A_WHILE]
    return done


def hindrance(folder: Path) -> str:
    """Return why nothing can be written to a folder now and what to do about it, or nothing."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".companion-probe-") as file:
            file.write(bytes(PROBE))
            file.flush()
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return phrase(
                "the disk is full, so no game can be kept: delete files in %(folder)s; "
                "the table goes on by itself",
                folder=folder,
            )
        return phrase(
            "the disk cannot be written (%(why)s), so no game can be kept: see to the memory card and "
            "the folder %(folder)s; the table goes on by itself",
            why=error.strerror or str(error),
            folder=folder,
        )
    return ""
