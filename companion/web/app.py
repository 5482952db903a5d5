"""The pages, put together."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from flask import Flask, Response, abort, g, request, session
from flask.json.provider import DefaultJSONProvider
from flask_wtf.csrf import CSRFProtect

from companion.rpc import TableClient
from companion.web import api, setup
from companion.web.auth import pins, roles
from companion.web.auth.pins import Pins
from companion.web.auth.roles import LASTS_S, Ended, SteadySessions
from companion.web.i18n.language import ENGLISH, SPOKEN, _, gettext, languages, ngettext, said, sentence
from companion.web.i18n.told import call_name
from companion.web.keeping import Kept
from companion.web.live import stream
from companion.web.live.channels import Channels
from companion.web.live.checkups import Checkups
from companion.web.live.monitor import TableMonitor
from companion.web.pages import (
    games,
    guide,
    host,
    judge,
    referee,
    scoreboard,
    upkeep,
)
from companion.web.serving import assets, health
from companion.web.serving.addresses import check_host
from companion.web.site import Alike, Site

LARGEST_FORM = 64 * 1024
"""Bytes that a request may bring."""

BURST = 40.0
"""Things that an address may send at once: more than a host does who goes through every form of the pages."""

A_SECOND = 2.0
"""Things that it may send every second on and on: a finger in a hurry."""

MOST_PHONES = 1000
"""Phones whose rate is remembered, the least recently heard of forgotten first."""

FAMILIES = (
    api,
    assets,
    guide,
    health,
    host,
    judge,
    stream,
    referee,
    games,
    roles,
    upkeep,
    scoreboard,
    setup,
)
"""Families of pages, a file each."""

ALIKE = ("/", "/help", "/games", "/healthz")
"""Pages that depend on nothing but their address, the phone's language, what has happened, and the hour."""

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


def create_app(log: Path, table: TableClient | None, kept: Path, game: str | None = None) -> Flask:
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
    monitor = TableMonitor(log, table, game)
    lives = {**scoreboard.LIVES, **referee.LIVES, **host.LIVES}
    channels = Channels(monitor)
    checkups = Checkups(monitor, channels)
    alike = dict.fromkeys(ALIKE, Alike(lambda: monitor.revision))
    app.extensions["companion"] = Site(monitor, channels, checkups, keeping, app.jinja_env, lives, alike)
    app.before_request(upkeep.roomy)
    protect = CSRFProtect(app)
    for free in (api.pages, scoreboard.language):
        protect.exempt(free)
    guide.fault_pages(app)
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
    app.json = json = DefaultJSONProvider(app)
    json.sort_keys = False
    app.config[roles.RANKS] = tuple(ranks)
    app.extensions["pins"] = Pins(keeping, roles=tuple(reversed(ranks))[:-1])
    app.extensions["ended"] = Ended(keeping)
    app.jinja_env.globals.update(may=roles.may, own_seat=roles.own_seat, pin_rules=pins.rules)
    spoken_language(app)
    app.before_request(Bounded(Rates()).check)
    app.before_request(check_host)
    app.before_request(roles.keep_spare_places)
    app.before_request(routed)
    return app


@dataclass(slots=True)
class Rates:
    """What every phone has left: a bucket that fills by itself."""

    clock: Callable[[], float] = time.monotonic
    left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allow(self, address: str) -> bool:
        """Return whether an address may send something now, and count it."""
        now_s = self.clock()
        left, at_s = self.left.pop(address, (BURST, now_s))
        left = min(BURST, left + (now_s - at_s) * A_SECOND)
        allowed = left >= 1
        self.left[address] = (left - allowed, now_s)
        if len(self.left) > MOST_PHONES:
            self.left.popitem(last=False)
        return allowed


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
