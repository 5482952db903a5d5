"""The big screen: every tableau or the board, counts and scores, to be read from five metres."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from companion.web.live.channels import Regions
from companion.web.pages import view
from companion.web.pages.host import qr
from companion.web.pages.scoreboard import values
from companion.web.serving.addresses import shared_address
from companion.web.site import Live, Site, here

REGIONS = {"strip": "parts/strip.html", "stage": "parts/stage.html", "ticker": "parts/ticker.html"}
"""Regions of the big screen and their templates."""

pages = Blueprint("tv", __name__)


def screen(site: Site, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return what the big screen shows; of words nothing that the table is still to judge."""
    shared = values(site, site.story, now_ns)
    if site.story is None:
        return shared
    state = site.story.state
    tells = view.tells_words(state)
    tableaux = [view.tableau(seat, view.word_marks(seat) if tells else None) for seat in state.seats]
    return {**shared, "tableaux": tableaux}


def draw(site: Site, _seat: int) -> Regions:
    """Return the regions of the big screen."""
    return site.regions(REGIONS, screen(site))


LIVES = {"tv": Live(draw)}


@pages.get("/tv")
def tv() -> ResponseReturnValue:
    """Show the game for a screen seen from five metres, with the code to join by."""
    site = here()
    shown = screen(site, site.now_ns(site.story) if site.story else None)
    address = shared_address()
    return render_template("tv.html", address=address, code=qr(address) if address else None, **shown)
