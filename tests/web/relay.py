"""A piece of network between a browser and the pages, which a test can cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Passes on what comes to ``port`` on loopback, both ways, until it is cut; then nobody gets through."""

    def __init__(self, beyond: int) -> None:
        self._beyond, self._open, self._ends = beyond, True, set[socket.socket]()
        self._lock = threading.Lock()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._let_in, name="relay", daemon=True).start()

    def cut(self) -> None:
        """Break every connection, and let no new one through."""
        with self._lock:
            self._open = False
            for end in self._ends:
                broken(end)

    def mend(self) -> None:
        """Let connections through again."""
        self._open = True

    def close(self) -> None:
        """Be gone."""
        self.cut()
        broken(self._door)
        self._door.close()

    def _let_in(self) -> None:
        """Join whoever comes to what lies beyond."""
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            with self._lock:
                if not self._open:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._beyond))
                self._ends |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        """Pass on what one end says to the other, until either is gone."""
        with suppress(OSError):
            while translate := one.recv(65_536):
                other.sendall(translate)
        broken(other)
        with self._lock:
            self._ends.discard(one)
        one.close()


def broken(end: socket.socket) -> None:
    """Break a connection, if it is not broken already."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def relay(beyond: int) -> Iterator[Relay]:
    """Yield a piece of network that leads to a port on loopback."""
    found = Relay(beyond)
    try:
        yield found
    finally:
        found.close()
