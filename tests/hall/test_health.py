"""What is amiss with the hall itself, as the director reads it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from flask.testing import FlaskClient
from paho.mqtt.client import MQTTMessage

from companion.hall.contract import messages
from companion.hall.contract.topics import Channel, topic
from companion.hall.hall import Hall
from companion.hall.mqtt import Broker, MqttConnection, Received
from companion.hall.publishing.summary import health
from tests.hall.tables import Tables, opened


class Once(threading.Event):
    """Lets a thread's loop run once."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0

    def is_set(self) -> bool:
        self.turns += 1
        return self.turns > 1

    def wait(self, timeout: float | None = None) -> bool:
        return timeout is None or self.is_set()


def breaks(*_: Any) -> None:
    raise ZeroDivisionError("made up")


def heard_by(hall: Hall, table: str) -> None:
    """Let a message of a table reach the hall's connection."""
    hall.link = hall.link or MqttConnection(Broker("localhost", 1), "hall", (), hall.intake.receive)
    message = MQTTMessage(topic=topic(table, Channel.HEALTH).encode())
    message.payload = messages.payload(health(table))
    heard = hall.link.client.on_message
    assert heard is not None
    heard(hall.link.client, None, message)


def test_a_message_that_breaks_the_connection_is_counted_on_the_desk_with_what_to_do(
    director: FlaskClient, hall: Hall
) -> None:
    hall.link = MqttConnection(Broker("localhost", 1), "hall", (), breaks)
    before = hall.revision
    heard_by(hall, "t7")
    text = director.get("/director").text
    assert hall.revision > before
    assert "The hall failed at 1 message of a table." in text
    assert "tableau/v1/tables/t7/health: ZeroDivisionError" in text
    assert "restart it" in text


def test_a_message_that_breaks_the_intake_is_counted_on_the_desk_and_the_next_one_is_taken_in(
    director: FlaskClient, hall: Hall, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(hall.intake, "table", breaks)
        hall.intake.receive(Received(topic("t7", Channel.HEALTH), b"{}"))
        hall.intake.step()
    tables.online("t8")
    text = director.get("/director").text
    assert "The hall failed at 1 message of a table." in text
    assert "Events that it lacks are asked for again." in text
    assert hall.intake.tables["t8"].online


def test_an_intake_that_fails_is_told_on_the_desk_until_it_takes_in_again(
    director: FlaskClient, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    with monkeypatch.context() as broken:
        broken.setattr(hall.intake, "request_gaps", breaks)
        hall.intake.run(Once())
        found.append("The hall cannot take in what tables send." in director.get("/director").text)
    hall.intake.run(Once())
    found.append("The hall cannot take in what tables send." in director.get("/director").text)
    assert found == [True, False]


def test_a_conductor_that_fails_is_told_on_the_desk_until_it_leads_again(
    director: FlaskClient, hall: Hall, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(hall, tables)
    found = []
    before = hall.revision
    with monkeypatch.context() as broken:
        broken.setattr(hall.conductor, "step", breaks)
        hall.conductor.run(Once())
        text = director.get("/director").text
        found.append("Lead the round yourself" in text and "ZeroDivisionError" in text)
    assert hall.revision > before
    hall.conductor.run(Once())
    found.append("Lead the round yourself" in director.get("/director").text)
    assert found == [True, False]


def test_a_broker_that_is_gone_and_a_full_disk_are_told_with_what_to_do(
    director: FlaskClient, hall: Hall
) -> None:
    hall.intake.fault = "tables.db: database or disk is full"
    text = director.get("/director").text
    assert "Look whether Mosquitto runs" in text
    assert "Make room on the hall’s disk." in text


def test_a_hall_in_which_all_is_well_says_so(director: FlaskClient, hall: Hall) -> None:
    hall.link = MqttConnection(Broker("localhost", 1), "hall", (), hall.intake.receive)
    hall.link.up.set()
    assert "Broker, disk and program of the hall are well." in director.get("/director").text


def test_programs_hear_of_it_too(director: FlaskClient, hall: Hall) -> None:
    hall.conductor.report(failed="ZeroDivisionError('made up')")
    told = director.get("/healthz").get_json()["troubles"]
    assert told[0] == "Rounds do not go on by themselves. ZeroDivisionError('made up')"
