"""The clients of the table's services, for the pages."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

from companion.errors import TableInTrouble, Unanswered
from companion.model.phrases import decode_text, phrase
from companion.rpc import wire
from companion.rpc.interface import TableService, WizardService
from companion.rpc.operations import Operation, operations


class Client:
    """Sends each request on a new connection to a table's socket; for any thread.

    Every operation raises Unanswered, with a text for the user, if the table is not running, does not answer
    in ``timeout_s`` seconds or refuses; TableInTrouble if it cannot play any game.
    """

    default_timeout_s: ClassVar[float]
    """How long an answer may take, in seconds, unless the operation or the caller sets another time."""

    def __init__(self, path: Path, timeout_s: float | None = None) -> None:
        self.path, self.timeout_s = Path(path), timeout_s

    def __init_subclass__(cls, service: type | None = None) -> None:
        """Add a remote method for every operation of a service."""
        for operation in operations(service).values() if service else ():
            setattr(cls, operation.method.__name__, remote_method(operation))


def remote_method(operation: Operation) -> Callable[..., Any]:
    """Return a client's method that sends an operation to the table and returns its answer."""

    @wraps(operation.method)
    def method(client: Client, *given: Any, **more: Any) -> Any:
        arguments, attached = operation.encode(*given, **more)
        timeout_s = operation.timeout_s or client.timeout_s or client.default_timeout_s
        answer, bytes_ = exchange(client.path, {"ask": operation.name, **arguments}, attached, timeout_s)
        return operation.decode_answer(answer, bytes_)

    return method


def exchange(path: Path, message: Mapping[str, Any], attached: bytes, timeout_s: float) -> tuple[Any, bytes]:
    """Return the answer to a message, JSON and bytes; raise Unanswered or TableInTrouble for an error."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout_s)
            connection.connect(str(path))
            with connection.makefile("rwb") as file:
                stream = cast(BinaryIO, file)
                wire.send(stream, message, attached)
                got = wire.receive(stream)
    except TimeoutError as error:
        wait = f"{timeout_s:g}"
        raise Unanswered(
            phrase("the table did not answer within %(wait)s s; look whether it is well", wait=wait)
        ) from error
    except OSError as error:
        raise Unanswered(
            phrase("no table answers at %(path)s; start it with companion table", path=path)
        ) from error
    if got is None:
        raise Unanswered(phrase("the table hung up before it answered; ask again"))
    answer, bytes_ = got
    if "error" not in answer:
        return answer.get("answer"), bytes_
    try:
        text = decode_text(answer["error"])
    except ValueError as error:
        raise Unanswered(f"the table's answer cannot be read: {error}") from error
    raise (TableInTrouble if answer.get("trouble") is True else Unanswered)(text)


class TableClient(Client, TableService, service=TableService):
    """The client of a table at play."""

    default_timeout_s = 5.0


class WizardClient(Client, WizardService, service=WizardService):
    """The client of a table that is being set up; its timeout allows for slow pictures."""

    default_timeout_s = 40.0
