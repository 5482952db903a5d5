"""A player's own page: the tableau as the camera sees it, doubts to settle, calls without buttons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from companion.model.grid import BLANK_SIGN
from companion.model.sightings import Sighting
from companion.rules.play import meant
from companion.web import view
from companion.web.asking import asked, details, is_number
from companion.web.channels import Regions
from companion.web.language import _
from companion.web.roles import may, own_seat
from companion.web.scoreboard import values
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
