"""Session cookies: they survive a clock that was set back, and end when their phone signs out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer

from companion.web.auth.kept import Kept

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
