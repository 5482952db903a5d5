"""The interface of tournament formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from companion.hall.formats.matching import group_sizes, groups
from companion.hall.formats.ties import add_head_to_head
from companion.hall.formats.values import Group, History, Line, Pairing, Player, meeting_counts, rank_players
from companion.model.seats import Score
from companion.rules.tournament import Handicaps, Tournament


@dataclass(frozen=True, slots=True)
class Field:
    """The field of a round: players in the order of the draw, the rounds played before, and penalties."""

    players: tuple[Player, ...]
    history: History = ()
    penalties: Mapping[Player, Score] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """A format with its options; ``rounds`` 0 goes on until the format itself is decided.

    ``one_draw`` is whether the draw of the first round is used for all rounds.

    Parameters
    ----------
    form
        The format as its games declare it.
    plays
        The names of those games.
    seats
        Least, greatest and preferred number of players at a table.
    tie_breaks
        Names of the tie-breaks, the most decisive first, in formats for two.
    best_of
        Games of one meeting, played at one table as a series.
    game
        The game at the tables: one of ``plays``.
    """

    one_draw: ClassVar[bool] = False
    form: Tournament
    plays: tuple[str, ...] = ()
    rounds: int = 0
    seats: tuple[int, int, int] = (2, 2, 2)
    tie_breaks: tuple[str, ...] = ("wins", "spread", "buchholz", "head_to_head")
    best_of: int = 1
    target: int = 300
    game: str = ""

    def __post_init__(self) -> None:
        """Choose the format's first game if none was chosen."""
        object.__setattr__(self, "game", self.game or next(iter(self.plays), ""))

    @classmethod
    def of(cls, form: Tournament, plays: Sequence[str] = ()) -> Self:
        """Return a format with the defaults that its games declare."""
        return cls(form, tuple(plays), rounds=form.rounds, seats=form.seats, best_of=form.best_of)

    @property
    def handicaps(self) -> Handicaps | None:
        """The rule of handicaps, ``None`` if the format has none."""
        return self.form.handicaps

    @property
    def of_two(self) -> bool:
        """Whether at most two play together."""
        return self.seats[1] == 2

    def over(self, given: Field) -> bool:
        """Return whether no further round follows."""
        return bool(self.rounds) and len(given.history) >= self.rounds

    def pair(self, given: Field) -> Pairing:
        """Return the next round: drawn groups with as few rematches as possible.

        Raises
        ------
        ValueError
            Where the number of players cannot be split into groups.
        """
        sizes = group_sizes(len(given.players), *self.seats)
        return Pairing(tuple(groups(given.players, sizes, meeting_counts(given.history))))

    def standings(self, given: Field, everybody: Sequence[Player]) -> list[Line]:
        """Return all players by points, then firsts, then head to head; equal players share a rank."""
        figures: dict[Player, dict[str, Score]] = {}
        for player in everybody:
            outcomes = [outcome for one in given.history if (outcome := one.outcome(player))]
            figures[player] = {
                "points": sum(one.score(player) for one in outcomes) - given.penalties.get(player, 0),
                "firsts": sum(one.place(player) == 1 for one in outcomes),
            }
        add_head_to_head(figures, given.history)
        return rank_players(everybody, figures)

    def table_options(self) -> dict[str, Any]:
        """Return the options of the game that the format sets at every table."""
        return dict(self.form.at_table(self.best_of))


def by_seat(first: Player, second: Player, begun: Mapping[Player, int]) -> Group:
    """Return two players as a group: the player with fewer starts begins, else the first named."""
    later = begun.get(second, 0) < begun.get(first, 0)
    return Group((second, first) if later else (first, second))
