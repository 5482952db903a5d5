"""The PINs of host and referee, and limits on login attempts.

An address must wait after failures.  Where many addresses fail, each has one attempt an hour; where very many
do, only phones that have signed in before may try.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from werkzeug.security import check_password_hash, generate_password_hash

from companion.errors import BadOutput, BadPin
from companion.web.i18n.language import _
from companion.web.keeping import Kept
from companion.web.live.monitor import run_in_threadpool

logger = logging.getLogger(__name__)

HOUR_S = 3600.0

ADDRESS_LIMITS = ((60.0, 3), (600.0, 5), (HOUR_S, 10))
"""Windows in seconds, and the failures of one address that are allowed in each."""

SUSPICIOUS_FAILURES_PER_HOUR, ATTACK_FAILURES_PER_HOUR = 30, 300
"""Failures of all addresses in an hour after which each has one attempt, or only known phones have any.

With 300 tries an hour one of a million PINs is found after 70 days on average.
"""

MAX_KEPT_FAILURES = 2000
"""Most failures that are kept; the oldest are dropped first."""

MIN_PIN_CHARS = 6
MAX_PIN_CHARS = 64

PIN_HASH_METHOD = "scrypt:16384:8:1"
"""Hash method of PINs: a check takes 16 MB of memory and about 0.05 s of a desktop's core."""


class Account(StrEnum):
    """Kind of credential; PIN and first code are short enough to be guessed."""

    PIN = auto()
    FIRST = auto()
    SEAT = auto()
    TOKEN = auto()


class Failure(NamedTuple):
    """A failed attempt: wall time in seconds, address and kind of credential."""

    at_s: float
    address: str
    account: Account = Account.PIN


def wait_s(failures: Sequence[Failure], tried: Failure, *, known: bool = False) -> float:
    """Return the seconds until an attempt is allowed, 0 if it is allowed now.

    ``known`` is whether it comes from a phone that has signed in before.
    """
    of_account = [one for one in failures if one.account == tried.account]
    own = [one.at_s for one in of_account if one.address == tried.address]
    waits = [window_wait_s(own, *limit, tried.at_s) for limit in ADDRESS_LIMITS]
    if tried.account in {Account.PIN, Account.FIRST} and not known:
        every = [one.at_s for one in of_account]
        if window_wait_s(every, HOUR_S, SUSPICIOUS_FAILURES_PER_HOUR, tried.at_s):
            waits.append(window_wait_s(own, HOUR_S, 1, tried.at_s))
        waits.append(window_wait_s(every, HOUR_S, ATTACK_FAILURES_PER_HOUR, tried.at_s))
    return max(waits)


def window_wait_s(times: Sequence[float], window_s: float, most: int, now_s: float) -> float:
    """Return the seconds until fewer than ``most`` times lie within the last ``window_s`` seconds."""
    if len([at for at in times if now_s - at < window_s]) < most:
        return 0.0
    return sorted(times)[-most] + window_s - now_s


@dataclass(slots=True)
class LoginAttempts:
    """Failed attempts, kept across restarts; ``clock`` returns wall time in seconds.

    ``unsaved`` are those of a disk that is full or read-only: they count until they can be written again.
    """

    kept: Kept
    clock: Callable[[], float] = time.time
    unsaved: list[Failure] | None = field(default=None, init=False)

    def begin(self, account: Account, address: str, *, known: bool = False) -> Failure:
        """Record an attempt as failed and return it; raise BadPin where there were too many."""
        tried = Failure(self.clock(), address, account)
        failures = self.failures(tried.at_s)
        if (left := wait_s(failures, tried, known=known)) > 0:
            raise BadPin(_("Too many wrong PINs. Try again in %(seconds)s seconds.", seconds=int(left) + 1))
        self.save([*failures, tried][-MAX_KEPT_FAILURES:])
        return tried

    def forgive(self, tried: Failure) -> None:
        """Remove an attempt that has succeeded; attempts made meanwhile stay."""
        failures = self.failures(tried.at_s)
        if tried in failures:
            failures.remove(tried)
        self.save(failures)

    def save(self, failures: list[Failure]) -> None:
        """Store the failures; if they cannot be written, they count in memory, and the log says so once."""
        try:
            self.kept.write("failures", failures)
            self.unsaved = None
        except BadOutput as error:
            if self.unsaved is None:
                logger.warning("failed sign-ins are forgotten at a restart: %s", error)
            self.unsaved = failures

    def failures(self, now_s: float) -> list[Failure]:
        """Return the failures that still count; after a clock was set back, later times become now."""
        found = self.kept.read("failures", []) if self.unsaved is None else self.unsaved
        read = [parse_failure(one) for one in found] if isinstance(found, list) else []
        return [one._replace(at_s=min(one.at_s, now_s)) for one in read if one and one.at_s > now_s - HOUR_S]


