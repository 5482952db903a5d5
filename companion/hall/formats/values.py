"""Values of all formats: pairings, outcomes of tables, standings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from companion.model.seats import Score

Player = str
"""A player's id in the register; ids are unique, names may be equal."""


@dataclass(frozen=True, slots=True)
class Group:
    """The players of one table by seat; the first one begins in games of turns."""

    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """A round: its groups, and the players without an opponent."""

    groups: tuple[Group, ...]
    byes: tuple[Player, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a group: places (1 the best, ``None`` without one) and points, by seat."""

    players: tuple[Player, ...]
    places: tuple[int | None, ...]
    scores: tuple[Score, ...]

    def place(self, player: Player) -> int | None:
        """Return a player's place."""
        return self.places[self.players.index(player)]

    def score(self, player: Player) -> Score:
        """Return a player's points."""
        return self.scores[self.players.index(player)]


@dataclass(frozen=True, slots=True)
class Played:
    """A round that was played."""

    outcomes: tuple[Outcome, ...]
    byes: tuple[Player, ...] = ()

    def outcome(self, player: Player) -> Outcome | None:
        """Return the result of the table that a player sat at."""
        return next((one for one in self.outcomes if player in one.players), None)


History = Sequence[Played]
"""All rounds that were played, the first one first."""


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line of the standings: the rank, shared by equal players, and the figures that decide it."""

    rank: int
    player: Player
    figures: Mapping[str, Score] = field(default_factory=dict)


def meeting_counts(history: History) -> dict[frozenset[Player], int]:
    """Return how often each pair of players sat at one table."""
    found: dict[frozenset[Player], int] = {}
    for played in history:
        for outcome in played.outcomes:
            for pair in combinations(outcome.players, 2):
                found[frozenset(pair)] = found.get(frozenset(pair), 0) + 1
    return found


def bye_counts(history: History) -> dict[Player, int]:
    """Return how often each player had no opponent."""
    found: dict[Player, int] = {}
    for played in history:
        for player in played.byes:
            found[player] = found.get(player, 0) + 1
    return found


def start_counts(history: History) -> dict[Player, int]:
    """Return how often each player sat at the first seat and so began."""
    found: dict[Player, int] = {}
    for played in history:
        for outcome in played.outcomes:
            found[outcome.players[0]] = found.get(outcome.players[0], 0) + 1
    return found


def rank_players(players: Iterable[Player], figures: Mapping[Player, Mapping[str, Score]]) -> list[Line]:
    """Return standings by figures, the most decisive first; equal players share the best rank."""
    order = sorted(players, key=lambda one: (*(-value for value in figures[one].values()), one))
    found: list[Line] = []
    for number, player in enumerate(order, 1):
        alike = found and dict(found[-1].figures) == dict(figures[player])
        found.append(Line(found[-1].rank if alike else number, player, figures[player]))
    return found
