"""The hall's Flask app, made of the same parts as a table's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import gevent
from flask import Flask
from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader

import companion.web.app as web
from companion.errors import UsageError
from companion.hall.hall import Hall
from companion.hall.pages import director, papers, public, referee
from companion.hall.pages.monitor import HallMonitor
from companion.hall.pages.views import Views
from companion.web.auth import roles
from companion.web.i18n.choice import choose_language
from companion.web.i18n.language import N_
from companion.web.keeping import Kept
from companion.web.live import stream
from companion.web.live.channels import Channels
from companion.web.live.readiness import ReadinessChecks
from companion.web.pages.guide import register_error_handlers
from companion.web.services import CachePolicy, Services
from companion.web.serving import assets
from companion.web.serving.sent_forms import install_forms
from companion.web.serving.server import serve

HALL_ROLES = ("", N_("announcer"), N_("referee"), N_("host"))
"""Roles that the hall's PINs open, lowest first; code calls the director ``host``."""

MAX_REQUEST_BODY_BYTES = 512 * 1024
"""Largest size of a request body, in bytes; it may hold a register of players."""

DONE_POLL_S = 0.2
"""Seconds between two calls of ``done``."""

TEMPLATES = Path(__file__).with_name("templates")

PAGE_MODULES = (public, referee, director, papers)


def create_app(hall: Hall, kept: Kept) -> Flask:
    """Return the pages of a hall."""
    app = web.base_app(__name__, kept, HALL_ROLES)
    app.config["MAX_CONTENT_LENGTH"] = MAX_REQUEST_BODY_BYTES
    own, table = FileSystemLoader(TEMPLATES), FileSystemLoader(Path(web.__file__).with_name("templates"))
    app.jinja_loader = ChoiceLoader([own, PrefixLoader({"web": table}), table])
    monitor = HallMonitor(hall)
    views = Views(hall)
    channels = Channels(monitor)
    readiness = ReadinessChecks(monitor, channels)
    cached = cache_policies(monitor, views)
    app.extensions["companion"] = Services(
        monitor, channels, readiness, kept, app.jinja_env, views.live_pages(), cached
    )
    app.extensions["hall"], app.extensions["views"] = hall, views
    install_forms(app, choose_language)
    register_error_handlers(app)
    for blueprint in (assets.pages, stream.pages, roles.pages, *(module.pages for module in PAGE_MODULES)):
        app.register_blueprint(blueprint)
    app.after_request(web.add_headers)
    return app


def cache_policies(monitor: HallMonitor, views: Views) -> Mapping[str, CachePolicy]:
    """Return the cache policy of each page that is the same for all viewers, by path."""
    per_hall_revision, per_tournament = (
        CachePolicy(lambda: monitor.revision),
        CachePolicy(views.refresh, float("inf")),
    )
    per_closed_round = CachePolicy(views.closed_revision, float("inf"))
    return {
        "/": CachePolicy(monitor.page),
        **dict.fromkeys(("/healthz", "/tournaments", "/tournaments/"), per_hall_revision),
        **dict.fromkeys(("/rounds", "/screen", "/players/", "/papers/"), per_tournament),
        **dict.fromkeys(("/standings", "/players", "/help"), per_closed_round),
    }


def serve_until(
    app: Flask, host: str, port: int, ready: Callable[[int], None], done: Callable[[], bool]
) -> None:
    """Serve pages until ``done()`` is true or the server ends; ``ready`` is called with the port.

    Raises UsageError where the port is taken, or the host is not an address of this machine.
    """

    def fault() -> UsageError | None:
        try:
            serve(app, host, port, ready)
        except UsageError as error:
            return error
        return None

    serving = gevent.spawn(fault)
    while not serving.dead and not done():
        gevent.sleep(DONE_POLL_S)
    serving.kill()
    if isinstance(serving.value, UsageError):
        raise serving.value
