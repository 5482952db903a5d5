"""Handles the requests of pages to a table at play."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from companion.errors import BadCall, BadTileSet, Unanswered, nearest
from companion.events.restoring import restore_backup
from companion.model.calls import SECOND, Called, Order, Ordered, Ruling
from companion.model.patterns import Pattern
from companion.model.phrases import phrase
from companion.model.status import (
    Answer,
    CameraStatus,
    CheckLine,
    Checkup,
    CloseUp,
    Face,
    PictureKind,
    SeatStatus,
    Status,
    TileSets,
)
from companion.model.tiles import tile_set
from companion.rpc.interface import EMPTY_MAPPING, TableService
from companion.rules import fields
from companion.rules.interface import RulingScope
from companion.rules.play import check_call, check_ruling, ruling_kinds
from companion.table.call_queue import CALL_SOURCE_KEY
from companion.table.pictures import CloseUps, PlacedTiles, tile_picture
from companion.table.remarks import HOST
from companion.table.table import MAX_STALL_S, Table
from companion.vision.camera_frame import CameraFrame

logger = logging.getLogger(__name__)

DECISION_TIMEOUT_S = 2.0
"""Time that a request waits for a decision, in seconds; a later decision is read from the log."""

LIGHT_TEST_PATTERN_S = 1.6
"""Time for which a test of the lights shows each pattern, in seconds."""

MAX_CALL_SOURCE_CHARS = 20

CHECKUP_TTL_NS = 5 * SECOND
"""Time for which a readiness check is reused, in ns: its checks of cameras and disk take some seconds."""

ORDERS_NEEDING_CHECKUP = {Order.START, Order.NEXT_ROUND}
"""Orders that are refused while an essential check fails."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game, as requested by the host."""

    game: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    words: str
    tiles: str = ""


BeginGame = Callable[[NextGame], None]
"""Schedules the next game; raises a CompanionError if it is not possible."""

RunChecks = Callable[[], Iterable[CheckLine]]
"""Runs the readiness checks of a game."""


Sets = Callable[[str], TileSets]
"""Returns the tile sets that a game can be set up with."""


