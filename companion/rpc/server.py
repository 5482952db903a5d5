"""The server: it answers the pages on the table's socket."""

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

MOST_AT_ONCE = 32
"""Questions that are answered at the same time; more wait their turn."""

PATIENCE_S = 10.0
"""A page that says nothing for so long is left alone."""

NEXT_S = 4.0
"""How long the next game's table is waited for, when one game has made room for another."""

MODE = 0o660
"""Who may ask: the table's own user and group."""


@contextmanager
def serve(path: Path, desk: TableService | None, wizard: WizardService | None = None) -> Iterator[Server]:
    """Answer on a socket at a path until the block ends; raise Unanswered where another table answers there.

    Without a desk whoever asks waits until somebody takes it over; ``wizard`` answers what is asked to set
    the table up, and without it such questions are refused.
    """
    clear(path)
    try:
        server = Server(str(path), Handler)
    except OSError as error:
        raise Unanswered(f"the socket {path} cannot be opened: {error.strerror or error}") from error
    server.desk, server.wizard = desk, wizard
    path.chmod(MODE)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="line", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        path.unlink(missing_ok=True)


def clear(path: Path) -> None:
    """Take away the socket that a table left behind at a power cut; raise Unanswered for any other file."""
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
    """Answers each page in a thread of its own, so many at once."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    desk: TableService | None = None
    wizard: WizardService | None = None
    trouble: str = ""

    def __init__(self, *args: Any) -> None:
        self.free = threading.BoundedSemaphore(MOST_AT_ONCE)
        self.changed = threading.Condition()
        super().__init__(*args)

    def take_over(self, desk: TableService | None, trouble: str = "") -> None:
        """Have a desk answer from now on, or nobody until the next one does; ``trouble`` says why nobody."""
        with self.changed:
            self.desk, self.trouble = desk, trouble
            self.changed.notify_all()

    def implementation(self, service: type) -> TableService | WizardService:
        """Return who carries out a service; wait for the next game's table.

        Raises
        ------
        TableInTrouble
            At once, where there is a trouble that keeps the table from any game.
        Unanswered
            Where nobody does.
        """
        if service is WizardService:
            if self.wizard is None:
                raise Unanswered(phrase("this table cannot be set up from a page"))
            return self.wizard
        with self.changed:
            self.changed.wait_for(lambda: self.desk is not None or bool(self.trouble), NEXT_S)
            if self.trouble:
                raise TableInTrouble(self.trouble)
            if self.desk is None:
                raise Unanswered(phrase("the table is being made ready; ask again in a moment"))
            return self.desk

    def handle_error(self, *_: object) -> None:
        """Note that a page has gone away in the middle of its question."""
        logger.debug("a page went away in the middle of its question")


class Handler(StreamRequestHandler):
    """Answers the questions of one page until it hangs up."""

    timeout = PATIENCE_S

    def handle(self) -> None:
        """Answer each question as it comes; a message that is none ends the talk."""
        source, to = cast(BinaryIO, self.rfile), cast(BinaryIO, self.wfile)
        server = cast(Server, self.server)
        try:
            while (message := wire.receive(source)) is not None:
                with server.free:
                    told, picture = answered(*message, server)
                wire.send(to, told, picture)
        except Unanswered as error:
            wire.send(to, {"error": str(error)})
        except TimeoutError:
            logger.debug("a page said nothing for %g s", PATIENCE_S)


def answered(message: Mapping[str, Any], attached: bytes, server: Server) -> tuple[dict[str, Any], bytes]:
    """Return the answer to a message: what the table could not understand never goes to it."""
    try:
        wire.check_values(message)
        told, picture = carried_out(message, attached, server)
    except CompanionError as error:
        return {"error": str(error), "trouble": isinstance(error, TableInTrouble)}, b""
    except Exception:
        logger.exception("the table could not answer %s", str(message)[:200])
        return {"error": phrase("the table could not answer; its own record says why")}, b""
    return {"answer": told}, picture


def carried_out(message: Mapping[str, Any], attached: bytes, server: Server) -> tuple[Any, bytes]:
    """Return the answer to a message that names an operation; raise Unanswered for any other.

    Bad arguments are refused at once, also while the next game's table is waited for.
    """
    name = str(message.get("ask"))
    if name not in OPERATIONS:
        raise Unanswered(
            f"no operation {name!r}{nearest(name, OPERATIONS)} (there are {', '.join(OPERATIONS)})"
        )
    operation = OPERATIONS[name]
    arguments = operation.checked({key: message[key] for key in message if key != "ask"}, attached)
    return operation.carried_out(server.implementation(operation.service), arguments)