def parse_failure(kept: Any) -> Failure | None:
    """Return a stored failure, ``None`` for anything else."""
    try:
        at_s, address, *account = kept
        return Failure(float(at_s), str(address), Account(account[0]) if account else Account.PIN)
    except (TypeError, ValueError):
        return None


def rules() -> str:
    """Return the requirements of a PIN, in the current language."""
    rule = _("A PIN has %(least)s to %(most)s signs, three of them different, and is no row such as 123456.")
    return rule % {"least": MIN_PIN_CHARS, "most": MAX_PIN_CHARS}


def weakness(pin: str) -> str | None:
    """Return why a PIN is too weak, or ``None``."""
    if not MIN_PIN_CHARS <= len(pin) <= MAX_PIN_CHARS:
        return rules()
    steps = {ord(b) - ord(a) for a, b in pairwise(pin)}
    if (len(steps) == 1 and steps <= {-1, 0, 1}) or len(set(pin)) < 3:
        return _("That PIN is guessed at once; mix it more.")
    return None


@dataclass(slots=True)
class Pins:
    """The PINs of the roles.

    ``first`` is the one-time code that is shown on the console while no PIN
    was chosen; ``clock`` returns wall time in seconds; ``roles`` are those that PINs open, the highest
    first; ``tries`` are the recent failed attempts.
    """

    kept: Kept
    clock: Callable[[], float] = time.time
    first: str = field(default_factory=lambda: f"{secrets.randbelow(10**8):08}")
    roles: tuple[str, ...] = ("host", "referee")
    tries: LoginAttempts = field(init=False)

    def __post_init__(self) -> None:
        self.tries = LoginAttempts(self.kept, self.clock)

    @property
    def chosen(self) -> bool:
        """Whether the host has chosen a PIN."""
        return bool(self.hashes().get("host"))

    def hashes(self) -> dict[str, str]:
        """Return the hash of each PIN, by role."""
        found = self.kept.read("pins", {})
        return found if isinstance(found, dict) else {}

    def epoch(self) -> int:
        """Return how often PINs were chosen; sessions of an earlier epoch are invalid."""
        found = self.kept.read("epoch", 0)
        return found if isinstance(found, int) else 0

    def choose(self, role: str, pin: str) -> None:
        """Set the PIN of a role; raise BadPin where it is too easy to guess."""
        if reason := weakness(pin):
            raise BadPin(reason)
        hashed = run_in_threadpool(lambda: generate_password_hash(pin, PIN_HASH_METHOD))
        self.kept.write("pins", {**self.hashes(), role: hashed})
        self.kept.write("epoch", self.epoch() + 1)

    def role_of(self, pin: str, address: str, *, known: bool = False) -> str:
        """Return the role that a PIN opens, the host's before the referee's.

        Raises
        ------
        BadPin
            Where it opens none, or after too many failures.  The attempt is recorded before the comparison.
        """
        tried = self.tries.begin(Account.PIN, address, known=known)
        for role in self.roles:
            hashed = self.hashes().get(role, "")
            if (
                hashed
                and len(pin) <= MAX_PIN_CHARS
                and run_in_threadpool(partial(check_password_hash, hashed, pin))
            ):
                self.tries.forgive(tried)
                return role
        raise BadPin(_("That PIN is not right."))

    def claim(self, account: Account, given: str, right: str, address: str) -> None:
        """Check a code; raise BadPin as ``role_of`` does."""
        tried = self.tries.begin(account, address)
        if not secrets.compare_digest(given.encode(errors="replace"), right.encode()):
            raise BadPin(_("That code is not right."))
        self.tries.forgive(tried)