class TableRequestHandler(TableService):
    """Implements the service of a table at play.

    ``begin`` schedules the next game, ``look`` runs readiness checks, ``tile_sets`` returns a game's tile
    sets.
    """

    def __init__(self, table: Table, begin: BeginGame, look: RunChecks, tile_sets: Sets) -> None:
        self._table, self._begin, self._look, self._sets = table, begin, look, tile_sets
        self._looking = threading.Lock()
        self._checkup, self._checked_ns = Checkup(()), -CHECKUP_TTL_NS
        self._faces = faces(table.config.tile_set)
        self._close_ups = CloseUps()

    def order(self, order: str) -> Answer:
        """Submit the host's order."""
        orders = [one.value for one in Order]
        if order not in orders:
            raise BadCall(f"no order {order!r}{nearest(order, orders)} (there are {', '.join(orders)})")
        if order in ORDERS_NEEDING_CHECKUP and (grave := self._grave()):
            return Answer(False, grave[0].says)
        return await_answer(self._table.loop.request(Ordered(self._table.clock.now(), Order(order))))

    def call(
        self, seat: int, call: str, details: Mapping[str, Any] = EMPTY_MAPPING, by: str = "phone"
    ) -> Answer:
        """Submit a player's call that was not made by a button."""
        self._check_seat(seat)
        game = self._table.loop.match.game
        check_call(game, call)
        kind = game.calls[call]
        if not by.strip() or not by.isprintable() or len(by) > MAX_CALL_SOURCE_CHARS:
            raise BadCall(f"'by' must say in 1 to {MAX_CALL_SOURCE_CHARS} characters what the call came by")
        parsed = fields.details(call, kind.takes, kind.needs, details)
        heard = Called(self._table.clock.now(), seat, call, {**parsed, CALL_SOURCE_KEY: by})
        self._table.note(seat, heard.at_ns)
        return await_answer(self._table.loop.request(heard))

    def ruling(
        self, ruling: str, reason: str, seat: int | None = None, details: Mapping[str, Any] = EMPTY_MAPPING
    ) -> Answer:
        """Submit a referee's ruling."""
        game = self._table.loop.match.game
        check_ruling(game, ruling)
        if seat is not None:
            self._check_seat(seat)
        kind = ruling_kinds(game)[ruling]
        if seat is None and kind.about is RulingScope.SEAT:
            raise BadCall(f"{ruling} needs a seat")
        parsed = fields.details(ruling, kind.takes, kind.needs, details)
        because = fields.parse_detail(ruling, "reason", fields.text, reason)
        heard = Ruling(self._table.clock.now(), ruling, because, seat, parsed)
        return await_answer(self._table.loop.request(heard))

    def settle(self, seat: int, cell: tuple[int, int], symbol: str, shown: str | None = None) -> Answer:
        """Submit a reading of a tile in doubt; seat 0 is the shared board."""
        details = {"cell": list(cell), "symbol": symbol}
        if shown is not None:
            details["shown"] = shown
        return self.ruling("read_tile", "somebody looked at the tile", seat or None, details)

    def status(self) -> Status:
        """Return the table's status."""
        table, match = self._table, self._table.loop.match
        state, showing, stuck = table.loop.state, table.devices.lights.showing(), table.stuck()
        seats = []
        for number, seat in enumerate(state.seats, 1):
            light, place = showing.get(number), table.controls.places.get(number)
            pattern, many = (light.pattern, light.number) if light else ("off", 0)
            buttons = len(place.buttons) if place else 0
            seats.append(
                SeatStatus(
                    number, seat.name, str(pattern), many, buttons, number in stuck, table.remarks.of(number)
                )
            )
        cameras = tuple(camera.status() for camera in table.cameras)
        return Status(
            match.name,
            match.game.name,
            match.game.title,
            state.options["policy"] if state.watched else "off",
            state.words,
            match.number,
            table.clock.now(),
            str(match.log.path),
            cameras,
            tuple(seats),
            table.last_press,
            table.call_queue.seats,
            table.devices.temperature(),
            (table.devices.now() - table.started_ns) / SECOND,
            (*table.publisher.notes, *table.remarks.of(HOST), *table.devices.troubles.notes),
            oldest_reading_age_s(cameras),
            table.publisher.layout.pool,
            pool_counted=state.pool,
            faces=self._faces,
        )

    def checkup(self) -> Checkup:
        """Run the readiness checks of a game, or return the last results if they are recent."""
        with self._looking:
            if time.monotonic_ns() - self._checked_ns >= CHECKUP_TTL_NS:
                self._checkup = Checkup(tuple(self._look()))
                self._checked_ns = time.monotonic_ns()
            return Checkup((*self._table.readiness(), *self._checkup.lines))

    def _grave(self) -> list[CheckLine]:
        """Return the checks that forbid a start, after repeating them if the last ones failed."""
        found = [line for line in self._table.readiness() if line.grave]
        if not found and (self._checked_ns < 0 or any(line.grave for line in self._checkup.lines)):
            found = [line for line in self.checkup().lines if line.grave]
        return found

    def picture(self, kind: PictureKind = PictureKind.PLAIN, width: int = 1280, camera: int = 0) -> bytes:
        """Return the newest picture of a camera as JPEG; raise Unanswered if the camera stopped after it."""
        cameras = self._table.cameras
        if not 0 <= camera < len(cameras):
            raise Unanswered(f"there is no camera {camera}; this table has {len(cameras)}")
        newest = cameras[camera].newest
        if newest is None:
            raise Unanswered(f"the camera {cameras[camera].camera.name} has not shown anything yet")
        health, age_ns = cameras[camera].health(), self._table.devices.now() - newest.shot.at_ns
        if age_ns > MAX_STALL_S * SECOND and not health.sees and str(health.state) != "ended":
            name = cameras[camera].camera.name
            raise Unanswered(phrase("the camera %(name)s %(says)s", name=name, says=health.says))
        return self._table.drawing.picture(newest, kind, width, self._table.config.name)

    def evidence(self, number: int) -> bytes:
        """Return the picture kept for a call."""
        return self._table.evidence.picture(number)

    def close_up(self, seat: int) -> CloseUp:
        """Photograph a seat's tiles, or the board, from above."""
        return self._close_ups.make(*self._placed(seat))

    def close_up_picture(self, number: int) -> bytes:
        """Return the picture of a recent close-up."""
        return self._close_ups.picture(number)

    def tile_picture(self, seat: int, cell: tuple[int, int]) -> bytes:
        """Return the present picture of one tile, upright."""
        return tile_picture(*self._placed(seat), cell)

    def _placed(self, seat: int) -> tuple[CameraFrame, PlacedTiles]:
        """Return the newest frame of the camera that sees most of a place, and the tiles there."""
        publisher = self._table.publisher
        found = [
            (publisher.coverage(one.camera.name, seat), one.newest, publisher.placed(one.camera.name, seat))
            for one in self._table.cameras
            if one.newest is not None
        ]
        _, newest, placed = max(found, key=lambda one: (one[0], len(one[2])), default=(0, None, {}))
        if newest is None or not placed:
            raise Unanswered(phrase("the camera sees no tile there now"))
        return newest.shot.frame, placed

    def lights_test(self, seat: int) -> None:
        """Show every pattern on a seat's lights, one after the other."""
        self._check_seat(seat)
        threading.Thread(target=self._test, args=(seat,), name="lights test", daemon=True).start()

    def set_up(
        self,
        game: str,
        seats: Sequence[str],
        options: Mapping[str, Any] = EMPTY_MAPPING,
        words: str = "default",
        tiles: str = "",
    ) -> Answer:
        """Schedule the next game; refused while one is being played."""
        if self._table.busy:
            return Answer(False, phrase("a game is being played; end it first"))
        self._begin(NextGame(game, tuple(seats), dict(options), words, tiles))
        return Answer(True, f"{game}: {', '.join(seats)}")

    def tile_sets(self, game: str) -> TileSets:
        """Return the tile sets that a game can be set up with."""
        return self._sets(game)

    def restore(self, backup: bytes, *, keep: bool = True) -> Answer:
        """Restore the games of a backup that the log lacks; the answer names the old log's copy, if any."""
        if self._table.busy:
            return Answer(False, phrase("a game is being played; end it first"))
        match = self._table.loop.match
        kept = restore_backup(BytesIO(backup), match.log.path, match.name, keep=keep)
        return Answer(True, kept.name if kept else "")

    def _test(self, seat: int) -> None:
        """Show every pattern in turn, then the resting pattern."""
        for light in Pattern:
            self._table.devices.lights.show(light, seat, 3)
            time.sleep(LIGHT_TEST_PATTERN_S)
        self._table.feedback.forget(seat)

    def _check_seat(self, seat: int) -> None:
        """Raise BadCall if there is no such seat."""
        many = len(self._table.loop.state.seats)
        if not 1 <= seat <= many:
            raise BadCall(f"seat must be 1 to {many}; got {seat}")


def oldest_reading_age_s(cameras: Sequence[CameraStatus]) -> float | None:
    """Return the age of the newest picture that was read, in seconds, of the slowest healthy camera."""
    ages = [one.frame_age_s for one in cameras if one.state == "ok" and one.frame_age_s is not None]
    return max(ages, default=None)


def faces(name: str) -> tuple[Face, ...]:
    """Return the symbols of a tile set; none if the set no longer exists."""
    try:
        tiles = tile_set(name)
    except BadTileSet as error:
        logger.warning("pages cannot offer the symbols of the tiles: %s", error)
        return ()
    return tuple(Face(symbol, tiles.as_printed(symbol)) for symbol in tiles.symbols)


def await_answer(answer: Future[Answer]) -> Answer:
    """Return the answer of a future, or that it is not decided yet."""
    try:
        return answer.result(DECISION_TIMEOUT_S)
    except TimeoutError:
        return Answer(None, phrase("heard; it is not decided yet"))
