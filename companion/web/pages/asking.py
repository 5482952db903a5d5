"""Passing on to the table what somebody asked for on a page, and telling what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import abort, flash, redirect, request
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
from companion.web.i18n.language import _, said
from companion.web.live.monitor import run_in_threadpool
from companion.web.services import current_services

PLACED = re.compile(r"(\d{1,3}),(\d{1,3}):(.{0,8})")
"""A cell that was picked on a drawn grid, and a symbol for it."""

LONGEST_NUMBER = 9
"""Digits of a number in a field."""

LONGEST_DETAIL = 2000
"""Characters of one field."""

TEXTS = {fields.word, fields.symbol, fields.text, fields.player, fields.clock_seconds}
"""What takes a form's text as it stands."""


def table() -> TableClient:
    """Return the line to the table; 503 where these pages have none."""
    line = current_services().monitor.table
    if line is None:
        abort(503, _("These pages only show the log; no table is connected to them."))
    return line


def asked(ask: Callable[[TableClient], Answer], back: str) -> ResponseReturnValue:
    """Return what came of something asked: as JSON for a script, else as a notice on the page before."""
    line = table()
    try:
        answer = run_in_threadpool(lambda: ask(line))
    except CompanionError as error:
        answer = Answer(accepted=False, text=str(error))
    says = told(answer)
    if "application/json" in request.headers.get("Accept", ""):
        return {"accepted": answer.accepted, "says": says, "number": answer.number}
    flash(says, "bad" if answer.accepted is False else "good")
    return redirect(back)


def told(answer: Answer) -> str:
    """Return an answer in words."""
    if answer.accepted is None:
        return said(answer.text) or _("The table looks first; the answer comes in a moment.")
    if answer.accepted:
        return said(answer.text) or _("Done.")
    return said(answer.text) or _("The table refuses that.")


def details(takes: Mapping[str, Field], given: Mapping[str, str]) -> dict[str, Any]:
    """Return what a call or ruling takes along, from the fields of a form; empty ones are left out.

    A field that comes several times is a list, and so are cells that were picked (``row,column:symbol``).
    What each seat holds comes in a field a seat (``name-seat``), its symbols between spaces.
    """
    form, found = MultiDict(given), dict[str, Any]()
    for name, field in takes.items():
        texts = [text.strip() for text in form.getlist(name) if text.strip()]
        seats = {key.removeprefix(f"{name}-"): form[key] for key in form if key.startswith(f"{name}-")}
        if seats:
            found[name] = {seat: held(text) for seat, text in seats.items() if text.strip()}
        elif texts and all(map(PLACED.fullmatch, texts)):
            found[name] = [placed(text) for text in texts]
        elif texts:
            found[name] = [value(field, text) for text in texts] if texts[1:] else value(field, texts[0])
    return found


def placed(text: str) -> list[Any]:
    """Return a cell that was picked, and the symbol that goes with it where there is one."""
    place, _, symbol = text.partition(":")
    cell = [int(side) for side in place.split(",")]
    return [*cell, symbol] if symbol else cell


def held(text: str) -> list[str]:
    """Return the symbols of tiles in hand; a question mark is a blank."""
    signs = (one if len(one) == 1 else one.upper() for one in text[:LONGEST_DETAIL].split())
    return [BLANK if sign == BLANK_SIGN else sign for sign in signs]


def is_number(text: str) -> bool:
    """Return whether a text is a whole number of a sensible size, in digits 0 to 9."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER


def value(field: Field, text: str) -> Any:
    """Return what stands in a form as JSON would have it: texts, numbers, true and false, lists.

    Lists have commas or spaces between their numbers.
    """
    text = text.strip()[:LONGEST_DETAIL]
    if field in TEXTS:
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
