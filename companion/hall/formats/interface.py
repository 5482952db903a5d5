"""What the hall asks of a format."""

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
    """Who takes part in a round: players in the order of the draw, and what was played before."""

    players: tuple[Player, ...]
    history: History = ()
    penalties: Mapping[Player, Score] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """A format with its options; ``rounds`` 0 goes on until the format itself is decided.

    ``one_draw`` says that the draw of the first round holds for all.

    Parameters
    ----------
    form
        What the games that are made for it say of it.
    plays
        Those games, by their names.
    seats
        How many may sit at a table, from and to, and how many are wanted.
    tie_breaks
        What parts equal players, the most decisive first, in formats for two.
    best_of
        Games of one meeting, played at one table as a series.
    game
        What is played at the tables: one of ``plays``.
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
        """Choose the first of the format's games, where nobody chose one."""
        object.__setattr__(self, "game", self.game or next(iter(self.plays), ""))

    @classmethod
    def of(cls, form: Tournament, plays: Sequence[str] = ()) -> Self:
        """Return a format as the games that are made for it have it."""
        return cls(form, tuple(plays), rounds=form.rounds, seats=form.seats, best_of=form.best_of)

    @property
    def handicaps(self) -> Handicaps | None:
        """What handicaps players have, which change with their places, where they have some."""
        return self.form.handicaps

    @property
    def of_two(self) -> bool:
        """Whether no more than two play together."""
        return self.seats[1] == 2

    def over(self, given: Field) -> bool:
        """Return whether no further round follows."""
        return bool(self.rounds) and len(given.history) >= self.rounds

    def pair(self, given: Field) -> Pairing:
        """Return the next round: groups by draw in which as few as possible meet again.

        Raises
        ------
        ValueError
            Where so many players cannot be grouped.
        """
        sizes = group_sizes(len(given.players), *self.seats)
        return Pairing(tuple(groups(given.players, sizes, meeting_counts(given.history))))

    def standings(self, given: Field, everybody: Sequence[Player]) -> list[Line]:
        """Return all players by points, then firsts, then head to head, else together."""
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
    """Return two players as a group: who began less often begins, else the first named."""
    later = begun.get(second, 0) < begun.get(first, 0)
    return Group((second, first) if later else (first, second))
