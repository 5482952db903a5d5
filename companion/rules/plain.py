"""Values as JSON knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any


@cache
def names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(field.name for field in fields(kind))


def plain(value: Any) -> Any:
    """Return a value with its dataclasses as objects and its tuples as lists."""
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in names(value.__class__)}
    raise TypeError(f"{type(value).__name__} has no form in JSON")
