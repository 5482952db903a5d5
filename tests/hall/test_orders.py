"""Orders of a hall reach a real table's line, and what the table says comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.hall.publishing.orders import SET_UP, OrderRequest, carry_out
from companion.model.calls import Order
from companion.model.status import Answer
from companion.rpc import TableClient, serve
from tests.web.made import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A table at the other end of a real line."""
    found = Desk()
    with serve(tmp_path / "socket", found):
        yield found


def told(tmp_path: Path, asked: OrderRequest) -> tuple[bool, str]:
    answer = json.loads(carry_out(TableClient(tmp_path / "socket"), asked.payload(), "t1"))
    return answer["accepted"], answer["text"]


def test_a_set_up_reaches_the_table_with_seats_options_and_words(desk: Desk, tmp_path: Path) -> None:
    asked = OrderRequest(SET_UP, "chew", ("Ada", "Bo"), {"handicaps": [10, 12], "rounds": 1}, "default")
    assert told(tmp_path, asked) == (True, "heard")
    options = {"handicaps": [10, 12], "rounds": 1}
    assert desk.heard == [("set_up", "chew", ("Ada", "Bo"), options, "default", "")]


@pytest.mark.parametrize("order", list(Order))
def test_every_order_of_the_host_reaches_the_table(desk: Desk, tmp_path: Path, order: Order) -> None:
    assert told(tmp_path, OrderRequest(order)) == (True, "heard")
    assert desk.heard == [("order", order)]


def test_what_the_table_refuses_comes_back_with_its_reason(desk: Desk, tmp_path: Path) -> None:
    desk.refuses = "a game is being played"
    assert told(tmp_path, OrderRequest(Order.START)) == (False, "a game is being played")


def test_what_the_table_has_not_decided_is_not_told_as_done() -> None:
    class Undecided(Desk):
        def order(self, order: str) -> Answer:
            return Answer(None, f"{order} is not decided yet")

    answer = json.loads(carry_out(Undecided(), OrderRequest(Order.START).payload(), "t1"))
    assert (answer["accepted"], answer["text"]) == (False, "start is not decided yet")


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    accepted, text = told(tmp_path, OrderRequest(Order.START))
    assert (accepted, "no table answers" in text) == (False, True)


def test_a_table_that_takes_no_orders_says_so() -> None:
    answer = json.loads(carry_out(None, OrderRequest(Order.START).payload(), "t1"))
    assert (answer["accepted"], "takes no orders" in answer["text"]) == (False, True)
