"""Encoding of events as names, versions and JSON, and decoding, of older versions too."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

from cattrs import Converter

from companion.config.parse import is_mapping, strict_converter, structured
from companion.errors import BadConfig, BadLog
from companion.model.phrases import Message, encode_text
from companion.rules import event as ev
from companion.rules.interface import RuleSystem
from companion.rules.record import field_names, to_jsonable

Kinds = Mapping[str, type[ev.Event]]

ENCODE_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def kinds(game: RuleSystem[Any]) -> Kinds:
    """Return every event that a game's log may hold, by name."""
    return {kind.__name__: kind for kind in (*ev.SHARED_EVENTS, *game.events)}


def encode(event: ev.Event) -> tuple[str, int, str]:
    """Return an event's name, version and fields, the fields as JSON."""
    kind: Any = type(event)
    whole = {
        name: encode_text(text) for name in message_fields(kind) if (text := getattr(event, name)) is not None
    }
    return kind.__name__, event.version, ENCODE_JSON({**to_jsonable(event), **whole})


def decode(known: Kinds, name: str, version: int, body: str) -> ev.Event:
    """Return the event that a row holds.

    Raises
    ------
    BadLog
        For an event that this program does not know, or knows only in an older version, and for invalid
        fields.
    """
    kind = known.get(name)
    if kind is None or version > kind.version:
        raise BadLog(
            f"the event {name} version {version} was written by a newer companion or by a game not installed"
        )
    try:
        fields = json.loads(body)
        now = fields if version == kind.version else kind.upgraded(fields, version)
        return structured(now, kind, converter())
    except (BadConfig, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadLog(f"the event {name} cannot be read: {error}") from error


@cache
def converter() -> Converter:
    """Return the converter from JSON to events: strict about types; values of any type become immutable."""
    made = strict_converter(extra_keys=True)
    made.register_structure_hook_func(is_mapping, lambda given, _kind: lists_to_tuples(given))
    return made


@cache
def message_fields(kind: Hashable) -> tuple[str, ...]:
    """Return the fields of a dataclass that hold messages."""
    hints = get_type_hints(kind)
    return tuple(name for name in field_names(kind) if Message in get_args(hints[name]))


def lists_to_tuples(value: Any) -> Any:
    """Return a JSON value with its lists as tuples."""
    if isinstance(value, list):
        return tuple(lists_to_tuples(one) for one in value)
    if isinstance(value, dict):
        return {name: lists_to_tuples(one) for name, one in value.items()}
    return value


def dump(state: Any) -> bytes:
    """Return a state as bytes, which are equal for equal states."""
    return ENCODE_JSON(to_jsonable(state)).encode()
