"""Recover a log that cannot be opened or written: repair it, or wait until its disk can be written."""

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
from companion.table.evidence import pictures_folder, prune_to_share

logger = logging.getLogger(__name__)

PROBE_BYTES = 1 << 18
"""Bytes that must be writable: the events of some calls, and SQLite's own files beside the log."""

RETRY_S = 1.0
"""Seconds between two tries to write to a disk."""

KEPT_SHARE = 0.75
"""Share of the stored pictures' bytes that is kept each time that space must be freed."""

PICTURES_DELETED_TEXT = phrase("the disk of the log was full: the oldest pictures of calls were deleted")
LOG_INTERRUPTED_TEXT = phrase("the log could not be written for a while")

Tell = Callable[[str], None]


def recover(log: Path, error: BadLog, tell: Tell, stop: threading.Event) -> str:
    """Make a log usable again after an error, and return a message for the host about what was done.

    Waits while the disk cannot be written; while it is full, the oldest stored pictures are deleted.

    Parameters
    ----------
    log
        The log's file.
    error
        The error of opening or writing it.
    tell
        Receives the reason of the wait, whenever it changes.
    stop
        Ends the wait.

    Raises
    ------
    BadLog
        The error itself, where neither disk nor file has a fault that can be repaired, or after ``stop``.
    """
    done = wait_for_disk(log, tell, stop)
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
        done.append(LOG_INTERRUPTED_TEXT)
    return joined(done, "; ")


def wait_for_disk(log: Path, tell: Tell, stop: threading.Event) -> list[str]:
    """Wait until a log's disk can be written; return messages for the host, none without a wait."""
    done, said = list[str](), ""
    while (why := write_obstacle(log.parent)) and not stop.is_set():
        notify("READY=1", "WATCHDOG=1", f"STATUS={why}")
        if prune_to_share(pictures_folder(log), KEPT_SHARE):
            done = [PICTURES_DELETED_TEXT]
            continue
        if why != said:
            logger.error("%s", why)
        said = why
        tell(why)
        stop.wait(RETRY_S)
        done = done or [LOG_INTERRUPTED_TEXT]
    return done


def write_obstacle(folder: Path) -> str:
    """Return why a folder cannot be written and what to do about it, or an empty text."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".companion-probe-") as file:
            file.write(bytes(PROBE_BYTES))
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
