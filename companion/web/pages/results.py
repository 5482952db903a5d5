"""The results of a game: as a page, and as a sheet to print and sign."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from companion.events.projections import Result, results
from companion.model.seats import Score
from companion.paper import PAPERS
from companion.web.i18n import told
from companion.web.i18n.language import _
from companion.web.live.channels import event_text
from companion.web.live.watching import run_in_threadpool
from companion.web.pages import view
from companion.web.pages.replay import Replay, replay, sent
from companion.web.pages.sheet_text import Captions, Player, Results
from companion.web.site import here

LAST = 99
"""Behind every place: where seats without one stand."""

pages = Blueprint("results", __name__)


@pages.get("/results/<name>")
def page(name: str) -> ResponseReturnValue:
    """Show the results of a game, to be read and to be printed."""
    one = replay(here(), name)
    found = results(one.game, one.events)
    return render_template(
        "results.html",
        name=name,
        title=one.game.title,
        papers=PAPERS,
        rounds=sorted({result.round for result in found}),
        found={(result.round, result.seat): result for result in found},
        seats=ranked(one),
        state=one.states[-1],
        rulings=rulings(one),
    )


def ranked(one: Replay) -> list[view.SeatShown]:
    """Return the seats at the end of a game, by place."""
    shown = view.seats(one.game, one.states[-1], one.events[-1].at_ns)
    return sorted(shown, key=lambda seat: seat.place or LAST)


def names(one: Replay) -> list[str]:
    """Return the players at the end of a game, seat by seat."""
    return [seat.name for seat in one.states[-1].seats]


def rulings(one: Replay) -> list[told.Line]:
    """Return what the referee ruled in a game, with the reasons."""
    lines = told.lines(names(one), one.events, one.clocks)
    return [line for line in lines if line.mood == "ruled"]


@pages.get("/results/<name>.pdf")
def sheet(name: str) -> ResponseReturnValue:
    """Send the results of a game as a sheet to print and sign, on A4 or Letter."""
    paper = PAPERS.get(request.args.get("paper", "a4"))
    if paper is None:
        abort(404)
    filled = on_paper(name, replay(here(), name))

    def made() -> bytes:
        from companion.web.pages.sheet import printed  # noqa: PLC0415  fonts take long to import, and 50 MB

        return printed(filled, paper)

    return sent(run_in_threadpool(made), "application/pdf", f"{name}.pdf")


def on_paper(name: str, one: Replay) -> Results:
    """Return the results of a game as their sheet says them, in the language spoken."""
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
                tuple(scored(found.get((number, shown.number))) for number in rounds),
                points(shown.seat.total),
            )
            for shown in ranked(one)
        ),
        rulings=tuple(f"{line.at} {event_text(line)}" for line in rulings(one)),
        notes=tuple(notes),
        signers=(_("Referee"), *names(one)),
    )


def scored(result: Result | None) -> str:
    """Return what a round brought a seat: its points, and its place where there is one."""
    if result is None:
        return ""
    return f"{points(result.score)} ({result.place}.)" if result.place else points(result.score)


def points(value: Score) -> str:
    """Return points as people write them."""
    return str(int(value)) if value == int(value) else f"{value:.1f}"
