"""How many places each address may hold, so that no single phone takes those of all others."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gevent

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


FEW = 6
"""Places up to which an address may take spare ones: what one browser opens."""
