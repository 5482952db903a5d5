"""Bodies of the interface for programs, and their description (OpenAPI 3.1), made from their types.

Times are nanoseconds of the game's clock.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import StrEnum
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from flask import Blueprint
from werkzeug.http import HTTP_STATUS_CODES

from companion.model.calls import Order
from companion.model.seats import MAX_SEATS
from companion.model.status import Status
from companion.rpc.interface import Lines, Within
from companion.rules.state import Phase

Form = Literal["json", "csv", "txt", "tsh"]
"""Export formats of a game."""

SeatNumber = Annotated[int, Within(1, MAX_SEATS)]
"""A seat's number, from 1."""

EventNumber = Annotated[int, Within(0, math.inf)]
"""An event's number in its game, from 1; 0 is before the first one."""


@dataclass(frozen=True, slots=True)
class CallBody:
    """A player's call; ``details`` are its arguments, such as the word."""

    seat: SeatNumber
    call: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RulingBody:
    """A referee's ruling, with its reason."""

    ruling: str
    reason: Annotated[str, Lines(200)]
    seat: SeatNumber | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OrderBody:
    """An order of the host's."""

    order: Order


@dataclass(frozen=True, slots=True)
class AnswerBody:
    """The table's answer; ``accepted`` is null while the call waits for a picture: its event follows."""

    accepted: bool | None
    says: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class FaultBody:
    """An error: ``error`` is its title, ``says`` what to do about it."""

    error: str
    says: str


@dataclass(frozen=True, slots=True)
class TableBody:
    """The status of the table: cameras, lights, buttons."""

    table: Status


@dataclass(frozen=True, slots=True)
class GamesBody:
    """The names of all games, and of the one that is shown."""

    games: Sequence[str]
    current: str | None


@dataclass(frozen=True, slots=True)
class EventsBody:
    """Some events of a game, oldest first; ``last`` is the number of its newest."""

    game: str
    events: Sequence[Mapping[str, Any]]
    last: int


@dataclass(frozen=True, slots=True)
class RowBody:
    """An event as the log keeps it; ``hash`` covers it and the hash of the one before."""

    number: int
    at_ns: int
    event: str
    version: int
    body: str
    hash: str


@dataclass(frozen=True, slots=True)
class RowsBody:
    """Consecutive events of a game as the log keeps them, oldest first; ``last`` is its newest number."""

    game: str
    events: Sequence[RowBody]
    last: int


@dataclass(frozen=True, slots=True)
class VerdictBody:
    """The verdict on a tableau."""

    valid: bool | None
    invalid_words: Sequence[str]
    islands: int
    loose: int
    doubts: int


@dataclass(frozen=True, slots=True)
class SeatBody:
    """A seat; ``verdict`` is null while the rules hide it."""

    name: str
    hand: int
    face_down: int
    placed: int
    verdict: VerdictBody | None
    place: int | None
    score: float
    total: float
    handicap: int | None


@dataclass(frozen=True, slots=True)
class StateBody:
    """The state of the game that is shown."""

    match: str
    game: str
    number: int
    words: str
    phase: Phase
    round: int
    pool: int
    seats: Sequence[SeatBody]
    winner: int | None
    turn: int | None
    clock_s: float
    clock_shown_s: float


View = TypeVar("View", bound=Callable[..., Any])
Schema = dict[str, Any]

JSON_TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
JSON = "application/json"

PATH_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
"""A parameter in a route's path, with or without its converter."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route: ``answers`` is the response's body or media type, ``body`` the request's body.

    A route with a ``body`` needs a token.  ``takes`` are the types of its parameters by name, ``faults`` its
    error statuses.
    """

    method: str
    path: str
    summary: str
    answers: type | str
    body: type | None
    takes: Mapping[str, Any]
    faults: Sequence[int]


class Routes(list[Route]):
    """Routes as they are declared on a blueprint."""

    def add(
        self,
        pages: Blueprint,
        path: str,
        answers: type | str,
        body: type | None = None,
        faults: Sequence[int] = (),
        **takes: Any,
    ) -> Callable[[View], View]:
        """Declare a route: POST where it takes a body, else GET."""
        method = "post" if body else "get"

        def declared(view: View) -> View:
            summary = (view.__doc__ or "").partition("\n")[0]
            self.append(Route(method, path, summary, answers, body, takes, faults))
            pages.add_url_rule(path, view_func=view, methods=[method.upper()])
            return view

        return declared


