"""Messages for people: English sentences with values, that pages translate by their ids.

``phrase("%(name)s has not won", name=name)`` is an ordinary text in English, and keeps the literal (the id
under which catalogues hold its translations) and the values.  Values may be messages themselves.  Texts that
are put together with ``+``, ``join`` or an f-string lose the id: nest messages, or use ``joined``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn, Self

Value = str | int
"""A value of a message: text, another message, or a count."""

PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")
"""The place of a value in a sentence, or a percent sign."""

MAX_NESTING_DEPTH, MAX_MESSAGE_VALUES, MAX_MESSAGE_CHARS = 8, 500, 20_000
"""Bounds of a message from outside: levels of nesting, values at each level, characters of its text."""


class Message(str):
    """An immutable English text that keeps its literal and its values.

    Parameters
    ----------
    text
        The English literal, kept as ``id``: the key of its translations.
    values
        The values of its placeholders, by name.
    many
        The literal for every ``count`` but 1, where the sentence has a plural.
    """

    __slots__ = ("id", "many", "values")

    id: str
    many: str
    values: Mapping[str, Value]

    def __new__(cls, text: str, values: Mapping[str, Value] | None = None, many: str = "") -> Self:
        """Return the message with its values inserted."""
        kept = MappingProxyType(dict(values or {}))
        made = super().__new__(cls, interpolate(many if many and kept["count"] != 1 else text, kept))
        for name, value in (("id", text), ("many", many), ("values", kept)):
            object.__setattr__(made, name, value)
        return made

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a message cannot be changed; {name!r} was to be {value!r}")

    def __str__(self) -> str:
        """Return the message itself, so that an error raised with one keeps all of it."""
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.id, dict(self.values), self.many)


Text = str | Message
"""The type of a field that is read back with its messages whole; any other ``str`` is read as plain text."""


def phrase(message: str, /, **values: object) -> Message:
    """Return a message with values; write it out as a literal, from which the catalogues collect it.

    A value that is plain text stays unchanged in every language; pass a message for one to be translated.
    """
    return Message(message, {name: message_value(value) for name, value in values.items()})


def phrase_n(one: str, many: str, count: int, /, **values: object) -> Message:
    """Return a message in the form that goes with a count, which is its value ``count``."""
    return Message(
        one, {name: message_value(value) for name, value in {**values, "count": count}.items()}, many
    )


def joined(messages: Iterable[str], joint: str) -> Message:
    """Return several messages as one, with a joint between them that is the same in every language."""
    parts = {str(number): message for number, message in enumerate(messages, 1)}
    if len(parts) == 1 and isinstance(only := parts["1"], Message):
        return only
    return Message(joint.replace("%", "%%").join(f"%({number})s" for number in parts), parts)


def message_value(value: object) -> Value:
    """Return a value as a message keeps it: a count as a number, anything else as text."""
    return value if type(value) is int or isinstance(value, Message) else str(value)


def interpolate(sentence: str, values: Mapping[str, Value]) -> str:
    """Return a sentence with values inserted, unchanged without values."""
    if not values:
        return sentence
    return PLACEHOLDER.sub(lambda place: str(values[place[1]]) if place[1] else "%", sentence)


def encode_text(text: str) -> str | dict[str, Any]:
    """Return a text as JSON keeps it: a message as an object, anything else as a string."""
    if not isinstance(text, Message):
        return text
    values = {
        name: encode_text(value) if isinstance(value, str) else value for name, value in text.values.items()
    }
    return {"id": text.id, "values": values, **({"many": text.many} if text.many else {})}


def decode_text(given: Any, depth: int = MAX_NESTING_DEPTH) -> str:
    """Return the text that ``encode_text`` encoded; raise ValueError for anything else or beyond bounds."""
    if isinstance(given, str):
        return given
    if not isinstance(given, dict) or not {"id", "values"} <= given.keys() <= {"id", "values", "many"}:
        raise ValueError(f"must be a text or a message; got {str(given)[:60]!r}")
    sentence, values, many = given["id"], given["values"], given.get("many", "")
    if not isinstance(values, dict) or len(values) > MAX_MESSAGE_VALUES or not depth:
        raise ValueError(
            f"a message has {MAX_MESSAGE_VALUES} values at most, nested {MAX_NESTING_DEPTH} deep at most"
        )
    if (
        not isinstance(sentence, str)
        or not isinstance(many, str)
        or max(len(sentence), len(many)) > MAX_MESSAGE_CHARS
    ):
        raise ValueError(f"a message's sentences are texts of {MAX_MESSAGE_CHARS:,} characters at most")
    if many and type(values.get("count")) is not int:
        raise ValueError("a message with a plural needs its count")
    inside = {
        name: value if type(value) is int else decode_text(value, depth - 1) for name, value in values.items()
    }
    if lacking := {place for place in PLACEHOLDER.findall(sentence + many) if place} - inside.keys():
        raise ValueError(f"a message lacks its value {min(lacking)!r}")
    message = Message(sentence, inside, many)
    if len(message) > MAX_MESSAGE_CHARS:
        raise ValueError(f"a message has {MAX_MESSAGE_CHARS:,} characters at most; got {len(message):,}")
    return message
