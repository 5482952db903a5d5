"""What the tests of the pages are made of: a table that notes what it is asked, a game, forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from companion.errors import BadCall
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered, Seen
from companion.model.sightings import Sighting
from companion.model.status import (
    Answer,
    CameraStatus,
    CheckLine,
    Checkup,
    CloseUp,
    Face,
    Outline,
    PictureKind,
    SeatStatus,
    Status,
    TileSets,
)
from companion.rpc.interface import EMPTY_MAPPING, TableService
from companion.rules.registry import game
from companion.web.live.monitor import GameProjection, TableMonitor
from companion.web.services import Services
from companion.words.lexicon import Lexicon
from tests.rules.playing import Table

PIN = "482915"
OWN = {"Origin": "http://localhost"}
"""What a browser says of a form that stands on these pages."""
NAMES = ("Ada", "Bo <b>bold</b>", "Chi & Co")
WORDS = Lexicon.of("few", ["cat", "cats", "so", "song"])


@dataclass
class Desk(TableService):
    """A table that notes what it is asked; ``changes`` are those of its status."""

    heard: list[tuple[Any, ...]] = field(default_factory=list)
    match: str = "one"
    refuses: str = ""
    chosen: str = "bananagrams-en"
    lines: list[CheckLine] = field(default_factory=list)
    faces: tuple[Face, ...] = tuple(Face(letter, letter) for letter in ascii_uppercase)
    changes: dict[str, Any] = field(default_factory=dict)

    def noted(self, *what: Any) -> Answer:
        self.heard.append(what)
        if self.refuses:
            raise BadCall(self.refuses)
        return Answer(accepted=True, text="heard")

    def order(self, order: str) -> Answer:
        return self.noted("order", order)

    def call(
        self, seat: int, call: str, details: Mapping[str, Any] = EMPTY_MAPPING, by: str = "phone"
    ) -> Answer:
        return self.noted("call", seat, call, dict(details), by)

    def ruling(
        self, ruling: str, reason: str, seat: int | None = None, details: Mapping[str, Any] = EMPTY_MAPPING
    ) -> Answer:
        return self.noted("ruling", ruling, reason, seat, dict(details))

    def settle(self, seat: int, cell: tuple[int, int], symbol: str, shown: str | None = None) -> Answer:
        return self.noted("settle", seat, tuple(cell), symbol, shown)

    def status(self) -> Status:
        camera, seat = CameraStatus("lamp camera", "ok", fps=9.5), SeatStatus(1, "Ada", "draw", 1)
        whole = Status(
            self.match, "bananagrams", "Bananagrams", "strict", "few", 1, 0, "", (camera,), (seat,)
        )
        return replace(whole, faces=self.faces, **self.changes)

    def checkup(self) -> Checkup:
        self.heard.append(("checkup",))
        return Checkup(tuple(self.lines))

    def restore(self, backup: bytes, *, keep: bool = True) -> Answer:
        return self.noted("restore", backup, keep)

    def picture(self, kind: PictureKind = PictureKind.PLAIN, width: int = 1280, camera: int = 0) -> bytes:
        self.heard.append(("picture", str(kind), width, camera))
        return b"\xff\xd8 a picture \xff\xd9"

    def evidence(self, number: int) -> bytes:
        self.heard.append(("evidence", number))
        return b"\xff\xd8 evidence \xff\xd9"

    def close_up(self, seat: int) -> CloseUp:
        self.heard.append(("close_up", seat))
        square = ((0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0))
        return CloseUp(7, 160, 80, (Outline(0, 0, square),))

    def close_up_picture(self, number: int) -> bytes:
        self.heard.append(("close_up_picture", number))
        return b"\xff\xd8 close \xff\xd9"

    def tile_picture(self, seat: int, cell: tuple[int, int]) -> bytes:
        self.heard.append(("tile_picture", seat, tuple(cell)))
        return b"\xff\xd8 tile \xff\xd9"

    def lights_test(self, seat: int) -> None:
        self.heard.append(("lights", seat))

    def set_up(
        self,
        game: str,
        seats: Sequence[str],
        options: Mapping[str, Any] = EMPTY_MAPPING,
        words: str = "default",
        tiles: str = "",
    ) -> Answer:
        return self.noted("set_up", game, tuple(seats), dict(options), words, tiles)

    def tile_sets(self, game: str) -> TileSets:
        return TileSets(self.chosen, ("bananagrams-en", "binary"), ("kitchen",))


def begun(log: EventLog, name: str = "one", **options: Any) -> Match:
    """A game of three that has begun; Ada has a phony and a doubt before her."""
    match = Match.begun(log, name, game("bananagrams"), NAMES, options, WORDS)
    match.handle(Ordered(0, Order.START))
    match.handle(Called(SECOND, 2, "split"))
    match.handle(Seen(20 * SECOND, 1, Sighting(("CATS", "...O", "...Q"), "Z", 0, ((0, 0),))))
    return match


def monitor(app: Flask) -> TableMonitor:
    found: Services = app.extensions["companion"]
    return found.monitor


def shows(app: Flask, table: Table) -> None:
    """Let the pages show a game that is played in a test."""
    monitor(app).projection = GameProjection.of("test", list(table.log.rows("test")))
    monitor(app).notify()


def token(client: FlaskClient, path: str = "") -> str:
    """The token that the forms of a page carry; by default of one that everybody may see."""
    texts = [client.get(one).text for one in ([path] if path else ["/welcome", "/enter"])]
    found = re.search(r'name="csrf_token" value="([^"]+)"', "".join(texts))
    assert found
    return found[1]


def sent(client: FlaskClient, path: str, values: Mapping[str, Any], via: str = "") -> Any:
    """Send a form as a page with scripting does, with the token of a page that has it."""
    headers = {"Accept": "application/json"}
    return client.post(path, data={"csrf_token": token(client, via), **values}, headers=headers)


def host_of(app: Flask) -> FlaskClient:
    """A phone whose owner has read the console and chosen the PIN."""
    client = app.test_client()
    code = app.extensions["pins"].first
    given = {"csrf_token": token(client, "/welcome"), "code": code, "pin": PIN, "again": PIN}
    assert client.post("/welcome", data=given).location == "/host"
    return client
