"""A player's own page: the tableau as the camera sees it, photographs of tiles, doubts to settle, calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import CompanionError
from companion.model.grid import BLANK_SIGN
from companion.model.sightings import Sighting
from companion.model.status import CloseUp
from companion.rpc import TableClient
from companion.rules.play import meant
from companion.web.auth.roles import may, only, own_seat
from companion.web.i18n.language import _, said
from companion.web.live.channels import Regions
from companion.web.live.watching import run_in_threadpool
from companion.web.pages import view
from companion.web.pages.asking import asked, details, is_number, table
from companion.web.pages.scoreboard import values
from companion.web.site import Live, Site, here

REGIONS = {
    "aloud": "parts/aloud.html",
    "mine": "parts/mine.html",
    "asks": "parts/asks.html",
    "head": "parts/head.html",
    "calls": "parts/calls.html",
}

pages = Blueprint("seat", __name__)


def mine(site: Site, number: int, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return what a seat's page shows; of words nothing that the table is still to judge."""
    story = site.story
    shared = values(site, story, now_ns)
    if story is None or not 1 <= number <= len(story.state.seats):
        return {**shared, "number": number, "one": None, "asks": {}}
    seat = story.state.seat(number)
    tells = view.tells_words(story.state)
    return {
        **shared,
        "number": number,
        "one": shared["seats"][number - 1],
        "tells": tells,
        "tableau": view.tableau(seat, view.word_marks(seat) if tells else None),
        "doubts": doubted(seat.sighting),
        "loose": sorted(seat.sighting.loose) if seat.sighting else [],
        "words": view.words(seat),
        "kinds": story.game.calls,
        "asks": meant(story.game, story.state, number),
        "blind": number in story.state.blind,
    }


def doubted(sighting: Sighting | None) -> list[tuple[int, int, str]]:
    """Return row, column and letter of each tile in doubt."""
    if sighting is None:
        return []
    cells = sighting.cells()
    return [(row, col, cells[row, col]) for row, col in sighting.doubts]


def draw(site: Site, seat: int) -> Regions:
    """Return the regions of a seat's page."""
    return site.regions(REGIONS, mine(site, seat))


LIVES = {"seat": Live(draw)}


@pages.get("/seat/<int:number>")
def seat_page(number: int) -> ResponseReturnValue:
    """Show a seat."""
    site = here()
    shown = mine(site, number, site.now_ns(site.story) if site.story else None)
    if shown["one"] is None:
        abort(404, _("Nobody sits there."))
    return render_template("seat.html", own=own_seat() == number, **shown)


def claimed(number: int) -> None:
    """Refuse what only the player of a seat, or the referee, may do."""
    if own_seat() != number and not may("referee"):
        abort(403, _("Scan the code of this seat first."))


@pages.post("/seat/<int:number>/call")
def call(number: int) -> ResponseReturnValue:
    """Pass on a call from a phone."""
    claimed(number)
    story = here().story
    name = request.form.get("call", "")
    if story is None or name not in story.game.calls:
        abort(400, _("There is no such call."))
    takes = details(story.game.calls[name].takes, request.form)
    return asked(lambda line: line.call(number, name, takes), f"/seat/{number}")


@pages.post("/seat/<int:number>/settle")
def settle(number: int) -> ResponseReturnValue:
    """Pass on what a doubted tile shows; seat 0 is the shared board, which the referee reads."""
    claimed(number)
    place, _colon, symbol = request.form.get("tile", "").partition(":")
    row, _comma, col = place.partition(",")
    if not (is_number(row) and is_number(col) and len(place) < 9 and len(symbol) <= 8):
        abort(400, _("That is no tile."))
    symbol = symbol if symbol or not number else BLANK_SIGN
    back = f"/seat/{number}" if number else "/referee"
    return asked(lambda line: line.settle(number, (int(row), int(col)), symbol), back)


def photographed(seat: int) -> tuple[CloseUp | None, str]:
    """Return a photograph of a seat's tiles, or none and why."""
    line = here().watching.table
    if line is None:
        return None, ""
    try:
        return run_in_threadpool(lambda: line.close_up(seat)), ""
    except CompanionError as error:
        return None, said(str(error))


@pages.get("/close-up/<int:number>.jpg")
@only("referee")
def picture(number: int) -> ResponseReturnValue:
    """Send the picture of a photograph that was taken for a page."""
    return sent(lambda line: line.close_up_picture(number))


@pages.get("/tile/<int:seat>/<int:row>,<int:col>.jpg")
def tile(seat: int, row: int, col: int) -> ResponseReturnValue:
    """Send one tile as it is seen now, to its player and to the referee."""
    if own_seat() != seat and not may("referee"):
        abort(403, _("Scan the code of this seat first."))
    return sent(lambda line: line.tile_picture(seat, (row, col)))


def sent(ask: Callable[[TableClient], bytes]) -> ResponseReturnValue:
    """Return a picture that the table is asked for, not to be kept; 404 where there is none."""
    line = table()
    try:
        jpeg = run_in_threadpool(lambda: ask(line))
    except CompanionError as error:
        abort(404, said(str(error)))
    return Response(jpeg, content_type="image/jpeg", headers={"Cache-Control": "no-store"})
