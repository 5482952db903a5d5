"""The routes for programs; ``ROUTES`` describes them by their types."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from functools import cache, partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from companion import web
from companion.config.parse import parsed
from companion.errors import BadConfig, Unanswered
from companion.events import codec
from companion.events.exported import row_to_json
from companion.rpc.wire import check_values
from companion.rules.event import Stamped
from companion.rules.play import ruling_kinds
from companion.rules.record import event_json, step_json, to_jsonable
from companion.web.api.openapi import (
    AnswerBody,
    CallBody,
    EventNumber,
    EventsBody,
    Form,
    GamesBody,
    OrderBody,
    Routes,
    RowsBody,
    RulingBody,
    StateBody,
    TableBody,
)
from companion.web.auth.pins import Account, Pins
from companion.web.auth.roles import Page, pins
from companion.web.live.channels import HEARTBEAT_S, cancel_current
from companion.web.live.monitor import GameProjection
from companion.web.pages import view
from companion.web.pages.games import exported, replay
from companion.web.pages.table_requests import forward_request, is_number
from companion.web.services import Services, current_services
from companion.web.tokens import is_valid_token

MAX_EVENTS = 1000
"""Most events of one answer; the next request starts after the last of them."""

MAX_ROWS, MAX_BODY_CHARS = 200, 200_000
"""Most rows of the log in one answer, and most characters of their bodies in all."""

LAST_ID = re.compile(r"([0-9]{1,9})(?: (\S+))?")
"""The id of an event in the live stream: its number, and the quoted name of its game."""

HASH = re.compile(r"[0-9a-f]{64}")

PREFIX = "/api/v1"
OPENAPI_PATH = Path(web.__file__).with_name("openapi.json")

COMMAND_FAULT_CODES = (400, 401, 403, 404, 413, 429, 503)
"""Error statuses of the routes that need a token."""

pages = Blueprint("api", __name__, url_prefix=PREFIX)
ROUTES = Routes()
route = partial(ROUTES.add, pages)

Body = TypeVar("Body")


def with_token(page: Page) -> Page:
    """Return a page that only programs with a token may use; wrong tokens count as failed logins."""

    @wraps(page)
    def guarded(*args: Any, **values: Any) -> ResponseReturnValue:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        known: Pins = pins()
        if scheme.lower() != "bearer" or not token:
            says = "Send a token: Authorization: Bearer TOKEN. The host makes one."
            raise Unauthorized(says, www_authenticate=WWWAuthenticate("bearer"))
        if not is_valid_token(current_services().kept, token[:200]):
            known.claim(Account.TOKEN, "no", "yes", request.remote_addr or "")
        return page(*args, **values)

    return guarded


@route("/openapi.json", "application/json")
def description() -> ResponseReturnValue:
    """Send the description of this interface."""
    return Response(description_text(), content_type="application/json")


@cache
def description_text() -> str:
    """Return the description as it ships; ``python -m companion.web.api`` writes it."""
    return OPENAPI_PATH.read_text(encoding="utf-8")


def event_number() -> int:
    """Return the number in the parameter ``after``, 0 where it is missing; abort with 400 for other texts."""
    given = request.args.get("after", "0")
    if not is_number(given):
        abort(400, "The parameter after is an event's number: 0 or more.")
    return int(given)


def current_projection() -> GameProjection:
    """Return the game that is shown; 404 where there is none."""
    projection = current_services().projection
    if projection is None:
        abort(404, "There is no game yet.")
    return projection


def hide_word_verdicts(projection: GameProjection, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return events, without verdicts while pages may not show which words are valid."""
    if view.may_show_word_marks(projection.state):
        return events
    return [{name: value for name, value in one.items() if name != "verdict"} for one in events]


@route("/state", StateBody, faults=(404,))
def state() -> ResponseReturnValue:
    """Send the state of the current game, with verdicts on words unless the rules hide them."""
    services, projection = current_services(), current_projection()
    body = step_json(projection.state, services.now_ns(projection), [])
    if not view.may_show_word_marks(projection.state):
        for seat in body["seats"]:
            seat["verdict"] = None
    body.pop("accepted"), body.pop("reason"), body.pop("events")
    return {
        "match": projection.name,
        "game": projection.game.name,
        "number": projection.number,
        "words": projection.set_up.words,
        **body,
    }


@route("/table", TableBody, faults=(503,))
def table() -> ResponseReturnValue:
    """Send the status of the table: cameras, lights, buttons."""
    monitor = current_services().monitor
    if monitor.status is None:
        abort(503, "The table does not answer just now." if monitor.table else "No table is connected here.")
    return {"table": to_jsonable(monitor.status)}


@route("/games", GamesBody)
def games() -> ResponseReturnValue:
    """Send the names of all games."""
    services = current_services()
    return {
        "games": services.monitor.names,
        "current": services.projection.name if services.projection else None,
    }


@route("/games/<path:name>/events", EventsBody, faults=(400, 404, 409), after=EventNumber)
def events(name: str) -> ResponseReturnValue:
    """Send at most 1000 events of a game after a number."""
    after = event_number()
    one = replay(current_services(), name)
    page_events = one.events[after:][:MAX_EVENTS]
    found = [{"at_ns": stamped.at_ns, **event_json(stamped)} for stamped in page_events]
    projection = current_services().projection
    if projection is not None and projection.name == name:
        found = hide_word_verdicts(projection, found)
    return {"game": name, "events": found, "last": len(one.events)}


