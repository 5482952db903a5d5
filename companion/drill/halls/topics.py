"""A table's account in the wrong hands: garbage on all that it may publish, and on what it may not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from companion.drill.halls.evening import Act, Done
from companion.drill.halls.venue import SPARE, Venue
from companion.drill.mutating import mutated, mutated_json
from companion.hall.contract.topics import ROOT, Channel, answers, topic
from companion.hall.mqtt import MqttConnection
from companion.hall.setup import HALL

AT_ONCE = 50
"""Messages of one act."""

GAMES = 5_000
"""Names of games under which events are sent that follow nothing."""

EVENT = {"number": 1, "at_ns": 0, "event": "GameSetUp", "version": 1, "body": "{}", "hash": "00" * 32}


def whole(rng: random.Random) -> dict[str, Any]:
    """Return a message as a table may send it, of a game that never was."""
    number = rng.randrange(1, 100)
    events = [{**EVENT, "number": number + later} for later in range(rng.randrange(1, 4))]
    head = {"number": rng.randrange(2**40), "hash": rng.randbytes(32).hex()}
    return rng.choice(
        (
            {"game": f"{rng.randrange(GAMES):04}", "last": 2**40, "events": events},
            {"name": "<b>x</b>" * rng.randrange(50), "game": f"{rng.randrange(GAMES)}", "head": head},
            {"online": rng.random() < 0.5, "pages": f"http://127.0.0.1:{rng.randrange(2000)}", "fault": "x"},
            {"accepted": True, "text": "x" * 100},
        )
    )


def message(rng: random.Random) -> bytes:
    """Return a payload: whole, broken a little, or no message at all."""
    body = {"contract": 1, "table": SPARE, **whole(rng)}
    draw = rng.random()
    if draw < 0.3:
        return json.dumps(body).encode()
    if draw < 0.6:
        return json.dumps(mutated_json(body, rng)).encode()
    if draw < 0.8:
        return mutated(json.dumps(body).encode(), rng)
    return rng.choice((b"", b"\xff" * 100, b"[" * 100_000, rng.randbytes(2000), b'{"contract":1}', b"null"))


def place(rng: random.Random) -> str:
    """Return a topic: one that the account may write, or one of somebody else."""
    own = [topic(SPARE, channel) for channel in Channel] + [answers(HALL, SPARE)]
    others = [
        *(topic("table-1", channel) for channel in Channel),
        answers(HALL, "table-1"),
        *(f"{ROOT}/tables/../events", f"{ROOT}/tables/{'x' * 5000}/events", f"{ROOT}/tables/<b>/summary"),
        *("homeassistant/sensor/table-1/phase/config", "$SYS/broker", f"{ROOT}/halls/{HALL}/answers/ "),
    ]
    return rng.choice(own if rng.random() < 0.7 else others)


@contextmanager
def hostile(venue: Venue, rng: random.Random) -> Iterator[Act]:
    """Yield what sends some garbage from that account."""
    venue.start()
    link = MqttConnection(venue.broker.brokers[SPARE], "hostile", (), lambda _received: None)
    link.start()
    link.wait(20)

    def act() -> Done:
        for _ in range(AT_ONCE):
            link.publish(place(rng), message(rng), retain=rng.random() < 0.1)
        return {"hostile messages": float(AT_ONCE)}

    try:
        yield act
    finally:
        link.close()
