"""``python -m companion.updating``: find a newer package, and install it if the pages have requested it."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from companion.updating.debian import Debian
from companion.updating.state import REQUEST_FILE, STATE_PATH, VERSION, Outcome, read, write
from companion.updating.update import FAULTS, System, find_update, finish, update

REQUEST_PATH = Path("/var/lib/companion-web") / REQUEST_FILE

log = logging.getLogger(__name__)


def take_request(request: Path) -> str:
    """Delete the pages' request; return the requested version, empty where there is none.

    The pages own the folder: no link in it is followed, and only a version is read from it.
    """
    try:
        handle = os.open(request, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    except OSError:
        request.unlink()
        return ""
    with os.fdopen(handle, "rb") as file:
        text = file.read(100).decode("ascii", "replace").strip()
    request.unlink()
    return text if VERSION.fullmatch(text) else ""


def end_interrupted(state: Path, why: str) -> None:
    """Where the stored state says that an update runs, which none does now, say that it was interrupted."""
    before = read(state)
    if before is not None and before.outcome is Outcome.RUNNING:
        write(replace(before, outcome=Outcome.INTERRUPTED, detail=why), state)


def serve(system: System, request: Path, state: Path) -> int:
    """Carry out a request and find updates, once; return 0, or 1 where a tool or the disk failed.

    An update that was stopped midway, as by a power cut, is finished or taken back at the next start.
    """
    try:
        before = read(state)
        if before is not None and before.outcome is Outcome.RUNNING:
            write(finish(system, before), state)
        version = take_request(request)
        if version:
            after = update(system, version, lambda begun: write(begun, state))
            log.info("update to %s: %s %s", version, after.outcome, after.detail)
            write(after, state)
        system.discard_outdated()
        write(find_update(system, read(state)), state)
    except FAULTS as error:
        log.warning("updates: %s", error)
        with suppress(OSError):  # the next start tells it
            end_interrupted(state, str(error))
        return 1
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    sys.exit(serve(Debian(), REQUEST_PATH, STATE_PATH))
