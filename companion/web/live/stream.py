"""The stream that keeps pages live, and the table's picture."""

from __future__ import annotations

import time
from collections.abc import Callable

from flask import Blueprint, Response, abort, g, request

from companion.errors import CompanionError
from companion.model.status import PictureKind
from companion.web.auth.roles import may
from companion.web.i18n.language import _
from companion.web.live.channels import Draw
from companion.web.live.monitor import run_in_threadpool
from companion.web.services import Picture, Services, current_services

MAX_PICTURE_AGE_S = 1.0
"""Seconds for which a picture is reused for all phones."""

PICTURE_WIDTHS_PX = (320, 640, 960, 1600)
PICTURE_KINDS = ("plain", "read")

pages = Blueprint("live", __name__)


def find_live_page_renderer(services: Services, name: str) -> Draw:
    """Return the renderer of a live page, such as ``score`` or ``seat-2``; 404 where there is none."""
    page, _, seat = name.partition("-")
    live = services.live_pages.get(page)
    if live is None or (seat and not (seat.isascii() and seat.isdecimal() and len(seat) < 3)):
        abort(404)
    if live.role and not may(live.role):
        abort(403)
    return lambda: live.draw(services, int(seat or 0))


@pages.get("/live/<name>")
def stream(name: str) -> Response:
    """Send a page's changes for as long as the phone listens."""
    services = current_services()
    address = request.remote_addr or ""
    if not services.channels.slots.has_room(address, spare=may("referee")):
        abort(503, _("So many phones are watching already. This page tries again by itself."))
    last = request.headers.get("Last-Event-ID", request.args.get("after", ""))
    number = int(last) if last.isascii() and last.isdecimal() and len(last) < 10 else None
    channel = services.channels.channel(name, g.language, find_live_page_renderer(services, name))
    response = Response(services.channels.stream(channel, number, address), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


@pages.get("/picture/<kind>.jpg")
def picture(kind: str) -> Response:
    """Send the camera's picture of the table, taken once a second for all phones."""
    services = current_services()
    table = services.monitor.table
    wide = request.args.get("w", 640, int)
    if table is None or kind not in PICTURE_KINDS:
        abort(404)
    width = min(PICTURE_WIDTHS_PX, key=lambda one: abs(one - wide))
    kept = services.pictures.setdefault((kind, width), Picture())
    with kept.taking:
        if time.monotonic() - kept.taken_s > MAX_PICTURE_AGE_S:
            refresh_picture(kept, lambda: table.picture(PictureKind(kind), width))
    if not kept.jpeg:
        abort(503, kept.fault or _("The camera has no picture yet."))
    response = Response(kept.jpeg, content_type="image/jpeg")
    response.headers["Cache-Control"] = "no-store"
    return response


def refresh_picture(kept: Picture, taken: Callable[[], bytes]) -> None:
    """Store a new picture, or the reason why there is none; either is reused for ``MAX_PICTURE_AGE_S``."""
    try:
        kept.jpeg, kept.fault = run_in_threadpool(taken), ""
    except CompanionError as error:
        kept.jpeg, kept.fault = b"", str(error)
    kept.taken_s = time.monotonic()
