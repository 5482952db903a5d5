"""Sockets that the service manager opened for the pages and hands on: port 80 is for root alone to open."""

from __future__ import annotations

import os
import socket

from companion.errors import UsageError

FIRST = 3
"""The descriptor of the first; they follow one another (sd_listen_fds(3))."""

MOST = 8
"""Sockets that are taken over at most."""

MEND = "see companion-web.socket, or leave it out: sudo ./run install --no-port-80"


def inherited() -> list[socket.socket]:
    """Return the sockets that were handed to this very process, listening; none where nobody hands any on.

    They are taken once: what this process starts gets none.  Raises UsageError where something else was
    handed on.
    """
    pid, count, _ = (os.environ.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"))
    if not pid or pid != str(os.getpid()):
        return []
    if not (count.isascii() and count.isdecimal() and 1 <= int(count) <= MOST):
        raise UsageError(f"LISTEN_FDS is 1 to {MOST}; got {count!r}; {MEND}")
    return [taken(number) for number in range(FIRST, FIRST + int(count))]


def taken(number: int) -> socket.socket:
    """Return the socket of a descriptor; raise UsageError for what phones cannot be served by."""
    try:
        found = socket.socket(fileno=number)
    except OSError as error:
        raise UsageError(f"descriptor {number} is no socket ({error.strerror}); {MEND}") from error
    listens = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if not listens or found.family not in {socket.AF_INET, socket.AF_INET6}:
        found.detach()
        raise UsageError(f"descriptor {number} does not listen for phones; {MEND}")
    os.set_inheritable(number, False)
    return found
