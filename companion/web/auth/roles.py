"""Roles and sessions: viewer, seat, referee, host; sign-in by PIN, seats by code, sign-out."""

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
from flask import Response as FlaskResponse
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask.typing import ResponseReturnValue
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from companion.errors import BadPin
from companion.web.auth.pins import Account, Pins
from companion.web.i18n.language import N_, _
from companion.web.keeping import Kept
from companion.web.services import current_services

SESSION_LIFETIME_S = 16 * 3600
"""Seconds that a session lasts after its last request: a tournament's day."""

MAX_REVOKED_SESSIONS = 2000
"""Most revoked sessions that are kept; the oldest are dropped first."""


def clock_offset_s() -> float:
    """Return wall time less the time of a clock that nobody sets, in seconds."""
    return time.time() - time.monotonic()


FIRST_CLOCK_OFFSET_S = clock_offset_s()
"""The offset when the process started."""

CLOCK_DRIFT_S = 60
"""Seconds by which the wall clock may drift from the other one between jumps."""


def clock_jump_s() -> int:
    """Return how far the wall clock was set forward since the process started, in whole seconds."""
    return max(0, int(clock_offset_s() - FIRST_CLOCK_OFFSET_S))


class SkewTolerantSigner(TimestampSigner):
    """Accepts signatures from the future, and counts no time by which the clock was set forward.

    The clock of a machine without a battery may go back at its start, and jumps once the network tells the
    time.
    """

    def unsign(
        self, signed_value: str | bytes, max_age: int | None = None, return_timestamp: bool = False
    ) -> Any:
        """Return the value; raise SignatureExpired only where it is older than ``max_age`` seconds."""
        unsign: Callable[..., Any] = super().unsign
        try:
            return unsign(signed_value, max_age, return_timestamp)
        except SignatureExpired as error:
            if error.date_signed is None or max_age is None:
                raise
            age_s = self.get_timestamp() - error.date_signed.timestamp()
            before_jump = -CLOCK_DRIFT_S <= age_s - clock_jump_s() <= max_age
            if age_s >= 0 and not before_jump:
                raise
            return unsign(signed_value, None, return_timestamp)


class SkewTolerantSessions(SecureCookieSessionInterface):
    """Flask's signed session cookies, signed by ``SkewTolerantSigner``.

    They carry their lifetime in seconds, too: a phone's clock may differ from the table's.
    """

    def save_session(self, app: Flask, session: SessionMixin, response: FlaskResponse) -> None:
        """Set the session's cookie with ``Max-Age`` beside ``Expires``."""
        super().save_session(app, session, response)
        cookies = response.headers.getlist("Set-Cookie")
        lasting = f"; Max-Age={SESSION_LIFETIME_S}" if session.permanent else ""
        start = f"{self.get_cookie_name(app)}="
        response.headers.setlist(
            "Set-Cookie",
            [one + lasting if one.startswith(start) and "Max-Age=" not in one else one for one in cookies],
        )

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the serializer that signs the cookies."""
        made = super().get_signing_serializer(app)
        if made is not None:
            made.signer = SkewTolerantSigner
        return made


@dataclass(slots=True)
class RevokedSessions:
    """Sessions that were signed out: copies of their cookies are not accepted.

    ``clock`` returns wall time in seconds; ``known`` is when each session was revoked, by its id.
    """

    kept: Kept
    clock: Callable[[], float] = time.time
    known: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        found = self.kept.read("ended", {})
        self.known = {str(key): float(at) for key, at in found.items()} if isinstance(found, dict) else {}

    def end(self, session: str) -> None:
        """Revoke a session."""
        now_s, lasts_s = self.clock(), SESSION_LIFETIME_S + clock_jump_s()
        lasting = {key: at for key, at in self.known.items() if now_s - at < lasts_s}
        self.known = dict([*lasting.items(), (session, now_s)][-MAX_REVOKED_SESSIONS:])
        self.kept.write("ended", self.known)


ROLES = ("", N_("referee"), N_("host"))
"""Roles, lowest first; each has the rights of those before it."""

ROLES_KEY = "RANKS"
"""Key of the app's configuration: its roles, if they are not ``ROLES``."""

