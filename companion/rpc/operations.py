"""Operations, derived from the signatures of the services: encoding, checking and invoking them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cache, partial
from types import MappingProxyType, NoneType
from typing import Any, get_type_hints

from companion.config.parse import parsed
from companion.errors import BadConfig, Unanswered
from companion.rpc.interface import OPERATION_PREFIXES

Sent = tuple[Any, bytes]
"""A value as JSON, and the bytes that go with it."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a service.

    ``arguments`` is a dataclass of its arguments, without the one that is bytes; that is named by
    ``attached``.
    """

    name: str
    service: type
    method: Callable[..., Any]
    arguments: type[Any]
    attached: str | None
    answer: Any

    def encode(self, *given: Any, **more: Any) -> Sent:
        """Return the arguments by name, and the bytes among them."""
        bound = inspect.signature(self.method).bind(None, *given, **more)
        names = {name: value for name, value in bound.arguments.items() if name != "self"}
        attached = names.pop(self.attached, b"") if self.attached else b""
        return names, attached

    def parse_arguments(self, given: Mapping[str, Any], attached: bytes) -> dict[str, Any]:
        """Return the checked arguments of the method; raise Unanswered if they do not fit its signature."""
        try:
            checked = parsed(given, self.arguments, self.name)
        except BadConfig as error:
            raise Unanswered(str(error)) from error
        if bool(attached) != bool(self.attached):
            raise Unanswered(f"{self.name}: {self.attached or 'nothing'} comes as bytes after the message")
        named = {one.name: getattr(checked, one.name) for one in fields(checked)}
        return named | ({self.attached: attached} if self.attached else {})

    def invoke(self, implementation: object, arguments: Mapping[str, Any]) -> Sent:
        """Call the method of an implementation and return its answer, as JSON or as bytes."""
        answer = getattr(implementation, self.method.__name__)(**arguments)
        return (None, answer) if self.answer is bytes else (answer, b"")

    def decode_answer(self, answer: Any, attached: bytes) -> Any:
        """Return a received answer as the method's return type; raise BadConfig if it does not fit."""
        if self.answer is bytes:
            return attached
        if self.answer is NoneType:
            return None
        wanted: Any = make_dataclass("Answered", [("answer", self.answer)])
        return parsed({"answer": answer}, wanted, "the table").answer

    @property
    def timeout_s(self) -> float | None:
        """How long the answer may take, in seconds; ``None``: as long as the client's default."""
        found: float | None = getattr(self.method, "timeout_s", None)
        return found


def operation_of(service: type, method: Callable[..., Any]) -> Operation:
    """Return the operation that a method of a service declares."""
    hints = get_type_hints(method, include_extras=True)
    answer = hints.pop("return")
    attached = next((name for name, kind in hints.items() if kind is bytes), None)
    arguments: list[Any] = []
    for name, parameter in inspect.signature(method).parameters.items():
        if name not in {"self", attached}:
            needed = parameter.default is parameter.empty
            given: Any = field() if needed else field(default_factory=partial(identity, parameter.default))
            arguments.append((name, hints[name], given))
    name = OPERATION_PREFIXES[service] + method.__name__
    return Operation(name, service, method, make_dataclass(name, arguments, kw_only=True), attached, answer)


def identity(value: Any) -> Any:
    """Return the value unchanged."""
    return value


@cache
def operations(service: type) -> Mapping[str, Operation]:
    """Return the operations of a service by their methods' names."""
    methods = (one for one in vars(service).values() if inspect.isfunction(one))
    return MappingProxyType({one.__name__: operation_of(service, one) for one in methods})


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {one.name: one for service in OPERATION_PREFIXES for one in operations(service).values()}
)
"""Every operation of every service by its name on the socket."""
