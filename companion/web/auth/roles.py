"""Who is who: viewer, seat, referee, host; how they come in and go out."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Flask, abort, current_app, flash, redirect, render_template, request, session
from flask.sessions import SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from companion.errors import BadPin
from companion.web.auth.pins import Account, Pins
from companion.web.i18n.language import N_, _
from companion.web.keeping import Kept
from companion.web.services import current_services

LASTS_S = 16 * 3600
"""Seconds that a session lasts after its last request: a tournament's day."""

MOST_ENDED = 2000
"""Sessions that are remembered as ended; the oldest are forgotten first."""


class SteadySigner(TimestampSigner):
    """Accepts a signature whose time is still to come: the clock of a machine without a battery goes back."""

    def unsign(
        self, signed_value: str | bytes, max_age: int | None = None, return_timestamp: bool = False
    ) -> Any:
        """Return the value; raise SignatureExpired only where it is older than ``max_age`` seconds."""
        unsign: Callable[..., Any] = super().unsign
        try:
            return unsign(signed_value, max_age, return_timestamp)
        except SignatureExpired as error:
            if error.date_signed is None or error.date_signed.timestamp() <= self.get_timestamp():
                raise
            return unsign(signed_value, None, return_timestamp)


class SteadySessions(SecureCookieSessionInterface):
    """Flask's signed cookies with that signer."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return what signs the cookies."""
        made = super().get_signing_serializer(app)
        if made is not None:
            made.signer = SteadySigner
        return made


@dataclass(slots=True)
class Ended:
    """Sessions whose phones have signed out; copies of their cookies open nothing.

    ``clock`` is the wall's time in seconds.
    """

    kept: Kept
    clock: Callable[[], float] = time.time
    known: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        found = self.kept.read("ended", {})
        self.known = {str(key): float(at) for key, at in found.items()} if isinstance(found, dict) else {}

    def end(self, session: str) -> None:
        """End a session for good."""
        now_s = self.clock()
        lasting = {key: at for key, at in self.known.items() if now_s - at < LASTS_S}
        self.known = dict([*lasting.items(), (session, now_s)][-MOST_ENDED:])
        self.kept.write("ended", self.known)


ROLES = ("", N_("referee"), N_("host"))
"""Roles that a PIN opens, as people call them; each may do what those before it may."""

RANKS = "RANKS"
"""Under what an app keeps the roles that it has, where they are others than ``ROLES``."""

KNOWN_PHONE = "known"
"""The cookie of a phone that has signed in before."""

SPARE_PLACE = "companion.spare_place"
"""What the server adds to a request that came when only places for host and referee were left."""

Page = Callable[..., ResponseReturnValue]

pages = Blueprint("roles", __name__)


def pins() -> Pins:
    """Return the PINs of this site."""
    found: Pins = current_app.extensions["pins"]
    return found


def ended() -> Ended:
    """Return the sessions of this site whose phones have signed out."""
    found: Ended = current_app.extensions["ended"]
    return found


def known() -> bool:
    """Return whether whoever asks has signed in, by the PINs of now, and not signed out since."""
    return session.get("epoch") == pins().epoch() and session.get("id") not in ended().known


def role() -> str:
    """Return the role of whoever asks, ``""`` for players and viewers."""
    found = session.get("role", "") if known() else ""
    return found if found in ranks() else ""


def may(what: str) -> bool:
    """Return whether whoever asks may do what a role may."""
    return ranks().index(role()) >= ranks().index(what)


def ranks() -> tuple[str, ...]:
    """Return the roles of this site, each with the rights of those before it."""
    found: tuple[str, ...] = current_app.config.get(RANKS, ROLES)
    return found


def own_seat() -> int | None:
    """Return the seat that this phone has claimed, whatever else it may do."""
    found = session.get("seat") if known() else None
    return found if isinstance(found, int) else None


def keep_spare_places() -> None:
    """Refuse all but host and referee, and whoever signs in, where only their places are left."""
    signs_in = request.endpoint in {"roles.door", "roles.enter", "assets.static"}
    if request.environ.get(SPARE_PLACE) and not signs_in and not may("referee"):
        abort(503, _("So many phones are watching already. Try again in a moment."))


def only(what: str) -> Callable[[Page], Page]:
    """Return what keeps a page for a role: others are asked for the PIN, or refused where they send."""

    def kept(page: Page) -> Page:
        @wraps(page)
        def guarded(*args: Any, **values: Any) -> ResponseReturnValue:
            return page(*args, **values) if may(what) else needed(what)

        return guarded

    return kept


