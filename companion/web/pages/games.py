"""Past games: all of them in a list, each step by step, its results to read, print and sign, its files."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from companion.events.exported import ENCODINGS, FORMATS
from companion.events.log import Row
from companion.events.projections import Result, results
from companion.events.replay import decoded_events, rules_of, set_up_of, verified_rows
from companion.events.tsh import ENCODING
from companion.model.seats import Score
from companion.paper import PAPERS
from companion.rules.event import Stamped
from companion.rules.interface import RuleSystem
from companion.rules.state import Phase
from companion.web.auth.roles import may
from companion.web.i18n import event_text
from companion.web.i18n.language import _
from companion.web.live.channels import line_text
from companion.web.live.monitor import clock_ms, run_in_threadpool
from companion.web.pages import view
from companion.web.pages.sheet_text import Captions, Player, Results
from companion.web.services import Services, current_services

MAX_CACHED_REPLAYS = 4
"""Most replays that are kept; the least recently used one is dropped first."""

MAX_REPLAYED_EVENTS = 50_000
"""Most events of a game that are replayed; a long evening has some thousands."""

MAX_LISTED_GAMES = 200
"""Most games in the list."""

EXPORT_MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "tsh": f"text/plain; charset={ENCODING}",
}

pages = Blueprint("games", __name__)


@dataclass(slots=True)
class Replay:
    """A game with its state after each event; the states share unchanged parts."""

    game: RuleSystem[Any]
    rows: list[Row]
    events: list[Stamped]
    states: list[Any]
    clocks: list[int]


REPLAYS: OrderedDict[tuple[str, str, int], Replay] = OrderedDict()
"""Replays by log, game and number of events; the least recently used one is dropped first."""


def replay(services: Services, name: str) -> Replay:
    """Return a game with all its states; 404 where the log has no such game."""
    monitor = services.monitor
    monitor.poll_log()
    if name not in monitor.names:
        abort(404)
    rows = monitor.following.rows(name)
    key = (str(monitor.following.path), name, len(rows))
    if key not in REPLAYS:
        REPLAYS[key] = run_in_threadpool(lambda: load_replay(name, rows[:MAX_REPLAYED_EVENTS]))
        if len(REPLAYS) > MAX_CACHED_REPLAYS:
            REPLAYS.popitem(last=False)
    REPLAYS.move_to_end(key)
    return REPLAYS[key]


def load_replay(name: str, rows: list[Row]) -> Replay:
    """Return a game with its state after each event; the hash chain is verified."""
    events = list(decoded_events(verified_rows(name, rows)))
    game = rules_of(events)
    states = [game.initial_state(set_up_of(events))]
    for one in events[1:]:
        states.append(game.evolve(states[-1], one.event, one.at_ns))
    clocks = [clock_ms(state, one.at_ns) for state, one in zip(states, events, strict=True)]
    return Replay(game, rows, events, states, clocks)


@pages.get("/games")
def games() -> ResponseReturnValue:
    """List the newest games of the log, the one under way first."""
    services = current_services()
    current = services.projection.name if services.projection else None
    newest = reversed(services.monitor.names)
    names = sorted(newest, key=lambda name: name != current)[:MAX_LISTED_GAMES]
    found = [(name, summary(services, name)) for name in names]
    return render_template("games.html", games=found, current=current)


def summary(services: Services, name: str) -> Mapping[str, Any]:
    """Return a game's entry in the list, from its first event."""
    first = next(iter(decoded_events(verified_rows(name, services.monitor.following.rows(name, most=1)))))
    set_up: Any = first.event
    return {"seats": set_up.seats, "game": set_up.game.replace("_", " ").title()}


def hides_word_verdicts(name: str) -> bool:
    """Return whether the rules hide from this phone the verdicts on words of a game."""
    shown = current_services().projection
    under_way = shown is not None and shown.name == name and not view.may_show_word_marks(shown.state)
    return under_way and not may("referee")


@pages.get("/replay/<path:name>")
def steps(name: str) -> ResponseReturnValue:
    """Show the state of a game after one of its events."""
    one = replay(current_services(), name)
    last = len(one.events)
    at = min(max(request.args.get("at", last, int), 1), last)
    state, event = one.states[at - 1], one.events[at - 1]
    lines = event_text.event_lines([seat.name for seat in state.seats], one.events, one.clocks)
    final = one.states[-1]
    marked = final.phase is Phase.OVER or view.may_show_word_marks(state) or may("referee")
    return render_template(
        "replay.html",
        name=name,
        at=at,
        last=last,
        state=state,
        title=one.game.title,
        phase=view.PHASES[state.phase],
        series=view.series_text(state),
        projection=current_services().projection,
        clock_shown=view.round_clock(state, event.at_ns),
        seats=view.seats(one.game, state, event.at_ns),
        board=view.board(one.game, state),
        tableaux=[view.tableau(s, view.word_marks(s) if marked else None) for s in state.seats],
        lines=[line for line in lines if line.number <= at][-6:][::-1],
        before=max((line.number for line in lines if line.number < at), default=1),
        after=min((line.number for line in lines if line.number > at), default=last),
    )


