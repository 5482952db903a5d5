"""The director's page: commands that change the tournament, and the undo of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import BadEntry, BadPin, CompanionError
from companion.hall import entries as en
from companion.hall import trf
from companion.hall.formats.registry import FORMATS
from companion.hall.pages.monitor import hall
from companion.hall.pages.public import views
from companion.hall.register import FILE_PARSERS, PlayerRow, read
from companion.hall.tournament import Results, points_for
from companion.hall.tournament_service import checked_name
from companion.model.seats import MAX_SEATS
from companion.rules.record import to_jsonable
from companion.rules.registry import game
from companion.web.auth.roles import check_repeated, pins, role_required, sign_in
from companion.web.i18n.language import N_, _, translate
from companion.web.live.monitor import run_in_threadpool

MAX_LISTED_ENTRIES = 60
"""Most entries of the log that the director sees at once."""

HIDDEN_FIELDS = (
    "seed",
    "groups",
    "tables",
    "commitment",
    "options",
    "table_options",
    "words",
    "form",
    "byes",
    "earlier",
)

FIELD_NAMES: Mapping[str, str] = {
    "by": N_("by"),
    "player": N_("player"),
    "name": N_("name"),
    "club": N_("club"),
    "rating": N_("rating"),
    "handicap": N_("handicap"),
    "notes": N_("notes"),
    "reason": N_("because"),
    "points": N_("points"),
    "round": N_("round"),
    "group": N_("group"),
    "table": N_("table"),
    "game": N_("game"),
    "places": N_("places"),
    "scores": N_("points"),
    "on": N_("on"),
    "number": N_("entry"),
}
"""Labels of the fields of entries."""

ENTRY_TITLES: Mapping[str, str] = {
    en.TournamentOpened.__name__: N_("Tournament opened"),
    en.PlayerEntered.__name__: N_("Player registered"),
    en.PlayerCorrected.__name__: N_("Player corrected"),
    en.PlayerWithdrew.__name__: N_("Player withdrew"),
    en.PlayerReturned.__name__: N_("Player plays again"),
    en.PlayerSubstituted.__name__: N_("Player substituted"),
    en.PenaltyGiven.__name__: N_("Penalty given"),
    en.HandicapSet.__name__: N_("Handicap set"),
    en.RoundDrawn.__name__: N_("Round drawn"),
    en.GameBegun.__name__: N_("Game begun"),
    en.GroupMoved.__name__: N_("Group moved"),
    en.ResultSet.__name__: N_("Result set"),
    en.RoundClosed.__name__: N_("Round closed"),
    en.RoundReopened.__name__: N_("Round reopened"),
    en.AutopilotSet.__name__: N_("Autopilot switched"),
    en.TournamentEnded.__name__: N_("Tournament over"),
    en.Undone.__name__: N_("Undone"),
}
"""Titles of entries."""

pages = Blueprint("director", __name__)


@pages.get("/host")
@role_required("host")
def host() -> ResponseReturnValue:
    """Redirect to the director's page; sign-in with the first PIN leads here."""
    return redirect("/director")


@pages.get("/director")
@role_required("host")
def desk() -> ResponseReturnValue:
    """Show the desk."""
    found = hall().service
    entries = [
        (
            one.number,
            local_time(one.at_ns),
            ENTRY_TITLES[type(one.event).__name__],
            entry_fields(to_jsonable(one.event)),
        )
        for one in reversed(found.entries[-MAX_LISTED_ENTRIES:])
    ]
    return render_template(
        "director.html",
        entries=entries,
        games_of_two=games_of_two(),
        free=free_tables(),
        **views().desk(),
    )


def games_of_two() -> list[tuple[str, str]]:
    """Return name and title of the games that formats for two can be played with."""
    names = {name: None for one in FORMATS.values() if one.of_two for name in one.plays}
    return [(name, game(name).title) for name in names]


def free_tables() -> list[tuple[str, str]]:
    """Return id and name of the online tables at which no group of the round plays."""
    state, tables = hall().service.state, hall().intake.tables
    taken = {one.table for one in state.current.tables} if state and state.current else set()
    return [(one, tables[one].name or one) for one in hall().conductor.tables() if one not in taken]


def entry_fields(fields: Mapping[str, Any]) -> list[str]:
    """Return an entry's fields as texts, without the hidden ones."""
    state = hall().service.state
    people = state.people if state else {}
    visible = {
        key: value for key, value in fields.items() if key not in HIDDEN_FIELDS and value not in ("", None)
    }
    if (person := people.get(str(visible.get("player")))) is not None:
        visible["player"] = person.name
    return [f"{_(FIELD_NAMES.get(key, key))} {value}" for key, value in visible.items()]


