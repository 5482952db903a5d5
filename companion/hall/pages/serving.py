"""The hall's pages, served until something is so."""

from __future__ import annotations

from collections.abc import Callable

import gevent
from flask import Flask

from companion.web.serving.server import serve

LOOK_S = 0.2
"""Seconds between two looks whether it is so."""


def serve_until(
    app: Flask, host: str, port: int, ready: Callable[[int], None], done: Callable[[], bool]
) -> None:
    """Serve pages until ``done`` says so, or the server ends; ``ready`` hears the port."""
    serving = gevent.spawn(serve, app, host, port, ready)
    while not serving.dead and not done():
        gevent.sleep(LOOK_S)
    serving.kill()
