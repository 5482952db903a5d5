"""The tournament's papers: sheets to print, tables, and files for others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue
from gevent.lock import BoundedSemaphore

from companion.hall import printing
from companion.hall.hall import Hall
from companion.hall.pages.monitor import hall
from companion.hall.pages.public import views
from companion.hall.pages.views import FIGURE_NAMES
from companion.hall.register import to_csv
from companion.hall.sheets import Sheet, to_pdf
from companion.hall.tournament import Results, Tournament, current_handicaps
from companion.hall.trf_mapping import to_trf
from companion.paper import PAPERS
from companion.rules import event as ev
from companion.web.auth.roles import role_required
from companion.web.i18n.language import N_, _, gettext
from companion.web.live.monitor import run_in_threadpool

SHEET_TEXTS = (
    *(N_("bye"), N_("Player"), N_("Table"), N_("Players"), N_("By name"), N_("By table"), N_("Round")),
    *(N_("Seed of the draw"), N_("Rank"), N_("Club"), N_("Standings"), N_("Cross table"), N_("Place")),
    *(N_("Points"), N_("Notes"), N_("Referee"), N_("Score sheet"), N_("Where"), N_("What"), N_("Reason")),
    N_("Incident report"),
)
"""Texts of sheets, marked for translation."""

DRAWING_LOCK = BoundedSemaphore()
"""Held while a sheet is drawn."""

pages = Blueprint("papers", __name__)


def current() -> tuple[Tournament, Results]:
    """Return the tournament and its results; 404 where there is none."""
    state = hall().service.state
    if state is None:
        abort(404, _("No tournament is open."))
    return state, hall().conductor.results()


def tables() -> dict[str, str]:
    """Return the names of all tables."""
    return {one.id: one.name for one in list(hall().intake.tables.values())}


def pdf(make: Callable[[], Sheet], *, apart: bool = False) -> ResponseReturnValue:
    """Send a sheet as a PDF; one is drawn at a time."""
    requested = request.args.get("paper", "a4")
    paper = requested if requested in PAPERS else "a4"
    with DRAWING_LOCK:
        body = run_in_threadpool(lambda: to_pdf(dated(make()), paper, apart=apart))
    return Response(body, content_type="application/pdf")


def dated(sheet: Sheet) -> Sheet:
    """Return a sheet with date and time in its foot: of two standings on a wall the newer one counts."""
    return replace(sheet, foot=f"{datetime.now().astimezone():%Y-%m-%d %H:%M} · {sheet.foot}")


def round_number(state: Tournament) -> int:
    """Return the number of the requested round, of the newest one by default."""
    return request.args.get("round", len(state.rounds), int)


@pages.get("/papers/pairings.pdf")
def pairings() -> ResponseReturnValue:
    """Send a round's pairings."""
    state, _results = current()
    number, names = round_number(state), tables()
    return pdf(lambda: printing.pairings(state, number, names, gettext))


@pages.get("/papers/standings.pdf")
def standings() -> ResponseReturnValue:
    """Send the standings."""
    state, results = current()
    return pdf(lambda: printing.ranking(state, results, FIGURE_NAMES, gettext))


@pages.get("/papers/cross.pdf")
def cross() -> ResponseReturnValue:
    """Send the cross table."""
    state, results = current()
    return pdf(lambda: printing.cross_table(state, results, gettext))


@pages.get("/papers/scores.pdf")
def scores() -> ResponseReturnValue:
    """Send the score sheets of a round, one page for each table."""
    state, _results = current()
    number, names = round_number(state), tables()
    return pdf(lambda: printing.score_sheets(state, number, names, gettext), apart=True)


@pages.get("/papers/incidents.pdf")
@role_required("referee")
def incidents() -> ResponseReturnValue:
    """Send all rulings with their reasons."""
    state, _results = current()
    rows = [*table_rulings(hall(), state), *director_decisions(hall(), state)]
    return pdf(lambda: printing.incidents(state, rows, gettext))


@pages.get("/papers/standings.csv")
def table() -> ResponseReturnValue:
    """Send the standings as a table."""
    return Response(printing.to_csv(*current()), content_type="text/csv; charset=utf-8")


@pages.get("/papers/standings.json")
def whole() -> ResponseReturnValue:
    """Send the whole tournament as JSON."""
    return Response(printing.to_json(*current(), views().lines()), content_type="application/json")


@pages.get("/papers/tournament.t")
def tsh() -> ResponseReturnValue:
    """Send the tournament as a division of tsh."""
    return Response(printing.to_tsh(*current()), content_type="text/plain; charset=iso-8859-1")


@pages.get("/papers/tournament.trf")
def fide() -> ResponseReturnValue:
    """Send the tournament as a report file of FIDE; 404 where games have more than two players."""
    state, results = current()
    if not state.format.of_two:
        abort(404)
    return Response(to_trf(state, results), content_type="text/plain; charset=utf-8")


@pages.get("/papers/players.csv")
@role_required("referee")
def register() -> ResponseReturnValue:
    """Send the register as a file that can be imported again."""
    state, results = current()
    handicaps = current_handicaps(state, results)
    return Response(to_csv(list(state.people.values()), handicaps), content_type="text/csv; charset=utf-8")


def table_rulings(place: Hall, state: Tournament) -> list[tuple[str, str, str]]:
    """Return the rulings of referees at the tables: where, what, why."""
    found = []
    for one in state.rounds:
        for group in one.tables:
            for row in place.replica.rows((group.table, group.game)) if group.game else []:
                if row.kind in {ev.Ruled.__name__, ev.RulingUndone.__name__}:
                    body = json.loads(row.body)
                    what = str(body.get("ruling", "undo")).replace("_", " ")
                    where = f"{_('Round %(number)s', number=one.number)}, {group.table}"
                    found.append((where, what, str(body["reason"])))
    return found


def director_decisions(place: Hall, state: Tournament) -> list[tuple[str, str, str]]:
    """Return the director's entries that have a reason: where, what, why."""
    found = []
    for one in place.service.entries:
        reason = getattr(one.event, "reason", "")
        if reason:
            who = getattr(one.event, "player", "")
            what = type(one.event).__name__ + (f" {state.name_of(who)}" if who else "")
            found.append((f"{_('Entry')} {one.number}", what, reason))
    return found