def local_time(at_ns: int) -> str:
    """Return a stamp of the hall's log as local date and time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_ns / 1e9))


def flash_result(act: Callable[[], None], success: str, to: str = "/director") -> ResponseReturnValue:
    """Run a command, flash ``success`` or the error, and redirect to ``to``."""
    try:
        act()
    except CompanionError as error:
        flash(translate(str(error)), "bad")
    else:
        flash(success, "good")
    return redirect(to)


def results() -> Results:
    """Return the results of all games that count."""
    return hall().conductor.results()


def number(name: str) -> int:
    """Return a number of a form; 400 where it is none."""
    found = request.form.get(name, "")
    if not found.isdecimal() or len(found) > 6:
        abort(400)
    return int(found)


@pages.post("/director/open")
@role_required("host")
def open_() -> ResponseReturnValue:
    """Open a tournament."""
    form, given = request.form.get("form", ""), request.form
    if form not in FORMATS:
        abort(400)
    options: dict[str, Any] = {}
    if given.get("rounds") and (rounds := number("rounds")):
        options["rounds"] = rounds
    least, most, _wanted = FORMATS[form].seats
    if given.get("wanted") and least < most:
        options["seats"] = [least, most, number("wanted")]
    policy = {"policy": given["policy"]} if given.get("policy") in {"strict", "advise", "off"} else {}
    if given.get("game") and FORMATS[form].of_two:
        options["game"] = given["game"]
    name, found = given.get("name", ""), hall().service

    def act() -> None:
        if given.get("over"):
            found.take_over(results(), name, form, options, table_options=policy)
        else:
            found.open(name, form, options, table_options=policy)

    return flash_result(act, _("The tournament is open. Its draws are committed to."))


@pages.post("/director/players")
@role_required("host")
def players() -> ResponseReturnValue:
    """Register players: a file, or one by name."""
    file = request.files.get("file")
    if file is not None and file.filename:
        end = file.filename.lower().rpartition(".")[2]
        kind = end if end in FILE_PARSERS else "csv"
        body = file.stream.read()
        return flash_result(lambda: hall().service.enter(read(body, kind)), _("The players are registered."))
    given = PlayerRow(request.form.get("name", ""), request.form.get("club", "")[:60])
    return flash_result(lambda: hall().service.enter([given]), _("The player is registered."))


@pages.post("/director/players/<player>")
@role_required("host")
def player(player: str) -> ResponseReturnValue:
    """Record a decision on one player, with its reason."""
    reason, what, value = (request.form.get(key, "") for key in ("reason", "what", "value"))
    makers: dict[str, Callable[[], Any]] = {
        "withdraw": lambda: en.PlayerWithdrew("director", player, reason),
        "return": lambda: en.PlayerReturned("director", player, reason),
        "substitute": lambda: en.PlayerSubstituted("director", player, checked_name(value), reason),
        "penalty": lambda: en.PenaltyGiven("director", player, whole(value), reason),
        "handicap": lambda: en.HandicapSet("director", player, max(3, whole(value)), reason),
    }
    if what not in makers:
        abort(400)

    def act() -> None:
        if not reason.strip():
            raise BadEntry(_("Say why."))
        hall().service.add(makers[what]())

    return flash_result(act, _("It is noted."), f"/players/{player}")


def whole(value: str) -> int:
    """Return a whole number; raise BadEntry where it is none."""
    if not value.removeprefix("-").isdecimal() or len(value) > 4:
        raise BadEntry(_("Give a whole number."))
    return int(value)


@pages.post("/director/round")
@role_required("host")
def round_() -> ResponseReturnValue:
    """Control the round: draw it, set the tables up, start them, close or reopen it."""
    what, found, conductor = request.form.get("what", ""), hall().service, hall().conductor
    acts: dict[str, tuple[Callable[[], None], str]] = {
        "draw": (
            lambda: run_in_threadpool(conductor.draw),
            _("The round is drawn."),
        ),
        "set_up": (conductor.set_up, _("The tables are told.")),
        "start": (conductor.start, _("All tables are told to start.")),
        "close": (lambda: found.close_round(results()), _("The round is closed.")),
        "reopen": (lambda: found.reopen(request.form.get("reason", "")), _("The round is open again.")),
        "end": (lambda: found.add(en.TournamentEnded("director")), _("The tournament is over.")),
        "autopilot": (lambda: found.add(en.AutopilotSet("director", on=True)), _("Rounds run alone.")),
        "manual": (lambda: found.add(en.AutopilotSet("director", on=False)), _("You lead the rounds.")),
    }  # fmt: skip
    if what not in acts:
        abort(400)
    return flash_result(*acts[what])


@pages.post("/director/group")
@role_required("host")
def group() -> ResponseReturnValue:
    """Move a group to another table, or set its result."""
    form, reason = request.form, request.form.get("reason", "")
    if form.get("what") == "move":
        table = form.get("table", "")
        return flash_result(
            lambda: hall().service.move(number("group"), table, reason),
            _("The group plays at another table."),
        )
    texts, points = (form.get(key, "").replace(",", " ").split()[:MAX_SEATS] for key in ("places", "scores"))

    def act() -> None:
        places = [None if one in {"-", "–"} else whole(one) for one in texts]
        scores = [whole(one) for one in points] if points else points_for(places)
        hall().service.rule(number("round"), number("group"), places, scores, reason)

    return flash_result(act, _("The result is set."))


@pages.post("/director/results")
@role_required("host")
def reported() -> ResponseReturnValue:
    """Set missing results from a report file of FIDE."""
    file = request.files.get("file")
    body = file.stream.read() if file is not None else b""
    return flash_result(
        lambda: hall().service.set_reported_results(trf.parse_report(body), results()),
        _("The results are set."),
    )


@pages.post("/director/undo")
@role_required("host")
def undo() -> ResponseReturnValue:
    """Undo an entry."""
    reason = request.form.get("reason", "") or _("undone on the desk")
    return flash_result(lambda: hall().service.undo(number("number"), reason), _("It counts no more."))


@pages.post("/director/pin")
@role_required("host")
def pin() -> ResponseReturnValue:
    """Choose the PIN of a role."""
    who, given = request.form.get("role", ""), request.form.get("pin", "")
    if who not in pins().roles:
        abort(400)
    try:
        check_repeated(given, request.form.get("again", ""))
        pins().choose(who, given)
    except BadPin as error:
        flash(str(error), "bad")
        return redirect("/director#pins")
    sign_in("host")
    flash(_("The PIN is changed. All other phones have to sign in again."), "good")
    return redirect("/director")
