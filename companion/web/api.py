"""The interface for programs: everything that the pages know, and calls and rulings with a token."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue

from companion.errors import BadLine
from companion.line.wire import check_values
from companion.model.calls import Order
from companion.rules.plain import plain
from companion.rules.play import ruling_kinds
from companion.rules.printed import event_told, told
from companion.web import view
from companion.web.asking import asked
from companion.web.channels import BEAT_S
from companion.web.pin import Pins
from companion.web.replay import exported, replay
from companion.web.roles import Page, pins
from companion.web.site import Site, here
from companion.web.story import Story
from companion.web.tokens import good
from companion.web.tries import Account

MOST_EVENTS = 1000
"""Events in one answer; the next ones follow after the last of them."""

LONGEST_REASON = 200
"""Characters of the reason for a ruling."""

DESCRIPTION = Path(__file__).with_name("openapi.json")

pages = Blueprint("api", __name__, url_prefix="/api/v1")


def with_token(page: Page) -> Page:
    """Return a page that only programs with a token may use; wrong tokens count as failed logins."""

    @wraps(page)
    def guarded(*args: Any, **values: Any) -> ResponseReturnValue:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        known: Pins = pins()
        if scheme != "Bearer" or not token:
            abort(401, "Send a token: Authorization: Bearer TOKEN. The host makes one.")
        if not good(here().kept, token[:200]):
            known.claim(Account.TOKEN, "no", "yes", request.remote_addr or "")
        return page(*args, **values)

    return guarded


@pages.get("/openapi.json")
def described() -> ResponseReturnValue:
    """Send the description of this interface."""
    return Response(description(), content_type="application/json")


@cache
def description() -> str:
    """Return the description as text."""
    return DESCRIPTION.read_text(encoding="utf-8")


def current() -> Story:
    """Return the game that is shown; 404 where there is none."""
    story = here().story
    if story is None:
        abort(404, "There is no game yet.")
    return story


def public(story: Story, told_events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return events without what pages may not tell yet: whether the words of a tableau are good."""
    if view.tells_words(story.state):
        return told_events
    return [{name: value for name, value in one.items() if name != "verdict"} for one in told_events]


@pages.get("/state")
def state() -> ResponseReturnValue:
    """Send the state of the game that is shown."""
    site, story = here(), current()
    body = told(story.state, site.now_ns(story), [])
    if not view.tells_words(story.state):
        for seat in body["seats"]:
            seat["verdict"] = None
    body.pop("accepted"), body.pop("reason"), body.pop("events")
    return {
        "match": story.name,
        "game": story.game.name,
        "number": story.number,
        "words": story.set_up.words,
        **body,
    }


@pages.get("/table")
def table() -> ResponseReturnValue:
    """Send how the table does."""
    watching = here().watching
    if watching.status is None:
        abort(503, "The table does not answer just now." if watching.table else "No table is connected here.")
    return {"table": plain(watching.status)}


@pages.get("/games")
def games() -> ResponseReturnValue:
    """Send the names of all games."""
    site = here()
    return {"games": site.watching.names, "current": site.story.name if site.story else None}


@pages.get("/games/<name>/events")
def events(name: str) -> ResponseReturnValue:
    """Send the events of a game after a number."""
    after = request.args.get("after", 0, int)
    one = replay(here(), name)
    some = one.events[max(0, after) :][:MOST_EVENTS]
    found = [{"at_ns": stamped.at_ns, **event_told(stamped)} for stamped in some]
    story = here().story
    if story is not None and story.name == name:
        found = public(story, found)
    return {"game": name, "events": found, "last": len(one.events)}


@pages.get("/games/<name>/export/<form>")
def export(name: str, form: str) -> ResponseReturnValue:
    """Send a game as a file for others."""
    return exported(name, form)


@pages.get("/live")
def live() -> ResponseReturnValue:
    """Send events as they happen; a program that comes back says the last number that it knows."""
    site = here()
    last = request.headers.get("Last-Event-ID", request.args.get("after", ""))
    number = int(last) if last.isascii() and last.isdecimal() and len(last) < 10 else current().number
    address = request.remote_addr or ""
    if not site.channels.places.room(address, spare=False):
        abort(503, "So many are listening already; try again later.")
    response = Response(heard(site, number, address), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    return response


def heard(site: Site, number: int, address: str) -> Iterator[bytes]:
    """Yield each event after a number, with its number as id; now and then that all is well."""
    with site.channels.places.hold(address):
        yield b"retry: 2000\n\n"
        due_s = time.monotonic() + BEAT_S
        while True:
            revision, story = site.watching.revision, site.story
            number = 0 if story is not None and number > story.number else number
            for one in story.since(number) if story else []:
                body = public(story, [{"at_ns": one.at_ns, **event_told(one)}])[0] if story else {}
                number, due_s = one.number, time.monotonic() + BEAT_S
                yield f"id: {number}\ndata: {json.dumps(body, ensure_ascii=False)}\n\n".encode()
            if not site.watching.wait(revision, due_s - time.monotonic()):
                due_s = time.monotonic() + BEAT_S
                yield b": all is well\n\n"


def given(*fields: str) -> Mapping[str, Any]:
    """Return the object that was sent; 400 where it is none, or has other fields than these."""
    try:
        body = request.get_json(silent=True)
        check_values(body)
    except (BadLine, ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        abort(400, "Send a JSON object.")
    if unknown := sorted(set(body).difference(fields)):
        abort(400, f"There is no field {unknown[0][:40]!r}; the fields are {', '.join(fields)}.")
    return body


@pages.post("/calls")
@with_token
def call() -> ResponseReturnValue:
    """Pass on a call: ``seat``, ``call`` and what it takes along in ``details``."""
    body, story = given("seat", "call", "details"), current()
    seat, name, details = body.get("seat"), body.get("call"), body.get("details", {})
    if type(seat) is not int or not isinstance(name, str) or not isinstance(details, dict):
        abort(400, "A call needs a seat (number) and a call (text); details are an object.")
    if name not in story.game.calls or not 1 <= seat <= len(story.state.seats):
        abort(400, "There is no such call or seat.")
    return answered(lambda line: line.call(seat, name, details, "api"))


@pages.post("/rulings")
@with_token
def ruling() -> ResponseReturnValue:
    """Pass on a ruling: ``ruling``, ``reason``, and where it needs them ``seat`` and ``details``."""
    body, story = given("ruling", "reason", "seat", "details"), current()
    name, reason, seat, details = (body.get(key) for key in ("ruling", "reason", "seat", "details"))
    known = isinstance(name, str) and name in ruling_kinds(story.game)
    if not known or not isinstance(reason, str) or not reason.strip() or len(reason) > LONGEST_REASON:
        abort(400, "A ruling needs a ruling (text) that the game has and a reason (1 to 200 signs).")
    if seat is not None and (type(seat) is not int or not 1 <= seat <= len(story.state.seats)):
        abort(400, "There is no such seat.")
    if not isinstance(details, dict | None):
        abort(400, "Details are an object.")
    return answered(lambda line: line.ruling(str(name), reason, seat, details or {}))


@pages.post("/orders")
@with_token
def order() -> ResponseReturnValue:
    """Pass on an order of the host's."""
    wanted = given("order").get("order")
    if wanted not in list(Order):
        abort(400, f"The orders are {', '.join(Order)}.")
    return answered(lambda line: line.order(str(wanted)))


def answered(ask: Any) -> ResponseReturnValue:
    """Return what came of something asked, as JSON."""
    request.environ["HTTP_ACCEPT"] = "application/json"
    return asked(ask, "/")
