"""Commands on the open tournament: each is validated against its state and appended to the log as entries."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from companion.errors import BadEntry
from companion.events import codec
from companion.events.log import EventLog
from companion.events.replay import verified_rows
from companion.hall import entries as en
from companion.hall.formats import draws
from companion.hall.formats.registry import format_of
from companion.hall.register import MAX_FIELD_CHARS, MAX_PLAYERS, PlayerRow
from companion.hall.tournament import (
    Person,
    Results,
    Tournament,
    current_handicaps,
    evolve,
    field_of,
    fold,
    outcome,
)
from companion.hall.trf import Report
from companion.hall.trf_mapping import missing_results
from companion.model.phrases import phrase
from companion.model.seats import Score
from companion.rules.event import Event, Stamped

MAX_REASON_CHARS = 200


class SecretStore(Protocol):
    """A store of values that only its owner may read."""

    def read(self, name: str, default: Any) -> Any:
        """Return the value of a name, the default where there is none."""

    def write(self, name: str, value: Any) -> None:
        """Store a value."""


class TournamentService:
    """The open tournament and its log; any thread may call, one command runs at a time.

    ``revision`` rises with every entry; ``earlier_games`` are the games begun for earlier tournaments.
    """

    def __init__(self, path: Path, kept: SecretStore) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.log, self.kept = EventLog(path), kept
        self.lock = threading.RLock()
        self.name = ""
        self.entries: list[Stamped] = []
        self.state: Tournament | None = None
        self.revision = 0
        self.earlier_games = self.games_begun(self.log.games()[:-1])
        if games := self.log.games():
            self.name = games[-1]
            self.entries = read(self.log, self.name)
            self.state = fold(self.entries)

    def close(self) -> None:
        """Close the log."""
        self.log.close()

    @property
    def tournament(self) -> Tournament:
        """The tournament that is open; raise BadEntry where none is."""
        if self.state is None:
            raise BadEntry(phrase("no tournament is open"))
        return self.state

    def add(self, *events: Event) -> None:
        """Append entries, all or none; raise BadEntry where one is not valid now."""
        with self.lock:
            last = self.entries[-1].number if self.entries else 0
            new = [Stamped(n, time.time_ns(), one) for n, one in enumerate(events, last + 1)]
            state = self.after(new)
            self.log.append(self.name, new)
            self.entries += new
            self.state, self.revision = state, self.revision + 1

    def after(self, new: Sequence[Stamped]) -> Tournament | None:
        """Return the tournament with further entries; raise BadEntry where one is not valid now."""
        if any(isinstance(one.event, en.Undone) for one in new):
            return fold([*self.entries, *new])
        state = self.state
        for one in new:
            state = evolve(state, one.event)
        return replace(state, number=new[-1].number) if state and new else state

    def open(self, name: str, form: str, options: Mapping[str, Any], **more: Any) -> None:
        """Open a tournament and commit to its draws; raise BadEntry while another is open."""
        try:
            format_of(form, options)
        except ValueError as error:
            raise BadEntry(str(error)) from error
        with self.lock:
            if self.state is not None and not self.state.ended:
                raise BadEntry(phrase("%(name)s is open; end it first", name=self.state.name))
            self.earlier_games = self.games_begun(self.log.games())
            secret = secrets.token_hex(32)
            self.name = f"{len(self.log.games()) + 1:04}"
            self.kept.write(f"draws-{self.name}", secret)
            self.entries, self.state = [], None
            opened = en.TournamentOpened(
                "director", checked_name(name), form, options, draws.seed_of(secret, 0), **more
            )
            self.add(opened)

    def games_begun(self, names: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Return table and name of every game that was begun for some tournaments."""
        rows = (row for name in names for row in self.log.rows_of(name, en.GameBegun.__name__))
        bodies = (json.loads(row.body) for row in rows)
        return frozenset((str(one["table"]), str(one["game"])) for one in bodies)

    def tournaments(self) -> list[tuple[str, str]]:
        """Return key and name of every tournament of the hall, the newest first."""
        found = []
        for key in reversed(self.log.games()):
            opened = next(self.log.rows_of(key, en.TournamentOpened.__name__), None)
            found.append((key, str(json.loads(opened.body)["name"]) if opened else key))
        return found

    def load(self, key: str) -> Tournament:
        """Return a tournament of the hall; raise BadEntry where there is none of that key."""
        state = fold(read(self.log, key)) if key in self.log.games() else None
        if state is None:
            raise BadEntry(phrase("no tournament is open"))
        return state

    def take_over(
        self, results: Results, name: str, form: str, options: Mapping[str, Any], **more: Any
    ) -> None:
        """Open a tournament with those who played to the end of the one that is over, and their handicaps."""
        with self.lock:
            before = self.tournament
            own = self.handicaps(results)
            self.open(name, form, options, **more)
            people = enumerate((before.people[one] for one in before.playing), 1)
            self.add(*(player_entry("director", k, one, own.get(one.id, one.handicap)) for k, one in people))

    def enter(self, given: Sequence[PlayerRow], by: str = "director") -> None:
        """Register players; raise BadEntry for too many, or where one of that name and club is there."""
        with self.lock:
            people = self.tournament.people
            if (count := len(people) + len(given)) > MAX_PLAYERS:
                raise BadEntry(
                    phrase(
                        "that makes %(count)s players; a tournament has %(most)s at most",
                        count=count,
                        most=MAX_PLAYERS,
                    )
                )
            known = {(one.name.casefold(), one.club.casefold()) for one in people.values()}
            found = []
            for number, one in enumerate(given, last_player_number(self.entries) + 1):
                key = (one.name.casefold(), one.club.casefold())
                if key in known:
                    raise BadEntry(
                        phrase(
                            "%(name)s is registered already; two of one name need different clubs",
                            name=one.name,
                        )
                    )
                known.add(key)
                found.append(player_entry(by, number, one, one.handicap))
            self.add(*found)

    def draw(
        self,
        tables: Sequence[str],
        results: Results,
        by: str = "director",
        earlier: Mapping[str, str] | None = None,
    ) -> None:
        """Draw the next round to tables; raise BadEntry where there is none, or too few tables.

        ``earlier`` is the game that each table has now, by the table's id: it does not count for the round.
        A draw takes a second with 400 players, and other commands may run meanwhile.  If the tournament has
        changed by then, the draw is repeated.
        """
        while True:
            before = self.tournament
            found = self.next_round(before, tables, results, by)
            with self.lock:
                if self.state is before:
                    self.add(replace(found, earlier=earlier or {}))
                    return

    def next_round(
        self, state: Tournament, tables: Sequence[str], results: Results, by: str
    ) -> en.RoundDrawn:
        """Return the next round of a tournament, drawn to tables; raise BadEntry as ``draw`` does."""
        number = len(state.rounds) + 1
        if state.current is not None and not state.current.closed:
            raise BadEntry(phrase("round %(number)s is not closed yet", number=state.current.number))
        self.check_complete(results)
        seed = draws.seed_of(self.secret(), number)
        if self.finished(results):
            raise BadEntry(phrase("all rounds were played"))
        try:
            pairing = state.format.pair(field_of(state, results, seed))
        except ValueError as error:
            raise BadEntry(str(error)) from error
        groups = tuple(group.players for group in pairing.groups)
        if len(tables) < len(groups):
            raise BadEntry(
                phrase(
                    "%(groups)s groups need as many tables; %(tables)s are there",
                    groups=len(groups),
                    tables=len(tables),
                )
            )
        return en.RoundDrawn(by, number, seed, tuple(tables[: len(groups)]), groups, pairing.byes)

    def check_complete(self, results: Results) -> None:
        """Raise BadEntry where a result of a closed round, which the next draw needs, is lost."""
        lost = [
            f"{table.table} ({one.number})"
            for one in self.tournament.rounds
            for table in one.tables
            if one.closed and outcome(table, results) is None
        ]
        if lost:
            raise BadEntry(
                phrase(
                    "results of closed rounds are not here: %(lost)s; the hall asks their tables for them",
                    lost=", ".join(lost),
                )
            )

    def finished(self, results: Results) -> bool:
        """Return whether no further round follows."""
        state = self.tournament
        return state.ended or state.format.over(field_of(state, results, state.commitment))

    def secret(self) -> str:
        """Return the secret of the draws; raise BadEntry where it was lost."""
        found = self.kept.read(f"draws-{self.name}", None)
        if not isinstance(found, str):
            raise BadEntry(
                phrase("the secret of the draws is lost: no further round can be drawn as it was promised")
            )
        return found

    def close_round(self, results: Results, by: str = "director") -> None:
        """Close the round under way; raise BadEntry while results are missing."""
        with self.lock:
            now = self.tournament.current
            if now is None or now.closed:
                raise BadEntry(phrase("no round is under way"))
            if missing := [one.table for one in now.tables if outcome(one, results) is None]:
                raise BadEntry(phrase("results are missing: %(missing)s", missing=", ".join(missing)))
            self.add(en.RoundClosed(by, now.number))

    def reopen(self, reason: str, by: str = "director") -> None:
        """Reopen the round that was closed last."""
        with self.lock:
            now = self.tournament.current
            if now is None or not now.closed:
                raise BadEntry(phrase("no round was closed last"))
            self.add(en.RoundReopened(by, now.number, checked_reason(reason)))

    def move(self, group: int, table: str, reason: str, by: str = "director") -> None:
        """Move a group of the round under way to another table."""
        with self.lock:
            now = self.tournament.current
            if now is None or now.closed:
                raise BadEntry(phrase("no round is under way"))
            if any(one.table == table for one in now.tables):
                raise BadEntry(phrase("%(table)s has a group of this round already", table=table))
            self.add(en.GroupMoved(by, now.number, group, table, checked_reason(reason)))

    def rule(
        self, round_: int, group: int, places: Sequence[int | None], scores: Sequence[Score], reason: str
    ) -> None:
        """Set a group's result, which overrides the table's; raise BadEntry for invalid places."""
        with self.lock:
            given = sorted(place for place in places if place is not None)
            if any(place < 1 or place > len(places) for place in given) or (given and given[0] != 1):
                raise BadEntry(
                    phrase(
                        "places are 1 to %(most)s, the best is 1; got %(places)s",
                        most=len(places),
                        places=places,
                    )
                )
            self.add(
                en.ResultSet("director", round_, group, tuple(places), tuple(scores), checked_reason(reason))
            )

    def set_reported_results(self, report: Report, results: Results) -> None:
        """Set the missing results of the round under way from a report file of FIDE.

        Raises
        ------
        BadEntry
            Where no round is under way, or the file has none of the results.
        """
        with self.lock:
            now = self.tournament.current
            if now is None or now.closed:
                raise BadEntry(phrase("no round is under way"))
            found = missing_results(self.tournament, now, report, results)
            if not found:
                raise BadEntry(phrase("the file has no result that is missing"))
            self.add(*found)

    def undo(self, number: int, reason: str, by: str = "director") -> None:
        """Undo an entry; undoing a draw undoes all entries of its round.

        Raises
        ------
        BadEntry
            Where there is no such entry, or later entries depend on it.
        """
        with self.lock:
            found = next((one for one in self.entries if one.number == number), None)
            if found is None or isinstance(found.event, en.TournamentOpened):
                raise BadEntry(phrase("entry %(number)s cannot be undone", number=number))
            numbers = [number]
            if isinstance(found.event, en.RoundDrawn):
                if found.event.round < len(self.tournament.rounds):
                    raise BadEntry(
                        phrase(
                            "round %(round)s follows from it; undo that first", round=found.event.round + 1
                        )
                    )
                numbers = [
                    one.number
                    for one in self.entries
                    if one.number >= number
                    and getattr(one.event, "round", None) == found.event.round
                    and not isinstance(one.event, en.Undone)
                ][::-1]
            try:
                self.add(*(en.Undone(by, one, checked_reason(reason)) for one in numbers))
            except BadEntry as error:
                raise BadEntry(
                    phrase(
                        "entry %(number)s cannot be undone, for then %(error)s", number=number, error=error
                    )
                ) from error

    def handicaps(self, results: Results) -> dict[str, int]:
        """Return the handicap of each player for the next round."""
        return current_handicaps(self.tournament, results)