KNOWN_PHONE_COOKIE = "known"
"""The cookie of a phone that has signed in before."""

SPARE_SLOT_KEY = "companion.spare_place"
"""Key of the WSGI environment: whether the request came when only slots for host and referee were left."""

Page = Callable[..., ResponseReturnValue]

pages = Blueprint("roles", __name__)


def pins() -> Pins:
    """Return the app's PINs."""
    found: Pins = current_app.extensions["pins"]
    return found


def revoked_sessions() -> RevokedSessions:
    """Return the app's revoked sessions."""
    found: RevokedSessions = current_app.extensions["ended"]
    return found


def is_session_valid() -> bool:
    """Return whether the session is signed in with the current PINs and not revoked."""
    return session.get("epoch") == pins().epoch() and session.get("id") not in revoked_sessions().known


def role() -> str:
    """Return the role of the session, ``""`` for players and viewers."""
    found = session.get("role", "") if is_session_valid() else ""
    return found if found in role_order() else ""


def may(what: str) -> bool:
    """Return whether the session has the rights of a role."""
    return role_order().index(role()) >= role_order().index(what)


def role_order() -> tuple[str, ...]:
    """Return the app's roles, lowest first."""
    found: tuple[str, ...] = current_app.config.get(ROLES_KEY, ROLES)
    return found


def own_seat() -> int | None:
    """Return the seat that this phone has claimed, ``None`` without one."""
    found = session.get("seat") if is_session_valid() else None
    return found if isinstance(found, int) else None


def reserve_spare_slots() -> None:
    """Abort with 503 where only spare slots are left, except for host, referee and the sign-in pages."""
    signs_in = request.endpoint in {"roles.pin_form", "roles.enter", "assets.static"}
    if request.environ.get(SPARE_SLOT_KEY) and not signs_in and not may("referee"):
        abort(503, _("So many phones are watching already. Try again in a moment."))


def role_required(what: str) -> Callable[[Page], Page]:
    """Return a decorator that requires a role: others get the PIN form, or 403 for a POST."""

    def guard(page: Page) -> Page:
        @wraps(page)
        def guarded(*args: Any, **values: Any) -> ResponseReturnValue:
            return page(*args, **values) if may(what) else sign_in_required(what)

        return guarded

    return guard


def sign_in_required(what: str) -> ResponseReturnValue:
    """Return a redirect to the PIN form for a GET; abort with 403 otherwise."""
    if request.method != "GET":
        abort(403, _("Only the %(role)s may do that. Sign in first.", role=_(what)))
    if not pins().chosen:
        return redirect("/welcome")
    return redirect(f"/enter?to={quote(request.full_path.rstrip('?'))}")


def sign_in(who: str = "", seat: int | None = None) -> None:
    """Add a role or a seat to the session; its forms get a new CSRF token."""
    has = {
        "role": max(role(), who, key=role_order().index),
        "seat": seat or own_seat(),
        "id": (is_session_valid() and session.get("id")) or secrets.token_urlsafe(12),
        "epoch": pins().epoch(),
    }
    session.clear()
    session.permanent = True
    session.update(has)


def with_known_cookie(response: Response) -> Response:
    """Set the cookie of a known phone, which the failed logins of other phones do not lock out."""
    response.set_cookie(
        KNOWN_PHONE_COOKIE, new_known_mark(), max_age=31_536_000, httponly=True, samesite="Lax"
    )
    return response


def new_known_mark() -> str:
    """Return a new signed value of the cookie ``KNOWN_PHONE_COOKIE``."""
    made = secrets.token_urlsafe(12)
    return f"{made}.{signature(made)}"


