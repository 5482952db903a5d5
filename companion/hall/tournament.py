"""A tournament as the fold of its entries, and its standings from the tables' results.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from companion.errors import BadEntry
from companion.events import projections
from companion.hall import entries as en
from companion.hall.formats import draws
from companion.hall.formats.interface import Field, Format
from companion.hall.formats.registry import format_of
from companion.hall.formats.tables_of_many import handicaps
from companion.hall.formats.values import Line, Outcome, Played
from companion.model.phrases import phrase
from companion.model.seats import Score
from companion.rules.event import Stamped
from companion.rules.interface import RuleSystem
from companion.rules.state import Phase, State


@dataclass(frozen=True, slots=True)
class Person:
    """A player in the register.

    ``handicap`` is what the player brought, ``None`` for a newcomer; ``former`` are those who played in this
    place before; ``penalty`` is the sum of points taken.
    """

    id: str
    name: str
    club: str = ""
    rating: int | None = None
    handicap: int | None = None
    notes: str = ""
    withdrawn: bool = False
    former: tuple[str, ...] = ()
    penalty: Score = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A group of a round at its table; ``game`` is the game that counts, once it was begun there.

    ``ruled`` is the director's result, where there is one.
    """

    number: int
    table: str
    players: tuple[str, ...]
    game: str = ""
    ruled: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """A round that was drawn; ``earlier`` is the game that each table had at the draw, by the table's id."""

    number: int
    seed: str
    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()
    closed: bool = False
    earlier: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tournament:
    """The state of a tournament after its entries; ``number`` is that of the last one."""

    name: str
    form: str
    options: Mapping[str, Any]
    commitment: str
    table_options: Mapping[str, Any] = field(default_factory=dict)
    words: str = "default"
    people: Mapping[str, Person] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    handicaps: Mapping[tuple[int, str], int] = field(default_factory=dict)
    autopilot: bool = False
    ended: bool = False
    number: int = 0

    @cached_property
    def format(self) -> Format:
        """The format with its options."""
        return format_of(self.form, self.options)

    @property
    def playing(self) -> list[str]:
        """Ids of those who play the next round."""
        return [one.id for one in self.people.values() if not one.withdrawn]

    @property
    def current(self) -> Round | None:
        """The newest round."""
        return self.rounds[-1] if self.rounds else None

    def name_of(self, player: str) -> str:
        """Return a player's name."""
        return self.people[player].name if player in self.people else player

    def seed_before(self) -> str:
        """Return the link that the next round's seed must hash to."""
        return self.rounds[-1].seed if self.rounds else self.commitment

    def round(self, number: int) -> Round:
        """Return a round; raise BadEntry where it was not drawn."""
        if not 1 <= number <= len(self.rounds):
            raise BadEntry(phrase("there is no round %(number)s", number=number))
        return self.rounds[number - 1]

    def person(self, player: str) -> Person:
        """Return a player; raise BadEntry for one who is not registered."""
        if player not in self.people:
            raise BadEntry(phrase("there is no player %(player)s", player=repr(player)))
        return self.people[player]


Results = Mapping[tuple[str, str], Outcome]
"""Results from the tables' logs, by table and game: places and points by seat; players by their names."""


def outcome(table: Table, results: Results) -> Outcome | None:
    """Return a group's result: the director's, else the table's; ``None`` while there is none."""
    if table.ruled is not None:
        return table.ruled
    found = results.get((table.table, table.game)) if table.game else None
    if found is None or len(found.places) != len(table.players):
        return None
    return Outcome(table.players, found.places, found.scores)


def history(tournament: Tournament, results: Results) -> list[Played]:
    """Return the closed rounds as they were played."""
    found = []
    for one in tournament.rounds:
        outcomes = [outcome(table, results) for table in one.tables]
        if one.closed:
            found.append(Played(tuple(each for each in outcomes if each is not None), one.byes))
    return found