def describe_routes(routes: Sequence[Route], url: str) -> Schema:
    """Return the description of all routes below an address."""
    shared: dict[str, Schema] = {}
    paths: dict[str, Schema] = {}
    for route in routes:
        path = PATH_PARAMETER.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method] = operation(route, shared)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tableau companion",
            "version": "1",
            "description": "The state of a table; with a token from its host calls, rulings and orders too.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": dict(sorted(shared.items())),
        },
    }


def operation(route: Route, shared: dict[str, Schema]) -> Schema:
    """Return the description of one route; schemas of dataclasses are added to ``shared``."""
    inside = set(PATH_PARAMETER.findall(route.path))
    answer = {route.answers: {}} if isinstance(route.answers, str) else content(route.answers, shared)
    fault = content(FaultBody, shared)
    result: Schema = {
        "summary": route.summary,
        "parameters": [
            {
                "name": name,
                "in": "path" if name in inside else "query",
                "required": name in inside,
                "schema": schema(route.takes.get(name, str), shared),
            }
            for name in sorted(inside | set(route.takes))
        ],
        "responses": {"200": {"description": "The answer", "content": answer}}
        | {
            str(status): {"description": HTTP_STATUS_CODES[status], "content": fault}
            for status in route.faults
        },
    }
    if route.body:
        result |= {
            "security": [{"token": []}],
            "requestBody": {"required": True, "content": content(route.body, shared)},
        }
    return result


def content(kind: type, shared: dict[str, Schema]) -> Schema:
    """Return the description of a JSON body."""
    return {JSON: {"schema": schema(kind, shared)}}


def schema(kind: Any, shared: dict[str, Schema]) -> Schema:
    """Return the JSON schema of a type; schemas of dataclasses are added to ``shared``, by name."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return add_bounds(schema(args[0], shared), args[1:])
    if origin is Literal:
        return {"enum": list(args)}
    if origin in {Union, UnionType}:
        return any_of([schema(one, shared) for one in args])
    if origin is tuple and args[-1] is not Ellipsis:
        return {"type": "array", "prefixItems": [schema(one, shared) for one in args]}
    if origin in {tuple, Sequence}:
        return {"type": "array", "items": schema(args[0], shared)}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [str(one) for one in kind]}
    if is_dataclass(kind) and isinstance(kind, type):
        return schema_ref(kind, shared)
    if isinstance(kind, type) and (
        plain := next((JSON_TYPE_NAMES[one] for one in kind.__mro__ if one in JSON_TYPE_NAMES), None)
    ):
        return {"type": plain}
    return {} if kind is Any else {"type": "object"}


def add_bounds(plain: Schema, checks: Sequence[Any]) -> Schema:
    """Return a schema with the bounds that the checks of an ``Annotated`` type set."""
    result = dict(plain)
    for check in checks:
        match check:
            case Within(low, high):
                result |= {
                    name: end for name, end in (("minimum", low), ("maximum", high)) if math.isfinite(end)
                }
            case Lines(longest, 1):
                result["maxLength"] = longest
    return result


def any_of(choices: Sequence[Schema]) -> Schema:
    """Return the schema of a value that fits one of several schemas."""
    different = [one for k, one in enumerate(choices) if one not in choices[:k]]
    if all(set(one) == {"type"} for one in different):
        kinds = [one["type"] for one in different]
        return {"type": kinds if kinds[1:] else kinds[0]}
    return {"anyOf": different}


def schema_ref(kind: type, shared: dict[str, Schema]) -> Schema:
    """Return a reference to the schema of a dataclass, which forbids fields of other names."""
    name = kind.__name__.removesuffix("Body")
    if name not in shared:
        shared[name] = {}
        hints = get_type_hints(kind, include_extras=True)
        shared[name] |= {
            "type": "object",
            "description": cleandoc(kind.__doc__ or ""),
            "properties": {one.name: schema(hints[one.name], shared) for one in fields(kind)},
            "required": [one.name for one in fields(kind) if one.default is one.default_factory is MISSING],
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{name}"}
