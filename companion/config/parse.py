"""Parse TOML into frozen dataclasses: unknown keys and wrong types are faults, each with its path."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from cattrs import Converter, transform_error
from cattrs.cols import homogenous_tuple_structure_factory, mapping_structure_factory
from cattrs.errors import BaseValidationError, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn
from cattrs.strategies import configure_union_passthrough

from companion.errors import BadConfig, nearest
from companion.model.phrases import Message, Text, decode_text

MAX_FILE_CHARS = 1_000_000
"""Greatest length of a configuration, in characters."""

T = TypeVar("T")
Build = Callable[[Any, Any], Any]
"""Builds a value of a type from a parsed one."""

SIMPLE_TYPE_NAMES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
}
"""Simple types, with their names in messages."""


def read(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raise BadConfig where it cannot be read or is not TOML."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE_CHARS + 1)
    except UnicodeDecodeError as error:
        raise BadConfig(f"{path}: it is not UTF-8 text") from error
    except (OSError, ValueError) as error:
        raise BadConfig(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if len(text) > MAX_FILE_CHARS:
        raise BadConfig(f"{path}: it is longer than {MAX_FILE_CHARS:,} characters")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadConfig(f"{path}: {error}") from error


def parsed(values: Mapping[str, Any], kind: type[T], where: str = "") -> T:
    """Return the value of a dataclass that a table of TOML describes.

    Parameters
    ----------
    values
        The table, as ``tomllib`` gives it.
    kind
        A frozen dataclass: fields are texts, numbers, booleans, ``Literal``, ``StrEnum``, tuples,
        mappings and other such dataclasses, or ``None``.
    where
        The prefix of the faults: the file, or the path of the table in it.

    Raises
    ------
    BadConfig
        For all faults at once, a line each: the path and the fault.  An unknown key is
        named with the nearest valid one.
    """
    return structured(values, kind, converter(), where)


def structured(values: Mapping[str, Any], kind: type[T], by: Converter, where: str = "") -> T:
    """Return the value of a dataclass, built by a converter; raise BadConfig as ``parsed`` does."""
    try:
        return by.structure(values, kind)
    except (BaseValidationError, ForbiddenExtraKeysError, ValueError, TypeError, KeyError) as error:
        faults = transform_error(error, "", format_exception=fault)
        raise BadConfig("\n".join(prefix_path(line, where) for line in faults)) from error


def prefix_path(line: str, where: str) -> str:
    """Return a fault's text with its path in front."""
    what, _, path = line.rpartition(" @ ")
    inside = path.removeprefix("$").removeprefix(".")
    before = ": ".join(part for part in (where, inside) if part)
    return f"{before}: {what}" if before else what


def fault(error: BaseException, kind: type | None) -> str:
    """Return the text of a fault."""
    if isinstance(error, ForbiddenExtraKeysError):
        valid = [field.name for field in fields(error.cl)]
        unknown = sorted(map(str, error.extra_fields))
        return "; ".join(
            f"no key {key!r}{nearest(key, valid)} (there are {', '.join(valid)})" for key in unknown
        )
    if isinstance(error, KeyError):
        return "this key is needed and missing"
    return str(error) or f"must be {getattr(kind, '__name__', kind)}"


@cache
def converter() -> Converter:
    """Return the converter of configurations and requests, which refuses unknown keys."""
    return strict_converter()


def strict_converter(*, extra_keys: bool = False) -> Converter:
    """Return a converter that refuses wrong types, which cattrs by default converts.

    With ``extra_keys`` unknown keys are ignored.
    """
    made = Converter(forbid_extra_keys=not extra_keys)
    for kind in SIMPLE_TYPE_NAMES:
        made.register_structure_hook(kind, simple(kind))
    configure_union_passthrough(bool | int | float | str | None, made, accept_ints_as_floats=True)
    made.register_structure_hook_func(is_text, text)
    made.register_structure_hook_factory(
        is_dataclass,
        lambda kind: only(dict, "a table", make_dict_structure_fn(resolve_annotations(kind), made)),
    )
    made.register_structure_hook_factory(is_word, word)
    made.register_structure_hook_factory(is_checked, lambda kind: checked(kind, made))
    made.register_structure_hook_factory(is_tuple, lambda kind: only(list, "a list", tuples(kind, made)))
    made.register_structure_hook_factory(
        is_mapping, lambda kind: only(dict, "a table", mapping_structure_factory(kind, made))
    )
    return made


def resolve_annotations(kind: Any) -> Any:
    """Return a dataclass with evaluated annotations: cattrs ignores checks in those that are strings."""
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        one.type = hints[one.name]
    return kind


def simple(kind: type) -> Build:
    """Return a builder that accepts values of one simple type only; an int is a valid float."""

    def built(given: Any, wanted: Any) -> Any:
        if wanted is not kind:  # a StrEnum is a text too
            return word(wanted)(given, wanted)
        if kind is float and type(given) is int:
            return float(given)
        if type(given) is not kind:
            raise TypeError(f"must be {SIMPLE_TYPE_NAMES[kind]}; got {str(given)[:60]!r}")
        return given

    return built


def is_text(kind: Any) -> bool:
    """Return whether a field holds a string or a message."""
    return Message in get_args(kind)


def text(given: Any, kind: Any) -> Text | None:
    """Return a string or a stored message; ``None`` where the field allows it."""
    return None if given is None and NoneType in get_args(kind) else decode_text(given)


def word(kind: Any) -> Build:
    """Return a builder that accepts the values of an enum or a ``Literal`` only."""
    valid = [str(one) for one in get_args(kind) or kind]

    def built(given: Any, _kind: Any) -> Any:
        if given not in valid:
            raise ValueError(
                f"must be one of {', '.join(valid)}; got {str(given)[:60]!r}{nearest(str(given), valid)}"
            )
        return kind(given) if isinstance(kind, type) else given

    return built


def only(kind: type, words: str, build: Build) -> Build:
    """Return a builder that refuses values of another type with a message."""

    def built(given: Any, wanted: Any) -> Any:
        if not isinstance(given, kind):
            raise TypeError(f"must be {words}; got {str(given)[:60]!r}")
        return build(given, wanted)

    return built


def tuples(kind: Any, made: Converter) -> Build:
    """Return a builder of tuples, of any length or of a fixed one."""
    if get_origin(kind) is Sequence:
        return homogenous_tuple_structure_factory(kind, made)
    if get_args(kind)[-1] is Ellipsis:
        return homogenous_tuple_structure_factory(kind, made)
    usual, many = made.gen_structure_hetero_tuple(kind), len(get_args(kind))

    def built(given: Any, wanted: Any) -> Any:
        if len(given) != many:
            raise ValueError(f"must be a list of {many}; got {str(given)[:60]!r}")
        return usual(given, wanted)

    return built


def checked(kind: Any, made: Converter) -> Build:
    """Return a builder that runs every check of an ``Annotated`` type."""
    plain, *checks = get_args(kind)

    def built(given: Any, _kind: Any) -> Any:
        value = made.structure(given, plain)
        for check in checks:
            check(value)
        return value

    return built


def is_checked(kind: Any) -> bool:
    """Return whether a type is ``Annotated`` with checks."""
    return get_origin(kind) is Annotated


def is_word(kind: Any) -> bool:
    """Return whether a type is a ``Literal``."""
    return get_origin(kind) is Literal


def is_tuple(kind: Any) -> bool:
    """Return whether a type is a tuple or a sequence."""
    return get_origin(kind) in {tuple, Sequence}


def is_mapping(kind: Any) -> bool:
    """Return whether a type is a mapping."""
    return get_origin(kind) in {Mapping, dict}
