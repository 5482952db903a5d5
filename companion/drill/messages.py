"""Broken messages at the table's own socket, while a game is on."""

from __future__ import annotations

import json
import random
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from calibration.evaluation.metric import Progress
from companion.drill.mutating import mutated, mutated_json
from companion.drill.outcome import Outcome
from companion.drill.stage import playing, wait_for

WHOLE: tuple[dict[str, Any], ...] = (
    {"ask": "order", "order": "pause"},
    {"ask": "call", "seat": 1, "call": "dump", "details": {}, "by": "phone"},
    {"ask": "ruling", "ruling": "set_score", "reason": "x", "seat": 1, "details": {"score": 1}},
    {"ask": "settle", "seat": 1, "cell": [0, 0], "symbol": "A", "shown": "B"},
    {"ask": "status"},
    {"ask": "picture", "kind": "plain", "width": 320},
    {"ask": "evidence", "number": 1},
    {"ask": "lights_test", "seat": 1},
    {"ask": "tile_sets", "game": "chew"},
    {"ask": "set_up", "game": "bananagrams", "seats": ["A", "B"], "options": {}, "words": "default"},
)
"""Messages as programs send them; broken, they ask for anything."""

ANSWER_S = 20.0
"""How long an answer to a broken message is waited for."""

LOOK = 20
"""Messages after which it is looked whether the table still plays."""


def messages(count: int, seed: int, progress: Progress) -> Outcome:
    """Send so many broken messages, and return what harm they did."""
    rng, faults = random.Random(f"messages {seed}"), list[str]()
    came = {"refused": 0, "answered": 0, "hung up": 0}
    with playing(seed) as stage:
        for number in range(count):
            progress(f"message {number + 1} of {count}")
            data = broken(rng)
            came[sent(stage.socket, data)] += 1
            looked = (number + 1) % LOOK == 0 or number + 1 == count
            if looked and not wait_for(stage.answers, ANSWER_S):
                faults.append(f"after message {number + 1} the table answers no more: {data[:200]!r}")
                break
        record = (stage.folder / "table.err").read_text("utf-8", "replace")
    if "Traceback" in record:
        faults.append(record[record.index("Traceback") :].replace("\n", " | ")[:600])
    return Outcome("broken messages to the table", count, faults, {k: float(n) for k, n in came.items()})


def broken(rng: random.Random) -> bytes:
    """Return a message that something has happened to."""
    whole = rng.choice(WHOLE)
    if rng.random() < 0.3:
        return mutated(json.dumps(whole).encode() + b"\n", rng)
    return json.dumps(mutated_json(whole, rng)).encode() + b"\n"


def sent(path: Path, data: bytes) -> str:
    """Send some bytes by a connection of their own, and return what came of it."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
        line.settimeout(ANSWER_S)
        line.connect(str(path))
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        got = line.recv(1 << 16)
        return "refused" if b'"error"' in got else "answered" if got else "hung up"
    return "hung up"
