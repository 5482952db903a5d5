"""Exports of games: JSON that can be imported again, CSV, a readable record, lines for tsh."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.errors import BadExport
from companion.events import tsh
from companion.events.log import Row
from companion.events.projections import results, states
from companion.events.replay import decoded_events, rules_of, set_up_of, verified_rows
from companion.rules import event as ev
from companion.rules.interface import RuleSystem
from companion.rules.play import fold
from companion.rules.record import record

CSV_ENCODING = "utf-8-sig"
"""Encoding of CSV files: Excel takes one without a byte order mark for its own code page."""

EXPORT_FORMAT = "tableau-companion game"
EXPORT_VERSION = 1

SANCTION_COLUMNS = ("penalty", "warnings", "status")
"""Columns of the referee's rulings about a player in the whole game, at the round's end."""

MAX_SQLITE_INTEGER = 2**63 - 1
"""The largest integer of SQLite."""


MAX_EXPORTED_EVENTS = 50_000
"""Most events of a game that is read back; an evening's has some thousands."""

FIELDS_PER_EVENT = 6
"""Fields of an exported event."""

MAX_EVENT_BODY_CHARS = 500_000
"""Longest body of one event, in characters; a sighting of a full table has some thousands."""

FORMULA_PATTERN = re.compile(r"'*[=+\-@\t]")
"""The start of a formula, and of one that was made safe, however often."""

TOO_MANY_EVENTS = (
    f"this is no exported game: it holds more than {MAX_EXPORTED_EVENTS:,} events, "
    "or other things than events"
)


def to_json(name: str, rows: Sequence[Row]) -> str:
    """Return a game as one JSON object that holds everything that the log holds of it."""
    body = {
        "format": EXPORT_FORMAT,
        "version": EXPORT_VERSION,
        "game": name,
        "events": [row_to_json(row) for row in rows],
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> tuple[str, list[Row]]:
    """Return name and rows of an exported game, its chain checked.

    Raises
    ------
    BadExport
        Where the text is no such export, or of a newer version.
    BadLog
        Where an event was changed.
    """
    try:
        check_size(text)
        body = json.loads(text)
        if body["format"] != EXPORT_FORMAT or body["version"] > EXPORT_VERSION:
            raise BadExport(
                f"an export of {body['format']} {body['version']}; "
                f"this companion reads {EXPORT_FORMAT} {EXPORT_VERSION}"
            )
        name = checked_text(body["game"])
        rows = [row_from_json(one) for one in body["events"]]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise BadExport(f"this is no exported game: {error}") from error
    return name, list(verified_rows(name, rows))


def check_size(text: str) -> None:
    """Raise BadExport, before parsing, for JSON with more objects, lists or texts than a game has.

    A small compressed JSON text may have millions of empty lists, each of which takes much more memory than
    its characters.
    """
    bare = text.replace("\\\\", "").replace('\\"', "")  # quotation marks now only enclose texts
    most = FIELDS_PER_EVENT * (MAX_EXPORTED_EVENTS + 1)
    if bare.count('"') > 4 * most:
        raise BadExport(TOO_MANY_EVENTS)
    outside = "".join(bare.split('"')[::2])
    lists, objects, values = (outside.count(sign) for sign in "[{,")
    if lists > 1 or objects > MAX_EXPORTED_EVENTS + 1 or values > most:
        raise BadExport(TOO_MANY_EVENTS)


def row_to_json(row: Row) -> dict[str, Any]:
    """Return a row of the log as a JSON object, which ``row_from_json`` reads."""
    return {
        "number": row.number,
        "at_ns": row.at_ns,
        "event": row.kind,
        "version": row.version,
        "body": row.body,
        "hash": row.hash.hex(),
    }


def row_from_json(one: Mapping[str, Any]) -> Row:
    """Return a row of the log from its JSON object; raise ValueError for a number out of bounds."""
    number, at_ns = int(one["number"]), int(one["at_ns"])
    if max(number, abs(at_ns), int(one["version"])) > MAX_SQLITE_INTEGER:
        raise ValueError(f"event {number} at {at_ns} ns is out of bounds")
    if len(checked_text(one["body"])) > MAX_EVENT_BODY_CHARS:
        raise ValueError(f"event {number} holds more than any event does")
    return Row(
        number,
        at_ns,
        checked_text(one["event"]),
        int(one["version"]),
        checked_text(one["body"]),
        bytes.fromhex(one["hash"]),
    )


def checked_text(text: object) -> str:
    """Return a text; raise TypeError for anything else, ValueError for lone surrogates."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text).__name__} where a text belongs")
    text.encode()
    return text


def to_csv(name: str, rows: Sequence[Row]) -> str:
    """Return the confirmed rounds as CSV with a header, one row for each seat and round."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    writer.writerow(
        ["game", "round", "seat", "name", "place", "score", "total", "handicap", *SANCTION_COLUMNS]
    )
    for one in results(*game_events(rows)):
        writer.writerow(
            [
                *(spreadsheet_safe(name), one.round, one.seat, spreadsheet_safe(one.name)),
                *(one.place, one.score, one.total, one.handicap, one.penalty, one.warnings, one.status),
            ]
        )
    return table.getvalue()


