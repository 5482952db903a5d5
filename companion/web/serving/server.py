"""The HTTP server: gevent's WSGI server with limits on connections, time and body size."""

from __future__ import annotations

import logging
import os
import resource
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPException
from typing import Any

import gevent
import gevent.socket
from flask import Flask
from gevent.pool import Pool
from gevent.pywsgi import Input, WSGIHandler, WSGIServer

from companion.errors import UsageError
from companion.web.auth.roles import SPARE_SLOT_KEY
from companion.web.i18n.language import catalogue, languages
from companion.web.live.channels import ConnectionSlots, cancel, cancel_current
from companion.web.live.monitor import TableMonitor
from companion.web.services import Services
from companion.web.serving.addresses import LISTEN_ADDRESS_KEY, ListenAddress, normalize_ip, port_80_addresses
from companion.web.serving.assets import ResponseCache

MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, SPARE_CONNECTIONS = 1600, 24, 40
"""Most connections in all, of one address while they are scarce, and spare ones for host and referee.

Browsers open up to six each: that is room for 250 phones.
"""

MAX_PENDING_REFUSALS = 100
"""Most connections beyond all slots that are answered with 503 at once."""

CLIENT_TIMEOUT_S = 20.0
"""Timeout in seconds of a send, and of the wait for the next request on a connection."""

SCARCE_CLIENT_TIMEOUT_S = 5.0
"""Timeout in seconds of that wait while connections are scarce."""

MAX_REQUEST_HEADERS_S = 10.0
"""Seconds in which a request's headers must arrive after its first line."""

REQUEST_BODY_TIMEOUT_S, MIN_BODY_BYTES_PER_S = 15.0, 50_000
"""Seconds in which a body must arrive, and the bytes for which it gets one second more."""

MAX_LINGER_S = 20.0
"""Seconds for which an unread body is drained: browsers show a response only after that."""

EVENT_STREAM_TYPE = b"text/event-stream"
"""Content type of server-sent events."""

BUSY_RESPONSE = b"HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

FIRST_LISTEN_FD = 3
"""Descriptor of the first socket that the service manager hands on; others follow it (sd_listen_fds(3))."""

MAX_LISTEN_FDS = 8
"""Most sockets that are taken over; our unit has one, and an administrator may add addresses to it."""

SOCKET_UNIT_HINT = "see companion-web.socket, or leave it out: sudo ./run install --no-port-80"

WATCHDOG_INTERVAL_S = 5.0
"""Seconds between two pings to the service manager's watchdog."""

logger = logging.getLogger(__name__)


class Body(Input):
    """The body of a request, with a deadline."""

    __slots__ = ("due_s",)

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.due_s = (
            time.monotonic() + REQUEST_BODY_TIMEOUT_S + (self.content_length or 0) / MIN_BODY_BYTES_PER_S
        )

    @property
    def rest(self) -> int:
        """The announced bytes that were not read yet."""
        return int((self.content_length or 0) - self.position)

    def read(self, length: int | None = None) -> bytes:
        """Return some bytes; raise TimeoutError where they come too late."""
        with deadline_timeout(self.due_s):
            return bytes(super().read(length))

    def readline(self, size: int | None = None) -> bytes:
        """Return a line; raise TimeoutError where it comes too late."""
        with deadline_timeout(self.due_s):
            return bytes(super().readline(size))

    def _discard(self) -> None:
        """Drain the unread body for ``MAX_LINGER_S`` at most."""
        self.due_s = min(self.due_s, time.monotonic() + MAX_LINGER_S)
        super()._discard()


def deadline_timeout(due_s: float) -> gevent.Timeout:
    """Return a timeout that raises TimeoutError in its block at ``due_s``."""
    return gevent.Timeout(max(0.001, due_s - time.monotonic()), TimeoutError("the phone is too slow"))


