"""The referee's pages: doubtful tiles, evidence of calls, challenges, and rulings with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import CompanionError
from companion.model.calls import Order
from companion.rules import event as ev
from companion.rules import fields
from companion.rules.play import ruling_kinds
from companion.rules.rulings import shown_at
from companion.rules.state import Phase
from companion.web.auth.roles import role_required
from companion.web.i18n import event_text
from companion.web.i18n.language import N_, _, translate
from companion.web.live.channels import Regions
from companion.web.live.monitor import GameProjection, run_in_threadpool
from companion.web.pages import view
from companion.web.pages.scoreboard import close_up, doubtful_tiles, values
from companion.web.pages.table_requests import forward_request, is_number, parse_details, table
from companion.web.services import LivePage, Services, current_services

MAX_LISTED_CALLS = 30
"""Most calls whose evidence the desk lists."""

LISTED_EVENTS = ev.CallAccepted | ev.CallRefused | ev.Warned
"""Events that the desk lists with their pictures."""

REGIONS = {
    "head": "parts/head.html",
    "doubts": "parts/doubts.html",
    "tables": "parts/tables.html",
    "evidence": "parts/evidence.html",
    "orders": "parts/orders.html",
    "table": "parts/table.html",
}

REASONS = (
    N_("the camera misread a tile"),
    N_("the players agree"),
    N_("found at the challenge"),
    N_("against the house rules"),
)
"""Reasons that a referee need not type."""

FIELD_HINTS = {
    fields.clock_seconds: N_("minutes:seconds, such as 12:30"),
    fields.points: N_("such as 12 or 2.5"),
    fields.points_off: N_("such as 5"),
}
"""Placeholders of the empty fields of details."""

pages = Blueprint("referee", __name__)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A call on the referee's page: its line, milliseconds since the call before, whether both are tied."""

    line: event_text.Line
    after_ms: float | None
    tied: bool


def evidence(projection: GameProjection) -> list[Evidence]:
    """Return the last calls, refusals and warnings, newest first."""
    called = [one for one in projection.recent if isinstance(one.event, LISTED_EVENTS)]
    window_ms = projection.state.options.get("tie_ms", 0)
    found = []
    for before, one in zip([None, *called], called, strict=False):
        line = event_text.event_line(projection.names, one, projection.clocks[one.number - 1])
        warned = isinstance(one.event, ev.Warned)
        after_ms = None if before is None or warned else (one.at_ns - before.at_ns) / 1e6
        tied = after_ms is not None and after_ms <= window_ms
        if line is not None:
            found.append(Evidence(line, after_ms, tied))
    return found[-MAX_LISTED_CALLS:][::-1]


def desk(services: Services, now_ns: int | None = None) -> Mapping[str, Any]:
    """Return the template variables of the referee's page, verdicts on words included."""
    projection = services.projection
    shared = values(services, projection, now_ns)
    if projection is None:
        return {**shared, "doubts": [], "unseen": [], "tableaux": [], "evidence": [], "orders": ()}
    doubts = [
        (number, seat.name, *tile)
        for number, seat in enumerate(projection.state.seats, 1)
        for tile in doubtful_tiles(seat.sighting)
    ]
    doubts += [(0, "", *tile) for tile in doubtful_tiles(projection.game.board(projection.state))]
    return {
        **shared,
        "doubts": doubts,
        "unseen": unseen_players(projection),
        "tableaux": [view.tableau(seat, view.word_marks(seat)) for seat in projection.state.seats],
        "evidence": evidence(projection),
        "orders": orders(projection),
    }


def unseen_players(projection: GameProjection) -> list[str]:
    """Return the names of the players whose tiles no camera sees."""
    state = projection.state
    if not state.started:
        return []
    never = {n for n in state.numbers if state.board is None and state.seat(n).sighting is None}
    return [state.seat(number).name for number in sorted(never | set(state.blind))]


def draw(services: Services, _seat: int) -> Regions:
    """Return the regions of the desk."""
    return services.regions(REGIONS, desk(services))


LIVE_PAGES = {"referee": LivePage(draw, "referee")}


@pages.get("/referee")
@role_required("referee")
def referee() -> ResponseReturnValue:
    """Show the desk."""
    services = current_services()
    projection = services.projection
    kinds = ruling_kinds(projection.game) if projection else {}
    return render_template(
        "referee.html",
        kinds=kinds,
        hints=FIELD_HINTS,
        reasons=REASONS,
        **desk(services, services.now_ns(projection) if projection else None),
    )


def orders(projection: GameProjection | None) -> Sequence[str]:
    """Return the orders that are valid now, the likeliest first."""
    if projection is None or projection.state.phase is Phase.OVER:
        return ()
    state = projection.state
    if not state.started:
        return (Order.START, Order.END)
    if state.phase is Phase.PAUSED:
        return (Order.RESUME, Order.END)
    if state.phase is Phase.JUDGING:
        first = Order.NEXT_ROUND if state.confirmed else Order.CONFIRM
        return (first, Order.PAUSE, Order.END)
    return (Order.PAUSE, Order.END)