def spreadsheet_safe(text: str) -> str:
    """Return a text in a form that a spreadsheet does not read as a formula: after an apostrophe."""
    return f"'{text}" if FORMULA_PATTERN.match(text) else text


def from_spreadsheet_safe(text: str) -> str:
    """Return the text that ``spreadsheet_safe`` has given this form."""
    return text[1:] if text.startswith("'") and FORMULA_PATTERN.match(text) else text


def to_txt(_name: str, rows: Sequence[Row]) -> str:
    """Return a readable record with one line for each event that it shows."""
    game, events = game_events(rows)
    first = record(game.initial_state(set_up_of(events)), events[:1])
    rest = [
        line
        for one, (state, _) in zip(events[1:], states(game, events), strict=True)
        for line in record(state, [one])
    ]
    return "".join(f"{line}\n" for line in (*first, *rest))


def to_tsh(_name: str, rows: Sequence[Row]) -> str:
    """Return the seats as players of a tsh division, a line each, with the scores of the confirmed rounds.

    With two seats each is the other's opponent; with more, the pairings are
    left undefined (``00``), because tsh pairs players in twos.  Scores of a Scrabble
    division are whole numbers in tsh (its module TFile), and shared places give
    half points: where there are any, all scores count half points, a comment
    says so, and the extra ``points`` of each line has the original points.  Points that the
    referee has taken off a player's total are the extra ``penalty``.
    """
    game, events = game_events(rows)
    found = results(game, events)
    seats = fold(game, events).seats
    halves = any(one.score != int(one.score) for one in found)
    lines = [tsh.HALF_POINTS_COMMENT] if halves else []
    for number, seat in enumerate(seats, 1):
        own = [one.score for one in found if one.seat == number]
        opponent = 3 - number if len(seats) == 2 else None
        scores = [int(2 * score if halves else score) for score in own]
        kept = {"points": own if halves else [], "penalty": [seat.penalty] if seat.penalty else []}
        extras = tuple((key, tuple(f"{one:g}" for one in values)) for key, values in kept.items() if values)
        lines.append(
            tsh.Player.of(tsh.writable_name(seat.name, number), [opponent] * len(own), scores, extras).line()
        )
    return "".join(f"{line}\n" for line in lines)


def game_events(rows: Sequence[Row]) -> tuple[RuleSystem[Any], list[ev.Stamped]]:
    """Return the game and the events of rows."""
    events = list(decoded_events(rows))
    return rules_of(events), events


FORMATS: Mapping[str, Callable[[str, Sequence[Row]], str]] = {
    "json": to_json,
    "csv": to_csv,
    "txt": to_txt,
    "tsh": to_tsh,
}
"""The export formats by name."""

ENCODINGS: Mapping[str, str] = {"json": "utf-8", "csv": CSV_ENCODING, "txt": "utf-8", "tsh": tsh.ENCODING}
"""The encoding of each format's files."""
