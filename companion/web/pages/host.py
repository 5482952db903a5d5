"""The host's pages: set up a game from a phone, run it, hand out the seats."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from typing import Any

from flask import Blueprint, Response, abort, current_app, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import BadLog, BadPin, CompanionError, Unanswered
from companion.events.handicaps import last_handicaps
from companion.events.log import EventLog
from companion.model.status import Answer, TileSets
from companion.rpc import TableClient
from companion.rules.play import check_seats
from companion.rules.registry import entries, installed
from companion.rules.registry import game as game_named
from companion.version import VERSION
from companion.web.auth.roles import check_repeated, pins, role_required, seat_code, sign_in
from companion.web.i18n.language import _
from companion.web.live.channels import Regions
from companion.web.live.monitor import run_in_threadpool
from companion.web.pages.maintenance import known_update, update_result
from companion.web.pages.referee import orders
from companion.web.pages.scoreboard import values
from companion.web.pages.table_requests import forward_request, table
from companion.web.pages.view import qr, qr_picture
from companion.web.services import LivePage, Services, current_services
from companion.web.serving.addresses import address, shared_address
from companion.web.setup.forms import changed_options, groups, option_faults, title_of
from companion.web.tokens import issue, revoke, tokens
from companion.words.chosen import main_store
from companion.words.store import DEFAULT_LIST_NAME

MAX_SAVED_TABLES = 12
"""Most tables of players that are remembered."""

REGIONS = {
    "head": "parts/head.html",
    "codes": "parts/codes.html",
    "lights": "parts/lights.html",
    "orders": "parts/orders.html",
    "ways": "parts/ways.html",
    "table": "parts/table.html",
    "lacking": "parts/lacking.html",
    "checks": "parts/checks.html",
}

pages = Blueprint("host", __name__)


def desk(services: Services, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return the template variables of the host's page."""
    shown = values(services, services.projection, now_ns)
    return {**shown, "for_host": True, "orders": orders(services.projection), "readiness": services.readiness}


def draw(services: Services, _seat: int) -> Regions:
    """Return the regions of the host's page."""
    return services.regions(REGIONS, desk(services))


LIVE_PAGES = {"host": LivePage(draw, "host")}


@pages.get("/host")
@role_required("host")
def host() -> ResponseReturnValue:
    """Show the host's page."""
    return host_page()


def host_page() -> str:
    """Return the host's page."""
    services = current_services()
    services.readiness.request()
    projection = services.projection
    now_ns = services.now_ns(projection) if projection else None
    update = known_update()
    shown = {
        "tokens": tokens(services.kept),
        "shared": shared_address() is not None,
        "update": update,
        "updated": update_result(update),
    }
    return render_template("host.html", version=VERSION, **shown, **desk(services, now_ns))


@pages.get("/host/seats/<int:seat>.svg")
@role_required("host")
def code(seat: int) -> ResponseReturnValue:
    """Send the QR code that a player scans to claim a seat, as SVG."""
    projection = current_services().projection
    if projection is None or not 1 <= seat <= len(projection.set_up.seats):
        abort(404)
    drawn = qr_picture(f"{address()}claim/{seat}/{seat_code(seat)}")
    return Response(drawn, content_type="image/svg+xml", headers={"Cache-Control": "no-store"})


@pages.get("/host/new")
@role_required("host")
def choose() -> ResponseReturnValue:
    """Let the host choose a game."""
    return render_template("new.html", games=installed())


@pages.get("/host/new/<name>")
@role_required("host")
def set_up(name: str) -> ResponseReturnValue:
    """Ask for seats and house rules, filled in as last time."""
    return form(name, {})


def form(
    name: str, given: Mapping[str, str], fault: str = "", faults: Mapping[str, str] | None = None
) -> str:
    """Return the page that sets a game up; ``faults`` has messages by option name."""
    if name not in entries():
        abort(404)
    game = game_named(name)
    saved = [
        list(map(str, one))[:13] for one in current_services().kept.read("tables", [])[:MAX_SAVED_TABLES]
    ]
    names = [value for key, value in sorted(given.items()) if key.startswith("name-")] or (
        saved[0] if saved else []
    )
    most = min(game.players[1], 13)
    return render_template(
        "setup.html",
        game=game,
        fault=fault,
        names=(names + [""] * most)[:most],
        shown=max(min(4, most), len([name for name in names if name]), game.players[0]),
        saved=saved,
        groups=groups(game.options, given, faults or {}),
        lists=[DEFAULT_LIST_NAME, *main_store().names()],
        words=given.get("words", main_store().in_use()),
        boxes=tiles_for(name),
        tiles=given.get("tiles"),
        title_of=title_of,
        handicaps=handicaps(name, {*names, *(player for table in saved for player in table)} - {""}),
    )


