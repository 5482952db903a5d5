"""The Flask app of a table's pages: services, limits, headers, languages and blueprints."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from flask import Flask, Response, abort, g, request, session
from flask.json.provider import DefaultJSONProvider

from companion.rpc import TableClient
from companion.web import api, setup
from companion.web.auth import pins, roles
from companion.web.auth.pins import Pins
from companion.web.auth.roles import SESSION_LIFETIME_S, RevokedSessions, SkewTolerantSessions
from companion.web.i18n.choice import choose_language
from companion.web.i18n.event_text import call_name
from companion.web.i18n.language import (
    ENGLISH,
    LANGUAGE,
    _,
    gettext,
    languages,
    ngettext,
    sentence,
    translate,
)
from companion.web.keeping import Kept
from companion.web.live import stream
from companion.web.live.channels import Channels
from companion.web.live.monitor import TableMonitor
from companion.web.live.readiness import ReadinessChecks
from companion.web.pages import (
    games,
    guide,
    host,
    judge,
    maintenance,
    referee,
    scoreboard,
)
from companion.web.services import CachePolicy, Services
from companion.web.serving import assets, health
from companion.web.serving.addresses import check_host
from companion.web.serving.sent_forms import install_forms

MAX_REQUEST_BODY_BYTES = 64 * 1024
"""Largest size of a request body, in bytes."""

RATE_LIMIT_BURST = 40.0
"""Requests that an address may send at once: more than a host needs for all forms of the pages."""

RATE_LIMIT_PER_S = 2.0
"""Requests a second that an address may send in the long run."""

MAX_TRACKED_ADDRESSES = 1000
"""Most addresses whose rate is kept; the least recently used one is dropped first."""

PAGE_MODULES = (
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
    maintenance,
    scoreboard,
    setup,
)
"""Modules with a blueprint ``pages`` each."""

CACHED_PAGES = ("/", "/help", "/games", "/healthz")
"""Pages that may be cached: they depend only on address, language, revision and hour."""

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""Headers of every response: no foreign content, no inline scripts."""


def create_app(log: Path, table: TableClient | None, kept: Path, game: str | None = None) -> Flask:
    """Return the app.

    Parameters
    ----------
    log
        The log that the table writes.
    table
        The client of the table; ``None`` shows the log and takes no orders.
    kept
        The folder of the files that the pages keep across restarts.
    game
        The game to show; ``None`` follows the one that is played.
    """
    keeping = Kept(kept)
    app = base_app(__name__, keeping)
    monitor = TableMonitor(log, table, game)
    live_pages = {**scoreboard.LIVE_PAGES, **referee.LIVE_PAGES, **host.LIVE_PAGES}
    channels = Channels(monitor)
    readiness = ReadinessChecks(monitor, channels)
    cached = dict.fromkeys(CACHED_PAGES, CachePolicy(lambda: monitor.revision))
    app.extensions["companion"] = Services(
        monitor, channels, readiness, keeping, app.jinja_env, live_pages, cached
    )
    app.before_request(maintenance.allow_large_backup)
    install_forms(app, api.pages, choose_language)
    guide.register_error_handlers(app)
    for module in PAGE_MODULES:
        app.register_blueprint(module.pages)
    app.after_request(add_headers)
    return app


def base_app(name: str, keeping: Kept, ranks: Sequence[str] = roles.ROLES) -> Flask:
    """Return an app without pages: its sessions, roles, languages and limits.

    ``ranks`` are its roles, each with the rights of those before it.
    """
    app = Flask(name, static_folder=None)
    app.session_interface = SkewTolerantSessions()
    app.config.update(
        SECRET_KEY=keeping.secret(),
        MAX_CONTENT_LENGTH=MAX_REQUEST_BODY_BYTES,
        MAX_FORM_PARTS=200,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=SESSION_LIFETIME_S),
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
        TRAP_BAD_REQUEST_ERRORS=False,
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    app.json = json = DefaultJSONProvider(app)
    json.sort_keys = False
    app.config[roles.ROLES_KEY] = tuple(ranks)
    app.extensions["pins"] = Pins(keeping, roles=tuple(reversed(ranks))[:-1])
    app.extensions["ended"] = RevokedSessions(keeping)
    app.jinja_env.globals.update(may=roles.may, own_seat=roles.own_seat, pin_rules=pins.rules)
    install_i18n(app)
    app.before_request(RateLimiter().check)
    app.before_request(check_host)
    app.before_request(roles.reserve_spare_slots)
    app.before_request(reject_unrouted)
    return app


@dataclass(slots=True)
class RateLimiter:
    """A token bucket for each address; ``clock`` returns seconds."""

    clock: Callable[[], float] = time.monotonic
    left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allow(self, address: str) -> bool:
        """Return whether an address has a token left, and take it."""
        now_s = self.clock()
        left, at_s = self.left.pop(address, (RATE_LIMIT_BURST, now_s))
        left = min(RATE_LIMIT_BURST, left + (now_s - at_s) * RATE_LIMIT_PER_S)
        allowed = left >= 1
        self.left[address] = (left - allowed, now_s)
        if len(self.left) > MAX_TRACKED_ADDRESSES:
            self.left.popitem(last=False)
        return allowed

    def check(self) -> None:
        """Abort the current request with 429 where its address sends too fast; GET and HEAD are free."""
        if request.method not in {"GET", "HEAD"} and not self.allow(request.remote_addr or ""):
            abort(429, _("Slowly, please: that was too much at once."))


def reject_unrouted() -> None:
    """Reject an unknown address or method before a form is parsed."""
    if request.routing_exception is not None:
        raise request.routing_exception


def install_i18n(app: Flask) -> None:
    """Translate every page into the language of its request."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.globals.update(
        asset_url=assets.asset_url, languages=languages, call_name=call_name, translate=translate
    )
    app.jinja_env.filters["sentence"] = sentence
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True

    @app.before_request
    def choose() -> None:
        wanted = request.cookies.get("language", "")
        if wanted not in languages():
            wanted = request.accept_languages.best_match(list(languages())) or ENGLISH
        g.language = wanted
        LANGUAGE.set(wanted)


def add_headers(response: Response) -> Response:
    """Add the security and cache headers to a response; compress it where that pays."""
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store" if session else "no-cache"
    return assets.compress_response(response)
