"""The form on every page that chooses its language, of a table and of a hall."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import abort, current_app, redirect, request
from flask.typing import ResponseReturnValue

from companion.web.auth.roles import local_path

YEAR_S = 31_536_000
"""Seconds for which a browser keeps the choice: one year."""


def choose_language() -> ResponseReturnValue:
    """Set the language of the pages in this browser.

    The form is on every page and carries no token, so that pages are equal for all viewers.  A request from
    another site is refused by its origin, which every browser sends with a form (Fetch standard, "append a
    request Origin header").  A request without an origin needs a token.
    """
    origin = request.headers.get("Origin") or request.headers.get("Referer")
    if origin is None:
        current_app.extensions["csrf"].protect()
        origin = request.host_url
    if urlsplit(origin).netloc != request.host:
        abort(403)
    response = redirect(local_path(request.form.get("back", "/")))
    response.set_cookie("language", request.form.get("language", "")[:8], max_age=YEAR_S, samesite="Lax")
    return response
