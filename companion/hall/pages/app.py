"""The hall's pages, put together from the same parts as a table's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flask import Flask
from flask_wtf.csrf import CSRFProtect
from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader

import companion.web.app as web
from companion.hall.hall import Hall
from companion.hall.pages import director, papers, public, referee
from companion.hall.pages.monitor import HallMonitor
from companion.hall.pages.views import Views
from companion.web.auth import roles
from companion.web.i18n.language import N_
from companion.web.keeping import Kept
from companion.web.live import stream
from companion.web.live.channels import Channels
from companion.web.live.checkups import Checkups
from companion.web.pages.guide import fault_pages
from companion.web.serving import assets
from companion.web.site import Alike, Site

RANKS = ("", N_("announcer"), N_("referee"), N_("host"))
"""Roles that the hall's PINs open; the director is the one called host inside."""

LARGEST_FILE = 512 * 1024
"""Bytes of a form, which may bring a register of players."""

TEMPLATES = Path(__file__).with_name("templates")

FAMILIES = (public, referee, director, papers)


def create_app(hall: Hall, kept: Kept) -> Flask:
    """Return the pages of a hall."""
    app = web.founded(__name__, kept, RANKS)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_FILE
    own, theirs = FileSystemLoader(TEMPLATES), FileSystemLoader(Path(web.__file__).with_name("templates"))
    app.jinja_loader = ChoiceLoader([own, PrefixLoader({"web": theirs}), theirs])
    monitor = HallMonitor(hall)
    views = Views(hall)
    channels = Channels(monitor)
    checkups = Checkups(monitor, channels)
    alike = alike_for_all(monitor, views)
    app.extensions["companion"] = Site(monitor, channels, checkups, kept, app.jinja_env, views.lives(), alike)
    app.extensions["hall"], app.extensions["views"] = hall, views
    CSRFProtect(app).exempt(public.language)
    fault_pages(app)
    for blueprint in (assets.pages, stream.pages, roles.pages, *(family.pages for family in FAMILIES)):
        app.register_blueprint(blueprint)
    app.after_request(web.finished)
    return app


def alike_for_all(monitor: HallMonitor, views: Views) -> Mapping[str, Alike]:
    """Return the pages that are alike for all viewers; those of the tournament have no clocks."""
    at_tables, of_tournament = Alike(lambda: monitor.revision), Alike(views.look, float("inf"))
    of_closed = Alike(views.look_closed, float("inf"))
    return {
        "/": Alike(monitor.page),
        **dict.fromkeys(("/healthz", "/tournaments", "/tournaments/"), at_tables),
        **dict.fromkeys(("/rounds", "/screen", "/players/", "/papers/"), of_tournament),
        **dict.fromkeys(("/standings", "/players", "/help"), of_closed),
    }
