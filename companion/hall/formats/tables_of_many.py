"""Formats for tables of several players: groups, a knock-out, totals up to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.hall.formats.interface import Field, Format
from companion.hall.formats.matching import group_sizes, groups, pairs
from companion.hall.formats.values import (
    Group,
    History,
    Line,
    Pairing,
    Player,
    bye_counts,
    meeting_counts,
    rank_players,
)
from companion.model.phrases import phrase
from companion.model.seats import Score
from companion.rules.tournament import Handicaps


@dataclass(frozen=True, slots=True)
class Groups(Format):
    """New groups are drawn each round; points over all rounds decide."""


def handicaps(
    rule: Handicaps,
    history: History,
    first: Mapping[Player, int],
    fixed: Mapping[tuple[int, Player], int],
) -> dict[Player, int]:
    """Return every player's handicap after some rounds, by the rule of the game.

    ``first`` are those that players bring, ``fixed`` those that the director set after a round (0: before the
    first).
    """
    found = {player: max(rule.least, own) for player, own in first.items()}
    for number, played in enumerate((None, *history)):
        for outcome in played.outcomes if played else ():
            own = [found.get(player, rule.newcomer) for player in outcome.players]
            found |= dict(zip(outcome.players, rule.after(outcome.places, own), strict=True))
        found |= {player: own for (after, player), own in fixed.items() if after == number}
    return found


@dataclass(frozen=True, slots=True)
class KnockOut(Format):
    """Groups of four by draw, whose winners go on; once four or fewer are left, knock-out pairs to the final.

    Each meeting is a best of N at one table.  The winner of a group goes on.  A player without an opponent
    goes on too; players without a bye come first.
    """

    def alive(self, given: Field) -> list[Player]:
        """Return the players who have won every meeting so far, in the order of the draw."""
        rounds = len(given.history)
        return [player for player in given.players if self.reached(given.history, player) == rounds]

    def reached(self, history: History, player: Player) -> int:
        """Return how many rounds a player has survived, counted from the first one."""
        for number, played in enumerate(history):
            outcome = played.outcome(player)
            if player not in played.byes and (outcome is None or outcome.place(player) != 1):
                return number
        return len(history)

    def over(self, given: Field) -> bool:
        """Return whether one player is left."""
        return bool(given.history) and len(self.alive(given)) <= 1

    def pair(self, given: Field) -> Pairing:
        """Return groups of four among the players who are left, or knock-out pairs where they are few."""
        left = self.alive(given)
        if len(left) < 2:
            raise ValueError(phrase("one player is left: the tournament is decided"))
        if not given.history and len(left) > self.seats[1]:
            sizes = group_sizes(len(left), *self.seats)
            return Pairing(tuple(groups(left, sizes, meeting_counts(given.history))))
        if len(left) % 2:
            byes = bye_counts(given.history)
            rests = min(left, key=lambda player: (byes.get(player, 0), -left.index(player)))
            left.remove(rests)
        else:
            rests = None
        before = meeting_counts(given.history)
        both = pairs(left, lambda one, other: before.get(frozenset((one, other)), 0))
        return Pairing(tuple(map(Group, both or ())), (rests,) if rests else ())

    def standings(self, given: Field, everybody: Sequence[Player]) -> list[Line]:
        """Return players by the round that they reached; those who left in one round share a rank."""
        return rank_players(
            everybody, {one: {"rounds": self.reached(given.history, one)} for one in everybody}
        )


@dataclass(frozen=True, slots=True)
class Totals(Format):
    """Rounds at newly drawn tables; once a player is over the target, the highest total wins.

    A tie at the top needs another round.
    """

    def totals(self, given: Field) -> dict[Player, Score]:
        """Return the points of everybody who played."""
        found: dict[Player, Score] = {}
        for played in given.history:
            for outcome in played.outcomes:
                for player, score in zip(outcome.players, outcome.scores, strict=True):
                    found[player] = found.get(player, 0) + score
        return {player: score - given.penalties.get(player, 0) for player, score in found.items()}

    def over(self, given: Field) -> bool:
        """Return whether a player is over the target and leads alone."""
        totals = sorted(self.totals(given).values(), reverse=True)
        if not totals or totals[0] <= self.target:
            return False
        return len(totals) == 1 or totals[0] > totals[1]

    def standings(self, given: Field, everybody: Sequence[Player]) -> list[Line]:
        """Return players by their totals."""
        totals = self.totals(given)
        figures: dict[Player, dict[str, Score]] = {
            one: {"points": totals.get(one, -given.penalties.get(one, 0))} for one in everybody
        }
        return rank_players(everybody, figures)
