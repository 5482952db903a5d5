"""What one address may do: try a PIN or a code, send, and hold connections open.

An address that fails must wait.  Where many addresses fail, each has one try an hour, so that whoever knows
the PIN still comes in; and where very many do, only phones that have signed in before may try.
"""

from __future__ import annotations

import errno
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum, auto
from functools import partial
from typing import Any, NamedTuple

import gevent

from companion.errors import BadPin
from companion.web.i18n.language import _
from companion.web.keeping import Kept

HOUR_S = 3600.0

OF_ADDRESS = ((60.0, 3), (600.0, 5), (HOUR_S, 10))
"""Seconds, and the failures of one address allowed in them."""

MANY, VERY_MANY = 30, 300
"""Failures of all addresses in an hour from which on each has one, and only phones that are known may try.

With 300 tries an hour one of a million PINs is found after 70 days on average.
"""

MOST_KEPT = 2000
"""Failures that are kept; the oldest are forgotten first."""

BURST = 40.0
"""Things that an address may send at once: more than a host does who goes through every form of the pages."""

A_SECOND = 2.0
"""Things that it may send every second on and on: a finger in a hurry."""

MOST_PHONES = 1000
"""Phones whose rate is remembered, the least recently heard of forgotten first."""

FEW = 6
"""Places up to which an address may take spare ones: what one browser opens."""


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


End = Callable[[], None]
"""Ends what holds a place."""


def nothing() -> None:
    """Leave what holds a place to end by itself."""


def hung_up(answering: Any) -> None:
    """End a greenlet as if the phone at its other end had hung up."""
    gevent.kill(answering, ConnectionResetError(errno.ECONNRESET, "the phone has hung up"))


def ending() -> End:
    """Return what ends the answer that is under way."""
    return partial(hung_up, gevent.getcurrent())


@dataclass(slots=True)
class Places:
    """Places that are held at the same time: connections of the server, or live streams.

    One address may hold half of them while few others are there (a router may hide many phones behind one
    address), and ``each`` once half are taken.  Where all are taken, whoever holds fewer than ``each`` gets
    the oldest place of the address that holds the most, if that is more than ``each``.

    Parameters
    ----------
    most
        Places for everybody.
    each
        Places of one address where they are scarce.
    spare
        Further places, for host and referee alone; one address may hold ``FEW`` of them.
    """

    most: int
    each: int
    spare: int = 0
    held: dict[str, dict[object, End]] = field(default_factory=dict)
    taken: int = 0

    @property
    def scarce(self) -> bool:
        """Whether half of the places are taken."""
        return self.taken >= self.most // 2

    @property
    def full(self) -> bool:
        """Whether only spare places are left."""
        return self.taken >= self.most

    def room(self, address: str, *, spare: bool) -> bool:
        """Return whether an address may take one place more, also a spare one where ``spare`` says so."""
        own = len(self.held.get(address, ()))
        if not self.full:
            return own < (self.each if self.scarce else self.most // 2)
        if own < self.each and self.freed():
            return True
        return spare and self.taken < self.most + self.spare and own < FEW

    def freed(self) -> bool:
        """End the oldest of the most places that an address holds, where these are more than its share."""
        greedy = max(self.held, key=lambda address: len(self.held[address]), default="")
        if len(self.held.get(greedy, ())) <= self.each:
            return False
        mark, end = next(iter(self.held[greedy].items()))
        self.give_back(greedy, mark)
        end()
        return True

    def give_back(self, address: str, mark: object) -> None:
        """Free a place, once."""
        own = self.held.get(address, {})
        if own.pop(mark, None) is not None:
            self.taken -= 1
            if not own:
                del self.held[address]

    @contextmanager
    def hold(self, address: str, end: End = nothing) -> Iterator[None]:
        """Hold a place until the block ends; ``end`` ends it sooner."""
        mark = object()
        self.held.setdefault(address, {})[mark] = end
        self.taken += 1
        try:
            yield
        finally:
            self.give_back(address, mark)
