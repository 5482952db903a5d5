"""``python -m companion.updating``: find a newer package, and install it if the pages have requested it."""

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


def serve(system: System, request: Path, state: Path) -> int:
    """Carry out a request and find updates, once; return 0, or 1 where a tool of the system failed."""
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
