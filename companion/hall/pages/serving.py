"""The hall's pages, served until something is so."""

from __future__ import annotations

from collections.abc import Callable

import gevent
from flask import Flask

from companion.errors import UsageError
from companion.web.serving.server import serve

LOOK_S = 0.2
"""Seconds between two looks whether it is so."""


def serve_until(
    app: Flask, host: str, port: int, ready: Callable[[int], None], done: Callable[[], bool]
) -> None:
    """Serve pages until ``done`` says so, or the server ends; ``ready`` hears the port.

    Raises UsageError where the port is taken, or the host is none of this machine's.
    """

    def fault() -> UsageError | None:
        try:
            serve(app, host, port, ready)
        except UsageError as error:
            return error
        return None

    serving = gevent.spawn(fault)
    while not serving.dead and not done():
        gevent.sleep(LOOK_S)
    serving.kill()
    if isinstance(serving.value, UsageError):
        raise serving.value
