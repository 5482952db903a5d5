from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.serving import make_server

from companion.events.log import EventLog, Row
from companion.hall.contract import messages
from companion.hall.contract.topics import Channel, answers, topic
from companion.hall.intake import Intake
from companion.hall.mqtt import MqttConnection, Received
from companion.hall.publishing.summary import health
from companion.hall.replica import LogReplica
from companion.hall.requests import MQTT_TRIES_BEFORE_HTTP
from companion.web.app import create_app
from tests.hall.broker import until
from tests.hall.games import chew, finish

KEY = ("t1", "0001")


def made_rows() -> list[Row]:
    with EventLog() as log:
        finish(chew(log), [2, 1, 3])
        return list(log.rows("0001"))


ROWS = made_rows()


class RequestTransport:
    """Stands for the connection: notes what is asked for."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, bytes]] = []

    def request(self, name: str, payload: bytes, _reply_to: str, _correlation: bytes) -> None:
        self.requests.append((name, payload))


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    with LogReplica(tmp_path / "copies.db") as replica:
        yield Intake(replica)


def delivery(*rows: Row, last: int = 0, table: str = "t1") -> Received:
    events = messages.Events(table, "0001", rows, last or rows[-1].number)
    return Received(topic(table, Channel.EVENTS), messages.events_payload(events))


def deliver(intake: Intake, *given: Received) -> None:
    for one in given:
        intake.receive(one)
    intake.step()


def test_events_that_come_in_order_are_kept_as_the_table_has_them(intake: Intake) -> None:
    deliver(intake, *(delivery(row) for row in ROWS))
    assert intake.replica.rows(KEY) == ROWS
    assert intake.tables["t1"].live is not None
    assert [seat.total for seat in intake.tables["t1"].live.state.seats] == [2, 3, 1]


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_duplicated_and_reordered_deliveries_end_as_the_same_copy(chance: random.Random) -> None:
    with LogReplica(Path(":memory:")) as replica:
        intake = Intake(replica)
        given = [delivery(row) for row in ROWS] + chance.choices([delivery(row) for row in ROWS], k=20)
        chance.shuffle(given)
        deliver(intake, *given)
        assert replica.rows(KEY) == ROWS
        assert intake.gaps == {}


def test_what_follows_a_gap_waits_until_the_gap_is_filled(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:3]), delivery(*ROWS[5:9]))
    assert intake.number(KEY) == 3
    deliver(intake, delivery(*ROWS[3:5]))
    assert intake.number(KEY) == 9


def test_a_gap_is_asked_for_from_the_last_event_without_one(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.hall.intake.GAP_REQUEST_DELAY_S", 0.0)
    requests = RequestTransport()
    intake.attach(requests)
    deliver(intake, delivery(*ROWS[:3]), delivery(*ROWS[5:9]))
    (name, payload), *rest = requests.requests
    assert (name, messages.read_replay_request(payload)) == (
        topic("t1", Channel.REPLAY),
        messages.ReplayRequest("0001", 3),
    )
    assert rest == []


def test_a_summary_that_is_ahead_shows_that_events_are_missing(intake: Intake) -> None:
    told = messages.payload({"name": "T", "game": "0001", "head": {"number": 9, "hash": ""}})
    deliver(intake, Received(topic("t1", Channel.SUMMARY), told))
    assert KEY in intake.gaps


def test_an_answer_to_a_replay_fills_the_gap(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[4:]))
    told = messages.events_payload(messages.Events("t1", "0001", tuple(ROWS), len(ROWS)))
    deliver(intake, Received(answers("hall", "t1"), told, "", b"replay"))
    assert intake.replica.rows(KEY) == ROWS
    assert intake.gaps == {}


def test_a_forged_event_is_not_kept_and_the_true_one_is(intake: Intake) -> None:
    forged = replace(ROWS[3], body=ROWS[3].body.replace("20", "21"))
    deliver(intake, delivery(*ROWS[:3]), delivery(forged))
    assert intake.number(KEY) == 3
    assert "does not hang together" in intake.tables["t1"].fault
    deliver(intake, delivery(*ROWS[3:]))
    assert intake.replica.rows(KEY) == ROWS
    assert intake.tables["t1"].fault == ""


def test_another_version_of_a_known_event_is_told(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:4]))
    deliver(intake, delivery(replace(ROWS[3], hash=bytes(32))))
    assert "two versions" in intake.tables["t1"].fault
    assert intake.replica.rows(KEY) == ROWS[:4]


def test_events_that_one_table_sends_as_another_are_dropped(intake: Intake) -> None:
    stolen = delivery(*ROWS[:4], table="t2")
    deliver(intake, Received(topic("t1", Channel.EVENTS), stolen.payload))
    assert intake.heads == {}


def test_a_hall_that_was_started_anew_goes_on_with_its_copies(tmp_path: Path) -> None:
    with LogReplica(tmp_path / "copies.db") as replica:
        deliver(Intake(replica), delivery(*ROWS[:20]))
    with LogReplica(tmp_path / "copies.db") as replica:
        again = Intake(replica)
        again.load()
        deliver(again, delivery(*ROWS[20:]))
        assert replica.rows(KEY) == ROWS
        live = again.tables["t1"].live
        assert live is not None
        assert live.number == len(ROWS)


def test_a_message_that_is_garbage_is_dropped_and_the_next_is_taken(intake: Intake) -> None:
    deliver(intake, Received(topic("t1", Channel.EVENTS), b"\xff{"), Received("x/y", b""), delivery(ROWS[0]))
    assert intake.number(KEY) == 1


def test_what_the_disk_refused_is_asked_for_again(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:3]))
    intake.replica.connection.execute("PRAGMA query_only=ON")
    intake.receive(delivery(*ROWS[3:6]))
    with pytest.raises(Exception, match="full or read-only"):
        intake.step()
    assert (intake.number(KEY), KEY in intake.gaps) == (3, True)
    intake.replica.connection.execute("PRAGMA query_only=OFF")
    deliver(intake, delivery(*ROWS[3:]))
    assert intake.replica.rows(KEY) == ROWS


def test_the_copies_cannot_be_changed(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:3]))
    for change in ("DELETE FROM events", "UPDATE events SET body = ''"):
        with pytest.raises(Exception, match="append-only"):
            intake.replica.connection.execute(change)


class Served:
    """The pages of a table whose log holds the game, on a port of this machine."""

    def __init__(self, folder: Path) -> None:
        self.log = EventLog(folder / "games.db")
        finish(chew(self.log), [2, 1, 3])
        app = create_app(folder / "games.db", None, folder / "web")
        self.server = make_server("127.0.0.1", 0, app, threaded=False)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def pages(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.log.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    found = Served(tmp_path)
    yield found
    found.close()


def told_of(intake: Intake, rows: list[Row], pages: str) -> None:
    """Let the hall hear where a table's pages are, and what its newest event is, but no event."""
    head = {"number": rows[-1].number, "hash": rows[-1].hash.hex()}
    summary = {"table": "t1", "name": "T", "game": "0001", "head": head}
    intake.receive(Received(topic("t1", Channel.HEALTH), messages.payload(health("t1", pages=pages))))
    intake.receive(Received(topic("t1", Channel.SUMMARY), messages.payload(summary)))