def is_own_mark(marked: str) -> bool:
    """Return whether a cookie's value was signed by this app."""
    made, _dot, given = marked.partition(".")
    return hmac.compare_digest(given.encode(errors="replace"), signature(made).encode())


def signature(text: str) -> str:
    """Return the app's HMAC of a text."""
    key = str(current_app.config["SECRET_KEY"]).encode()
    return hmac.new(key, f"phone {text}".encode(errors="replace"), hashlib.sha256).hexdigest()


def local_path(address: str) -> str:
    """Return a path of this site unchanged, ``/`` for anything else."""
    fine = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if fine else "/"


@pages.get("/enter")
def pin_form() -> ResponseReturnValue:
    """Ask for the PIN."""
    if not pins().chosen:
        return redirect("/welcome")
    return render_template("enter.html", to=local_path(request.args.get("to", "/")), fault="")


@pages.post("/enter")
def enter() -> ResponseReturnValue:
    """Sign a phone in by its PIN."""
    to = local_path(request.form.get("to", "/"))
    try:
        known_phone = is_own_mark(request.cookies.get(KNOWN_PHONE_COOKIE, ""))
        who = pins().role_of(request.form.get("pin", ""), request.remote_addr or "", known=known_phone)
    except BadPin as error:
        return render_template("enter.html", to=to, fault=str(error)), 403
    sign_in(who)
    return with_known_cookie(redirect(f"/{who}" if to == "/" else to))


@pages.post("/leave")
def leave() -> ResponseReturnValue:
    """Sign a phone out; copies of its cookie are rejected from now on."""
    if isinstance(left := session.get("id"), str):
        revoked_sessions().end(left)
    session.clear()
    flash(_("You are a viewer now."), "good")
    return redirect("/")


@pages.get("/welcome")
def welcome() -> ResponseReturnValue:
    """Ask for the code on the console and for a PIN, at the first start."""
    return redirect("/host") if pins().chosen else render_template("welcome.html", fault="")


@pages.post("/welcome")
def begin() -> ResponseReturnValue:
    """Set the host's first PIN, given the code on the console."""
    known, form = pins(), request.form
    if known.chosen:
        abort(403)
    try:
        check_repeated(form.get("pin", ""), form.get("again", ""))
        known.claim(
            Account.FIRST, form.get("code", "").replace(" ", ""), known.first, request.remote_addr or ""
        )
        known.choose("host", form.get("pin", ""))
    except BadPin as error:
        return render_template("welcome.html", fault=str(error)), 403
    sign_in("host")
    return with_known_cookie(redirect("/host"))


def check_repeated(pin: str, again: str) -> None:
    """Raise BadPin where a new PIN was not typed the same twice."""
    if pin != again:
        raise BadPin(_("The two PINs differ."))


def seat_code(seat: int) -> str:
    """Return the code that claims a seat; it changes with the PINs."""
    key = str(current_app.config["SECRET_KEY"]).encode()
    digest = hmac.new(key, f"seat {seat} {pins().epoch()}".encode(), hashlib.sha256).digest()
    return base64.b32encode(digest)[:10].decode()


@pages.get("/claim/<int:seat>/<code>")
def claim(seat: int, code: str) -> ResponseReturnValue:
    """Show the form that claims a seat, after its code was scanned."""
    projection = current_services().projection
    if projection is None or not 1 <= seat <= len(projection.state.seats):
        abort(404)
    name = projection.state.seat(seat).name
    return render_template("claim.html", seat=seat, code=code, name=name)


@pages.post("/claim/<int:seat>/<code>")
def sit(seat: int, code: str) -> ResponseReturnValue:
    """Give a phone the seat whose code it sends."""
    pins().claim(Account.SEAT, code, seat_code(seat), request.remote_addr or "")
    sign_in(seat=seat)
    return redirect(f"/seat/{seat}")
