from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from jsonschema import Draft202012Validator

from companion.errors import BadMessage
from companion.events.log import EventLog
from companion.events.replay import replayed
from companion.hall.contract import messages, topics
from companion.hall.contract.discovery import discovery
from companion.hall.contract.topics import Channel, topic
from companion.hall.mqtt import Received
from companion.hall.publishing.orders import SET_UP, OrderRequest, carry_out
from companion.hall.publishing.summary import health, offline, summary
from companion.model.calls import Order
from tests.hall.broker import mosquitto, needs_mosquitto, until
from tests.hall.games import chew, finish
from tests.hall.test_publisher import Listener, Published

ASYNCAPI: dict[str, Any] = json.loads(
    (files("companion.hall.contract") / "asyncapi.json").read_text(encoding="utf-8")
)


def check(name: str, payload: bytes) -> None:
    """Raise unless a payload is what the document says of a message."""
    whole = {"$ref": f"#/components/schemas/{name}", "components": ASYNCAPI["components"]}
    Draft202012Validator(whole).validate(json.loads(payload))


@pytest.fixture
def rows() -> list[Any]:
    with EventLog() as log:
        finish(chew(log), [2, 1, 3])
        return list(log.rows("0001"))


def test_every_channel_of_the_document_is_a_topic_of_the_code() -> None:
    told = {one["address"] for one in ASYNCAPI["channels"].values()}
    coded = {topic("x", channel).replace("/x/", "/{table}/") for channel in Channel}
    assert told == coded | {topics.answers("h", "t").replace("/h/", "/{hall}/").removesuffix("t") + "{table}"}


def test_every_reference_in_the_document_leads_somewhere() -> None:
    def references(part: Any) -> list[str]:
        if isinstance(part, list):
            return [one for item in part for one in references(item)]
        if not isinstance(part, dict):
            return []
        return [
            one for key, value in part.items() for one in ([value] if key == "$ref" else references(value))
        ]

    for name in references(ASYNCAPI):
        found: Any = ASYNCAPI
        for key in name.removeprefix("#/").split("/"):
            found = found[key]


def test_every_payload_that_is_made_is_what_the_document_says(rows: list[Any]) -> None:
    for batch in messages.batches("t1", "0001", rows, rows[-1].number):
        check("events", messages.events_payload(batch))
    check("summary", messages.payload(summary("t1", "Table 1", replayed("0001", rows))))
    check("summary", messages.payload(summary("t1", "Table 1", None)))
    check("health", messages.payload(health("t1")))
    check("health", messages.payload(offline("t1")))
    check("replay", messages.payload({"game": "0001", "after": 3}))
    for order in (SET_UP, *Order):
        check("order", OrderRequest(order, "chew", ("Ada",), {"rounds": 1}).payload())
    check("answer", carry_out(None, OrderRequest("start").payload(), "t1"))


def test_the_orders_of_the_document_are_those_that_tables_know() -> None:
    told = ASYNCAPI["components"]["schemas"]["order"]["properties"]["order"]["enum"]
    assert set(told) == {SET_UP, *Order}


@needs_mosquitto
@pytest.mark.slow
def test_every_message_that_a_table_really_sends_is_what_the_document_says(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, EventLog(tmp_path / "log") as log:
        listener = Listener(broker)
        simulated_publisher = Published(tmp_path, broker)
        match = chew(log)
        finish(match, [1, 2, 3])
        until(lambda: len(listener.numbers()) == match.number)
        until(lambda: {part(one) for one in listener.heard} == {"events", "summary", "health"})
        simulated_publisher.close()
        listener.link.close()
    for one in listener.heard:
        check(part(one), one.payload)


def part(received: Received) -> str:
    return received.topic.rpartition("/")[2]


def test_what_was_written_as_events_is_read_as_the_same_events(rows: list[Any]) -> None:
    batch = messages.Events("t1", "0001", tuple(rows), len(rows))
    assert messages.read_events(messages.events_payload(batch), "t1") == batch


def test_batches_hold_every_event_once_within_the_bounds(rows: list[Any]) -> None:
    many = rows * 9
    found = messages.batches("t1", "0001", many, len(many))
    assert [row for one in found for row in one.rows] == many
    assert max(len(one.rows) for one in found) <= messages.MAX_MESSAGE_EVENTS


@given(st.binary(max_size=200))
def test_bytes_that_are_no_message_are_refused_and_never_crash(garbage: bytes) -> None:
    with pytest.raises(BadMessage):
        messages.read_events(garbage, "t1")
    with pytest.raises(BadMessage):
        OrderRequest.read(garbage)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("table", "t2"),
        ("contract", 2),
        ("game", ""),
        ("game", 7),
        ("last", -1),
        ("last", True),
        ("events", {}),
        ("events", [{"number": 1}]),
    ],
)
def test_a_message_with_a_wrong_field_is_refused(rows: list[Any], key: str, value: object) -> None:
    body = json.loads(messages.events_payload(messages.Events("t1", "0001", tuple(rows[:2]), 2)))
    with pytest.raises(BadMessage):
        messages.read_events(json.dumps({**body, key: value}).encode(), "t1")


def test_events_that_do_not_follow_one_another_are_refused(rows: list[Any]) -> None:
    given = messages.Events("t1", "0001", (rows[0], rows[2]), 3)
    with pytest.raises(BadMessage, match="do not follow"):
        messages.read_events(messages.events_payload(given), "t1")


@pytest.mark.parametrize("given", ["", "T1", "a/b", "a+", "#", "-a", "a" * 41, "ä"])
def test_an_id_that_would_be_another_topic_is_refused(given: str) -> None:
    with pytest.raises(BadMessage):
        topic(given, Channel.EVENTS)


def test_home_assistant_finds_each_sensor_under_one_device() -> None:
    found = [json.loads(body) for _, body in discovery("t1", "Table 1")]
    assert {one["device"]["identifiers"][0] for one in found} == {"tableau_t1"}
    assert len({one["unique_id"] for one in found}) == len(found)
    assert {one["state_topic"] for one in found} == {topic("t1", Channel.SUMMARY)}


def rendered(shown: dict[str, Any]) -> dict[str, str]:
    """The state of each sensor in Home Assistant, which renders templates by Jinja."""
    found = [json.loads(body) for _, body in discovery("t1", "Table 1")]
    return {
        one["name"]: Environment(autoescape=True).from_string(one["value_template"]).render(value_json=shown)
        for one in found
    }


def test_home_assistant_has_a_state_for_a_table_without_a_game() -> None:
    assert rendered(summary("t1", "Table 1", None)) == {
        "Phase": "idle",
        "Round": "0",
        "Tiles in doubt": "0",
        "Leader": "",
    }


def test_home_assistant_tells_who_leads(rows: list[Any]) -> None:
    shown = summary("t1", "Table 1", replayed("0001", rows))
    most = max(shown["seats"], key=lambda seat: seat["total"])
    assert rendered(shown)["Leader"] == most["name"]
