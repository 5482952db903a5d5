"""A desk that remembers what it was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.errors import BadCall
from companion.model.phrases import phrase
from companion.model.status import (
    Answer,
    CameraStatus,
    CheckLine,
    Checkup,
    CloseUp,
    Outline,
    PictureKind,
    Pressed,
    SeatStatus,
    Status,
    TileSets,
)
from companion.rpc.interface import EMPTY_MAPPING, TableService

STATUS = Status(
    "g1",
    "chew",
    "Chew",
    "strict",
    "default",
    7,
    5_000_000_000,
    cameras=(CameraStatus("folder", "ok", fps=5, frame_age_s=0.2, width=640, height=480),),
    seats=(SeatStatus(1, "Anna", "draw", 3, buttons=1, notes=(phrase("1 tile lies"), "look at tile")),),
    last_press=Pressed(1, 0, "short", "flip", 4_000_000_000),
    temperature_c=51.5,
    notes=("look at tile", phrase("%(count)s tiles lie", count=3)),
)

CHECKUP = Checkup(
    (
        CheckLine("machine", "clock", None, "nobody can tell"),
        CheckLine("lamp camera", "picture", False, "it is black", "Take the lid off.", essential=True),
    )
)


class SimpleDesk(TableService):
    """Answers what it was given to answer; ``asked`` is what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def order(self, order: str) -> Answer:
        if order == "dance":
            raise BadCall("no order 'dance'; did you mean 'start'?")
        self.asked.append(("order", order))
        return Answer(True, "started", 2)

    def call(
        self, seat: int, call: str, details: Mapping[str, Any] = EMPTY_MAPPING, by: str = "phone"
    ) -> Answer:
        self.asked.append(("call", seat, call, dict(details), by))
        return Answer(None, "waits")

    def ruling(
        self, ruling: str, reason: str, seat: int | None = None, details: Mapping[str, Any] = EMPTY_MAPPING
    ) -> Answer:
        self.asked.append(("ruling", ruling, reason, seat, dict(details)))
        return Answer(False, "no")

    def settle(self, seat: int, cell: tuple[int, int], symbol: str, shown: str | None = None) -> Answer:
        self.asked.append(("settle", seat, cell, symbol, shown))
        return Answer(True)

    def status(self) -> Status:
        return STATUS

    def checkup(self) -> Checkup:
        return CHECKUP

    def restore(self, backup: bytes, *, keep: bool = True) -> Answer:
        self.asked.append(("restore", backup, keep))
        return Answer(True, "all of it")

    def picture(self, kind: PictureKind = PictureKind.PLAIN, width: int = 1280, camera: int = 0) -> bytes:
        self.asked.append(("picture", kind, width, camera))
        return b"\xff\xd8" + bytes(range(256)) * 1000

    def evidence(self, number: int) -> bytes:
        raise ZeroDivisionError(number)

    def close_up(self, seat: int) -> CloseUp:
        self.asked.append(("close_up", seat))
        square = ((0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0))
        return CloseUp(7, 160, 80, (Outline(0, 0, square),))

    def close_up_picture(self, number: int) -> bytes:
        self.asked.append(("close_up_picture", number))
        return b"\xff\xd8 close \xff\xd9"

    def tile_picture(self, seat: int, cell: tuple[int, int]) -> bytes:
        self.asked.append(("tile_picture", seat, tuple(cell)))
        return b"\xff\xd8 tile \xff\xd9"

    def lights_test(self, seat: int) -> None:
        self.asked.append(("lights_test", seat))

    def set_up(
        self,
        game: str,
        seats: Sequence[str],
        options: Mapping[str, Any] = EMPTY_MAPPING,
        words: str = "default",
        tiles: str = "",
    ) -> Answer:
        self.asked.append(("set_up", game, tuple(seats), dict(options), words, tiles))
        return Answer(True)

    def tile_sets(self, game: str) -> TileSets:
        return TileSets(f"{game}'s", ("a", "b"), ("mine",))
