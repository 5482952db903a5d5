"""How many places each address may hold, so that no single phone takes those of all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Places:
    """Places that are held at the same time: connections of the server, or live streams.

    One address may hold half of them while few others are there (a router may hide many phones behind one
    address), and ``each`` once half are taken.

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
    held: Counter[str] = field(default_factory=Counter)
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
        own = self.held[address]
        if self.full:
            return spare and self.taken < self.most + self.spare and own < FEW
        return own < (self.each if self.scarce else self.most // 2)

    @contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Hold a place until the block ends."""
        self.held[address] += 1
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
            self.held[address] -= 1
            if not self.held[address]:
                del self.held[address]


FEW = 6
"""Places up to which an address may take spare ones: what one browser opens."""