@pages.post("/order")
@role_required("referee")
def order() -> ResponseReturnValue:
    """Pass on an order."""
    wanted = request.form.get("order", "")
    if wanted not in list(Order):
        abort(400, _("There is no such order."))
    return forward_request(lambda line: line.order(wanted), return_url())


@pages.post("/ruling")
@role_required("referee")
def ruling() -> ResponseReturnValue:
    """Pass on a ruling with its reason."""
    projection, form = current_services().projection, request.form
    name = form.get("ruling", "")
    if projection is None or name not in ruling_kinds(projection.game):
        abort(400, _("There is no such ruling."))
    reason = (form.get("reason", "") or form.get("other", "")).strip()[:200]
    asked_for = form.get("seat", "")
    seat = (int(asked_for) or None) if is_number(asked_for) else None
    takes = parse_details(ruling_kinds(projection.game)[name].takes, form)
    return forward_request(lambda line: line.ruling(name, reason, seat, takes), return_url())


def return_url() -> str:
    """Return the page that a form was sent from, if it is one of this desk or of the host's."""
    wanted = request.form.get("back", "/referee")
    return wanted if wanted.startswith(("/referee", "/host")) and wanted.isprintable() else "/referee"


@pages.post("/referee/challenge")
@role_required("referee")
def challenged() -> ResponseReturnValue:
    """Stop the clocks and look at a seat's words."""
    services = current_services()
    seat = request.form.get("seat", "")
    if (
        services.projection is None
        or not is_number(seat)
        or not 1 <= int(seat) <= len(services.projection.state.seats)
    ):
        abort(400, _("Nobody sits there."))
    if services.projection.state.phase is Phase.PLAYING:
        forward_request(lambda line: line.order("pause"), "")
    return redirect(f"/referee/challenge/{int(seat)}")


@pages.get("/referee/challenge/<int:number>")
@role_required("referee")
def challenge(number: int) -> ResponseReturnValue:
    """Show a seat's tableau, word by word, with what may be ruled."""
    services = current_services()
    projection = services.projection
    if projection is None or not 1 <= number <= len(projection.state.seats):
        abort(404, _("Nobody sits there."))
    shown = desk(services, services.now_ns(projection))
    return render_template(
        "challenge.html",
        number=number,
        one=shown["seats"][number - 1],
        verdict=projection.state.seat(number).verdict,
        words=view.words(projection.state.seat(number)),
        tableau=shown["tableaux"][number - 1],
        close=close_up(number)[0],
        reasons=REASONS,
        **{name: value for name, value in shown.items() if name != "tableaux"},
    )


def drawn_tiles(seat: int) -> tuple[GameProjection, Mapping[str, Any], view.GridView | None]:
    """Return the game, what the desk shows, and a seat's tiles (seat 0: the board); 404 for no such seat."""
    services = current_services()
    projection = services.projection
    if projection is None or seat > len(projection.state.seats):
        abort(404, _("Nobody sits there."))
    shown = desk(services, services.now_ns(projection))
    return projection, shown, shown["tableaux"][seat - 1] if seat else shown["board"]


@pages.get("/referee/look/<int:seat>")
@role_required("referee")
def look(seat: int) -> ResponseReturnValue:
    """Show a seat's tiles, or the board (seat 0), on a photograph, to be tapped; else as they are drawn."""
    projection, _shown, drawn = drawn_tiles(seat)
    if drawn is None:
        abort(404, _("No tile is seen there any more."))
    close, fault = close_up(seat)
    name = projection.state.seat(seat).name if seat else ""
    return render_template("look.html", seat=seat, name=name, drawn=drawn, close=close, fault=fault)


@pages.get("/referee/tile/<int:seat>/<int:row>,<int:col>")
@role_required("referee")
def tile(seat: int, row: int, col: int) -> ResponseReturnValue:
    """Show a tile before a seat, or on the board (seat 0), with every symbol that it may show."""
    projection, shown, drawn = drawn_tiles(seat)
    origin = drawn.origin if drawn else (0, 0)
    lying = {(one.row + origin[0], one.col + origin[1]): one for one in drawn.squares()} if drawn else {}
    if drawn is None or (row, col) not in lying:
        abort(404, _("No tile is seen there any more."))
    return render_template(
        "tile.html",
        seat=seat,
        name=projection.state.seat(seat).name if seat else "",
        row=row,
        col=col,
        drawn=drawn.marked((row, col)),
        symbol=shown_at(projection.game, projection.state, seat, (row, col)),
        reasons=REASONS,
        faces=shown["faces"],
        has_table=shown["has_table"],
    )


@pages.get("/evidence/<int:number>.jpg")
@role_required("referee")
def picture(number: int) -> ResponseReturnValue:
    """Send the picture that is kept for a call."""
    line = table()
    try:
        jpeg = run_in_threadpool(lambda: line.evidence(number))
    except CompanionError as error:
        abort(404, translate(str(error)))
    return Response(jpeg, content_type="image/jpeg")
