"""The help page, and error pages: what users and programs get for an HTTP error or an exception."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Flask, render_template, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from companion.errors import BadPin, CompanionError, Unanswered
from companion.web.i18n.language import N_, _, translate
from companion.web.live.monitor import to_text
from companion.web.services import current_services

ERROR_TEXTS: Mapping[int, tuple[str, str]] = {
    400: (N_("That did not work"), N_("The page sent what makes no sense here. Reload it, and try again.")),
    403: (N_("Not from this phone"), N_("Scan the code of your seat, or sign in as host or referee.")),
    404: (N_("There is no such page"), N_("The address is mistyped, or what it showed is gone.")),
    405: (N_("That did not work"), N_("This address is there for programs, which ask for it otherwise.")),
    413: (N_("Too large"), N_("That is more than the table takes at once.")),
    429: (N_("Too many tries"), N_("Wait a little, and try again.")),
    503: (N_("Not just now"), N_("The table does not answer, or it is too busy. Try again in a moment.")),
}
"""Title and text for each HTTP status; other statuses use those of 400."""

logger = logging.getLogger(__name__)

pages = Blueprint("guide", __name__)


@pages.get("/help")
def shown() -> ResponseReturnValue:
    """Show help on the pages and the rules card of the shown game."""
    projection = current_services().projection
    lines = projection.game.card(projection.state.options) if projection else ()
    card = [line.partition(": ")[::2] for line in lines]
    title = projection.game.title if projection else ""
    return render_template("help.html", card=card, title=title)


def error_texts(error: HTTPException) -> tuple[str, str]:
    """Return title and text of an HTTP error for people; an explicit description replaces the text."""
    title, text = ERROR_TEXTS.get(error.code or 400, ERROR_TEXTS[400])
    own = error.description if error.description != type(error).description else None
    return _(title), own or _(text)


def register_error_handlers(app: Flask) -> None:
    """Register the handlers that turn errors into pages (or JSON for the API)."""

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Any:
        title, text = error_texts(error)
        if is_api_request():  # the API names errors as HTTP does
            title, text = error.name, error.description or ""
        headers = [(name, value) for name, value in error.get_headers() if name != "Content-Type"]
        return *error_response(title, text, error.code or 500), headers

    @app.errorhandler(CSRFError)
    def stale(_error: CSRFError) -> tuple[Any, int]:
        return error_response(
            _("Please try again"), _("This page was open for too long. Go back, reload it."), 400
        )

    @app.errorhandler(CompanionError)
    def failed(error: CompanionError) -> tuple[Any, int]:
        status = 403 if isinstance(error, BadPin) else 503 if isinstance(error, Unanswered) else 409
        return error_response(_("That did not work"), translate(to_text(error)), status)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> tuple[Any, int]:
        logger.error("the page %s could not be made", request.path, exc_info=error)
        return error_response(
            _("This page is broken"), _("It is not your fault. The table has noted it."), 500
        )


def is_api_request() -> bool:
    """Return whether the current request is for the API."""
    return request.path.startswith("/api/")


def wants_json() -> bool:
    """Return whether the current request asks for JSON, as the pages' scripts do; browsers never name it."""
    return "application/json" in request.headers.get("Accept", "")


def error_response(title: str, text: str, status: int) -> tuple[Any, int]:
    """Return an error as JSON for the API and for the pages' scripts, as a page otherwise."""
    if is_api_request():
        return {"error": title, "says": text}, status
    if wants_json():
        return {"accepted": False, "says": text}, status
    return render_template("fault.html", title=title, text=text), status
