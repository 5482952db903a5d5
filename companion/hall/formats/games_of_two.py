"""Formats for games of two: round robin and Swiss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from companion.hall.formats.interface import Field, Format, by_seat
from companion.hall.formats.matching import pairs
from companion.hall.formats.ties import by_ties, win_count
from companion.hall.formats.values import Line, Pairing, Player, bye_counts, meeting_counts, start_counts
from companion.model.phrases import phrase

REMATCH_COST = 1_000_000
"""Cost of a rematch, where there is no round without one: more than any difference of wins."""


@dataclass(frozen=True, slots=True)
class RoundRobin(Format):
    """Round robin: every two players meet once, in the order of the circle method (Kirkman, 1850)."""

    one_draw: ClassVar[bool] = True

    def over(self, given: Field) -> bool:
        """Return whether the chosen rounds were played, or, without a number of rounds, all have met."""
        if self.rounds or not given.history:
            return bool(self.rounds) and len(given.history) >= self.rounds
        known = meeting_counts(given.history)
        return all(known.get(frozenset(pair)) for pair in combinations(given.players, 2))

    def pair(self, given: Field) -> Pairing:
        """Return the next round; players who have met all others are paired with the fewest rematches.

        The circle stays as drawn.  Late and withdrawn players make it uneven; then the cheapest matching
        without rematches is used.
        """
        order = list(given.players)
        if len(order) < 2:
            raise ValueError(phrase("a round needs two players at least"))
        number = len(given.history)
        known = meeting_counts(given.history)
        both, rests = circle(order, number)
        if number >= length(len(order)) or any(known.get(frozenset(pair)) for pair in both):
            return swiss(given, [], by_score=False)
        begun = start_counts(given.history)
        return Pairing(tuple(by_seat(one, other, begun) for one, other in both), rests)

    def standings(self, given: Field, everybody: Sequence[Player]) -> list[Line]:
        """Return players by the tie-breaks."""
        return by_ties(everybody, given.history, self.tie_breaks, given.penalties)


@dataclass(frozen=True, slots=True)
class Swiss(Format):
    """Players with equal wins meet, no pair twice; the player who began less often begins."""

    def pair(self, given: Field) -> Pairing:
        """Return the next round."""
        lines = self.standings(given, given.players)
        rank = {line.player: line.rank for line in lines}
        drawn = {player: number for number, player in enumerate(given.players)}
        return swiss(given, sorted(given.players, key=lambda one: (rank[one], drawn[one])))

    def standings(self, given: Field, everybody: Sequence[Player]) -> list[Line]:
        """Return players by the tie-breaks."""
        return by_ties(everybody, given.history, self.tie_breaks, given.penalties)


def swiss(given: Field, order: Sequence[Player], *, by_score: bool = True) -> Pairing:
    """Return the cheapest Swiss round: no rematches, then equal wins, then equal numbers of starts.

    Of an odd number the last player with the fewest byes rests.

    Raises
    ------
    ValueError
        For fewer than two players.
    """
    left = list(order or given.players)
    if len(left) < 2:
        raise ValueError(phrase("a round needs two players at least"))
    known, begun, byes = meeting_counts(given.history), start_counts(given.history), bye_counts(given.history)
    wins = {player: win_count(given.history, player) if by_score else 0 for player in left}
    rests: tuple[Player, ...] = ()
    if len(left) % 2:
        fewest = min(byes.get(player, 0) for player in left)
        last = next(player for player in reversed(left) if byes.get(player, 0) == fewest)
        left.remove(last)
        rests = (last,)

    def cost(one: Player, other: Player) -> int:
        apart = round(4 * (wins[one] - wins[other]) ** 2)
        both_begin = min(begun.get(one, 0), begun.get(other, 0)) > len(given.history) / 2
        return 100 * apart + both_begin

    def strict(one: Player, other: Player) -> int | None:
        return None if known.get(frozenset((one, other))) else cost(one, other)

    def lenient(one: Player, other: Player) -> int:
        return cost(one, other) + REMATCH_COST * known.get(frozenset((one, other)), 0)

    both = pairs(left, strict) or pairs(left, lenient) or []
    return Pairing(tuple(by_seat(one, other, begun) for one, other in both), rests)


def length(players: int) -> int:
    """Return how many rounds a round robin takes."""
    return players - 1 if players % 2 == 0 else players


def circle(order: Sequence[Player], number: int) -> tuple[list[tuple[Player, Player]], tuple[Player, ...]]:
    """Return the pairs of a round of the circle method (from 0) and the resting player.

    The first player stays, the others rotate; seats alternate from round to round.
    """
    ring: list[Player | None] = [*order, *([None] if len(order) % 2 else [])]
    turns = number % (len(ring) - 1)
    ring = [ring[0], *ring[len(ring) - turns :], *ring[1 : len(ring) - turns]]
    half = len(ring) // 2
    pairs_, rests = [], []
    for seat, (one, other) in enumerate(zip(ring[:half], reversed(ring[half:]), strict=True)):
        if one is None or other is None:
            rests += [player for player in (one, other) if player is not None]
        else:
            pairs_.append((one, other) if (number + seat) % 2 == 0 else (other, one))
    return pairs_, tuple(rests)
