"""Verifiable draws: seeds in a chain of hashes, and lots by hash.

Before the first round the last link of the chain is published.  The seed of round 1 hashes to it, the seed of
round 2 to that of round 1, and so on (Lamport, Password authentication with insecure communication, 1981):
a round's seed does not reveal the next one, and no other seed can be chosen later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from companion.hall.formats.values import Player
from companion.model.phrases import phrase

MAX_ROUNDS = 200
"""Length of a chain: most rounds that a tournament may have."""


def hash_link(seed: str) -> str:
    """Return the link before a seed: the SHA-256 of its text, in hexadecimal."""
    return hashlib.sha256(seed.encode()).hexdigest()


def seed_of(secret: str, number: int) -> str:
    """Return the seed of a round from the director's secret; number 0 is the commitment that is published.

    Raises
    ------
    ValueError
        For a round beyond the chain.
    """
    if not 0 <= number <= MAX_ROUNDS:
        raise ValueError(
            phrase(
                "a tournament has %(most)s rounds at most; got round %(number)s",
                most=MAX_ROUNDS,
                number=number,
            )
        )
    found = secret
    for _ in range(MAX_ROUNDS + 1 - number):
        found = hash_link(found)
    return found


def matches_commitment(seed: str, before: str) -> bool:
    """Return whether a round's seed matches the commitment before it."""
    return hash_link(seed) == before


def lot(seed: str, player: Player) -> str:
    """Return a player's lot in a draw: the SHA-256 of ``seed:player``, in hexadecimal."""
    return hashlib.sha256(f"{seed}:{player}".encode()).hexdigest()


def draw_order(seed: str, players: Iterable[Player]) -> list[Player]:
    """Return players in the order of their lots."""
    return sorted(players, key=lambda player: lot(seed, player))
