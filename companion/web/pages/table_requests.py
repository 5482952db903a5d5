"""Requests to the table: form fields parsed, the request sent, its answer returned as JSON or a notice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import abort, flash, redirect
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from companion.errors import CompanionError, Unanswered
from companion.model.grid import BLANK_SIGN
from companion.model.status import Answer
from companion.model.tiles import BLANK
from companion.rpc import TableClient
from companion.rpc.wire import check_values
from companion.rules import fields
from companion.rules.fields import Field
from companion.web.i18n.language import _, translate
from companion.web.live.monitor import run_in_threadpool
from companion.web.pages.guide import wants_json
from companion.web.services import current_services

PICKED_CELL = re.compile(r"(\d{1,3}),(\d{1,3}):(.{0,8})")
"""A cell picked on a drawn grid and its symbol: ``row,column:symbol``."""

MAX_NUMBER_DIGITS = 9
"""Most digits of a number in a field."""

MAX_FIELD_CHARS = 2000
"""Longest text of one field, in characters."""

TEXT_FIELDS = {fields.word, fields.symbol, fields.text, fields.player, fields.clock_seconds}
"""Fields whose text is not parsed."""


def table() -> TableClient:
    """Return the client of the table; 503 where these pages have none."""
    line = current_services().monitor.table
    if line is None:
        abort(503, _("These pages only show the log; no table is connected to them."))
    return line


def forward_request(ask: Callable[[TableClient], Answer], back: str) -> ResponseReturnValue:
    """Send a request to the table; return its answer as JSON, or flash it and redirect to ``back``."""
    line = table()
    try:
        answer = run_in_threadpool(lambda: ask(line))
    except CompanionError as error:
        answer = Answer(accepted=False, text=str(error))
    text = answer_text(answer)
    if wants_json():
        return {"accepted": answer.accepted, "says": text, "number": answer.number}
    flash(text, "bad" if answer.accepted is False else "good")
    return redirect(back)


def answer_text(answer: Answer) -> str:
    """Return an answer as text in the current language."""
    if answer.accepted is None:
        return translate(answer.text) or _("The table looks first; the answer comes in a moment.")
    if answer.accepted:
        return translate(answer.text) or _("Done.")
    return translate(answer.text) or _("The table refuses that.")


def parse_details(takes: Mapping[str, Field], given: Mapping[str, str]) -> dict[str, Any]:
    """Return the details of a call or ruling from the fields of a form; empty ones are left out.

    A repeated field is a list, and so are picked cells (``row,column:symbol``).  Hands have a field for each
    seat (``name-seat``) with symbols separated by spaces.
    """
    form, found = MultiDict(given), dict[str, Any]()
    for name, field in takes.items():
        texts = [text.strip() for text in form.getlist(name) if text.strip()]
        seats = {key.removeprefix(f"{name}-"): form[key] for key in form if key.startswith(f"{name}-")}
        if seats:
            found[name] = {seat: parse_hand(text) for seat, text in seats.items() if text.strip()}
        elif texts and all(map(PICKED_CELL.fullmatch, texts)):
            found[name] = [parse_cell(text) for text in texts]
        elif texts:
            found[name] = (
                [parse_value(field, text) for text in texts] if texts[1:] else parse_value(field, texts[0])
            )
    return found


def parse_cell(text: str) -> list[Any]:
    """Return row and column of a picked cell, and its symbol where it has one."""
    place, _, symbol = text.partition(":")
    cell = [int(side) for side in place.split(",")]
    return [*cell, symbol] if symbol else cell


def parse_hand(text: str) -> list[str]:
    """Return the symbols of a hand; a question mark is a blank."""
    signs = (one if len(one) == 1 else one.upper() for one in text[:MAX_FIELD_CHARS].split())
    return [BLANK if sign == BLANK_SIGN else sign for sign in signs]


def is_number(text: str) -> bool:
    """Return whether a text is a whole number of at most ``MAX_NUMBER_DIGITS`` digits, 0 to 9."""
    return text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER_DIGITS


def parse_value(field: Field, text: str) -> Any:
    """Return a field's text as a JSON value: text, number, boolean, or list of whole numbers.

    Numbers of a list are separated by commas or spaces.
    """
    text = text.strip()[:MAX_FIELD_CHARS]
    if field in TEXT_FIELDS:
        return text
    parts = text.replace(",", " ").split()
    if len(parts) > 1 and all(map(is_number, parts)):
        return [int(part) for part in parts]
    try:
        given = json.loads(text)
        check_values(given)
    except (ValueError, RecursionError, Unanswered):
        return text
    return given
