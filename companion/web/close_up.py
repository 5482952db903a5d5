"""Photographs of one player's tiles, or of one tile, to see what it shows and to tap it."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, abort
from flask.typing import ResponseReturnValue

from companion.errors import CompanionError
from companion.line import Line
from companion.model.status import CloseUp
from companion.web.asking import table
from companion.web.language import _
from companion.web.roles import may, only, own_seat
from companion.web.said import said
from companion.web.site import here
from companion.web.watching import away

pages = Blueprint("close_up", __name__)


def photographed(seat: int) -> tuple[CloseUp | None, str]:
    """Return a photograph of a seat's tiles, or none and why."""
    line = here().watching.table
    if line is None:
        return None, ""
    try:
        return away(lambda: line.close_up(seat)), ""
    except CompanionError as error:
        return None, said(str(error))


@pages.get("/close-up/<int:number>.jpg")
@only("referee")
def picture(number: int) -> ResponseReturnValue:
    """Send the picture of a photograph that was taken for a page."""
    return sent(lambda line: line.close_up_picture(number))


@pages.get("/tile/<int:seat>/<int:row>,<int:col>.jpg")
def tile(seat: int, row: int, col: int) -> ResponseReturnValue:
    """Send one tile as it is seen now, to its player and to the referee."""
    if own_seat() != seat and not may("referee"):
        abort(403, _("Scan the code of this seat first."))
    return sent(lambda line: line.tile_picture(seat, (row, col)))


def sent(ask: Callable[[Line], bytes]) -> ResponseReturnValue:
    """Return a picture that the table is asked for, not to be kept; 404 where there is none."""
    line = table()
    try:
        jpeg = away(lambda: ask(line))
    except CompanionError as error:
        abort(404, said(str(error)))
    return Response(jpeg, content_type="image/jpeg", headers={"Cache-Control": "no-store"})
