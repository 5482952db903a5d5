"""Pages that are served beside a test, in its own thread."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import gevent
from flask import Flask

from companion.web.serving.server import serve


def spawned(
    app: Flask, host: str = "127.0.0.1", port: int = 0, extra_sockets: Sequence[socket.socket] = ()
) -> tuple[Any, int]:
    """Serve from a greenlet of this thread; return the greenlet and the port."""
    heard: list[int] = []
    task = gevent.spawn(serve, app, host, port, heard.append, extra_sockets)
    while not heard and not task.dead:
        gevent.sleep(0.01)
    return task, heard[0]