def field_of(tournament: Tournament, results: Results, seed: str) -> Field:
    """Return the field of a round that a seed draws."""
    first = tournament.rounds[0].seed if tournament.rounds else seed
    order = draws.draw_order(first if tournament.format.one_draw else seed, tournament.playing)
    penalties = {one.id: one.penalty for one in tournament.people.values() if one.penalty}
    return Field(tuple(order), history(tournament, results), penalties)


def standings(tournament: Tournament, results: Results) -> list[Line]:
    """Return all players by rank after the closed rounds."""
    given = field_of(tournament, results, tournament.commitment)
    return tournament.format.standings(given, sorted(tournament.people))


def current_handicaps(tournament: Tournament, results: Results) -> dict[str, int]:
    """Return every player's handicap for the next round; none where the format has no handicaps."""
    rule = tournament.format.handicaps
    if rule is None:
        return {}
    brought = {
        one.id: rule.newcomer if one.handicap is None else one.handicap for one in tournament.people.values()
    }
    return handicaps(rule, history(tournament, results), brought, tournament.handicaps)


def fold(stamped: Sequence[Stamped]) -> Tournament | None:
    """Return the tournament after some entries, undone ones left out; ``None`` without entries.

    Raises
    ------
    BadEntry
        Where one is not valid after those before it.
    """
    gone = undone_numbers(stamped)
    state: Tournament | None = None
    for one in stamped:
        if one.number not in gone and not isinstance(one.event, en.Undone):
            state = evolve(state, one.event)
    return state and replace(state, number=stamped[-1].number)


def undone_numbers(stamped: Sequence[Stamped]) -> set[int]:
    """Return the numbers of the undone entries; an Undone may be undone itself."""
    gone: set[int] = set()
    for one in reversed(stamped):
        if isinstance(one.event, en.Undone) and one.number not in gone:
            gone.add(one.event.number)
    return gone


def evolve(state: Tournament | None, entry: Any) -> Tournament:
    """Return the tournament after an entry; raise BadEntry where it is not valid."""
    if isinstance(entry, en.TournamentOpened):
        if state is not None:
            raise BadEntry(phrase("the tournament is open already"))
        return Tournament(
            entry.name, entry.form, entry.options, entry.commitment, entry.table_options, entry.words
        )
    if state is None:
        raise BadEntry(phrase("no tournament is open"))
    match entry:
        case en.AutopilotSet():
            return replace(state, autopilot=entry.on)
        case en.TournamentEnded():
            return replace(state, ended=True)
        case en.RoundDrawn():
            return with_round(state, entry)
        case en.GameBegun() | en.GroupMoved() | en.ResultSet():
            return with_group(state, entry)
        case en.RoundClosed() | en.RoundReopened():
            number = entry.round
            closed = replace(state.round(number), closed=isinstance(entry, en.RoundClosed))
            return replace(state, rounds=(*state.rounds[: number - 1], closed, *state.rounds[number:]))
        case _:
            return with_person(state, entry)


def with_round(state: Tournament, entry: en.RoundDrawn) -> Tournament:
    """Return the tournament with a further round."""
    if entry.round != len(state.rounds) + 1 or (state.current and not state.current.closed):
        raise BadEntry(
            phrase(
                "round %(round)s cannot be drawn after round %(rounds)s",
                round=entry.round,
                rounds=len(state.rounds),
            )
        )
    if not draws.matches_commitment(entry.seed, state.seed_before()):
        raise BadEntry(
            phrase("the seed of round %(round)s is not the one that was committed to", round=entry.round)
        )
    seated = [*entry.byes, *(player for group in entry.groups for player in group)]
    if len(set(seated)) != len(seated) or any(player not in state.people for player in seated):
        raise BadEntry(
            phrase(
                "the draw of round %(round)s seats somebody twice, or nobody knows whom", round=entry.round
            )
        )
    if len(entry.tables) != len(entry.groups) or len(set(entry.tables)) != len(entry.tables):
        raise BadEntry(
            phrase("the draw of round %(round)s needs a table of its own for each group", round=entry.round)
        )
    tables = tuple(
        Table(number, table, tuple(group))
        for number, (table, group) in enumerate(zip(entry.tables, entry.groups, strict=True), 1)
    )
    drawn = Round(entry.round, entry.seed, tables, tuple(entry.byes), earlier=entry.earlier)
    return replace(state, rounds=(*state.rounds, drawn))