@route("/events", RowsBody, faults=(400, 403, 404), game=str, after=EventNumber, known=str)
def rows() -> ResponseReturnValue:
    """Send rows of a game's log after a number to a hall, which proves by a hash that it knows the game."""
    game, known = request.args.get("game", ""), request.args.get("known", "")
    after, monitor = event_number(), current_services().monitor
    monitor.poll_log()
    log = monitor.following.log
    if log is None or game not in monitor.names:
        abort(404)
    if not HASH.fullmatch(known) or not log.holds(game, bytes.fromhex(known)):
        abort(403, "Send the hash of an event of this game, as the hall's broker tells it.")
    found: list[dict[str, Any]] = []
    size = 0
    for row in islice(log.rows(game, after), MAX_ROWS):
        size += len(row.body)
        if found and size > MAX_BODY_CHARS:
            break
        found.append(row_to_json(row))
    log.heads.clear()
    return {"game": game, "events": found, "last": log.head(game)[0]}


@route("/games/<path:name>/export/<form>", "application/octet-stream", faults=(403, 404, 409), form=Form)
def export(name: str, form: str) -> ResponseReturnValue:
    """Send a game as a file for other programs."""
    return exported(name, form)


@route("/live", "text/event-stream", faults=(400, 404, 503), after=EventNumber)
def live() -> ResponseReturnValue:
    """Send events as they happen; after an interruption a program sends the last id as Last-Event-ID.

    The id has an event's number and its game.  A program that comes back during another game gets that game
    from its first event on.
    """
    services, after = current_services(), event_number()
    if last := LAST_ID.fullmatch(request.headers.get("Last-Event-ID", "")):
        number, game = int(last[1]), unquote(last[2]) if last[2] else None
    else:
        number, game = after if "after" in request.args else current_projection().number, None
    address = request.remote_addr or ""
    if not services.channels.slots.has_room(address, spare=False):
        abort(503, "So many are listening already; try again later.")
    response = Response(event_stream(services, number, game, address), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    return response


def event_stream(services: Services, number: int, game: str | None, address: str) -> Iterator[bytes]:
    """Yield each event after a number of a game, ``None`` the one that is shown, and heartbeats."""
    with services.channels.slots.hold(address, cancel_current()):
        yield b"retry: 2000\n\n"
        due_s = time.monotonic() + HEARTBEAT_S
        while True:
            revision, projection = services.monitor.revision, services.projection
            if projection is not None:
                number = 0 if number > projection.number or game not in (None, projection.name) else number
                game = projection.name
            while projection is not None and (found := later_events(services, projection, number)):
                for one in found:
                    yield event_message(projection, one)
                number, due_s = found[-1].number, time.monotonic() + HEARTBEAT_S
            if not services.monitor.wait(revision, due_s - time.monotonic()):
                due_s = time.monotonic() + HEARTBEAT_S
                yield b": all is well\n\n"


def later_events(services: Services, projection: GameProjection, number: int) -> list[Stamped]:
    """Return events of a game after a number; the log has those that are no longer in memory."""
    found = projection.since(number)
    if not found or found[0].number == number + 1:
        return found
    known = codec.kinds(projection.game)
    return [
        Stamped(row.number, row.at_ns, codec.decode(known, row.kind, row.version, row.body))
        for row in services.monitor.following.rows(projection.name, number, MAX_EVENTS)
    ]


def event_message(projection: GameProjection, one: Stamped) -> bytes:
    """Return an event of a game as a server-sent event whose id has its number and its game."""
    [body] = hide_word_verdicts(projection, [{"at_ns": one.at_ns, **event_json(one)}])
    name = quote(projection.name)
    return f"id: {one.number} {name}\ndata: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def parse_body(kind: type[Body]) -> Body:
    """Return the object that was sent; abort with 400 where it is not of this type."""
    try:
        body = request.get_json(silent=True)
        check_values(body)
        if not isinstance(body, dict):
            abort(400, "Send a JSON object.")
        return parsed(body, kind)
    except RecursionError:
        abort(400, "The JSON has too many levels.")
    except (Unanswered, BadConfig, ValueError) as error:
        abort(400, str(error)[:500])


@route("/calls", AnswerBody, CallBody, COMMAND_FAULT_CODES)
@with_token
def call() -> ResponseReturnValue:
    """Pass on a player's call."""
    body, projection = parse_body(CallBody), current_projection()
    if body.call not in projection.game.calls or body.seat > len(projection.state.seats):
        abort(400, "There is no such call or seat.")
    return table_response(lambda line: line.call(body.seat, body.call, body.details, "api"))


@route("/rulings", AnswerBody, RulingBody, COMMAND_FAULT_CODES)
@with_token
def ruling() -> ResponseReturnValue:
    """Pass on a referee's ruling, with its reason."""
    body, projection = parse_body(RulingBody), current_projection()
    if body.ruling not in ruling_kinds(projection.game) or not body.reason.strip():
        abort(400, "A ruling needs a ruling that the game has and a reason.")
    if body.seat is not None and body.seat > len(projection.state.seats):
        abort(400, "There is no such seat.")
    return table_response(lambda line: line.ruling(body.ruling, body.reason, body.seat, body.details))


@route("/orders", AnswerBody, OrderBody, COMMAND_FAULT_CODES)
@with_token
def order() -> ResponseReturnValue:
    """Pass on an order of the host's."""
    body = parse_body(OrderBody)
    return table_response(lambda line: line.order(body.order))


def table_response(ask: Any) -> ResponseReturnValue:
    """Return the table's answer to a request, as JSON."""
    request.environ["HTTP_ACCEPT"] = "application/json"
    return forward_request(ask, "/")
