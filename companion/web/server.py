"""The server that the pages run on: one thread, a light-weight task a phone."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from typing import Any

import gevent
from flask import Flask
from gevent.pool import Pool
from gevent.pywsgi import WSGIHandler, WSGIServer

from companion.web.reached import LISTENS
from companion.web.site import Site

MOST_CONNECTIONS = 600
"""Connections that are served at once; others wait until one ends."""

PATIENCE_S = 20.0
"""Seconds in which a phone must send or take something; then its connection is closed."""

logger = logging.getLogger(__name__)


class Handler(WSGIHandler):  # type: ignore[misc]
    """A connection that is closed when the phone at its other end sends and takes nothing for too long."""

    def handle(self) -> None:
        """Serve the requests of a connection."""
        self.socket.settimeout(PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().handle()

    def log_request(self) -> None:
        """Note nothing: who looks at a page is nobody's business."""


class Server(WSGIServer):  # type: ignore[misc]
    """The server, with bounds on connections and patience."""

    handler_class = Handler


def serve(app: Flask, host: str, port: int, ready: Callable[[int], None] = lambda _port: None) -> None:
    """Serve the pages until the greenlet that does is killed; ``ready`` hears the port.

    Where the app has something that announces it, the network hears of it too.
    """
    site: Site = app.extensions["companion"]
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)  # so that the first phone does not wait for it
    site.watching.look()
    app.config[LISTENS] = host
    beside = [gevent.spawn(site.watching.run), gevent.spawn(site.checkups.run)]
    server = Server((host, port), app, spawn=Pool(MOST_CONNECTIONS), log=None, error_log=logger)
    try:
        server.start()
        if announcing := app.extensions.get("announcing"):
            beside.append(gevent.spawn(announcing.run, server.server_port))
        ready(server.server_port)
        server.serve_forever()
    finally:
        server.stop(timeout=0.2)
        gevent.killall(beside)
        site.watching.following.close()


def spawned(app: Flask, host: str = "127.0.0.1", port: int = 0) -> tuple[Any, int]:
    """Serve from a greenlet of this thread; return the greenlet and the port."""
    heard: list[int] = []
    task = gevent.spawn(serve, app, host, port, heard.append)
    while not heard and not task.dead:
        gevent.sleep(0.01)
    return task, heard[0]
