"""Messages on the socket: a line of JSON each, bounded, with bytes after it where it says how many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, BinaryIO

from companion.errors import Unanswered
from companion.model.phrases import Message, stored

LONGEST = 262_144
"""Bytes that one line may have."""

DEEPEST = 12
"""Levels of lists and objects within one another that a question may have."""

LARGEST_NUMBER = 2**53
"""Largest number of a question: up to here every program means the same by it (RFC 8259, 6)."""

LARGEST_PICTURE = 32_000_000
"""Bytes that a picture may have."""


def send(to: BinaryIO, message: Mapping[str, Any], picture: bytes = b"") -> None:
    """Write a message, and a picture's bytes where there is one; raise Unanswered for too much."""
    told = {**message, "bytes": len(picture)} if picture else dict(message)
    line = json.dumps(whole(told), ensure_ascii=False).encode() + b"\n"
    if len(line) > LONGEST or len(picture) > LARGEST_PICTURE:
        raise Unanswered(f"a message of {len(line) + len(picture):,} bytes is too long for the socket")
    to.write(line + picture)
    to.flush()


def whole(value: Any) -> Any:
    """Return a value as JSON has it; the messages in it are objects, so that they arrive with their ids."""
    if isinstance(value, Message):
        return stored(value)
    if is_dataclass(value):
        return {one.name: whole(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: whole(one) for name, one in value.items()}
    return [whole(one) for one in value] if isinstance(value, list | tuple) else value


def receive(source: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message with its picture, or ``None`` at the end; raise Unanswered for all else."""
    line = source.readline(LONGEST + 1)
    if not line:
        return None
    if len(line) > LONGEST or not line.endswith(b"\n"):
        raise Unanswered(f"a message is cut short or longer than {LONGEST:,} bytes")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unanswered(f"a message is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise Unanswered("a message must be a JSON object")
    return message, picture_after(source, message.pop("bytes", 0))


def picture_after(source: BinaryIO, size: Any) -> bytes:
    """Return the bytes that a message says come after it; raise Unanswered where they do not."""
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= LARGEST_PICTURE:
        raise Unanswered(f"'bytes' must be 0 to {LARGEST_PICTURE:,}; got {str(size)[:40]}")
    picture = source.read(size)
    if len(picture) < size:
        raise Unanswered(f"a picture of {size:,} bytes ended after {len(picture):,}")
    return picture


def check_values(value: Any, depth: int = 0) -> None:
    """Raise Unanswered for what JSON can say and no question means: half signs, giant numbers, depth."""
    if depth > DEEPEST:
        raise Unanswered(f"a message has more than {DEEPEST} levels")
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            check_text(key)
            check_values(one, depth + 1)
    elif isinstance(value, list):
        for one in value:
            check_values(one, depth + 1)
    elif isinstance(value, int | float) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise Unanswered(f"numbers of a message are at most {LARGEST_NUMBER}")


def check_text(text: str) -> None:
    """Raise Unanswered for a text that is none: with half of a sign in it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Unanswered("a text of a message has half of a sign in it") from error
