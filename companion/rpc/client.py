"""The pages' end of the socket."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

from companion.errors import TableInTrouble, Unanswered
from companion.model.phrases import phrase, restored
from companion.rpc import wire
from companion.rpc.interface import TableService, WizardService
from companion.rpc.operations import Operation, operations


class Client:
    """Asks a table at a socket; any thread may ask, and a table that was started anew is found again.

    Every operation raises Unanswered, with a text for who asked, where the table is not there, does
    not answer in ``patience_s`` or refuses; TableInTrouble where it can play no game.
    """

    usual_s: ClassVar[float]
    """How long an answer may take where its operation and the caller say nothing else."""

    def __init__(self, path: Path, patience_s: float | None = None) -> None:
        self.path, self.patience_s = Path(path), patience_s

    def __init_subclass__(cls, service: type | None = None) -> None:
        """Have every operation of a service sent to the table."""
        for operation in operations(service).values() if service else ():
            setattr(cls, operation.method.__name__, sending(operation))


def sending(operation: Operation) -> Callable[..., Any]:
    """Return a client's method that asks the table for an operation."""

    @wraps(operation.method)
    def method(client: Client, *given: Any, **more: Any) -> Any:
        arguments, attached = operation.sent(*given, **more)
        patience_s = operation.patience_s or client.patience_s or client.usual_s
        told, bytes_ = exchange(client.path, {"ask": operation.name, **arguments}, attached, patience_s)
        return operation.answered(told, bytes_)

    return method


def exchange(path: Path, message: Mapping[str, Any], attached: bytes, patience_s: float) -> tuple[Any, bytes]:
    """Return the answer to a message, JSON and bytes; raise Unanswered or TableInTrouble for none."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(patience_s)
            connection.connect(str(path))
            with connection.makefile("rwb") as file:
                stream = cast(BinaryIO, file)
                wire.send(stream, message, attached)
                got = wire.receive(stream)
    except TimeoutError as error:
        wait = f"{patience_s:g}"
        raise Unanswered(
            phrase("the table did not answer within %(wait)s s; look whether it is well", wait=wait)
        ) from error
    except OSError as error:
        raise Unanswered(
            phrase("no table answers at %(path)s; start it with companion table", path=path)
        ) from error
    if got is None:
        raise Unanswered(phrase("the table hung up before it answered; ask again"))
    told, bytes_ = got
    if "error" not in told:
        return told.get("answer"), bytes_
    try:
        text = restored(told["error"])
    except ValueError as error:
        raise Unanswered(f"the table's answer cannot be read: {error}") from error
    raise (TableInTrouble if told.get("trouble") is True else Unanswered)(text)


class TableClient(Client, TableService, service=TableService):
    """A table at play."""

    usual_s = 5.0


class WizardClient(Client, WizardService, service=WizardService):
    """A table that is being set up: some pictures are waited for and read on a slow machine."""

    usual_s = 40.0
