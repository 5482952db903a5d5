"""How games are played in tournaments: what each game says of it, for a hall that draws and ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.model.phrases import phrase


class Kind(StrEnum):
    """How rounds are drawn, and when one has won.

    ``GROUPS`` are drawn anew each round, points decide; ``KNOCKOUT``: winners go on until one is left;
    ``TOTALS``: rounds go on until one total is over a target; in the other two, two play each game.
    """

    GROUPS = "groups"
    KNOCKOUT = "knockout"
    TOTALS = "totals"
    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"


@dataclass(frozen=True, slots=True)
class Handicaps:
    """Handicaps that follow a player from game to game.

    Parameters
    ----------
    newcomer, least
        That of a player who has none yet, and the smallest.
    after
        Returns them after a game, from places and handicaps by seat.
    """

    newcomer: int
    least: int
    after: Callable[[Sequence[int | None], Sequence[int]], Sequence[int]]


def as_it_is(_best_of: int) -> Mapping[str, Any]:
    """Return no options: tables play the game as it is."""
    return {}


@dataclass(frozen=True, slots=True)
class Tournament:
    """A form of tournament that a game is made for.

    Parameters
    ----------
    name, title
        As the hall's log names it for ever, and as people read it.
    seats
        How many may sit at a table, from and to, and how many are wanted.
    rounds, best_of
        Rounds, 0 where the kind itself decides, and games of one meeting, where nobody chose.
    handicaps
        What handicaps players have, where they have some.
    at_table
        Returns the options of the game at every table, from the games of one meeting.
    """

    name: str
    title: str
    kind: Kind
    seats: tuple[int, int, int]
    rounds: int = 0
    best_of: int = 1
    handicaps: Handicaps | None = None
    at_table: Callable[[int], Mapping[str, Any]] = as_it_is


OF_TWO = (
    Tournament("round_robin", phrase("Round robin"), Kind.ROUND_ROBIN, (2, 2, 2)),
    Tournament("swiss", phrase("Swiss"), Kind.SWISS, (2, 2, 2), rounds=5),
)
"""What any game of two can be played in."""