def handicaps(name: str, players: Collection[str]) -> Mapping[str, int]:
    """Return the handicaps that players bring to a game from earlier ones, in the order of their names."""
    path = current_services().monitor.following.path

    def looked() -> Mapping[str, int]:
        with EventLog(path, writable=False) as log:
            return last_handicaps(log, name, sorted(players))

    if game_named(name).newcomer is None or not path.exists():
        return {}
    try:
        return run_in_threadpool(looked)
    except BadLog:
        return {}


def tiles_for(game: str) -> TileSets | None:
    """Return the tiles that a game may be played with, ``None`` where no table answers."""
    line = current_services().monitor.table
    try:
        return run_in_threadpool(lambda: line.tile_sets(game)) if line else None
    except Unanswered:
        return None


@pages.post("/host/new/<name>")
@role_required("host")
def begin(name: str) -> ResponseReturnValue:
    """Set the game up at the table; on a refusal show the form again with the fault and the sent values."""
    if name not in entries():
        abort(404)
    services, game, given = current_services(), game_named(name), request.form
    seats = [text for number in range(1, 14) if (text := given.get(f"name-{number:02}", "").strip())]
    words = given.get("words", DEFAULT_LIST_NAME)
    try:
        check_seats(game, seats)
        options = changed_options(game.options, given)
        if faults := option_faults(game.options, options):
            return form(name, given, _("Please look at what is marked."), faults)
        line = table()
        tiles = given.get("tiles", "")
        answer = run_in_threadpool(lambda: line.set_up(name, seats, options, words, tiles))
    except CompanionError as error:
        return form(name, given, str(error))
    if answer.accepted is False:
        return form(name, given, answer.text)
    saved = [seats, *[one for one in services.kept.read("tables", []) if one != seats]]
    services.kept.write("tables", saved[:MAX_SAVED_TABLES])
    flash(_("The game is set up. Start it when everybody is ready."), "good")
    return redirect("/host")


@pages.post("/host/lights")
@role_required("host")
def lights() -> ResponseReturnValue:
    """Show every pattern on a seat's light."""
    seat = request.form.get("seat", 0, int)

    def shown(line: TableClient) -> Answer:
        line.lights_test(seat)
        return Answer(accepted=True, text=_("The light of seat %(seat)s shows all its patterns.", seat=seat))

    return forward_request(shown, "/host")


@pages.get("/host/pin")
@role_required("host")
def pins_there() -> ResponseReturnValue:
    """Redirect a reload of the response to a refused PIN to the form."""
    return redirect("/host#pins")


@pages.post("/host/pin")
@role_required("host")
def pin() -> ResponseReturnValue:
    """Set a new PIN of the host or the referee; all other phones have to sign in again."""
    who = request.form.get("role", "")
    if who not in {"host", "referee"}:
        abort(400)
    try:
        check_repeated(request.form.get("pin", ""), request.form.get("again", ""))
        pins().choose(who, request.form.get("pin", ""))
    except BadPin as error:
        flash(str(error), "bad")
        return host_page(), 403
    sign_in("host")
    flash(_("The PIN is changed. All other phones have to sign in again."), "good")
    return redirect("/host")


@pages.post("/host/tokens")
@role_required("host")
def token() -> ResponseReturnValue:
    """Issue a token for a program, or revoke one."""
    kept = current_services().kept
    if old := request.form.get("revoke", ""):
        revoke(kept, old)
        return redirect("/host")
    made = secrets.token_urlsafe(24)
    issue(kept, request.form.get("name", "")[:40], made)
    flash(_("The token, shown only now: %(token)s", token=made), "good")
    return redirect("/host")


@pages.get("/join")
def join() -> ResponseReturnValue:
    """Show the address of these pages as a QR code."""
    services = current_services()
    wifi, announcing = services.kept.read("wifi", {}), current_app.extensions.get("announcing")
    name, key = str(wifi.get("name", "")), str(wifi.get("key", ""))
    wifi_code = (
        qr(f"WIFI:T:{'WPA' if key else 'nopass'};S:{escaped(name)};P:{escaped(key)};;") if name else None
    )
    shared = shared_address()
    return render_template(
        "join.html",
        address=shared,
        code=qr(shared) if shared else None,
        named=announcing.address if announcing else "",
        wifi=name,
        wifi_code=wifi_code,
    )


def escaped(text: str) -> str:
    """Return a text escaped for a Wi-Fi QR code."""
    return "".join(f"\\{sign}" if sign in '\\;,:"' else sign for sign in text)


@pages.post("/host/wifi")
@role_required("host")
def wifi() -> ResponseReturnValue:
    """Store the Wi-Fi's name and key, which the join page shows as a QR code."""
    found = {"name": request.form.get("name", "").strip()[:32], "key": request.form.get("key", "")[:63]}
    current_services().kept.write("wifi", found)
    return redirect("/join")
