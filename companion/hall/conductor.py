"""Runs the rounds of a tournament: sets tables up, starts them, and records which games count.

With the autopilot on it also draws, starts and closes rounds, so that a tournament runs without the director.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from companion.errors import BadEntry, CompanionError
from companion.events.replay import GameReplay, replayed
from companion.hall import entries as en
from companion.hall.formats.values import Outcome
from companion.hall.intake import Intake
from companion.hall.publishing.orders import SET_UP, OrderRequest
from companion.hall.records import TableRecord
from companion.hall.replica import GameKey, Head
from companion.hall.requests import SentOrder
from companion.hall.tournament import Round, Table, Tournament, outcome, outcome_of
from companion.hall.tournament_service import TournamentService
from companion.model.calls import Order
from companion.model.phrases import phrase

STEP_S = 0.1
"""Seconds between two steps."""

RETRY_S = 5.0
"""Seconds after which an order that was not carried out is sent again."""

OBEYED_S = 30.0
"""Seconds after which an order that was accepted is sent again if the table's events do not show it."""

logger = logging.getLogger(__name__)


class Conductor:
    """Runs the rounds of the open tournament at the tables.

    ``fault`` says why the autopilot cannot go on, ``failed`` is an unexpected error, both for the director;
    ``changes`` counts changes of them.
    """

    def __init__(self, service: TournamentService, intake: Intake) -> None:
        self.service, self.intake = service, intake
        self.orders: dict[tuple[str, str, str], SentOrder] = {}
        self.outcomes: dict[GameKey, tuple[Head, Outcome | None]] = {}
        self.recorded_games: tuple[tuple[str, int], frozenset[GameKey]] = (("", -1), frozenset())
        self.fault = self.failed = ""
        self.changes = 0

    def run(self, stop: threading.Event) -> None:
        """Do steps until ``stop`` is set."""
        while not stop.wait(STEP_S):
            try:
                self.step()
                self.report()
            except CompanionError as error:
                if self.fault != str(error):
                    logger.warning("the round cannot go on by itself: %s", error)
                self.report(fault=str(error))
            except Exception as error:
                if self.failed != repr(error):
                    logger.exception("the round cannot go on by itself")
                self.report(failed=repr(error))

    def report(self, fault: str = "", failed: str = "") -> None:
        """Set the reason, for the director, why rounds do not go on; empty texts where they do."""
        if (fault, failed) != (self.fault, self.failed):
            self.fault, self.failed = fault, failed
            self.changes += 1

    def step(self) -> None:
        """Record games that have begun; with the autopilot on, advance the tournament."""
        state = self.service.state
        if state is None or state.ended:
            return
        now = state.current
        if now is not None and not now.closed:
            self.record_games(state, now)
        if self.service.tournament.autopilot:
            self.advance()

    def advance(self) -> None:
        """Take the director's next step: draw, set up, start or close a round, or end the tournament."""
        state, results = self.service.tournament, self.results()
        now = state.current
        if now is None or now.closed:
            self.service.check_complete(results)
            if self.service.finished(results):
                self.service.add(en.TournamentEnded("hall"))
            else:
                self.draw("hall")
                self.set_up()
            return
        if all(outcome(one, results) is not None for one in now.tables):
            self.service.close_round(results, "hall")
        elif all(one.game for one in now.tables):
            self.start()
            self.check_games(now)
        else:
            self.set_up()

    def draw(self, by: str = "director") -> None:
        """Draw the next round to the tables that are online; no game that a table has now counts for it."""
        tables = list(self.intake.tables.values())
        earlier = {one.id: one.live.name for one in tables if one.live is not None}
        self.service.draw(self.tables(), self.results(), by, earlier)

    def check_games(self, now: Round) -> None:
        """Raise BadEntry where tables have another game than their group's, which has not started."""
        other = [
            one.table
            for one in now.tables
            if one.ruled is None
            and (record := self.intake.tables.get(one.table)) is not None
            and record.live is not None
            and record.live.name != one.game
            and not self.under_way(one)
        ]
        if other:
            raise BadEntry(
                phrase(
                    "there is another game than the one set up for the round at: %(tables)s; "
                    "undo its entry Game begun, and it is set up again",
                    tables=", ".join(other),
                )
            )

    def tables(self) -> list[str]:
        """Return the ids of the tables that are online, in natural order."""
        return sorted((one.id for one in list(self.intake.tables.values()) if one.online), key=natural_key)

    def results(self) -> dict[tuple[str, str], Outcome]:
        """Return the results of all games that count, from the tables' events."""
        state = self.service.state
        found = {}
        for one in state.rounds if state else ():
            for table in one.tables:
                if table.game and (got := self.result((table.table, table.game))) is not None:
                    found[table.table, table.game] = got
        return found

    def result(self, key: tuple[str, str]) -> Outcome | None:
        """Return the result of a game; it is computed again until it includes every accepted event.

        The intake's thread accepts events before it writes them, so the stored events may lag behind.
        """
        found = self.outcomes.get(key)
        if found is None or found[0] != self.intake.head(key):
            game = self.game(key)
            if game is None:
                return None
            head = game.number, game.hash  # read before the state, which may be ahead of it
            found = self.outcomes[key] = head, outcome_of(game.game, game.state)
        return found[1]

    def game(self, key: tuple[str, str]) -> GameReplay | None:
        """Return a game's current state; ``None`` where the hall has no event of it."""
        record = self.intake.tables.get(key[0])
        if record is not None and record.live is not None and record.live.name == key[1]:
            return record.live
        rows = self.intake.replica.rows(key)
        return replayed(key[1], rows) if rows else None

    def record_games(self, state: Tournament, now: Round) -> None:
        """Record the games that tables have begun for their groups: the format's game with the group's seats.

        The game of a group whose result was set is recorded too: it must not count for a later round.
        """
        for one in now.tables:
            record = self.intake.tables.get(one.table)
            if record is None or record.live is None or self.under_way(one):
                continue
            live = record.live
            if live.name == now.earlier.get(one.table):
                continue
            wanted = state.format.game, tuple(seat_names(state, one))
            if (live.game.name, live.set_up.seats) == wanted and not self.is_recorded(one.table, live.name):
                self.service.add(en.GameBegun("hall", now.number, one.number, one.table, live.name))

    def under_way(self, one: Table) -> bool:
        """Return whether the game of a group has started; until then it may be replaced."""
        if not one.game:
            return False
        game = self.game((one.table, one.game))
        return game is None or game.state.started

    def is_recorded(self, table: str, game: str) -> bool:
        """Return whether a game was recorded for a group of any tournament, undone or not."""
        entries = self.service.entries
        now = self.service.name, len(entries)
        if self.recorded_games[0] != now:
            noted = [one.event for one in list(entries) if isinstance(one.event, en.GameBegun)]
            own = frozenset((one.table, one.game) for one in noted)
            self.recorded_games = now, own | self.service.earlier_games
        return (table, game) in self.recorded_games[1]

    def set_up(self) -> None:
        """Order every table of the round that has no game to set up the game of its group."""
        state = self.service.tournament
        now = state.current
        if now is None or now.closed:
            raise BadEntry(phrase("no round is under way; draw one first"))
        handicaps = self.service.handicaps(self.results())
        mark = self.set_up_key()
        for one in now.tables:
            if not one.game and not one.ruled:
                options = table_options(state, one, handicaps)
                seats = tuple(seat_names(state, one))
                request = OrderRequest(SET_UP, state.format.game, seats, options, state.words)
                self.order(one.table, f"{now.number} {one.number} {mark}", request)

    def set_up_key(self) -> str:
        """Return a key that changes when tables must be set up again: after a draw, a move or an undo."""
        turns = (en.RoundDrawn, en.GroupMoved, en.Undone)
        newest = max((one.number for one in self.service.entries if isinstance(one.event, turns)), default=0)
        return f"{self.service.name} {newest}"

    def start(self) -> None:
        """Order all tables of the round that are set up to start."""
        now = self.service.tournament.current
        for one in now.tables if now else ():
            record = self.intake.tables.get(one.table)
            if (
                one.game
                and record
                and record.live
                and record.live.name == one.game
                and not record.live.state.started
            ):
                self.order(one.table, one.game, OrderRequest(Order.START))

    def command(self, table: str, order: str) -> SentOrder:
        """Send a host's order to a table, such as to stop its clock."""
        return self.intake.requests.order(table, OrderRequest(order))

    def order(self, table: str, what: str, request: OrderRequest) -> None:
        """Send an order, unless the same one was sent within ``RETRY_S``, or ``OBEYED_S`` if accepted."""
        key = (table, what, request.order)
        last = self.orders.get(key)
        if last is not None:
            accepted = last.answer is not None and last.answer.accepted
            if time.monotonic() - last.sent_s < (OBEYED_S if accepted else RETRY_S):
                return
        self.orders[key] = self.intake.requests.order(table, request)

    def failed_orders(self) -> list[SentOrder]:
        """Return the orders that were refused or not answered in time, newest first."""
        return [
            one
            for one in reversed(list(self.intake.requests.sent.values()))
            if one.late or (one.answer is not None and not one.answer.accepted)
        ]


def table_options(state: Tournament, table: Table, handicaps: Mapping[str, int]) -> dict[str, Any]:
    """Return the options of a group's game: the director's, the format's, and handicaps if it has any."""
    options = {**state.table_options, **state.format.table_options()}
    if state.format.handicaps:
        options["handicaps"] = [handicaps[player] for player in table.players]
    return options


def seat_names(state: Tournament, table: Table) -> list[str]:
    """Return the names of a group as its table seats them; equal names get the player's id."""
    found: list[str] = []
    for player in table.players:
        name = state.name_of(player)
        found.append(name if name not in found else f"{name[:34]} ({player})")
    return found


def not_started(now: Round, tables: Mapping[str, TableRecord]) -> Sequence[Table]:
    """Return the groups of a round whose game has not started yet."""
    return [one for one in now.tables if not has_started(one, tables.get(one.table))]


def has_started(table: Table, record: TableRecord | None) -> bool:
    """Return whether a group's game has started."""
    if table.ruled is not None:
        return True
    live = record.live if record is not None else None
    return bool(table.game and live and live.name == table.game and live.state.started)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key by which numbers in names are compared as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
