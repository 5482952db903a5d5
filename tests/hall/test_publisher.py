from __future__ import annotations

import resource
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.events.following import LogFollower
from companion.events.log import EventLog
from companion.hall.contract import messages
from companion.hall.contract.topics import Channel, answers, every_table, topic
from companion.hall.mqtt import MqttConnection, Received
from companion.hall.publishing.publisher import Outbox, PublishedTable, Publisher
from tests.hall.broker import Mosquitto, mosquitto, needs_mosquitto, until
from tests.hall.games import chew, finish

pytestmark = [needs_mosquitto, pytest.mark.slow]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with mosquitto(tmp_path) as found:
        yield found


class Listener:
    """A hall's end of the line: what came, by channel."""

    def __init__(self, broker: Mosquitto) -> None:
        self.heard: list[Received] = []
        filters = [*map(every_table, Channel), answers("hall", "t1")]
        self.link = MqttConnection(broker.broker, "listener", filters, self.heard.append)
        self.link.start()
        self.link.wait(10)

    def numbers(self, game: str = "0001") -> list[int]:
        """The numbers of a game's events as they came, from their first to their last delivery."""
        found = [
            messages.read_events(one.payload, "t1") for one in self.heard if one.topic.endswith("/events")
        ]
        return [row.number for one in found if one.game == game for row in one.rows]


class Published:
    """A publisher at work in a thread."""

    def __init__(self, folder: Path, broker: Mosquitto) -> None:
        self.stop = threading.Event()
        self.publisher = Publisher(
            PublishedTable("t1", "Table 1"), LogFollower(folder / "log"), Outbox(folder / "out.json")
        )
        self.link = MqttConnection(broker.broker, "t1", self.publisher.topics(), self.publisher.receive)
        self.publisher.attach(self.link)
        self.link.start()
        self.thread = threading.Thread(target=self.publisher.run, args=(self.stop,))
        self.thread.start()

    def close(self) -> None:
        self.stop.set()
        self.thread.join()
        self.link.close()


def test_every_event_of_a_game_arrives_once_and_in_order(tmp_path: Path, broker: Mosquitto) -> None:
    listener = Listener(broker)
    with EventLog(tmp_path / "log") as log:
        simulated_publisher = Published(tmp_path, broker)
        match = chew(log)
        finish(match, [2, 1, 3])
        until(lambda: len(listener.numbers()) >= match.number)
        simulated_publisher.close()
    assert listener.numbers() == list(range(1, match.number + 1))
    listener.link.close()


def test_what_happened_while_the_broker_was_gone_follows_without_a_gap(
    tmp_path: Path, broker: Mosquitto
) -> None:
    with EventLog(tmp_path / "log") as log:
        simulated_publisher = Published(tmp_path, broker)
        match = chew(log)
        until(lambda: simulated_publisher.publisher.outbox.after("0001") == match.number)
        broker.kill()
        finish(match, [1, 2, 3])
        time.sleep(0.5)
        broker.start()
        listener = Listener(broker)
        until(lambda: simulated_publisher.publisher.outbox.after("0001") == match.number)
        simulated_publisher.close()
    assert set(listener.numbers()) <= set(range(1, match.number + 1))
    assert simulated_publisher.publisher.outbox.after("0001") == match.number
    listener.link.close()


def test_a_publisher_that_was_killed_goes_on_where_the_broker_had_acknowledged(
    tmp_path: Path, broker: Mosquitto
) -> None:
    with EventLog(tmp_path / "log") as log:
        match = chew(log)
        first = Published(tmp_path, broker)
        until(lambda: first.publisher.outbox.after("0001") == match.number)
        first.close()
        before = match.number
        finish(match, [3, 2, 1])
        listener = Listener(broker)
        second = Published(tmp_path, broker)
        until(lambda: len(listener.numbers()) >= match.number - before)
        second.close()
    assert listener.numbers() == list(range(before + 1, match.number + 1))
    listener.link.close()


def test_a_replay_is_answered_with_what_follows_a_number(tmp_path: Path, broker: Mosquitto) -> None:
    listener = Listener(broker)
    with EventLog(tmp_path / "log") as log:
        simulated_publisher = Published(tmp_path, broker)
        match = chew(log)
        until(lambda: len(listener.numbers()) == match.number)
        asked = messages.payload({"game": "0001", "after": 2})
        listener.link.request(topic("t1", Channel.REPLAY), asked, answers("hall", "t1"), b"7")
        until(lambda: any("/answers/" in one.topic for one in listener.heard))
        simulated_publisher.close()
    answer = next(one for one in listener.heard if "/answers/" in one.topic)
    told = messages.read_events(answer.payload, "t1")
    assert (answer.correlation, [row.number for row in told.rows]) == (b"7", [3, 4])
    listener.link.close()


def test_a_replay_is_never_sent_to_a_topic_of_somebody_else(tmp_path: Path, broker: Mosquitto) -> None:
    listener = Listener(broker)
    with EventLog(tmp_path / "log") as log:
        simulated_publisher = Published(tmp_path, broker)
        match = chew(log)
        until(lambda: len(listener.numbers()) == match.number)
        asked = messages.payload({"game": "0001", "after": 0})
        listener.link.request(topic("t1", Channel.REPLAY), asked, topic("t2", Channel.EVENTS), b"7")
        listener.link.request(topic("t1", Channel.REPLAY), asked, answers("hall", "t1"), b"8")
        until(lambda: any(one.correlation == b"8" for one in listener.heard))
        simulated_publisher.close()
    assert [one for one in listener.heard if one.topic.startswith(topic("t2", Channel.EVENTS))] == []
    listener.link.close()


def test_the_summary_is_retained_for_whoever_comes_later(tmp_path: Path, broker: Mosquitto) -> None:
    with EventLog(tmp_path / "log") as log:
        simulated_publisher = Published(tmp_path, broker)
        match = chew(log)
        finish(match, [2, 1, 3])
        until(lambda: simulated_publisher.publisher.outbox.after("0001") == match.number)
        time.sleep(1.2)
        simulated_publisher.close()
    late = Listener(broker)
    until(lambda: any(one.topic.endswith("/summary") for one in late.heard))
    told = messages.read(next(one.payload for one in late.heard if one.topic.endswith("/summary")))
    assert (told["phase"], told["head"]["number"]) == ("over", match.number)
    assert [seat["total"] for seat in told["seats"]] == [2, 3, 1]
    late.link.close()


def test_a_connection_that_is_lost_comes_back_where_a_thousand_sockets_are_open(
    tmp_path: Path, broker: Mosquitto
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as many:
        many.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(3000, hard), hard))
        listener = Listener(broker)
        many.callback(listener.link.close)
        broker.kill()
        until(lambda: not listener.link.up.is_set())
        for _ in range(1100):
            many.enter_context((tmp_path / "mosquitto.conf").open())
        broker.start()
        listener.link.wait(20)
