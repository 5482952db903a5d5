"""The scoreboard on a phone and on the big screen: what everybody at the table wants to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, abort, current_app, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.rules.state import Phase
from companion.web.auth.roles import local
from companion.web.i18n import told
from companion.web.live.channels import Regions
from companion.web.live.watching import Story, is_behind
from companion.web.pages import view
from companion.web.serving.addresses import shared_address
from companion.web.site import Live, Site, here

LAST = 8
"""Lines of the list of calls on the scoreboard."""

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


def values(site: Site, story: Story | None, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return what the templates of a game show; ``now_ns`` is the game's time, else its last event's."""
    watching = site.watching
    shared = {
        "story": story,
        "fault": watching.fault,
        "status": watching.status,
        "unanswered": watching.unanswered,
        "in_trouble": watching.in_trouble,
        "has_table": watching.table is not None,
    }
    if story is None:
        return shared
    state, at_ns = story.state, story.at_ns if now_ns is None else now_ns
    status = watching.status if watching.status and watching.status.match == story.name else None
    faces = status.faces if status else ()
    board = view.board(story.game, state)
    return shared | {
        "state": state,
        "title": story.game.title,
        "phase": view.PHASES[state.phase],
        "playing": state.phase is Phase.PLAYING,
        "clock_shown": view.round_clock(state, at_ns),
        "series": view.series_told(state),
        "policy": view.POLICIES.get(str(state.options["policy"]), ""),
        "seats": view.seats(story.game, state, at_ns, status),
        "lines": told.lines(story.names, list(story.recent)[-200:], story.clocks)[-LAST:][::-1],
        "board": board and board.printed({face.symbol: face.printed for face in faces}),
        "faces": faces,
        "behind": status is not None and is_behind(status),
    }


def draw(site: Site, _seat: int) -> Regions:
    """Return the scoreboard's regions."""
    return site.regions(REGIONS, values(site, site.story))


def screen(site: Site, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return what the big screen shows; of words nothing that the table is still to judge."""
    shared = values(site, site.story, now_ns)
    if site.story is None:
        return shared
    state = site.story.state
    tells = view.tells_words(state)
    tableaux = [view.tableau(seat, view.word_marks(seat) if tells else None) for seat in state.seats]
    return {**shared, "tableaux": tableaux}


def draw_screen(site: Site, _seat: int) -> Regions:
    """Return the regions of the big screen."""
    return site.regions(SCREEN_REGIONS, screen(site))


LIVES = {"score": Live(draw), "tv": Live(draw_screen)}


@pages.get("/")
def scoreboard() -> ResponseReturnValue:
    """Show the game under way."""
    site = here()
    now_ns = site.now_ns(site.story) if site.story else None
    return render_template("scoreboard.html", **values(site, site.story, now_ns))


@pages.post("/language")
def language() -> ResponseReturnValue:
    """Let the pages speak another language from now on.

    Its form is on every page and carries no token, so that pages are alike for all viewers.  What comes from
    a page elsewhere is refused by what the browser says of it: every browser names the origin of a form that
    it sends (Fetch standard, "append a request Origin header").  What names none needs a token after all.
    """
    origin = request.headers.get("Origin") or request.headers.get("Referer")
    if origin is None:
        current_app.extensions["csrf"].protect()
        origin = request.host_url
    if urlsplit(origin).netloc != request.host:
        abort(403)
    response = redirect(local(request.form.get("back", "/")))
    response.set_cookie("language", request.form.get("language", "")[:8], max_age=31_536_000, samesite="Lax")
    return response


@pages.get("/tv")
def tv() -> ResponseReturnValue:
    """Show the game for a screen seen from five metres, with the code to join by."""
    site = here()
    shown = screen(site, site.now_ns(site.story) if site.story else None)
    address = shared_address()
    return render_template("tv.html", address=address, code=view.qr(address) if address else None, **shown)
