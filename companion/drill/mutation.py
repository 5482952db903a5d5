"""Random mutations of bytes, lines of text and JSON values."""

from __future__ import annotations

import copy
import random
from typing import Any

UNEXPECTED_JSON: tuple[Any, ...] = (
    *("", "x", "\0", "\ud800", "\u202e", "a" * 5000, "../x", "nan"),
    *(-1, 0, 99, 2**70, 1.5, 1e308, float("nan"), True, None),
    *([], {}, [[]], {"a": {"a": 1}}, [1, 2, 3]),
)
"""Unexpected JSON values."""

UNEXPECTED_TOML = (
    "-1",
    "0",
    "1e308",
    "nan",
    "inf",
    "true",
    "[]",
    '""',
    '"x"',
    "9" * 400,
    "1979-05-27",
    "{}",
    "[[1]]",
)
"""Unexpected TOML values."""

MAX_FLIPPED_BITS = 8
"""Largest number of bits flipped at once."""


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with some bits flipped."""
    found = bytearray(data)
    for _ in range(rng.randint(1, MAX_FLIPPED_BITS) if found else 0):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def truncated(data: bytes, rng: random.Random) -> bytes:
    """Return bytes whose end is cut off or zero."""
    keep = rng.randrange(len(data) + 1)
    return data[:keep] + (b"" if rng.random() < 0.6 else bytes(len(data) - keep))


def spliced(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with a part removed, doubled or replaced by noise."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((1, 4, 64, 4096)))
    part = rng.choice((b"", 2 * data[start:end], rng.randbytes(end - start)))
    return data[:start] + part + data[end:]


def junk(data: bytes, rng: random.Random) -> bytes:
    """Return unrelated bytes, some with the true first bytes."""
    return rng.choice((b"", b"x", b"\xff\xfe", b"[" * 100_000, data[:16] + rng.randbytes(5000)))


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return bytes after a random mutation."""
    (how,) = rng.choices((flip_bits, truncated, spliced, junk), (5, 2, 3, 1))
    return how(data, rng)


def mutated_lines(text: str, rng: random.Random) -> bytes:
    """Return a text of lines ``key = value`` with one to three random mutations."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        chance = rng.random()
        if chance < 0.5 and "=" in lines[at]:
            lines[at] = f"{lines[at].partition('=')[0]}= {rng.choice(UNEXPECTED_TOML)}"
        elif chance < 0.7:
            del lines[at : at + 1]
            lines = lines or [""]
        elif chance < 0.85:
            lines.insert(at, rng.choice(lines))
        else:
            lines[at] = mutated(lines[at].encode(), rng).decode("utf-8", "replace")
    return "\n".join(lines).encode("utf-8", "replace")


def mutated_json(value: Any, rng: random.Random) -> Any:
    """Return a JSON value with one to three parts, at any depth, replaced or removed."""
    value = copy.deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        place = value
        while isinstance(place, dict | list) and place:
            key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
            inner = place[key]
            if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
                place = inner
                continue
            if rng.random() < 0.2:
                del place[key]
            else:
                place[key] = copy.deepcopy(rng.choice(UNEXPECTED_JSON))
            break
    return value
