"""The pages' end of the line."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol, cast

from companion.config.parse import parsed
from companion.errors import BadLine, TableInTrouble
from companion.line import questions as ask
from companion.line import wire
from companion.line.values import Answer, Checkup, PictureKind, Status, TileSets
from companion.model.phrases import phrase, restored

PATIENCE_S = 5.0
"""How long an answer may take: a call waits a second for its sighting, a slow card somewhat more."""

CHECKUP_S = 60.0
"""How long a checkup may take: each camera is watched for some seconds."""

RESTORE_S = 300.0
"""How long a restore may take: every game is checked, and a slow card is written to."""


class Line:
    """Asks the table; any thread may ask at any time, and a table that was started anew is found again.

    Every question raises BadLine, with a text for the person who asked, where the table is not there,
    does not answer or refuses to.
    """

    def __init__(self, path: Path, patience_s: float = PATIENCE_S) -> None:
        self.path, self.patience_s = Path(path), patience_s

    def order(self, order: str) -> Answer:
        """Give the host's order: start, pause, resume, confirm, next_round or end."""
        return answer(self._told(ask.AskOrder(order)))

    def call(
        self, seat: int, call: str, details: Mapping[str, Any] | None = None, by: str = "phone"
    ) -> Answer:
        """Call for a player; ``details`` are what the call takes with it, as a script would have them."""
        return answer(self._told(ask.AskCall(seat, call, dict(details or {}), by)))

    def ruling(
        self, ruling: str, reason: str, seat: int | None = None, details: Mapping[str, Any] | None = None
    ) -> Answer:
        """Rule as the referee."""
        return answer(self._told(ask.AskRuling(ruling, reason, seat, dict(details or {}))))

    def settle(self, seat: int, cell: tuple[int, int], symbol: str) -> Answer:
        """Say what stands on a tile in doubt; seat 0 is the shared board."""
        return answer(self._told(ask.AskSettle(seat, cell, symbol)))

    def status(self) -> Status:
        """Return how the table does."""
        return parsed(self._told(ask.AskStatus()), Status, "the table's status")

    def checkup(self) -> Checkup:
        """Return what the table finds when it looks at everything that must be right before a game."""
        told = asked(self.path, ask.AskCheckup(), CHECKUP_S)[0]
        return parsed(told, Checkup, "the table's checkup")

    def picture(
        self, kind: PictureKind | str = PictureKind.PLAIN, width: int = 1280, camera: int = 0
    ) -> bytes:
        """Return the newest picture of a camera (from 0) as JPEG, at most ``width`` pixels broad."""
        return self._asked(ask.AskPicture(PictureKind(kind), width, camera))[1]

    def evidence(self, number: int) -> bytes:
        """Return the picture kept for the call that is event ``number``, as JPEG."""
        return self._asked(ask.AskEvidence(number))[1]

    def lights_test(self, seat: int) -> None:
        """Have every pattern shown on a seat's lights, one after the other."""
        self._asked(ask.AskLightsTest(seat))

    def set_up(
        self,
        game: str,
        seats: Sequence[str],
        options: Mapping[str, Any] | None = None,
        words: str = "default",
        tiles: str = "",
    ) -> Answer:
        """Begin another game at this table; without ``tiles`` with those that are chosen for it."""
        return answer(self._told(ask.AskSetUp(game, tuple(seats), dict(options or {}), words, tiles)))

    def tile_sets(self, game: str) -> TileSets:
        """Return the tile sets that a game may be set up with."""
        return parsed(self._told(ask.AskTileSets(game)), TileSets, "the table's tiles")

    def restore(self, backup: bytes) -> Answer:
        """Have the log take in what it lacks of a backup; a large one takes its time."""
        return answer(asked(self.path, ask.AskRestore(backup), RESTORE_S)[0])

    def _told(self, question: ask.Question) -> Any:
        """Return what the table answers to a question, as JSON has it."""
        return self._asked(question)[0]

    def _asked(self, question: ask.Question) -> tuple[Any, bytes]:
        """Return what the table answers to a question, with a picture's bytes."""
        return asked(self.path, question, self.patience_s)


class Asking(Protocol):
    """A question, as a dataclass that knows its name on the line."""

    ask: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]


def asked(path: Path, question: Asking, patience_s: float) -> tuple[Any, bytes]:
    """Return what the table at a path answers to a question, with a picture's bytes.

    Raises
    ------
    BadLine
        Where it is not there, does not answer in time or refuses to.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(patience_s)
            connection.connect(str(path))
            with connection.makefile("rwb") as file:
                stream = cast(BinaryIO, file)
                wire.send(stream, *ask.to_send(question.ask, asdict(question)))
                got = wire.receive(stream)
    except TimeoutError as error:
        raise BadLine(
            phrase(
                "the table did not answer within %(wait)s s; look whether it is well", wait=f"{patience_s:g}"
            )
        ) from error
    except OSError as error:
        raise BadLine(
            phrase("no table answers at %(path)s; start it with companion table", path=path)
        ) from error
    if got is None:
        raise BadLine(phrase("the table hung up before it answered; ask again"))
    message, picture = got
    if "error" in message:
        raise (TableInTrouble if message.get("trouble") is True else BadLine)(text_of(message["error"]))
    return message.get("answer"), picture


def text_of(told: Any) -> str:
    """Return what the table says to a question; raise BadLine where it is no text."""
    try:
        return restored(told)
    except ValueError as error:
        raise BadLine(f"the table's answer cannot be read: {error}") from error


def answer(told: Any) -> Answer:
    """Return an answer from what came on the line."""
    return parsed(told, Answer, "the table's answer")
