"""The game that a table publishes where the log got newer ones from a backup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from companion.events.following import LogFollower, played_path
from companion.events.log import EventLog
from companion.hall.mqtt import MqttConnection
from companion.hall.publishing.publisher import Outbox, PublishedTable, Publisher
from tests.hall.games import chew, finish


class Link:
    """A connection whose broker takes every message at once."""

    def __init__(self, publisher: Publisher) -> None:
        self.publisher, self.connections, self.up = publisher, 1, Event()
        self.up.set()
        self.sent: list[dict[str, object]] = []

    def publish(self, _name: str, body: bytes, *, retain: bool = False) -> int:
        del retain
        self.sent.append(json.loads(body))
        self.publisher.acks.put((len(self.sent), True))
        return len(self.sent)

    def last(self, key: str, game: str) -> object:
        return next(one[key] for one in reversed(self.sent) if key in one and one.get("game") == game)


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[Publisher]:
    found = Publisher(
        PublishedTable("t1", "Table 1"), LogFollower(tmp_path / "log"), Outbox(tmp_path / "out.json")
    )
    yield found
    found.close()


def test_the_game_at_the_table_is_published_not_newer_ones_of_a_backup(
    tmp_path: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = Link(publisher)
    monkeypatch.setattr(publisher, "link", link)
    assert not isinstance(link, MqttConnection)
    with EventLog(tmp_path / "log") as log:
        match = chew(log)
        played_path(log.path).write_text(match.name)
        publisher.step()
        for name in ("0002", "0003"):
            chew(log, name)
        publisher.step()
        finish(match, [2, 1, 3])
        publisher.step()
        assert publisher.live is not None
        assert (publisher.live.name, link.last("last", "0001")) == ("0001", match.number)
        played_path(log.path).write_text("0003")
        publisher.step()
        assert publisher.live.name == "0003"


def test_older_games_are_published_to_their_end_where_the_broker_was_away_for_long(
    tmp_path: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.hall.publishing.publisher.MAX_INFLIGHT_MESSAGES", 2)
    monkeypatch.setattr("companion.hall.contract.messages.MAX_MESSAGE_EVENTS", 4)
    publisher.outbox.path.write_text("{}")
    link = Link(publisher)
    monkeypatch.setattr(publisher, "link", link)
    with EventLog(tmp_path / "log") as log:
        matches = [chew(log, name) for name in ("0001", "0002", "0003")]
        for match in matches:
            finish(match, [2, 1, 3])
        for _ in range(60):
            publisher.step()
        ends = {match.name: link.last("last", match.name) for match in matches}
    assert ends == {match.name: match.number for match in matches}