def test_what_the_broker_does_not_bring_is_fetched_from_the_tables_pages(
    intake: Intake, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.hall.intake.GAP_REQUEST_DELAY_S", 0.0)
    intake.requests.link = cast("MqttConnection", RequestTransport())
    rows = list(served.log.rows("0001"))
    told_of(intake, rows, served.pages)

    def whole() -> bool:
        intake.step()
        return intake.number(KEY) == rows[-1].number

    until(whole)
    assert intake.replica.rows(KEY) == rows
    assert len(cast("RequestTransport", intake.requests.link).requests) >= MQTT_TRIES_BEFORE_HTTP


@pytest.mark.parametrize(
    "pages", ["http://127.0.0.1:1/elsewhere?x=", "http://a@127.0.0.1/", "file:///etc/passwd", "", "http://"]
)
def test_a_table_leads_the_hall_to_no_other_place_than_its_pages(intake: Intake, pages: str) -> None:
    assert not intake.http_replay.ask(KEY, pages, 0, ROWS[0].hash)


@pytest.mark.parametrize("answer", [b"[]", b"{", b'{"game": "0001", "events": []}', b"x" * 1_100_000])
def test_pages_that_send_something_else_change_nothing(intake: Intake, answer: bytes) -> None:
    def other(_given: object, start: Callable[..., object]) -> list[bytes]:
        start("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]

    server = make_server("127.0.0.1", 0, other)
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    assert intake.http_replay.ask(KEY, f"http://127.0.0.1:{server.server_port}", 0, ROWS[0].hash)
    until(lambda: not intake.http_replay.running)
    intake.step()
    thread.join()
    server.server_close()
    assert intake.number(KEY) == 0


def test_tables_that_give_themselves_one_name_are_told_apart_and_a_new_name_ends_that(intake: Intake) -> None:
    def named(table: str, name: str) -> Received:
        return Received(topic(table, Channel.SUMMARY), messages.payload({"table": table, "name": name}))

    deliver(intake, named("t2", "Tisch"), named("t1", "Tisch"), named("t3", "Fenster"))
    assert {one.id: one.name for one in intake.tables.values()} == {
        "t1": "Tisch (t1)",
        "t2": "Tisch (t2)",
        "t3": "Fenster",
    }
    deliver(intake, named("t1", "Kamin"))
    assert {one.id: one.name for one in intake.tables.values()} == {
        "t1": "Kamin",
        "t2": "Tisch",
        "t3": "Fenster",
    }
