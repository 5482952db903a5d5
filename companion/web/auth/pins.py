"""The PINs of host and referee, and how often somebody may try."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from werkzeug.security import check_password_hash, generate_password_hash

from companion.errors import BadPin
from companion.web.auth.limits import Account, Tries
from companion.web.i18n.language import _
from companion.web.keeping import Kept
from companion.web.live.watching import run_in_threadpool

SHORTEST = 6
LONGEST = 64

METHOD = "scrypt:16384:8:1"
"""How a PIN is kept: slow to guess, 16 MB while one is checked, a twentieth of a second on this machine."""


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
    was chosen; ``clock`` the wall's time in seconds; ``roles`` are those that PINs open, the highest first.
    """

    kept: Kept
    clock: Callable[[], float] = time.time
    first: str = field(default_factory=lambda: f"{secrets.randbelow(10**8):08}")
    roles: tuple[str, ...] = ("host", "referee")

    @property
    def tries(self) -> Tries:
        """What was tried of late."""
        return Tries(self.kept, self.clock)

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
        hashed = run_in_threadpool(lambda: generate_password_hash(pin, METHOD))
        self.kept.write("pins", {**self.hashes(), role: hashed})
        self.kept.write("epoch", self.epoch() + 1)

    def role_of(self, pin: str, address: str, *, known: bool = False) -> str:
        """Return the role that a PIN opens, the host's before the referee's.

        Raises
        ------
        BadPin
            Where it opens none, or was tried too often: the failure is kept before anything is compared.
        """
        tried = self.tries.begin(Account.PIN, address, known=known)
        for role in self.roles:
            hashed = self.hashes().get(role, "")
            if (
                hashed
                and len(pin) <= LONGEST
                and run_in_threadpool(partial(check_password_hash, hashed, pin))
            ):
                self.tries.forgive(tried)
                return role
        raise BadPin(_("That PIN is not right."))

    def claim(self, account: Account, given: str, right: str, address: str) -> None:
        """Return where a code is right; raise BadPin as ``role_of`` does."""
        tried = self.tries.begin(account, address)
        if not secrets.compare_digest(given.encode(errors="replace"), right.encode()):
            raise BadPin(_("That code is not right."))
        self.tries.forgive(tried)
