"""``python -m companion.updating``: look for a newer package, and install it where the pages ask for it."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from companion.updating.debian import Debian
from companion.updating.state import REQUEST_FILE, STATE_PATH, VERSION, read, write
from companion.updating.update import Failed, System, find_update, update

REQUEST_PATH = Path("/var/lib/companion-web") / REQUEST_FILE

log = logging.getLogger(__name__)


def take_request(request: Path) -> str:
    """Take the pages' request away; return the version that it asks for, or nothing.

    The folder is the pages' own: no link in it is followed, and only a version is taken from it.
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


def serve(system: System, request: Path, state: Path) -> int:
    """Do what is asked once; return 0, and 1 where the machine could not be looked at."""
    version = take_request(request)
    try:
        if version:
            after = update(system, version, lambda begun: write(begun, state))
            log.info("update to %s: %s %s", version, after.outcome, after.detail)
            write(after, state)
        write(find_update(system, read(state)), state)
    except Failed as error:
        log.warning("updates: %s", error)
        return 1
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    sys.exit(serve(Debian(), REQUEST_PATH, STATE_PATH))
