"""The players' pages: the scoreboard on a phone and on the big screen, and a page for each seat.

A seat's page shows the tableau as the camera sees it, photographs of tiles, doubts to settle, calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import CompanionError
from companion.model.grid import MAX_SYMBOL_CHARS
from companion.model.sightings import Board, Sighting
from companion.model.status import CloseUp
from companion.rpc import TableClient
from companion.rules.play import available_calls
from companion.rules.state import Phase
from companion.web.auth.roles import may, own_seat, role_required
from companion.web.i18n import event_text
from companion.web.i18n.choice import choose_language
from companion.web.i18n.language import _, translate
from companion.web.live.channels import Regions
from companion.web.live.monitor import GameProjection, is_behind, run_in_threadpool
from companion.web.pages import view
from companion.web.pages.table_requests import forward_request, is_number, parse_details, table
from companion.web.services import LivePage, Services, current_services
from companion.web.serving.addresses import shared_address

MAX_CALL_LINES = 8
"""Most lines in the scoreboard's list of calls."""

REGIONS = {
    "head": "parts/head.html",
    "seats": "parts/seats.html",
    "calls": "parts/calls.html",
    "board": "parts/board.html",
    "table": "parts/table.html",
    "words": "parts/words.html",
}
"""Regions of the scoreboard and their templates."""

SCREEN_REGIONS = {"strip": "parts/strip.html", "stage": "parts/stage.html", "ticker": "parts/ticker.html"}
"""Regions of the big screen and their templates."""

pages = Blueprint("scoreboard", __name__)
pages.post("/language")(choose_language)


def values(
    services: Services, projection: GameProjection | None, now_ns: int | None = None
) -> Mapping[str, Any]:
    """Return the template variables of a game's pages; ``now_ns`` is the game's time."""
    monitor = services.monitor
    shared = {
        "projection": projection,
        "fault": monitor.fault,
        "status": monitor.status,
        "table_fault": monitor.table_fault,
        "in_trouble": monitor.in_trouble,
        "has_table": monitor.table is not None,
    }
    if projection is None:
        return shared
    state, at_ns = projection.state, projection.at_ns if now_ns is None else now_ns
    status = monitor.status if monitor.status and monitor.status.match == projection.name else None
    faces = status.faces if status else ()
    board = view.board(projection.game, state)
    return shared | {
        "state": state,
        "title": projection.game.title,
        "phase": view.PHASES[state.phase],
        "playing": state.phase is Phase.PLAYING,
        "clock_shown": view.round_clock(state, at_ns),
        "series": view.series_text(state),
        "policy": view.POLICIES.get(str(state.options["policy"]), ""),
        "seats": view.seats(projection.game, state, at_ns, status),
        "lines": event_text.event_lines(projection.names, list(projection.recent)[-200:], projection.clocks)[
            -MAX_CALL_LINES:
        ][::-1],
        "board": board and board.printed({face.symbol: face.printed for face in faces}),
        "faces": faces,
        "behind": status is not None and is_behind(status),
    }


def draw(services: Services, _seat: int) -> Regions:
    """Return the scoreboard's regions."""
    return services.regions(REGIONS, values(services, services.projection))


