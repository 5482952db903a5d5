"""A hall's orders to a table: parsed, validated, and carried out as the host's own orders."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from companion.errors import BadMessage, CompanionError
from companion.hall.contract.messages import payload, read
from companion.model.calls import Order

SET_UP = "set_up"
"""The order that begins another game; all others are those of ``Order``."""

logger = logging.getLogger(__name__)


class Answer(Protocol):
    """The result of an order; ``accepted`` is ``None`` while nothing is decided yet."""

    @property
    def accepted(self) -> bool | None:
        """Whether it was carried out; ``None`` while nothing is decided."""

    @property
    def text(self) -> str:
        """Why it was refused."""


class Host(Protocol):
    """Carries out orders: a table's client, or a simulated table.  Raises CompanionError on failure."""

    def order(self, order: str) -> Answer:
        """Give the host's order."""

    def set_up(
        self, game: str, seats: Sequence[str], options: Mapping[str, Any] = ..., words: str = ...
    ) -> Answer:
        """Begin another game."""


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """An order with its parameters."""

    order: str
    game: str = ""
    seats: tuple[str, ...] = ()
    options: Mapping[str, Any] | None = None
    words: str = "default"

    @classmethod
    def read(cls, given: bytes) -> OrderRequest:
        """Return the order that a payload holds; raise BadMessage where it is invalid."""
        body = read(given)
        order, game, words = body.get("order"), body.get("game", ""), body.get("words", "default")
        seats, options = body.get("seats", []), body.get("options", {})
        if order not in {SET_UP, *Order}:
            raise BadMessage(f"no order {str(order)[:40]!r}; there are {SET_UP}, {', '.join(Order)}")
        if not isinstance(game, str) or not isinstance(words, str) or not isinstance(options, dict):
            raise BadMessage(f"the order {order} cannot be read")
        if not isinstance(seats, list) or not all(isinstance(one, str) for one in seats):
            raise BadMessage(f"the seats of the order {order} cannot be read")
        return cls(str(order), game, tuple(seats), options, words)

    def payload(self) -> bytes:
        """Return the order as an MQTT payload."""
        more = {} if self.order != SET_UP else {
            "game": self.game,
            "seats": list(self.seats),
            "options": dict(self.options or {}),
            "words": self.words,
        }  # fmt: skip
        return payload({"order": self.order, **more})


def carry_out(host: Host | None, given: bytes, table: str) -> bytes:
    """Carry out an order and return its result as a payload."""
    try:
        request = OrderRequest.read(given)
        if host is None:
            return payload({"table": table, "accepted": False, "text": "this table takes no orders"})
        answer = (
            host.set_up(request.game, request.seats, request.options or {}, request.words)
            if request.order == SET_UP
            else host.order(request.order)
        )
    except CompanionError as error:
        logger.warning("an order of the hall was refused: %s", error)
        return payload({"table": table, "accepted": False, "text": str(error)})
    return payload({"table": table, "accepted": bool(answer.accepted), "text": str(answer.text)})
