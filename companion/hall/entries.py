"""Entries of the hall's own log: the director's decisions, each with its author and its reason.

The log is the same as a table's: SQLite, append-only, chained by hashes.  No entry is ever changed; a
wrong one is undone by another entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.model.seats import Score
from companion.rules.event import Event


@dataclass(frozen=True, slots=True)
class Entry(Event):
    """A decision of the director, or a note of the hall; ``by`` is the role or ``hall``."""

    by: str


@dataclass(frozen=True, slots=True)
class TournamentOpened(Entry):
    """A tournament with its format; ``commitment`` is the hash of round 1's seed."""

    name: str
    form: str
    options: Mapping[str, Any]
    commitment: str
    table_options: Mapping[str, Any] = field(default_factory=dict)
    words: str = "default"


@dataclass(frozen=True, slots=True)
class PlayerEntered(Entry):
    """A player joins; ``handicap`` is ``None`` for a newcomer."""

    player: str
    name: str
    club: str = ""
    rating: int | None = None
    handicap: int | None = None
    notes: str = ""


@dataclass(frozen=True, slots=True)
class PlayerCorrected(Entry):
    """A player's data are corrected."""

    player: str
    name: str
    club: str
    rating: int | None
    notes: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlayerWithdrew(Entry):
    """A player withdraws from all further rounds."""

    player: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlayerReturned(Entry):
    """A withdrawn player plays again."""

    player: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlayerSubstituted(Entry):
    """Another person replaces a player."""

    player: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class PenaltyGiven(Entry):
    """Points off a player's total."""

    player: str
    points: Score
    reason: str


@dataclass(frozen=True, slots=True)
class HandicapSet(Entry):
    """A player's handicap from the next round on."""

    player: str
    handicap: int
    reason: str


@dataclass(frozen=True, slots=True)
class RoundDrawn(Entry):
    """A round's groups: each a table's id and the players by seat; ``seed`` is the seed of their draw.

    ``earlier`` is the game that each table had at the draw, by the table's id: it is none of this round.
    """

    round: int
    seed: str
    tables: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    earlier: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameBegun(Entry):
    """A table has begun the game of a group, numbered from 1."""

    round: int
    group: int
    table: str
    game: str


@dataclass(frozen=True, slots=True)
class GroupMoved(Entry):
    """A group plays at another table; a game that it had begun no longer counts."""

    round: int
    group: int
    table: str
    reason: str


@dataclass(frozen=True, slots=True)
class ResultSet(Entry):
    """The director's result of a group, which overrides the table's."""

    round: int
    group: int
    places: tuple[int | None, ...]
    scores: tuple[Score, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class RoundClosed(Entry):
    """A round is closed: its results are final."""

    round: int


@dataclass(frozen=True, slots=True)
class RoundReopened(Entry):
    """A closed round is open again."""

    round: int
    reason: str


@dataclass(frozen=True, slots=True)
class AutopilotSet(Entry):
    """Whether rounds are drawn, begun and closed without the director."""

    on: bool


@dataclass(frozen=True, slots=True)
class TournamentEnded(Entry):
    """The tournament is over: no further round follows."""


@dataclass(frozen=True, slots=True)
class Undone(Entry):
    """An entry counts as if it had never been made; undoing this one restores it."""

    number: int
    reason: str


ENTRY_CLASSES: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        TournamentOpened,
        PlayerEntered,
        PlayerCorrected,
        PlayerWithdrew,
        PlayerReturned,
        PlayerSubstituted,
        PenaltyGiven,
        HandicapSet,
        RoundDrawn,
        GameBegun,
        GroupMoved,
        ResultSet,
        RoundClosed,
        RoundReopened,
        AutopilotSet,
        TournamentEnded,
        Undone,
    )
}
"""Every entry by its name in the log."""
