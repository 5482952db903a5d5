"""The PINs of host and referee, and how often somebody may try."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from werkzeug.security import check_password_hash, generate_password_hash

from companion.errors import BadPin
from companion.web.keeping import Kept
from companion.web.language import _
from companion.web.watching import away

SHORTEST = 6
LONGEST = 64

METHOD = "scrypt:16384:8:1"
"""How a PIN is kept: slow to guess, 16 MB while one is checked, a twentieth of a second on this machine."""

LIMITS = ((60.0, 3), (600.0, 5), (3600.0, 10))
"""Seconds, and the failed logins allowed in them: from one address, and from all together."""

Failures = Sequence[tuple[float, str]]
"""When a login failed, in seconds, and from what address."""


def wait_s(failures: Failures, address: str, now_s: float) -> float:
    """Return the seconds until somebody at an address may try again; 0 where that is now."""
    own = [at for at, where in failures if where == address]
    every = [at for at, _where in failures]
    waits = [
        sorted(times)[-most] + window_s - now_s
        for times in (own, every)
        for window_s, most in LIMITS
        if len([at for at in times if now_s - at < window_s]) >= most
    ]
    return max([0.0, *waits])


def rules() -> str:
    """Return what a PIN must be, in the language spoken."""
    told = _("A PIN has %(least)s to %(most)s signs, three of them different, and is no row such as 123456.")
    return told % {"least": SHORTEST, "most": LONGEST}


def weak(pin: str) -> str | None:
    """Return why a PIN is not good enough, or ``None``."""
    if not SHORTEST <= len(pin) <= LONGEST:
        return rules()
    steps = {ord(b) - ord(a) for a, b in pairwise(pin)}
    if (len(steps) == 1 and steps <= {-1, 0, 1}) or len(set(pin)) < 3:
        return _("That PIN is guessed at once; mix it more.")
    return None


@dataclass(slots=True)
class Pins:
    """Who may be host or referee.

    ``first`` is the one-time code that is shown on the console while no PIN
    was chosen; ``clock`` the wall's time in seconds.
    """

    kept: Kept
    clock: Callable[[], float] = time.time
    first: str = field(default_factory=lambda: f"{secrets.randbelow(10**8):08}")

    @property
    def chosen(self) -> bool:
        """Whether the host has chosen a PIN."""
        return bool(self.hashes().get("host"))

    def hashes(self) -> dict[str, str]:
        """Return what is kept of each PIN."""
        found = self.kept.read("pins", {})
        return found if isinstance(found, dict) else {}

    def epoch(self) -> int:
        """Return how often PINs were chosen; sessions of an earlier time are void."""
        found = self.kept.read("epoch", 0)
        return found if isinstance(found, int) else 0

    def choose(self, role: str, pin: str) -> None:
        """Let a PIN open a role from now on; raise BadPin where it is too easy to guess."""
        if reason := weak(pin):
            raise BadPin(reason)
        hashed = away(lambda: generate_password_hash(pin, METHOD))
        self.kept.write("pins", {**self.hashes(), role: hashed})
        self.kept.write("epoch", self.epoch() + 1)

    def role_of(self, pin: str, address: str) -> str:
        """Return the role that a PIN opens, the host's before the referee's.

        Raises
        ------
        BadPin
            Where it opens none, or was tried too often: the failure is kept before anything is compared.
        """
        with_failure = self.attempt(address)
        for role in ("host", "referee"):
            hashed = self.hashes().get(role, "")
            if hashed and len(pin) <= LONGEST and away(partial(check_password_hash, hashed, pin)):
                self.kept.write("failures", with_failure[:-1])
                return role
        raise BadPin(_("That PIN is not right."))

    def claim(self, given: str, right: str, address: str) -> None:
        """Return where a code is right; raise BadPin as ``role_of`` does."""
        with_failure = self.attempt(address)
        if not secrets.compare_digest(given.encode(), right.encode()):
            raise BadPin(_("That code is not right."))
        self.kept.write("failures", with_failure[:-1])

    def attempt(self, address: str) -> list[tuple[float, str]]:
        """Keep one failure more and return them all; raise BadPin where there were too many."""
        now_s = self.clock()
        known = self.kept.read("failures", [])
        failures = [(min(float(at), now_s), str(where)) for at, where in known if at > now_s - LIMITS[-1][0]]
        if (left_s := wait_s(failures, address, now_s)) > 0:
            raise BadPin(_("Too many wrong PINs. Try again in %(seconds)s seconds.", seconds=int(left_s) + 1))
        failures.append((now_s, address))
        self.kept.write("failures", failures)
        return failures