def with_group(state: Tournament, entry: en.GameBegun | en.GroupMoved | en.ResultSet) -> Tournament:
    """Return the tournament with one group changed."""
    one = state.round(entry.round)
    if not 1 <= entry.group <= len(one.tables):
        raise BadEntry(phrase("round %(round)s has no group %(group)s", round=entry.round, group=entry.group))
    table = one.tables[entry.group - 1]
    match entry:
        case en.GameBegun():
            changed = replace(table, table=entry.table, game=entry.game)
        case en.GroupMoved():
            changed = replace(table, table=entry.table, game="")
        case _:
            if not len(entry.places) == len(entry.scores) == len(table.players):
                raise BadEntry(
                    phrase(
                        "a result of this group has %(players)s places and points", players=len(table.players)
                    )
                )
            changed = replace(table, ruled=Outcome(table.players, tuple(entry.places), tuple(entry.scores)))
    tables = (*one.tables[: entry.group - 1], changed, *one.tables[entry.group :])
    rounds = (*state.rounds[: entry.round - 1], replace(one, tables=tables), *state.rounds[entry.round :])
    return replace(state, rounds=rounds)


def with_person(state: Tournament, entry: Any) -> Tournament:
    """Return the tournament with one player changed."""
    if isinstance(entry, en.PlayerEntered):
        if entry.player in state.people:
            raise BadEntry(phrase("there is a player %(player)s already", player=repr(entry.player)))
        changed = Person(entry.player, entry.name, entry.club, entry.rating, entry.handicap, entry.notes)
    else:
        known = state.person(entry.player)
        match entry:
            case en.PlayerCorrected():
                changed = replace(
                    known, name=entry.name, club=entry.club, rating=entry.rating, notes=entry.notes
                )
            case en.PlayerWithdrew():
                changed = replace(known, withdrawn=True)
            case en.PlayerReturned():
                changed = replace(known, withdrawn=False)
            case en.PlayerSubstituted():
                changed = replace(known, name=entry.name, former=(*known.former, known.name))
            case en.PenaltyGiven():
                changed = replace(known, penalty=known.penalty + entry.points)
            case en.HandicapSet():
                key = (sum(one.closed for one in state.rounds), entry.player)
                return replace(state, handicaps={**state.handicaps, key: entry.handicap})
            case _:
                raise BadEntry(phrase("nobody knows the entry %(name)s", name=type(entry).__name__))
    return replace(state, people={**state.people, changed.id: changed})


def outcome_of(game: RuleSystem[Any], state: State) -> Outcome | None:
    """Return places and points by seat, players by their names; ``None`` while the result is not final.

    A game of one round is decided when its scores are confirmed, a series when it is over.  Points are the
    totals; a player who is out has no place.
    """
    single = state.options.get("series", "single") == "single"
    if not (state.phase is Phase.OVER or (single and state.confirmed)):
        return None
    names = tuple(seat.name for seat in state.seats)
    return Outcome(names, places(game, state), tuple(seat.total for seat in state.seats))


def points_for(places: Sequence[int | None]) -> tuple[int, ...]:
    """Return points where only places are known: one for the last, one more for each place above."""
    count = sum(place is not None for place in places)
    return tuple(0 if place is None else count + 1 - place for place in places)


def places(game: RuleSystem[Any], state: State) -> tuple[int | None, ...]:
    """Return the table's places of a single round, or the ranks of a longer game."""
    if state.round == 1 and any(seat.place is not None for seat in state.seats):
        return tuple(None if seat.out else seat.place for seat in state.seats)
    ranks = {one.seat: one.rank for one in projections.standings(game, state)}
    return tuple(None if state.seat(n).out else ranks[n] for n in state.numbers)
