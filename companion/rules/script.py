"""Written games: JSON Lines, first the set-up, then what reaches the table, stamped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from companion.errors import BadCall, BadScript, CompanionError, nearest
from companion.model.calls import SECOND, Called, Input, Order, Ordered, Ruling, Seen
from companion.model.grid import parse_grid
from companion.model.sightings import Board, Sighting
from companion.rules import fields
from companion.rules.interface import RuleSystem, RulingScope
from companion.rules.play import check_call, check_ruling, ruling_kinds

Rules = RuleSystem[Any]

MAX_LINE_CHARS = 65_536
"""Longest line, in characters; a lexicon's line may be longer."""

MAX_SET_UP_CHARS = 16_000_000

MAX_STAMP_S = 1_000_000
"""Largest stamp of a script, in seconds: eleven days."""

LINE_KINDS = ("host", "sees", "call", "board", "referee")


@dataclass(frozen=True, slots=True)
class SetUp:
    """The first line of a script; ``lexicon`` is a list of words or the name of one."""

    game: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    lexicon: tuple[str, ...] | str
    long_lexicon: tuple[str, ...] | str | None = None


def parse_json(line: str) -> dict[str, Any]:
    """Return a line's object, decimal numbers exactly as written; raise BadScript where it is invalid."""
    try:
        body = json.loads(line, parse_float=Decimal, parse_constant=refuse_constant)
        check_texts(body)
    except UnicodeEncodeError as error:
        raise BadScript("a text has half of a sign in it (a lone surrogate)") from error
    except (ValueError, RecursionError) as error:
        raise BadScript(f"not JSON: {error}") from error
    if not isinstance(body, dict):
        raise BadScript("a line must be a JSON object")
    return body


def check_texts(value: Any) -> None:
    """Raise UnicodeEncodeError for a text that no log can hold, such as half of a UTF-16 pair."""
    match value:
        case str():
            value.encode()
        case list():
            for one in value:
                check_texts(one)
        case dict():
            for name, one in value.items():
                name.encode()
                check_texts(one)


def refuse_constant(name: str) -> None:
    """Refuse the numbers that JSON does not have."""
    raise ValueError(f"{name} is no number")


def parse_set_up(line: str) -> SetUp:
    """Return the set-up that a script's first line describes; raise BadScript where it is invalid."""
    if len(line) > MAX_SET_UP_CHARS:
        raise BadScript(f"the set-up is longer than {MAX_SET_UP_CHARS} characters")
    body = parse_json(line)
    check_keys("the set-up", body, ("game", "seats", "options", "lexicon", "long_lexicon"))
    if missing := [name for name in ("game", "seats") if name not in body]:
        raise BadScript(f"the set-up needs {', '.join(missing)}")
    options = body.get("options", {})
    if not isinstance(options, dict):
        raise BadScript(f"'options' must be an object; got {options!r}")
    long = parse_lexicon(body["long_lexicon"]) if "long_lexicon" in body else None
    return SetUp(
        parse_text("game", body["game"]),
        parse_texts("seats", body["seats"]),
        options,
        parse_lexicon(body.get("lexicon", "default")),
        long,
    )


def parse_lexicon(given: Any) -> tuple[str, ...] | str:
    """Return a lexicon's name or its words."""
    return given if isinstance(given, str) else parse_texts("lexicon", given)


def parse_text(name: str, given: Any) -> str:
    """Return a text; raise BadScript for anything else."""
    if not isinstance(given, str):
        raise BadScript(f"{name!r} must be a text; got {str(given)[:60]}")
    return given


def parse_texts(name: str, given: Any) -> tuple[str, ...]:
    """Return a list of texts; raise BadScript for anything else."""
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BadScript(f"{name!r} must be a list of texts; got {str(given)[:60]}")
    return tuple(given)