class Handler(WSGIHandler):
    """A connection; it is closed when its client is too slow, and refused where no slot is left."""

    spare = False
    close_connection: bool
    wsgi_input: Any

    def handle(self) -> None:
        """Serve the requests of a connection."""
        self.socket.settimeout(CLIENT_TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        slots, address = self.server.slots, normalize_ip(self.client_address[0])
        if not slots.has_room(address, spare=True):
            with suppress(OSError):
                self.socket.sendall(BUSY_RESPONSE)
            self.socket.close()
            return
        self.spare = slots.full
        with slots.hold(address, cancel_current()):
            super().handle()

    def read_requestline(self) -> str:
        """Return the first line of the next request, empty where none comes in time."""
        wait_s = SCARCE_CLIENT_TIMEOUT_S if self.server.slots.scarce else CLIENT_TIMEOUT_S
        with deadline_timeout(time.monotonic() + wait_s):
            return str(super().read_requestline())

    def read_request(self, raw_requestline: str) -> bool:
        """Read the rest of a request's head; raise ValueError where it does not come in time."""
        try:
            with deadline_timeout(time.monotonic() + MAX_REQUEST_HEADERS_S):
                return bool(super().read_request(raw_requestline))
        except (OSError, HTTPException) as error:
            raise ValueError("the head of a request is cut short or too long") from error

    def get_environ(self) -> dict[str, Any]:
        """Return the WSGI environment, with the client's normalized IP address and a body with a deadline."""
        environ: dict[str, Any] = super().get_environ()
        made = self.wsgi_input
        self.wsgi_input = Body(made.rfile, made.content_length, made.socket, made.chunked_input)
        return environ | {
            "REMOTE_ADDR": normalize_ip(environ["REMOTE_ADDR"]),
            "wsgi.input": self.wsgi_input,
            SPARE_SLOT_KEY: self.spare,
        }

    def process_result(self) -> None:
        """Send the response; a stream ends at once when its client hangs up."""
        if not any(value.startswith(EVENT_STREAM_TYPE) for _name, value in self.response_headers):
            super().process_result()
            return
        watcher = gevent.spawn(self.watch, gevent.getcurrent())
        try:
            super().process_result()
        finally:
            watcher.kill()

    def watch(self, answering: gevent.Greenlet) -> None:
        """Cancel a response when its client has hung up, which a send would notice only later."""
        gevent.socket.wait_read(self.socket.fileno())
        with suppress(OSError):
            if self.socket.recv(1, socket.MSG_PEEK):
                return  # a further request
        cancel(answering)

    def handle_one_response(self) -> None:
        """Handle a request; close the connection where its body was not read or its slot is a spare one."""
        super().handle_one_response()
        self.close_connection = self.close_connection or self.spare or self.wsgi_input.rest > 0

    def log_error(self, msg: str, *args: Any) -> None:
        """Log malformed requests at debug level only, so that they cannot fill the log."""
        logger.debug(msg, *args)

    def log_request(self) -> None:
        """Log no requests, for privacy."""


class Server(WSGIServer):
    """gevent's server with connection slots."""

    handler_class = Handler
    backlog = 1024

    def __init__(self, *args: Any, slots: ConnectionSlots, **values: Any) -> None:
        super().__init__(*args, **values)
        self.slots = slots


def serve(
    app: Flask,
    host: str,
    port: int,
    ready: Callable[[int], None] = lambda _port: None,
    extra_sockets: Sequence[socket.socket] = (),
    beat: Callable[[], None] = lambda: None,
) -> None:
    """Serve the pages until the current greenlet is killed; ``ready`` is called with the port.

    ``beat`` is called every ``WATCHDOG_INTERVAL_S`` while the log is being polled.  ``extra_sockets`` are
    served too, within the same limits.  The app's mDNS announcer runs meanwhile.  Raises UsageError
    where the port is taken or the host is not an address of this machine.
    """
    services: Services = app.extensions["companion"]
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)  # so that the first phone does not wait for it
    for language in languages():
        catalogue(language)
    services.monitor.poll_log()
    slots = ConnectionSlots(MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, SPARE_CONNECTIONS)
    room = Pool(MAX_CONNECTIONS + SPARE_CONNECTIONS + MAX_PENDING_REFUSALS)
    raise_open_file_limit(2 * MAX_CONNECTIONS)
    hub = gevent.get_hub()
    hub.NOT_ERROR = (*hub.NOT_ERROR, KeyboardInterrupt)  # Ctrl-C ends the pages and is no fault to print
    sockets = (listening_socket(host, port), *extra_sockets)
    for one in sockets:
        one.setblocking(False)  # a blocking accept would stop all greenlets
    cached_app = ResponseCache(app, services.cached)
    servers = [Server(at, cached_app, spawn=room, log=None, error_log=logger, slots=slots) for at in sockets]
    greenlets = [gevent.spawn(services.monitor.run), gevent.spawn(services.readiness.run)]
    greenlets.append(gevent.spawn(run_watchdog, services.monitor, beat))
    try:
        for server in servers:
            server.start()
        own = servers[0].server_port
        listens = app.config[LISTEN_ADDRESS_KEY] = ListenAddress(host, own, port_80_addresses(extra_sockets))
        if announcing := app.extensions.get("announcing"):
            greenlets.append(gevent.spawn(announcing.run, listens.announced_port))
        ready(own)
        servers[0].serve_forever()
    finally:
        for server in servers:
            server.stop(timeout=0.2)
        gevent.killall(greenlets)
        services.monitor.following.close()


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise UsageError where the address cannot be used."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=Server.backlog)
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]
        asked = f"{host}:{port} cannot be listened on"
        raise UsageError(f"{asked}: {why}; choose another with --host or --port") from error


def raise_open_file_limit(most: int) -> None:
    """Raise this process's limit of open files to ``most``, as far as the hard limit allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def run_watchdog(monitor: TableMonitor, beat: Callable[[], None]) -> None:
    """Call ``beat`` every ``WATCHDOG_INTERVAL_S`` seconds while the log is polled and the event loop runs."""
    while True:
        if monitor.polled_s > time.monotonic() - WATCHDOG_INTERVAL_S:
            beat()
        gevent.sleep(WATCHDOG_INTERVAL_S)


def inherited_sockets() -> list[socket.socket]:
    """Return the listening sockets passed by the service manager (sd_listen_fds), none where there are none.

    The variables are removed, so that child processes take none.  Raises UsageError for anything but
    listening sockets.
    """
    pid, count, _ = (os.environ.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"))
    if not pid or pid != str(os.getpid()):
        return []
    if not (count.isascii() and count.isdecimal() and 1 <= int(count) <= MAX_LISTEN_FDS):
        raise UsageError(f"LISTEN_FDS is 1 to {MAX_LISTEN_FDS}; got {count!r}; {SOCKET_UNIT_HINT}")
    return [socket_of_descriptor(number) for number in range(FIRST_LISTEN_FD, FIRST_LISTEN_FD + int(count))]


def socket_of_descriptor(number: int) -> socket.socket:
    """Return the socket of a descriptor; raise UsageError where it is no listening TCP socket."""
    try:
        found = socket.socket(fileno=number)
    except OSError as error:
        raise UsageError(
            f"descriptor {number} is no socket ({error.strerror}); {SOCKET_UNIT_HINT}"
        ) from error
    listens = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if not listens or found.family not in {socket.AF_INET, socket.AF_INET6}:
        found.detach()
        raise UsageError(f"descriptor {number} does not listen for phones; {SOCKET_UNIT_HINT}")
    os.set_inheritable(number, False)
    return found
