"""Messages on the socket: a line of JSON of limited length, followed by the bytes that it announces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, BinaryIO

from companion.errors import Unanswered
from companion.model.phrases import Message, encode_text

MAX_LINE_BYTES = 262_144
"""Largest size of one line, in bytes."""

MAX_NESTING_LEVELS = 12
"""Most nesting levels of lists and objects in a request."""

MAX_NUMBER = 2**53
"""Largest number of a request: up to here all JSON programs agree on integers (RFC 8259, 6)."""

MAX_ATTACHMENT_BYTES = 32_000_000
"""Largest size of the bytes after a message."""


def send(to: BinaryIO, message: Mapping[str, Any], attachment: bytes = b"") -> None:
    """Write a message and the bytes after it, if any; raise Unanswered if they are too long."""
    body = {**message, "bytes": len(attachment)} if attachment else dict(message)
    line = json.dumps(to_json(body), ensure_ascii=False).encode() + b"\n"
    if len(line) > MAX_LINE_BYTES or len(attachment) > MAX_ATTACHMENT_BYTES:
        raise Unanswered(f"a message of {len(line) + len(attachment):,} bytes is too long for the socket")
    to.write(line + attachment)
    to.flush()


def to_json(value: Any) -> Any:
    """Return a value as JSON; messages become objects, so that they arrive with their ids."""
    if isinstance(value, Message):
        return encode_text(value)
    if is_dataclass(value):
        return {one.name: to_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: to_json(one) for name, one in value.items()}
    return [to_json(one) for one in value] if isinstance(value, list | tuple) else value


def receive(source: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message and its bytes, ``None`` at the end; raise Unanswered if it is invalid."""
    line = source.readline(MAX_LINE_BYTES + 1)
    if not line:
        return None
    if len(line) > MAX_LINE_BYTES or not line.endswith(b"\n"):
        raise Unanswered(f"a message is cut short or longer than {MAX_LINE_BYTES:,} bytes")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unanswered(f"a message is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise Unanswered("a message must be a JSON object")
    return message, read_attachment(source, message.pop("bytes", 0))


def read_attachment(source: BinaryIO, size: Any) -> bytes:
    """Return the bytes announced by a message; raise Unanswered if there are fewer."""
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= MAX_ATTACHMENT_BYTES:
        raise Unanswered(f"'bytes' must be 0 to {MAX_ATTACHMENT_BYTES:,}; got {str(size)[:40]}")
    attachment = source.read(size)
    if len(attachment) < size:
        raise Unanswered(f"a picture of {size:,} bytes ended after {len(attachment):,}")
    return attachment


def check_values(value: Any, depth: int = 0) -> None:
    """Raise Unanswered for lone surrogates, huge numbers and deep nesting in a request."""
    if depth > MAX_NESTING_LEVELS:
        raise Unanswered(f"a message has more than {MAX_NESTING_LEVELS} levels")
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            check_text(key)
            check_values(one, depth + 1)
    elif isinstance(value, list):
        for one in value:
            check_values(one, depth + 1)
    elif isinstance(value, int | float) and not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise Unanswered(f"numbers of a message are at most {MAX_NUMBER}")


def check_text(text: str) -> None:
    """Raise Unanswered for a text with a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Unanswered("a text of a message has half of a sign in it") from error
