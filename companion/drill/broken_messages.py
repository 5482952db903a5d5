"""Fuzzing of the table's socket with broken messages during a game."""

from __future__ import annotations

import json
import random
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from calibration.evaluation.metric import Progress
from companion.drill.mutation import mutated, mutated_json
from companion.drill.outcome import Outcome
from companion.drill.table_processes import running_table, wait_for

VALID_MESSAGES: tuple[dict[str, Any], ...] = (
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
"""Valid messages, from which broken ones are made."""

ANSWER_TIMEOUT_S = 20.0
"""Timeout of an answer to a broken message, in seconds."""

MESSAGES_PER_CHECK = 20
"""Number of messages after which it is checked whether the table still answers."""


def send_broken_messages(count: int, seed: int, progress: Progress) -> Outcome:
    """Send ``count`` broken messages, and return the faults."""
    rng, faults = random.Random(f"messages {seed}"), list[str]()
    came = {"refused": 0, "answered": 0, "hung up": 0}
    with running_table(seed) as stage:
        for number in range(count):
            progress(f"message {number + 1} of {count}")
            data = broken_message(rng)
            came[send_message(stage.socket, data)] += 1
            looked = (number + 1) % MESSAGES_PER_CHECK == 0 or number + 1 == count
            if looked and not wait_for(stage.answers, ANSWER_TIMEOUT_S):
                faults.append(f"after message {number + 1} the table answers no more: {data[:200]!r}")
                break
        record = (stage.folder / "table.err").read_text("utf-8", "replace")
    if "Traceback" in record:
        faults.append(record[record.index("Traceback") :].replace("\n", " | ")[:600])
    return Outcome("broken messages to the table", count, faults, {k: float(n) for k, n in came.items()})


def broken_message(rng: random.Random) -> bytes:
    """Return a broken message."""
    whole = rng.choice(VALID_MESSAGES)
    if rng.random() < 0.3:
        return mutated(json.dumps(whole).encode() + b"\n", rng)
    return json.dumps(mutated_json(whole, rng)).encode() + b"\n"


def send_message(path: Path, data: bytes) -> str:
    """Send bytes by a new connection, and return "refused", "answered" or "hung up"."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
        line.settimeout(ANSWER_TIMEOUT_S)
        line.connect(str(path))
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        got = line.recv(1 << 16)
        return "refused" if b'"error"' in got else "answered" if got else "hung up"
    return "hung up"