def screen(services: Services, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return the template variables of the big screen; words are marked only where they may be shown."""
    shared = values(services, services.projection, now_ns)
    if services.projection is None:
        return shared
    state = services.projection.state
    shows_marks = view.may_show_word_marks(state)
    tableaux = [view.tableau(seat, view.word_marks(seat) if shows_marks else None) for seat in state.seats]
    return {**shared, "tableaux": tableaux}


def draw_screen(services: Services, _seat: int) -> Regions:
    """Return the regions of the big screen."""
    return services.regions(SCREEN_REGIONS, screen(services))


@pages.get("/")
def scoreboard() -> ResponseReturnValue:
    """Show the game under way."""
    services = current_services()
    now_ns = services.now_ns(services.projection) if services.projection else None
    return render_template("scoreboard.html", **values(services, services.projection, now_ns))


@pages.get("/tv")
def tv() -> ResponseReturnValue:
    """Show the game for a screen seen from five metres, with the code to join by."""
    services = current_services()
    shown = screen(services, services.now_ns(services.projection) if services.projection else None)
    address = shared_address()
    return render_template("tv.html", address=address, code=view.qr(address) if address else None, **shown)


SEAT_REGIONS = {
    "aloud": "parts/aloud.html",
    "mine": "parts/mine.html",
    "asks": "parts/asks.html",
    "head": "parts/head.html",
    "calls": "parts/calls.html",
}


def seat_values(services: Services, number: int, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return the template variables of a seat's page; words are marked only where they may be shown."""
    projection = services.projection
    shared = values(services, projection, now_ns)
    if projection is None or not 1 <= number <= len(projection.state.seats):
        return {**shared, "number": number, "one": None, "asks": {}}
    seat = projection.state.seat(number)
    shows_marks = view.may_show_word_marks(projection.state)
    return {
        **shared,
        "number": number,
        "one": shared["seats"][number - 1],
        "shows_marks": shows_marks,
        "tableau": view.tableau(seat, view.word_marks(seat) if shows_marks else None),
        "doubts": doubtful_tiles(seat.sighting),
        "loose": sorted(seat.sighting.loose) if seat.sighting else [],
        "words": view.words(seat),
        "kinds": projection.game.calls,
        "asks": available_calls(projection.game, projection.state, number),
        "blind": number in projection.state.blind,
    }


def doubtful_tiles(seen: Sighting | Board | None) -> list[tuple[int, int, str, bool]]:
    """Return row, column and letter of each tile in doubt, and whether something beside it was not read."""
    if seen is None:
        return []
    symbols = seen.symbols() if isinstance(seen, Board) else seen.cells()
    return [(*cell, symbols[cell], cell in seen.unread) for cell in seen.doubts]


def draw_seat(services: Services, seat: int) -> Regions:
    """Return the regions of a seat's page."""
    return services.regions(SEAT_REGIONS, seat_values(services, seat))


@pages.get("/seat/<int:number>")
def seat_page(number: int) -> ResponseReturnValue:
    """Show a seat."""
    services = current_services()
    shown = seat_values(
        services, number, services.now_ns(services.projection) if services.projection else None
    )
    if shown["one"] is None:
        abort(404, _("Nobody sits there."))
    return render_template("seat.html", own=own_seat() == number, **shown)


def require_seat(number: int) -> None:
    """Abort with 403 unless the session has the seat or is the referee's."""
    if own_seat() != number and not may("referee"):
        abort(403, _("Scan the code of this seat first."))


@pages.post("/seat/<int:number>/call")
def call(number: int) -> ResponseReturnValue:
    """Pass on a call from a phone."""
    require_seat(number)
    projection = current_services().projection
    name = request.form.get("call", "")
    if projection is None or name not in projection.game.calls:
        abort(400, _("There is no such call."))
    takes = parse_details(projection.game.calls[name].takes, request.form)
    return forward_request(lambda line: line.call(number, name, takes), f"/seat/{number}")


@pages.post("/seat/<int:number>/settle")
def settle(number: int) -> ResponseReturnValue:
    """Pass on a reading of a tile in doubt; seat 0 is the shared board, which the referee reads."""
    require_seat(number)
    place, *symbols = request.form.get("tile", "").split(":")
    row, _comma, col = place.partition(",")
    placed = is_number(row) and is_number(col) and len(place) < 9
    if not placed or not 1 <= len(symbols) <= 2 or max(map(len, symbols)) > MAX_SYMBOL_CHARS:
        abort(400, _("That is no tile."))
    back = f"/seat/{number}" if number else "/referee"
    return forward_request(lambda line: line.settle(number, (int(row), int(col)), *symbols), back)


def close_up(seat: int) -> tuple[CloseUp | None, str]:
    """Return a close-up of a seat's tiles, or ``None`` and the reason."""
    line = current_services().monitor.table
    if line is None:
        return None, ""
    try:
        return run_in_threadpool(lambda: line.close_up(seat)), ""
    except CompanionError as error:
        return None, translate(str(error))


@pages.get("/close-up/<int:number>.jpg")
@role_required("referee")
def picture(number: int) -> ResponseReturnValue:
    """Send the picture of a close-up that was taken for a page."""
    return picture_response(lambda line: line.close_up_picture(number))


@pages.get("/tile/<int:seat>/<int:row>,<int:col>.jpg")
def tile(seat: int, row: int, col: int) -> ResponseReturnValue:
    """Send one tile as it is seen now, to its player and to the referee."""
    if own_seat() != seat and not may("referee"):
        abort(403, _("Scan the code of this seat first."))
    return picture_response(lambda line: line.tile_picture(seat, (row, col)))


def picture_response(ask: Callable[[TableClient], bytes]) -> ResponseReturnValue:
    """Return a picture that ``ask`` requests from the table, not cached; 404 where there is none."""
    line = table()
    try:
        jpeg = run_in_threadpool(lambda: ask(line))
    except CompanionError as error:
        abort(404, translate(str(error)))
    return Response(jpeg, content_type="image/jpeg", headers={"Cache-Control": "no-store"})


LIVE_PAGES = {"score": LivePage(draw), "tv": LivePage(draw_screen), "seat": LivePage(draw_seat)}
