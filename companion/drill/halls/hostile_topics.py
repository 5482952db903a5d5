"""A table's stolen account: garbage on all topics, permitted or not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from companion.drill.halls.evening import FaultAction, FaultCounts
from companion.drill.halls.hall_processes import SPARE, HallProcesses
from companion.drill.mutation import mutated, mutated_json
from companion.hall.contract.topics import TOPIC_ROOT, Channel, answers, topic
from companion.hall.mqtt import MqttConnection
from companion.hall.setup import HALL_ACCOUNT

MESSAGES_PER_FAULT = 50
"""Messages of one fault."""

FAKE_GAMES = 5_000
"""Number of made-up games for which events are sent."""

EVENT_TEMPLATE = {
    "number": 1,
    "at_ns": 0,
    "event": "GameSetUp",
    "version": 1,
    "body": "{}",
    "hash": "00" * 32,
}


def valid_message(rng: random.Random) -> dict[str, Any]:
    """Return a valid message of a made-up game."""
    number = rng.randrange(1, 100)
    events = [{**EVENT_TEMPLATE, "number": number + later} for later in range(rng.randrange(1, 4))]
    head = {"number": rng.randrange(2**40), "hash": rng.randbytes(32).hex()}
    return rng.choice(
        (
            {"game": f"{rng.randrange(FAKE_GAMES):04}", "last": 2**40, "events": events},
            {"name": "<b>x</b>" * rng.randrange(50), "game": f"{rng.randrange(FAKE_GAMES)}", "head": head},
            {"online": rng.random() < 0.5, "pages": f"http://127.0.0.1:{rng.randrange(2000)}", "fault": "x"},
            {"accepted": True, "text": "x" * 100},
        )
    )


def random_payload(rng: random.Random) -> bytes:
    """Return a payload: valid, mutated, or random bytes."""
    body = {"contract": 1, "table": SPARE, **valid_message(rng)}
    draw = rng.random()
    if draw < 0.3:
        return json.dumps(body).encode()
    if draw < 0.6:
        return json.dumps(mutated_json(body, rng)).encode()
    if draw < 0.8:
        return mutated(json.dumps(body).encode(), rng)
    return rng.choice((b"", b"\xff" * 100, b"[" * 100_000, rng.randbytes(2000), b'{"contract":1}', b"null"))


def random_topic(rng: random.Random) -> str:
    """Return a topic of the account itself or of others."""
    own = [topic(SPARE, channel) for channel in Channel] + [answers(HALL_ACCOUNT, SPARE)]
    others = [
        *(topic("table-1", channel) for channel in Channel),
        answers(HALL_ACCOUNT, "table-1"),
        *(
            f"{TOPIC_ROOT}/tables/../events",
            f"{TOPIC_ROOT}/tables/{'x' * 5000}/events",
            f"{TOPIC_ROOT}/tables/<b>/summary",
        ),
        *(
            "homeassistant/sensor/table-1/phase/config",
            "$SYS/broker",
            f"{TOPIC_ROOT}/halls/{HALL_ACCOUNT}/answers/ ",
        ),
    ]
    return rng.choice(own if rng.random() < 0.7 else others)


@contextmanager
def hostile_topics(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that sends garbage from that account."""
    venue.start()
    link = MqttConnection(venue.broker.brokers[SPARE], "hostile", (), lambda _received: None)
    link.start()
    link.wait(20)

    def act() -> FaultCounts:
        for _ in range(MESSAGES_PER_FAULT):
            link.publish(random_topic(rng), random_payload(rng), retain=rng.random() < 0.1)
        return {"hostile messages": float(MESSAGES_PER_FAULT)}

    try:
        yield act
    finally:
        link.close()
