"""The pages, put together."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, g, render_template, request, session
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.exceptions import HTTPException

from companion.errors import BadLine, BadPin, CompanionError
from companion.line import Line
from companion.web import (
    api,
    assets,
    close_up,
    faults,
    guide,
    health,
    host,
    judge,
    live,
    pin,
    referee,
    replay,
    restore,
    results,
    roles,
    saving,
    scoreboard,
    seat,
    tv,
    wizard,
)
from companion.web.channels import Channels
from companion.web.checkups import Checkups
from companion.web.keeping import Kept
from companion.web.language import ENGLISH, SPOKEN, _, gettext, languages, ngettext
from companion.web.option_words import sentence
from companion.web.pin import Pins
from companion.web.rates import Rates
from companion.web.reached import check_host
from companion.web.said import said
from companion.web.sessions import LASTS_S, Ended, SteadySessions
from companion.web.site import Site
from companion.web.told import call_name
from companion.web.watching import Watching, to_text

LARGEST_FORM = 64 * 1024
"""Bytes that a request may bring."""

FAMILIES = (
    api,
    assets,
    guide,
    health,
    host,
    judge,
    live,
    close_up,
    referee,
    replay,
    restore,
    results,
    roles,
    saving,
    scoreboard,
    seat,
    tv,
    wizard,
)
"""Families of pages, a file each."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""What every answer says: nothing from elsewhere, nothing written into the page runs."""

logger = logging.getLogger(__name__)


def create_app(log: Path, table: Line | None, kept: Path, game: str | None = None) -> Flask:
    """Return the pages.

    Parameters
    ----------
    log
        The log that the table writes.
    table
        The line to the table; ``None`` shows the log and takes no orders.
    kept
        The folder for what the pages keep between two starts.
    game
        The game to show; ``None`` follows the one that is played.
    """
    keeping = Kept(kept)
    app = founded(__name__, keeping)
    watching = Watching(log, table, game)
    lives = {**scoreboard.LIVES, **tv.LIVES, **seat.LIVES, **referee.LIVES, **host.LIVES}
    channels = Channels(watching)
    checkups = Checkups(watching, channels)
    app.extensions["companion"] = Site(watching, channels, checkups, keeping, app.jinja_env, lives)
    app.before_request(restore.roomy)
    protect = CSRFProtect(app)
    for free in (api.pages, scoreboard.language):
        protect.exempt(free)
    fault_pages(app)
    for family in FAMILIES:
        app.register_blueprint(family.pages)
    app.after_request(finished)
    return app


def founded(name: str, keeping: Kept, ranks: Sequence[str] = roles.ROLES) -> Flask:
    """Return an app without pages: its sessions, roles, language and limits.

    ``ranks`` are the roles that its PINs open, each with the rights of those before it.
    """
    app = Flask(name, static_folder=None)
    app.session_interface = SteadySessions()
    app.config.update(
        SECRET_KEY=keeping.secret(),
        MAX_CONTENT_LENGTH=LARGEST_FORM,
        MAX_FORM_PARTS=200,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=LASTS_S),
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
        TRAP_BAD_REQUEST_ERRORS=False,
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config[roles.RANKS] = tuple(ranks)
    app.extensions["pins"] = Pins(keeping, roles=tuple(reversed(ranks))[:-1])
    app.extensions["ended"] = Ended(keeping)
    app.jinja_env.globals.update(may=roles.may, own_seat=roles.own_seat, pin_rules=pin.rules)
    spoken_language(app)
    app.before_request(Bounded(Rates()).check)
    app.before_request(check_host)
    app.before_request(roles.keep_spare_places)
    app.before_request(routed)
    return app


@dataclass(frozen=True, slots=True)
class Bounded:
    """Refuses what one phone sends too fast."""

    rates: Rates

    def check(self) -> None:
        """Refuse what is sent too fast; to look is free."""
        if request.method not in {"GET", "HEAD"} and not self.rates.allow(request.remote_addr or ""):
            abort(429, _("Slowly, please: that was too much at once."))


def routed() -> None:
    """Refuse what no page takes, an unknown address or method, before anything of a form is looked at."""
    if request.routing_exception is not None:
        raise request.routing_exception


def spoken_language(app: Flask) -> None:
    """Let every page speak the language of whoever asks."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.globals.update(
        asset_url=assets.asset_url, languages=languages, call_name=call_name, said=said
    )
    app.jinja_env.filters["sentence"] = sentence
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True

    @app.before_request
    def choose() -> None:
        wanted = request.cookies.get("language", "")
        if wanted not in languages():
            wanted = request.accept_languages.best_match(list(languages())) or ENGLISH
        g.language = wanted
        SPOKEN.set(wanted)


def finished(response: Response) -> Response:
    """Return an answer with what every answer says, compressed where that pays."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store" if session else "no-cache"
    return assets.packed(response)


def fault_pages(app: Flask) -> None:
    """Show what went wrong as a page that says what to do."""

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Any:
        title, says = faults.told(error)
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
    def told(error: CompanionError) -> tuple[Any, int]:
        status = 403 if isinstance(error, BadPin) else 503 if isinstance(error, BadLine) else 409
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
