"""The server that the pages run on: one thread, a light-weight task a phone."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

import gevent
from flask import Flask
from gevent.pool import Pool
from gevent.pywsgi import WSGIHandler, WSGIServer

from companion.web.reached import LISTENS, Listens, numbers, plain
from companion.web.site import Site
from companion.web.watching import Watching

MOST_CONNECTIONS = 600
"""Connections that are served at once; others wait until one ends."""

PATIENCE_S = 20.0
"""Seconds in which a phone must send or take something; then its connection is closed."""

BEAT_S = 5.0
"""How often the service manager is told that all is well, in seconds."""

logger = logging.getLogger(__name__)


class Handler(WSGIHandler):  # type: ignore[misc]
    """A connection that is closed when the phone at its other end sends and takes nothing for too long."""

    def handle(self) -> None:
        """Serve the requests of a connection."""
        self.socket.settimeout(PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().handle()

    def get_environ(self) -> dict[str, Any]:
        """Return what a request is about, from whom by the same numbers whichever socket it came by."""
        environ: dict[str, Any] = super().get_environ()
        return environ | {"REMOTE_ADDR": numbers(environ["REMOTE_ADDR"])}

    def log_request(self) -> None:
        """Note nothing: who looks at a page is nobody's business."""


class Server(WSGIServer):  # type: ignore[misc]
    """The server, with bounds on connections and patience."""

    handler_class = Handler


def serve(
    app: Flask,
    host: str,
    port: int,
    ready: Callable[[int], None] = lambda _port: None,
    besides: Sequence[socket.socket] = (),
    beat: Callable[[], None] = lambda: None,
) -> None:
    """Serve the pages until the greenlet that does is killed; ``ready`` hears the port.

    ``beat`` is called every ``BEAT_S`` seconds while phones are served and the log is looked at.

    Whoever comes by the sockets ``besides`` is served alike, inside the same bounds.  Where the app has
    something that announces it, the network hears of it too.
    """
    site: Site = app.extensions["companion"]
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)  # so that the first phone does not wait for it
    site.watching.look()
    room = Pool(MOST_CONNECTIONS)
    for one in besides:
        one.setblocking(False)  # or a look for who comes next would hold up everybody
    servers = [Server(at, app, spawn=room, log=None, error_log=logger) for at in ((host, port), *besides)]
    beside = [gevent.spawn(site.watching.run), gevent.spawn(site.checkups.run)]
    beside.append(gevent.spawn(beats, site.watching, beat))
    try:
        for server in servers:
            server.start()
        own = servers[0].server_port
        listens = app.config[LISTENS] = Listens(host, own, plain(besides))
        if announcing := app.extensions.get("announcing"):
            beside.append(gevent.spawn(announcing.run, listens.told))
        ready(own)
        servers[0].serve_forever()
    finally:
        for server in servers:
            server.stop(timeout=0.2)
        gevent.killall(beside)
        site.watching.following.close()


def beats(watching: Watching, beat: Callable[[], None]) -> None:
    """Tell for ever that all is well, while it is: a task that holds up all others holds up this one too."""
    while True:
        if watching.looked_s > time.monotonic() - BEAT_S:
            beat()
        gevent.sleep(BEAT_S)


def spawned(
    app: Flask, host: str = "127.0.0.1", port: int = 0, besides: Sequence[socket.socket] = ()
) -> tuple[Any, int]:
    """Serve from a greenlet of this thread; return the greenlet and the port."""
    heard: list[int] = []
    task = gevent.spawn(serve, app, host, port, heard.append, besides)
    while not heard and not task.dead:
        gevent.sleep(0.01)
    return task, heard[0]
