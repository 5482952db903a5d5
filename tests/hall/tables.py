"""Tables whose logs go to a hall without a broker: what they publish is handed over at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.events.log import EventLog
from companion.events.match import Match
from companion.hall.conductor import seat_names, table_options
from companion.hall.contract import messages
from companion.hall.contract.topics import Channel, topic
from companion.hall.hall import Hall
from companion.hall.mqtt import Received
from companion.hall.publishing.summary import health, offline, summary
from companion.hall.register import PlayerRow
from tests.hall.games import chew, finish


class Tables:
    """Some tables of a hall, played by the test."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.logs: dict[str, EventLog] = {}
        self.sent: dict[tuple[str, str], int] = {}

    def close(self) -> None:
        for log in self.logs.values():
            log.close()

    def hand(self, table: str, channel: Channel, payload: bytes) -> None:
        self.hall.intake.receive(Received(topic(table, channel), payload))
        self.hall.intake.step()

    def online(self, *names: str) -> None:
        """Make tables known."""
        for name in names:
            self.logs.setdefault(name, EventLog())
            self.hand(name, Channel.HEALTH, messages.payload(health(name)))
            self.hand(name, Channel.SUMMARY, messages.payload(summary(name, f"Table {name[-1]}", None)))

    def offline(self, name: str) -> None:
        self.hand(name, Channel.HEALTH, messages.payload(offline(name)))

    def publish(self, name: str, match: Match) -> None:
        """Hand over what a game's log holds since the last time."""
        key = (name, match.name)
        rows = list(match.log.rows(match.name, self.sent.get(key, 0)))
        for one in messages.batches(name, match.name, rows, match.number):
            self.hand(name, Channel.EVENTS, messages.events_payload(one))
        self.sent[key] = match.number

    def begin(self, name: str, seats: Sequence[str], **options: Any) -> Match:
        """Begin a game at a table."""
        log = self.logs[name]
        match = chew(log, f"{len(log.games()) + 1:04}", seats, **options)
        self.publish(name, match)
        return match

    def play(self, name: str, match: Match, order: Sequence[int]) -> None:
        finish(match, order)
        self.publish(name, match)

    def play_round(self) -> None:
        """Play the round under way: at each table the seats finish in their order."""
        state = self.hall.service.tournament
        now = state.current
        assert now is not None
        handicaps = self.hall.service.handicaps(self.hall.conductor.results())
        for one in now.tables:
            options = table_options(state, one, handicaps)
            match = self.begin(one.table, seat_names(state, one), **options)
            self.hall.conductor.step()
            self.play(one.table, match, [*range(1, len(one.players) + 1)])


def opened(hall: Hall, tables: Tables, players: int = 8, rounds: int = 2) -> None:
    """Open a Chew evening with tables of four."""
    tables.online(*(f"t{number}" for number in range(1, players // 4 + 1)))
    hall.service.open("Evening", "chew_evening", {"rounds": rounds})
    hall.service.enter([PlayerRow(f"Player {number}", "Club") for number in range(1, players + 1)])