def needed(what: str) -> ResponseReturnValue:
    """Return the way to the PIN for those who look, a refusal for those who send."""
    if request.method != "GET":
        abort(403, _("Only the %(role)s may do that. Sign in first.", role=_(what)))
    if not pins().chosen:
        return redirect("/welcome")
    return redirect(f"/enter?to={quote(request.full_path.rstrip('?'))}")


def entered(who: str = "", seat: int | None = None) -> None:
    """Give a phone a role or a seat beside those that it has; its forms get another token."""
    has = {
        "role": max(role(), who, key=ranks().index),
        "seat": seat or own_seat(),
        "id": (known() and session.get("id")) or secrets.token_urlsafe(12),
        "epoch": pins().epoch(),
    }
    session.clear()
    session.permanent = True
    session.update(has)


def remembered(response: Response) -> Response:
    """Mark a phone as one that has signed in: strangers who try PINs do not keep it out."""
    response.set_cookie(KNOWN_PHONE, mark(), max_age=31_536_000, httponly=True, samesite="Lax")
    return response


def mark() -> str:
    """Return a mark that this site alone can make."""
    made = secrets.token_urlsafe(12)
    return f"{made}.{signature(made)}"


def signed(marked: str) -> bool:
    """Return whether a mark was made by this site."""
    made, _dot, given = marked.partition(".")
    return hmac.compare_digest(given.encode(errors="replace"), signature(made).encode())


def signature(text: str) -> str:
    """Return what this site signs a text with."""
    key = str(current_app.config["SECRET_KEY"]).encode()
    return hmac.new(key, f"phone {text}".encode(errors="replace"), hashlib.sha256).hexdigest()


def local(address: str) -> str:
    """Return an address of this site, the scoreboard for any other."""
    fine = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if fine else "/"


@pages.get("/enter")
def door() -> ResponseReturnValue:
    """Ask for the PIN."""
    if not pins().chosen:
        return redirect("/welcome")
    return render_template("enter.html", to=local(request.args.get("to", "/")), fault="")


@pages.post("/enter")
def enter() -> ResponseReturnValue:
    """Let in whoever knows a PIN."""
    to = local(request.form.get("to", "/"))
    try:
        known_phone = signed(request.cookies.get(KNOWN_PHONE, ""))
        who = pins().role_of(request.form.get("pin", ""), request.remote_addr or "", known=known_phone)
    except BadPin as error:
        return render_template("enter.html", to=to, fault=str(error)), 403
    entered(who)
    return remembered(redirect(f"/{who}" if to == "/" else to))


@pages.post("/leave")
def leave() -> ResponseReturnValue:
    """Make a phone a viewer's again; copies of its cookie open nothing from now on."""
    if isinstance(left := session.get("id"), str):
        ended().end(left)
    session.clear()
    flash(_("You are a viewer now."), "good")
    return redirect("/")


@pages.get("/welcome")
def welcome() -> ResponseReturnValue:
    """Ask for the code on the console and for a PIN, at the first start."""
    return redirect("/host") if pins().chosen else render_template("welcome.html", fault="")


@pages.post("/welcome")
def begin() -> ResponseReturnValue:
    """Let whoever reads the console choose the host's PIN."""
    known, form = pins(), request.form
    if known.chosen:
        abort(403)
    try:
        same(form.get("pin", ""), form.get("again", ""))
        known.claim(
            Account.FIRST, form.get("code", "").replace(" ", ""), known.first, request.remote_addr or ""
        )
        known.choose("host", form.get("pin", ""))
    except BadPin as error:
        return render_template("welcome.html", fault=str(error)), 403
    entered("host")
    return remembered(redirect("/host"))


def same(pin: str, again: str) -> None:
    """Raise BadPin where a new PIN was not typed the same twice."""
    if pin != again:
        raise BadPin(_("The two PINs differ."))


def seat_code(seat: int) -> str:
    """Return the code that claims a seat; it changes with the PINs."""
    key = str(current_app.config["SECRET_KEY"]).encode()
    mark = hmac.new(key, f"seat {seat} {pins().epoch()}".encode(), hashlib.sha256).digest()
    return base64.b32encode(mark)[:10].decode()


@pages.get("/claim/<int:seat>/<code>")
def claim(seat: int, code: str) -> ResponseReturnValue:
    """Ask whoever has scanned a seat's code to sit down."""
    projection = current_services().projection
    if projection is None or not 1 <= seat <= len(projection.state.seats):
        abort(404)
    name = projection.state.seat(seat).name
    return render_template("claim.html", seat=seat, code=code, name=name)


@pages.post("/claim/<int:seat>/<code>")
def sit(seat: int, code: str) -> ResponseReturnValue:
    """Give a seat to whoever has its code."""
    pins().claim(Account.SEAT, code, seat_code(seat), request.remote_addr or "")
    entered(seat=seat)
    return redirect(f"/seat/{seat}")
