"""The pages that everybody may see."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion.errors import BadEntry
from companion.hall.pages.health import problems
from companion.hall.pages.monitor import hall
from companion.hall.pages.views import Views, standings_view
from companion.hall.printing import to_csv, to_json
from companion.hall.tournament import Results, Tournament, outcome
from companion.hall.tournament import standings as ranked
from companion.hall.verification import results_from_replica
from companion.web.i18n.choice import choose_language
from companion.web.services import current_services

MAX_FOUND_PLAYERS = 50
"""Most players found by one query."""

pages = Blueprint("hall", __name__)


def views() -> Views:
    """Return the renderer of the live pages."""
    found: Views = current_app.extensions["views"]
    return found


@pages.get("/")
def wall() -> ResponseReturnValue:
    """Show every table."""
    return render_template("wall.html", regions=views().whole_wall(current_services()), **views().shared())


@pages.get("/standings")
def standings() -> ResponseReturnValue:
    """Show the standings."""
    return render_template("standings.html", **views().tournament())


@pages.get("/rounds")
def rounds() -> ResponseReturnValue:
    """Show every round, the newest first."""
    return render_template(
        "rounds.html", regions=views().groups(current_services(), "rounds", "group", whole=True)
    )


@pages.get("/screen")
def screen() -> ResponseReturnValue:
    """Show the pairings by name and by table, for a screen that is seen from afar."""
    return render_template(
        "screen.html", regions=views().groups(current_services(), "screen", "board", whole=True)
    )


@pages.get("/players")
def players() -> ResponseReturnValue:
    """Show the players whose name or club contains the query."""
    state = hall().service.state
    wanted = request.args.get("q", "").strip().casefold()[:40]
    people = sorted(state.people.values() if state else (), key=lambda one: one.name.casefold())
    found = [one for one in people if wanted in f"{one.name} {one.club}".casefold()]
    more = len(found) - MAX_FOUND_PLAYERS
    return render_template(
        "players.html", found=found[:MAX_FOUND_PLAYERS], more=max(0, more), wanted=wanted, **views().shared()
    )


@pages.get("/players/<player>")
def player(player: str) -> ResponseReturnValue:
    """Show a player's table, and the player's results of all rounds."""
    state = hall().service.state
    if state is None or player not in state.people:
        abort(404)
    results = hall().conductor.results()
    sat = []
    for one in state.rounds:
        table = next((each for each in one.tables if player in each.players), None)
        sat.append((one, table, table and outcome(table, results)))
    ranked_ = views().tournament()
    line = next((one for one in ranked_["lines"] if one.player == player), None)
    return render_template(
        "player.html",
        person=state.people[player],
        sat=sat[::-1],
        line=line,
        heads=ranked_["heads"],
        handicap=line and line.handicap,
        tables=hall().intake.tables,
        **views().shared(),
    )


@pages.get("/tournaments")
def tournaments() -> ResponseReturnValue:
    """Show every tournament of the hall."""
    return render_template("tournaments.html", past=hall().service.tournaments(), **views().shared())


@pages.get("/tournaments/<key>")
def load(key: str) -> ResponseReturnValue:
    """Show the final standings of an earlier tournament."""
    state, results = load_past(key)
    heads, lines = standings_view(state, results, ranked(state, results))
    return render_template("past.html", key=key, past=state, heads=heads, lines=lines, **views().shared())


@pages.get("/tournaments/<key>/standings.json")
def past_whole(key: str) -> ResponseReturnValue:
    """Send an earlier tournament as JSON."""
    return Response(to_json(*load_past(key)), content_type="application/json")


@pages.get("/tournaments/<key>/standings.csv")
def past_table(key: str) -> ResponseReturnValue:
    """Send the standings of an earlier tournament as a table."""
    return Response(to_csv(*load_past(key)), content_type="text/csv; charset=utf-8")


def load_past(key: str) -> tuple[Tournament, Results]:
    """Return a tournament of the hall and its results; 404 where there is none of that key."""
    try:
        state = hall().service.load(key)
    except BadEntry as error:
        raise NotFound from error
    return state, results_from_replica(state, hall().replica)


@pages.get("/help")
def help_() -> ResponseReturnValue:
    """Show how draws can be checked."""
    return render_template("hall_help.html", **views().shared())


@pages.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Send the hall's health, for programs."""
    intake, link = hall().intake, hall().link
    up = link is not None and link.up.is_set()
    body = {
        "connected": up,
        "fault": intake.fault,
        "tables": len(intake.tables),
        "taken": intake.handled,
        "lacking": len(intake.gaps),
        "troubles": [f"{one.what} {one.more}".strip() for one in problems(hall())],
    }
    return body, 200 if up and not intake.fault else 503


pages.post("/language")(choose_language)
