"""The server on the table's socket, which dispatches the requests of pages."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import Any, BinaryIO, cast

from companion.errors import CompanionError, TableInTrouble, Unanswered, nearest
from companion.model.phrases import phrase
from companion.rpc import wire
from companion.rpc.interface import TableService, WizardService
from companion.rpc.operations import OPERATIONS

logger = logging.getLogger(__name__)

MAX_CONCURRENT_REQUESTS = 32
"""Most requests that are answered at the same time; others wait."""

IDLE_TIMEOUT_S = 10.0
"""Seconds without a request after which a connection is closed."""

NEXT_GAME_TIMEOUT_S = 4.0
"""How long a request waits for the next game's table, in seconds."""

SOCKET_MODE = 0o660
"""Access to the socket: the table's own user and group."""


@contextmanager
def serve(path: Path, table: TableService | None, wizard: WizardService | None = None) -> Iterator[Server]:
    """Serve on a socket at a path until the block ends; raise Unanswered if another table serves there.

    Without a ``table`` requests wait until ``set_table`` gives one.  Without a ``wizard`` requests to set the
    table up are refused.
    """
    remove_stale_socket(path)
    try:
        server = Server(str(path), Handler)
    except OSError as error:
        raise Unanswered(f"the socket {path} cannot be opened: {error.strerror or error}") from error
    server.table, server.wizard = table, wizard
    path.chmod(SOCKET_MODE)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="line", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        path.unlink(missing_ok=True)


def remove_stale_socket(path: Path) -> None:
    """Remove a socket that a power cut has left behind; raise Unanswered for a live one or another file."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    if not path.is_socket():
        raise Unanswered(f"{path} is there and is no line; give the table another socket")
    with socket.socket(socket.AF_UNIX) as probe, suppress(ConnectionRefusedError, FileNotFoundError):
        probe.settimeout(1.0)
        probe.connect(str(path))
        raise Unanswered(f"another table answers at {path}; stop it first")
    path.unlink(missing_ok=True)


class Server(ThreadingUnixStreamServer):
    """Answers each connection in a thread of its own, at most ``MAX_CONCURRENT_REQUESTS`` at a time."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    table: TableService | None = None
    wizard: WizardService | None = None
    trouble: str = ""

    def __init__(self, *args: Any) -> None:
        self.free = threading.BoundedSemaphore(MAX_CONCURRENT_REQUESTS)
        self.changed = threading.Condition()
        super().__init__(*args)

    def set_table(self, table: TableService | None, trouble: str = "") -> None:
        """Set the service that answers now, ``None`` until the next one; ``trouble`` is why there is none."""
        with self.changed:
            self.table, self.trouble = table, trouble
            self.changed.notify_all()

    def implementation(self, service: type) -> TableService | WizardService:
        """Return the implementation of a service; wait for the next game's table.

        Raises
        ------
        TableInTrouble
            At once, if a trouble keeps the table from any game.
        Unanswered
            If there is no implementation.
        """
        if service is WizardService:
            if self.wizard is None:
                raise Unanswered(phrase("this table cannot be set up from a page"))
            return self.wizard
        with self.changed:
            self.changed.wait_for(lambda: self.table is not None or bool(self.trouble), NEXT_GAME_TIMEOUT_S)
            if self.trouble:
                raise TableInTrouble(self.trouble)
            if self.table is None:
                raise Unanswered(phrase("the table is being made ready; ask again in a moment"))
            return self.table

    def handle_error(self, *_: object) -> None:
        """Log that a client has disconnected during its request."""
        logger.debug("a page went away in the middle of its question")


class Handler(StreamRequestHandler):
    """Answers the requests of one connection until it is closed."""

    timeout = IDLE_TIMEOUT_S

    def handle(self) -> None:
        """Answer each request as it comes; an invalid message ends the connection."""
        source, to = cast(BinaryIO, self.rfile), cast(BinaryIO, self.wfile)
        server = cast(Server, self.server)
        try:
            while (message := wire.receive(source)) is not None:
                with server.free:
                    answer, attachment = respond(*message, server)
                wire.send(to, answer, attachment)
        except Unanswered as error:
            wire.send(to, {"error": str(error)})
        except TimeoutError:
            logger.debug("a page said nothing for %g s", IDLE_TIMEOUT_S)


def respond(message: Mapping[str, Any], attached: bytes, server: Server) -> tuple[dict[str, Any], bytes]:
    """Return the response to a message, an answer or an error, and the bytes after it."""
    try:
        wire.check_values(message)
        answer, attachment = dispatch(message, attached, server)
    except CompanionError as error:
        return {"error": str(error), "trouble": isinstance(error, TableInTrouble)}, b""
    except Exception:
        logger.exception("the table could not answer %s", str(message)[:200])
        return {"error": phrase("the table could not answer; its own record says why")}, b""
    return {"answer": answer}, attachment


def dispatch(message: Mapping[str, Any], attached: bytes, server: Server) -> tuple[Any, bytes]:
    """Return the answer of the operation that a message names; raise Unanswered for an unknown one.

    Invalid arguments are refused at once, even while the request would wait for the next game's table.
    """
    name = str(message.get("ask"))
    if name not in OPERATIONS:
        raise Unanswered(
            f"no operation {name!r}{nearest(name, OPERATIONS)} (there are {', '.join(OPERATIONS)})"
        )
    operation = OPERATIONS[name]
    arguments = operation.parse_arguments({key: message[key] for key in message if key != "ask"}, attached)
    return operation.invoke(server.implementation(operation.service), arguments)
