"""Past games, step by step, and all of them in a list."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from companion.events.exported import FORMATS
from companion.events.log import Row
from companion.events.reading import chained, decoded, rules_of, set_up_of
from companion.events.tsh import ENCODING
from companion.rules.event import Stamped
from companion.rules.interface import RuleSystem
from companion.rules.state import Phase
from companion.web.auth.roles import may
from companion.web.i18n import told
from companion.web.live.story import clock_ms
from companion.web.live.watching import run_in_threadpool
from companion.web.pages import view
from companion.web.site import Site, here

MOST_KEPT = 4
"""Games whose steps are kept ready."""

LONGEST = 50_000
"""Events of a game that is replayed; a long evening has some thousands."""

MOST_LISTED = 200
"""Games in the list."""

KINDS = {"json": "application/json", "csv": "text/csv", "txt": "text/plain", "tsh": "text/plain"}

pages = Blueprint("replay", __name__)


@dataclass(slots=True)
class Replay:
    """A game with every state that it went through; the states share what did not change."""

    game: RuleSystem[Any]
    rows: list[Row]
    events: list[Stamped]
    states: list[Any]
    clocks: list[int]


REPLAYS: OrderedDict[tuple[str, str, int], Replay] = OrderedDict()
"""Replays by log, game and number of events, the least recently used forgotten first."""


def replay(site: Site, name: str) -> Replay:
    """Return a game with all its states; 404 where the log has none of that name."""
    watching = site.watching
    watching.look()
    if name not in watching.names:
        abort(404)
    rows = watching.following.rows(name)
    key = (str(watching.following.path), name, len(rows))
    if key not in REPLAYS:
        REPLAYS[key] = run_in_threadpool(lambda: played(name, rows[:LONGEST]))
        if len(REPLAYS) > MOST_KEPT:
            REPLAYS.popitem(last=False)
    REPLAYS.move_to_end(key)
    return REPLAYS[key]


def played(name: str, rows: list[Row]) -> Replay:
    """Return the states that a game went through, the chain of its events checked."""
    events = list(decoded(chained(name, rows)))
    game = rules_of(events)
    states = [game.opening(set_up_of(events))]
    for one in events[1:]:
        states.append(game.evolve(states[-1], one.event, one.at_ns))
    clocks = [clock_ms(state, one.at_ns) for state, one in zip(states, events, strict=True)]
    return Replay(game, rows, events, states, clocks)


@pages.get("/games")
def games() -> ResponseReturnValue:
    """List all games of the log, the one under way first."""
    site = here()
    current = site.story.name if site.story else None
    names = sorted(site.watching.names, key=lambda name: name != current)[:MOST_LISTED]
    found = [(name, summary(site, name)) for name in names]
    return render_template("games.html", games=found, current=current)


def summary(site: Site, name: str) -> Mapping[str, Any]:
    """Return what the list says of a game, from its first event."""
    first = next(iter(decoded(chained(name, site.watching.following.rows(name)[:1]))))
    set_up: Any = first.event
    return {"seats": set_up.seats, "game": set_up.game.replace("_", " ").title()}


@pages.get("/replay/<name>")
def steps(name: str) -> ResponseReturnValue:
    """Show a game as it stood after one of its events."""
    one = replay(here(), name)
    last = len(one.events)
    at = min(max(request.args.get("at", last, int), 1), last)
    state, event = one.states[at - 1], one.events[at - 1]
    names = [seat.name for seat in state.seats]
    lines = told.lines(names, one.events, one.clocks)
    final = one.states[-1]
    marked = final.phase is Phase.OVER or view.tells_words(state) or may("referee")
    return render_template(
        "replay.html",
        name=name,
        at=at,
        last=last,
        state=state,
        title=one.game.title,
        phase=view.PHASES[state.phase],
        series=view.series_told(state),
        story=here().story,
        clock_shown=view.round_clock(state, event.at_ns),
        seats=view.seats(one.game, state, event.at_ns),
        board=view.board(one.game, state),
        tableaux=[view.tableau(s, view.word_marks(s) if marked else None) for s in state.seats],
        lines=[line for line in lines if line.number <= at][-6:][::-1],
        before=max((line.number for line in lines if line.number < at), default=1),
        after=min((line.number for line in lines if line.number > at), default=last),
    )


@pages.get("/games/<name>.<form>")
def exported(name: str, form: str) -> ResponseReturnValue:
    """Send a game as a file for others."""
    if form not in FORMATS:
        abort(404)
    rows = replay(here(), name).rows
    body = run_in_threadpool(lambda: FORMATS[form](name, rows))
    encoding = ENCODING if form == "tsh" else "utf-8"
    return sent(body.encode(encoding), f"{KINDS[form]}; charset={encoding}", f"{name}.{form}")


def sent(body: bytes, kind: str, name: str) -> Response:
    """Return a file to keep, under a name that every system takes."""
    stem, _dot, ending = name.rpartition(".")
    safe = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in stem)[:80]
    response = Response(body, content_type=kind)
    response.headers["Content-Disposition"] = (
        f'attachment; filename="{safe.encode("ascii", "replace").decode()}.{ending}"'
    )
    return response