def check_keys(what: str, body: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise BadScript, with the nearest valid name, for an unknown name."""
    for name in body:
        if name not in names:
            raise BadScript(f"{what} has no {name!r}{nearest(name, names)} (it has {', '.join(names)})")


def parse_line(game: Rules, seats: int, line: str) -> Input:
    """Return the input that one line of a script describes.

    Raises
    ------
    BadScript, BadCall, BadSighting, BadGrid
        Where it is invalid, with the reason.
    """
    if len(line) > MAX_LINE_CHARS:
        raise BadScript(f"a line is longer than {MAX_LINE_CHARS} characters")
    body = parse_json(line)
    found = [kind for kind in LINE_KINDS if kind in body]
    if len(found) != 1:
        raise BadScript(
            f"a line needs exactly one of {', '.join(LINE_KINDS)}; got {', '.join(found) or 'none'}"
        )
    at_ns = parse_stamp(body.pop("at", None))
    seat = parse_seat(body.pop("seat"), seats) if "seat" in body else None
    return LINE_PARSERS[found[0]](game, at_ns, seat, body)


def parse_stamp(given: Any) -> int:
    """Return seconds as nanoseconds, exactly."""
    number = isinstance(given, int | Decimal) and not isinstance(given, bool)
    if not number or not 0 <= given <= MAX_STAMP_S:
        raise BadScript(f"'at' must be seconds from 0 to {MAX_STAMP_S}; got {given!r}")
    return int(given * SECOND)


def parse_seat(given: Any, seats: int) -> int:
    """Return a seat's number; raise BadScript where the game has no such seat."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= seats:
        raise BadScript(f"'seat' must be 1 to {seats}; got {given!r}")
    return given


def required_seat(seat: int | None, what: str) -> int:
    """Return the seat; raise BadScript where the line names none."""
    if seat is None:
        raise BadScript(f"{what} needs a 'seat'")
    return seat


def host_line(_game: Rules, at_ns: int, _seat: int | None, body: dict[str, Any]) -> Input:
    """Return a host's order."""
    check_keys("a host's line", body, ("host",))
    orders = [order.value for order in Order]
    if body["host"] not in orders:
        raise BadScript(
            f"no order {body['host']!r}{nearest(body['host'], orders)} (there are {', '.join(orders)})"
        )
    return Ordered(at_ns, Order(body["host"]))


def sees_line(_game: Rules, at_ns: int, seat: int | None, body: dict[str, Any]) -> Input:
    """Return a sighting before a seat."""
    check_keys("a line with 'sees'", body, ("sees",))
    return Seen(at_ns, required_seat(seat, "'sees'"), parse_sighting(body["sees"]))


def parse_sighting(given: Any) -> Sighting:
    """Return the sighting that an object describes."""
    if not isinstance(given, dict):
        raise BadScript(f"'sees' must be an object; got {given!r}")
    check_keys("'sees'", given, ("grid", "loose", "face_down", "doubts", "unread"))
    loose, down = given.get("loose", ""), given.get("face_down")
    if not isinstance(loose, str):
        raise BadScript(f"'loose' must be letters; got {loose!r}")
    if down is not None and (isinstance(down, bool) or not isinstance(down, int)):
        raise BadScript(f"'face_down' must be a number of tiles; got {down!r}")
    doubts, unread = (parse_cells("sees", given, name) for name in ("doubts", "unread"))
    return Sighting(parse_texts("grid", given.get("grid", [])), loose, down, doubts, unread)


def call_line(game: Rules, at_ns: int, seat: int | None, body: dict[str, Any]) -> Input:
    """Return a player's call with its details."""
    name = parse_text("call", body.pop("call"))
    check_call(game, name)
    kind = game.calls[name]
    return Called(
        at_ns, required_seat(seat, "a call"), name, fields.details(name, kind.takes, kind.needs, body)
    )


def referee_line(game: Rules, at_ns: int, seat: int | None, body: dict[str, Any]) -> Input:
    """Return a referee's ruling with its reason."""
    name = parse_text("referee", body.pop("referee"))
    check_ruling(game, name)
    kind = ruling_kinds(game)[name]
    if kind.about is RulingScope.SEAT:
        required_seat(seat, name)
    if "reason" not in body:
        raise BadCall(f"{name} needs a 'reason'")
    reason = fields.parse_detail(name, "reason", fields.text, body.pop("reason"))
    return Ruling(at_ns, name, reason, seat, fields.details(name, kind.takes, kind.needs, body))


def board_line(_game: Rules, at_ns: int, seat: int | None, body: dict[str, Any]) -> Input:
    """Return a sighting of the shared board."""
    check_keys("a line with 'board'", body, ("board",))
    return Seen(at_ns, seat, parse_board(body["board"]))


def parse_board(given: Any) -> Board:
    """Return the board that an object describes: ``cells``, or ``letters`` and ``pieces``."""
    if not isinstance(given, dict):
        raise BadScript(f"'board' must be an object; got {given!r}")
    check_keys("'board'", given, ("cells", "letters", "pieces", "doubts", "unread"))
    doubts, unread = (parse_cells("board", given, name) for name in ("doubts", "unread"))
    if "letters" in given:
        cells = Board.of(parse_grid(parse_texts("letters", given["letters"]))).cells
    else:
        listed = fields.parse_detail(
            "board", "cells", fields.list_field(parse_tile, 400), given.get("cells", [])
        )
        cells = tuple(sorted(listed))
    return Board(cells, parse_pieces(given.get("pieces", {})), doubts, unread=unread)


def parse_cells(what: str, given: dict[str, Any], name: str) -> tuple[tuple[int, int], ...]:
    """Return a list of cells in an object, none by default."""
    listed = fields.list_field(fields.cell, 400)
    cells: tuple[tuple[int, int], ...] = fields.parse_detail(what, name, listed, given.get(name, []))
    return cells


def parse_tile(given: Any) -> tuple[int, int, str]:
    """Return one tile of a board: row, column, symbol."""
    if not isinstance(given, list) or len(given) != 3:
        raise ValueError(f"must be [row, column, symbol]; got {given!r}")
    row, col = fields.cell(given[:2])
    return row, col, fields.symbol(given[2])


def parse_pieces(given: Any) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
    """Return the cells of each seat's pieces, by seat."""
    if not isinstance(given, dict):
        raise BadScript(f"'pieces' must name cells by seat; got {given!r}")
    cells = fields.list_field(fields.cell, 100)
    return tuple(
        sorted(
            (parse_piece_seat(seat), fields.parse_detail("board", "pieces", cells, v))
            for seat, v in given.items()
        )
    )


def parse_piece_seat(given: str) -> int:
    """Return the seat that a piece belongs to."""
    if not given.isdecimal() or not 1 <= int(given) <= 99:
        raise BadScript(f"'pieces' must be named by seat, from 1; got {given!r}")
    return int(given)


LINE_PARSERS = {
    "host": host_line,
    "sees": sees_line,
    "call": call_line,
    "board": board_line,
    "referee": referee_line,
}
"""Parser of each kind of line."""


def check_order(last_ns: int, at_ns: int) -> None:
    """Raise BadScript where a stamp is before the one before it."""
    if at_ns < last_ns:
        raise BadScript(f"'at' goes back from {last_ns / SECOND:g} to {at_ns / SECOND:g} seconds")


def with_line_number(number: int, error: CompanionError) -> BadScript:
    """Return an error with the number of the line that it came from."""
    return BadScript(f"line {number}: {error}")
