"""How often somebody may try a PIN or a code, by address and by what is tried; how often a phone may send.

An address that fails must wait.  Where many addresses fail, each has one try an hour, so that whoever knows
the PIN still comes in; and where very many do, only phones that have signed in before may try.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any, NamedTuple

from companion.errors import BadPin
from companion.web.auth.kept import Kept
from companion.web.i18n.language import _

HOUR_S = 3600.0

OF_ADDRESS = ((60.0, 3), (600.0, 5), (HOUR_S, 10))
"""Seconds, and the failures of one address allowed in them."""

MANY, VERY_MANY = 30, 300
"""Failures of all addresses in an hour from which on each has one, and only phones that are known may try.

With 300 tries an hour one of a million PINs is found after 70 days on average.
"""

MOST_KEPT = 2000
"""Failures that are kept; the oldest are forgotten first."""

BURST = 36.0
"""Things that an address may send at once: six phones behind one router by six connections each."""

A_SECOND = 5.0
"""Things that it may send every second on and on: faster than any finger."""

MOST_PHONES = 1000
"""Phones whose rate is remembered, the least recently heard of forgotten first."""


class Account(StrEnum):
    """What somebody tries to come in by; PIN and first code are short enough to be guessed."""

    PIN = auto()
    FIRST = auto()
    SEAT = auto()
    TOKEN = auto()


class Failure(NamedTuple):
    """A try that failed: when, in seconds of the wall's clock, from what address, and at what."""

    at_s: float
    address: str
    account: Account = Account.PIN


def wait_s(failures: Sequence[Failure], tried: Failure, *, known: bool = False) -> float:
    """Return the seconds until a try may be made; 0 where that is now.

    ``known`` says that it comes from a phone that has signed in before.
    """
    of_account = [one for one in failures if one.account == tried.account]
    own = [one.at_s for one in of_account if one.address == tried.address]
    waits = [left_s(own, *limit, tried.at_s) for limit in OF_ADDRESS]
    if tried.account in {Account.PIN, Account.FIRST} and not known:
        every = [one.at_s for one in of_account]
        if left_s(every, HOUR_S, MANY, tried.at_s):
            waits.append(left_s(own, HOUR_S, 1, tried.at_s))
        waits.append(left_s(every, HOUR_S, VERY_MANY, tried.at_s))
    return max(waits)


def left_s(times: Sequence[float], window_s: float, most: int, now_s: float) -> float:
    """Return the seconds until fewer than so many times lie within a window that ends now."""
    if len([at for at in times if now_s - at < window_s]) < most:
        return 0.0
    return sorted(times)[-most] + window_s - now_s


@dataclass(slots=True)
class Tries:
    """Failures as they are kept, so that a restart forgives none; ``clock`` is the wall's time in seconds."""

    kept: Kept
    clock: Callable[[], float] = time.time

    def begin(self, account: Account, address: str, *, known: bool = False) -> Failure:
        """Keep a try as a failure and return it; raise BadPin where there were too many."""
        tried = Failure(self.clock(), address, account)
        failures = self.failures(tried.at_s)
        if (left := wait_s(failures, tried, known=known)) > 0:
            raise BadPin(_("Too many wrong PINs. Try again in %(seconds)s seconds.", seconds=int(left) + 1))
        self.kept.write("failures", [*failures, tried][-MOST_KEPT:])
        return tried

    def forgive(self, tried: Failure) -> None:
        """Forget a try that was no failure; those that others made meanwhile stay."""
        failures = self.failures(tried.at_s)
        if tried in failures:
            failures.remove(tried)
        self.kept.write("failures", failures)

    def failures(self, now_s: float) -> list[Failure]:
        """Return the failures that still count; those after now, by a clock that was set back, are of now."""
        found = self.kept.read("failures", [])
        read = [failure(one) for one in found] if isinstance(found, list) else []
        return [one._replace(at_s=min(one.at_s, now_s)) for one in read if one and one.at_s > now_s - HOUR_S]


def failure(kept: Any) -> Failure | None:
    """Return a failure that was kept, ``None`` for anything else."""
    try:
        at_s, address, *account = kept
        return Failure(float(at_s), str(address), Account(account[0]) if account else Account.PIN)
    except (TypeError, ValueError):
        return None


@dataclass(slots=True)
class Rates:
    """What every phone has left: a bucket that fills by itself."""

    clock: Callable[[], float] = time.monotonic
    left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allow(self, address: str) -> bool:
        """Return whether an address may send something now, and count it."""
        now_s = self.clock()
        left, at_s = self.left.pop(address, (BURST, now_s))
        left = min(BURST, left + (now_s - at_s) * A_SECOND)
        allowed = left >= 1
        self.left[address] = (left - allowed, now_s)
        if len(self.left) > MOST_PHONES:
            self.left.popitem(last=False)
        return allowed
