"""Encoding and parsing of payloads: JSON objects that carry the contract's version.

Only this module parses payloads from the broker; an invalid one raises BadMessage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.errors import BadMessage
from companion.events.exported import checked_text, row_from_json, row_to_json
from companion.events.log import Row
from companion.hall.contract.topics import CONTRACT_VERSION

MAX_PAYLOAD_BYTES = 1_000_000
"""Largest size of a payload, in bytes."""

MAX_MESSAGE_EVENTS = 200
"""Most events of one message."""

MAX_BODY_CHARS = 200_000
"""Characters of event bodies in a message after which the next event goes into the next message."""

MAX_GAME_NAME_CHARS = 200
"""Longest name of a game, in characters."""

ENCODE_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class Events:
    """Consecutive events of one game of a table; ``last`` is the game's newest number at the table."""

    table: str
    game: str
    rows: tuple[Row, ...]
    last: int


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """A hall's request for the events of a game after a number."""

    game: str
    after: int


@dataclass(frozen=True, slots=True)
class OrderResult:
    """A table's result of an order: whether it was carried out, and a text for the director."""

    table: str
    accepted: bool
    text: str


def events_payload(events: Events) -> bytes:
    """Return events as a payload."""
    listed = [row_to_json(row) for row in events.rows]
    return payload({"table": events.table, "game": events.game, "last": events.last, "events": listed})


def payload(body: Mapping[str, Any]) -> bytes:
    """Return an object as a payload with the contract's version."""
    return ENCODE_JSON({"contract": CONTRACT_VERSION, **body}).encode()


def read(given: bytes) -> dict[str, Any]:
    """Return the object that a payload holds; raise BadMessage where it does not follow this contract."""
    if len(given) > MAX_PAYLOAD_BYTES:
        raise BadMessage(f"a message of {len(given):,} bytes; the contract allows {MAX_PAYLOAD_BYTES:,}")
    try:
        body = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"a message is no JSON: {error}") from error
    if not isinstance(body, dict) or body.get("contract") != CONTRACT_VERSION:
        raise BadMessage(f"a message is no object of contract {CONTRACT_VERSION}: {str(body)[:60]}")
    return body


def read_events(given: bytes, table: str, least: int = 1) -> Events:
    """Return the events of a payload; ``table`` is the sender that its topic names.

    ``least`` is the least number of events: 0 for an answer to a request, as nothing may follow.

    Raises
    ------
    BadMessage
        Where it cannot be read, comes from another table, or its numbers are not consecutive.
    """
    body = read(given)
    try:
        if body["table"] != table:
            raise BadMessage(f"{table} sends events of {str(body['table'])[:60]!r}")
        listed = body["events"]
        if not isinstance(listed, list) or not least <= len(listed) <= MAX_MESSAGE_EVENTS:
            raise BadMessage(f"a message of {table} holds no events, or more than {MAX_MESSAGE_EVENTS}")
        rows = tuple(row_from_json(one) for one in listed)
        game, last = checked_text(body["game"]), parse_count(body["last"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadMessage(f"a message of {table} cannot be read: {error}") from error
    if not 0 < len(game) <= MAX_GAME_NAME_CHARS:
        raise BadMessage(f"a message of {table} names no game")
    first = rows[0].number if rows else 1
    if first < 1 or [row.number for row in rows] != list(range(first, first + len(rows))):
        raise BadMessage(f"a message of {table} holds events that do not follow one another")
    return Events(table, game, rows, last)


def parse_count(given: Any) -> int:
    """Return a whole number that is not negative; raise ValueError for anything else."""
    if type(given) is not int or not 0 <= given < 2**63:
        raise ValueError(f"{str(given)[:40]!r} is no number of an event")
    return given


def read_replay_request(given: bytes) -> ReplayRequest:
    """Return the replay request of a payload; raise BadMessage where it cannot be read."""
    body = read(given)
    try:
        return ReplayRequest(checked_text(body["game"]), parse_count(body["after"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadMessage(f"a request for a replay cannot be read: {error}") from error


def read_order_result(given: bytes, table: str) -> OrderResult:
    """Return the order result of a payload; raise BadMessage where it cannot be read."""
    body = read(given)
    accepted, text = body.get("accepted"), body.get("text")
    if not isinstance(accepted, bool) or not isinstance(text, str):
        raise BadMessage(f"an answer of {table} cannot be read")
    return OrderResult(table, accepted, text[:500])


def batches(table: str, game: str, rows: Sequence[Row], last: int) -> list[Events]:
    """Return rows as messages, each within the contract's bounds."""
    found: list[list[Row]] = []
    size = 0
    for row in rows:
        if not found or len(found[-1]) == MAX_MESSAGE_EVENTS or size + len(row.body) > MAX_BODY_CHARS:
            found.append([])
            size = 0
        found[-1].append(row)
        size += len(row.body)
    return [Events(table, game, tuple(batch), last) for batch in found]
