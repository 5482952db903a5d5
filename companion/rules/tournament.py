"""The tournament formats that a game offers to a hall, which draws the rounds and ranks the players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.model.phrases import phrase


class Kind(StrEnum):
    """How rounds are drawn and when the tournament is won.

    ``GROUPS``: new groups are drawn each round, and points decide.  ``KNOCKOUT``: winners go on until one is
    left.  ``TOTALS``: rounds go on until a total is over a target.  In the other two kinds each game has two
    players.
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
        The handicap of a player who has none yet, and the smallest one.
    after
        Returns the handicaps after a game, from the places and handicaps of the seats.
    """

    newcomer: int
    least: int
    after: Callable[[Sequence[int | None], Sequence[int]], Sequence[int]]


def as_it_is(_best_of: int) -> Mapping[str, Any]:
    """Return no options: tables play with the defaults."""
    return {}


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament format of a game.

    Parameters
    ----------
    name, title
        Its name in the hall's log, which never changes, and its title on pages.
    seats
        The least, the most and the preferred number of players at a table.
    rounds, best_of
        The default number of rounds, 0 if the kind decides it, and of games in one meeting.
    handicaps
        The handicaps of players, if there are any.
    at_table
        Returns the game's options at every table, from the number of games in one meeting.
    """

    name: str
    title: str
    kind: Kind
    seats: tuple[int, int, int]
    rounds: int = 0
    best_of: int = 1
    handicaps: Handicaps | None = None
    at_table: Callable[[int], Mapping[str, Any]] = as_it_is


TWO_PLAYER_FORMATS = (
    Tournament("round_robin", phrase("Round robin"), Kind.ROUND_ROBIN, (2, 2, 2)),
    Tournament("swiss", phrase("Swiss"), Kind.SWISS, (2, 2, 2), rounds=5),
)
"""The formats of any game for two players."""