@pages.get("/games/<path:name>.<form>")
def exported(name: str, form: str) -> ResponseReturnValue:
    """Send a game as a file in an export format."""
    if form not in FORMATS:
        abort(404)
    rows = replay(current_services(), name).rows
    if form == "json" and hides_word_verdicts(name):
        abort(
            403,
            _("This file holds verdicts on words, which the rules hide for now. The referee may have it."),
        )
    body = run_in_threadpool(lambda: FORMATS[form](name, rows))
    return file_response(body.encode(ENCODINGS[form]), EXPORT_MEDIA_TYPES[form], f"{name}.{form}")


def file_response(body: bytes, kind: str, name: str) -> Response:
    """Return a file for download, under a name that every system accepts."""
    stem, _dot, ending = name.rpartition(".")
    safe = re.sub("[^0-9A-Za-z_-]", "_", stem)[:80]
    response = Response(body, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{safe}.{ending}"'
    return response


UNPLACED = 99
"""Sort key of seats without a place, after every place."""


@pages.get("/results/<path:name>")
def page(name: str) -> ResponseReturnValue:
    """Show the results of a game, to be read and to be printed."""
    one = replay(current_services(), name)
    found = results(one.game, one.events)
    return render_template(
        "results.html",
        name=name,
        title=one.game.title,
        papers=PAPERS,
        forms=[form for form in FORMATS if form != "json" or not hides_word_verdicts(name)],
        rounds=sorted({result.round for result in found}),
        found={(result.round, result.seat): result for result in found},
        seats=seats_by_place(one),
        state=one.states[-1],
        rulings=rulings(one),
    )


def seats_by_place(one: Replay) -> list[view.SeatView]:
    """Return the seats at the end of a game, by place."""
    shown = view.seats(one.game, one.states[-1], one.events[-1].at_ns)
    return sorted(shown, key=lambda seat: seat.place or UNPLACED)


def names(one: Replay) -> list[str]:
    """Return the players at the end of a game, seat by seat."""
    return [seat.name for seat in one.states[-1].seats]


def rulings(one: Replay) -> list[event_text.Line]:
    """Return the lines of the referee's rulings in a game."""
    lines = event_text.event_lines(names(one), one.events, one.clocks)
    return [line for line in lines if line.mood == "ruled"]


@pages.get("/results/<path:name>.pdf")
def sheet(name: str) -> ResponseReturnValue:
    """Send the results of a game as a sheet to print and sign, on A4 or Letter."""
    paper = PAPERS.get(request.args.get("paper", "a4"))
    if paper is None:
        abort(404)
    filled = results_sheet(name, replay(current_services(), name))

    def made() -> bytes:
        from companion.web.pages.sheet import results_pdf  # noqa: PLC0415  fonts take long to import, and 50 MB

        return results_pdf(filled, paper)

    return file_response(run_in_threadpool(made), "application/pdf", f"{name}.pdf")


def results_sheet(name: str, one: Replay) -> Results:
    """Return the content of a game's results sheet, in the current language."""
    found = {(result.round, result.seat): result for result in results(one.game, one.events)}
    rounds = sorted({number for number, _seat in found})
    notes = [] if rounds else [_("No round was confirmed yet.")]
    notes.append(_("Words are judged by the list %(list)s.", list=one.states[-1].words))
    mark = one.rows[-1].hash.hex()[:16]
    notes.append(_("By the log up to event %(number)s, mark %(mark)s.", number=len(one.events), mark=mark))
    return Results(
        title=one.game.title,
        name=name,
        captions=Captions(
            _("Place"),
            _("Player"),
            _("In all"),
            _("Rulings"),
            _("Page %(page)s of %(pages)s"),
        ),
        rounds=tuple(_("Round %(number)s", number=number) for number in rounds),
        players=tuple(
            Player(
                str(shown.place or "–"),
                f"{shown.seat.name} ({', '.join(shown.notes)})" if shown.notes else shown.seat.name,
                tuple(format_result(found.get((number, shown.number))) for number in rounds),
                points(shown.seat.total),
            )
            for shown in seats_by_place(one)
        ),
        rulings=tuple(f"{line.at} {line_text(line)}" for line in rulings(one)),
        notes=tuple(notes),
        signers=(_("Referee"), *names(one)),
    )


def format_result(result: Result | None) -> str:
    """Return a seat's result of a round: its points, and its place where it has one."""
    if result is None:
        return ""
    return f"{points(result.score)} ({result.place}.)" if result.place else points(result.score)


def points(value: Score) -> str:
    """Return points as people write them."""
    return str(int(value)) if value == int(value) else f"{value:.1f}"
