"""Help on every page, served from the device itself; and what is said where a page cannot be had."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Flask, render_template, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from companion.errors import BadPin, CompanionError, Unanswered
from companion.web.i18n.language import N_, _, said
from companion.web.live.monitor import to_text
from companion.web.services import current_services

FAULTS: Mapping[int, tuple[str, str]] = {
    400: (N_("That did not work"), N_("The page sent what makes no sense here. Reload it, and try again.")),
    403: (N_("Not from this phone"), N_("Scan the code of your seat, or sign in as host or referee.")),
    404: (N_("There is no such page"), N_("The address is mistyped, or what it showed is gone.")),
    405: (N_("That did not work"), N_("This address is there for programs, which ask for it otherwise.")),
    413: (N_("Too large"), N_("That is more than the table takes at once.")),
    429: (N_("Too many tries"), N_("Wait a little, and try again.")),
    503: (N_("Not just now"), N_("The table does not answer, or it is too busy. Try again in a moment.")),
}
"""Title and text for each status; of another one that of 400."""

logger = logging.getLogger(__name__)

pages = Blueprint("guide", __name__)


@pages.get("/help")
def shown() -> ResponseReturnValue:
    """Show what the pages can do, and the card of the game under way."""
    projection = current_services().projection
    lines = projection.game.card(projection.state.options) if projection else ()
    card = [line.partition(": ")[::2] for line in lines]
    title = projection.game.title if projection else ""
    return render_template("help.html", card=card, title=title)


def told(error: HTTPException) -> tuple[str, str]:
    """Return title and text of an error, for people: its own text, where whoever raised it gave one."""
    title, text = FAULTS.get(error.code or 400, FAULTS[400])
    own = error.description if error.description != type(error).description else None
    return _(title), own or _(text)


def fault_pages(app: Flask) -> None:
    """Show what went wrong as a page that says what to do."""

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Any:
        title, says = told(error)
        if is_for_programs():  # they go by the names of HTTP
            title, says = error.name, error.description or ""
        headers = [(name, value) for name, value in error.get_headers() if name != "Content-Type"]
        return *fault_page(title, says, error.code or 500), headers

    @app.errorhandler(CSRFError)
    def stale(_error: CSRFError) -> tuple[Any, int]:
        return fault_page(
            _("Please try again"), _("This page was open for too long. Go back, reload it."), 400
        )

    @app.errorhandler(CompanionError)
    def failed(error: CompanionError) -> tuple[Any, int]:
        status = 403 if isinstance(error, BadPin) else 503 if isinstance(error, Unanswered) else 409
        return fault_page(_("That did not work"), said(to_text(error)), status)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> tuple[Any, int]:
        logger.error("the page %s could not be made", request.path, exc_info=error)
        return fault_page(_("This page is broken"), _("It is not your fault. The table has noted it."), 500)


def is_for_programs() -> bool:
    """Return whether a request is one of a program."""
    return request.path.startswith("/api/")


def fault_page(title: str, text: str, status: int) -> tuple[Any, int]:
    """Return a fault as whoever asked can read it: programs as JSON, people as a page."""
    if is_for_programs():
        return {"error": title, "says": text}, status
    return render_template("fault.html", title=title, text=text), status