def read(log: EventLog, name: str) -> list[Stamped]:
    """Return the entries of a tournament, their chain checked; raise BadLog where it is broken."""
    return [
        Stamped(row.number, row.at_ns, codec.decode(en.ENTRY_CLASSES, row.kind, row.version, row.body))
        for row in verified_rows(name, log.rows(name))
    ]


def last_player_number(entries: Sequence[Stamped]) -> int:
    """Return the highest number of a player ever registered; an undone one may come back."""
    entered = (one.event for one in entries if isinstance(one.event, en.PlayerEntered))
    return max((int(event.player.removeprefix("p")) for event in entered), default=0)


def player_entry(by: str, number: int, given: PlayerRow | Person, handicap: int | None) -> en.PlayerEntered:
    """Return the entry of a player's registration; raise BadEntry for a name that is none."""
    name = checked_name(given.name)
    return en.PlayerEntered(by, f"p{number}", name, given.club, given.rating, handicap, given.notes)


def checked_reason(reason: str) -> str:
    """Return a reason with single spaces; raise BadEntry for an empty or too long one."""
    bare = " ".join(reason.split())
    if not bare or len(bare) > MAX_REASON_CHARS:
        raise BadEntry(phrase("say why, in 1 to %(most)s characters", most=MAX_REASON_CHARS))
    return bare


def checked_name(name: str) -> str:
    """Return a name with single spaces; raise BadEntry for one that is empty, too long or not printable."""
    bare = " ".join(name.split())
    if not bare or not bare.isprintable() or len(bare) > MAX_FIELD_CHARS["name"]:
        raise BadEntry(
            phrase(
                "a name has 1 to %(most)s printable characters; got %(name)s",
                most=MAX_FIELD_CHARS["name"],
                name=repr(name[:60]),
            )
        )
    return bare
