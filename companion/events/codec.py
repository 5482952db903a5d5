"""Events as rows of text and back, each under its version."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from companion.errors import BadLog
from companion.model.phrases import Message, restored, stored
from companion.rules import event as ev
from companion.rules.interface import RuleSystem
from companion.rules.plain import names, plain

Built = Callable[[Any], Any]

Kinds = Mapping[str, type[ev.Event]]

WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def kinds(game: RuleSystem[Any]) -> Kinds:
    """Return every event that a game's log may hold, by name."""
    return {kind.__name__: kind for kind in (*ev.SHARED, *game.events)}


def written(event: ev.Event) -> tuple[str, int, str]:
    """Return an event's name, version and fields, the fields as JSON."""
    kind: Any = type(event)
    whole = {name: stored(text) for name in texts(kind) if (text := getattr(event, name)) is not None}
    return kind.__name__, event.version, WRITE({**plain(event), **whole})


def read(known: Kinds, name: str, version: int, body: str) -> ev.Event:
    """Return the event that a row holds.

    Raises
    ------
    BadLog
        For an event that this program does not know, or knows only in an
        older version, and for fields that are none.
    """
    kind = known.get(name)
    if kind is None or version > kind.version:
        raise BadLog(
            f"the event {name} version {version} was written by a newer companion or by a game not installed"
        )
    try:
        fields = json.loads(body)
        event: ev.Event = build(kind, fields if version == kind.version else kind.upgraded(fields, version))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadLog(f"the event {name} cannot be read: {error}") from error
    return event


def build(kind: Any, fields: Any) -> Any:
    """Return a dataclass from its fields as JSON has them."""
    return kind(*[make(fields[name]) for name, make in makers(kind)])


@cache
def makers(kind: Hashable) -> tuple[tuple[str, Built], ...]:
    """Return, for each field of a dataclass, what makes its value from JSON."""
    hints = get_type_hints(kind)
    return tuple((name, maker(hints[name])) for name in names(kind))


@cache
def texts(kind: Hashable) -> tuple[str, ...]:
    """Return the fields of a dataclass that hold messages."""
    hints = get_type_hints(kind)
    return tuple(name for name in names(kind) if Message in get_args(hints[name]))


@cache
def maker(hint: Hashable) -> Built:
    """Return what makes a value of a type from JSON."""
    origin, args = get_origin(hint), get_args(hint)
    if Message in args:
        return lambda value: None if value is None and NoneType in args else restored(value)
    if origin in {Union, UnionType}:
        return maybe([maker(arg) for arg in args if arg is not NoneType])
    if origin is tuple:
        return several(args)
    if isinstance(hint, type) and is_dataclass(hint):
        return lambda fields: build(hint, fields)
    return frozen if hint is Any or origin is not None else same


def same(value: Any) -> Any:
    """Return a plain value as it is."""
    return value


def maybe(choices: list[Built]) -> Built:
    """Return what makes a value that may be missing; all present ones are made the same way."""
    make = choices[0]
    return make if make is same else lambda value: None if value is None else make(value)


def several(args: tuple[Any, ...]) -> Built:
    """Return what makes a tuple: of any length, or one of fixed parts."""
    if args[-1] is not Ellipsis:
        makes = [maker(arg) for arg in args]
        return lambda values: tuple(make(value) for make, value in zip(makes, values, strict=True))
    make = maker(args[0])
    return tuple if make is same else lambda values: tuple([make(value) for value in values])


def frozen(value: Any) -> Any:
    """Return a value of any type with its lists as tuples."""
    if isinstance(value, list):
        return tuple(frozen(one) for one in value)
    if isinstance(value, dict):
        return {name: frozen(one) for name, one in value.items()}
    return value


def dump(state: Any) -> bytes:
    """Return a state as bytes: equal for equal states."""
    return WRITE(plain(state)).encode()
