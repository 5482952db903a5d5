"""Shares of connections and of live streams."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from flask import Flask
from flask.testing import FlaskClient

from companion.web.live.channels import MAX_SPARE_SLOTS_PER_ADDRESS, ConnectionSlots


def taken(
    slots: ConnectionSlots, stack: ExitStack, address: str, most: int = 1000, spare: bool = False
) -> int:
    """Take places for an address until it gets no more; return how many it got."""
    for number in range(most):
        if not slots.has_room(address, spare=spare):
            return number
        stack.enter_context(slots.hold(address))
    return most


def test_one_address_alone_gets_half_of_all_places_and_no_more() -> None:
    with ExitStack() as stack:
        assert taken(ConnectionSlots(100, 8), stack, "one") == 50


def test_where_half_are_taken_every_address_gets_its_few() -> None:
    slots = ConnectionSlots(100, 8)
    with ExitStack() as stack:
        taken(slots, stack, "one")
        assert [taken(slots, stack, f"phone {n}") for n in range(6)] == [8] * 6


def test_spare_places_are_for_those_who_may_have_them_and_a_few_for_each() -> None:
    slots = ConnectionSlots(10, 5, 20)
    with ExitStack() as stack:
        assert [taken(slots, stack, name) for name in ("one", "two", "three")] == [5, 5, 0]
        assert taken(slots, stack, "host", spare=True) == MAX_SPARE_SLOTS_PER_ADDRESS


def test_where_all_are_taken_one_that_has_few_gets_the_oldest_of_the_one_that_has_most() -> None:
    slots, ended = ConnectionSlots(10, 2), list[int]()
    with ExitStack() as stack:
        for number in range(5):
            assert slots.has_room("greedy", spare=False)
            stack.enter_context(slots.hold("greedy", partial(ended.append, number)))
        taken(slots, stack, "one"), taken(slots, stack, "two"), taken(slots, stack, "three")
        assert slots.full
        assert ended == [0]
        assert [taken(slots, stack, name) for name in ("four", "five")] == [2, 0]
        assert ended == [0, 1, 2]
        assert {address: len(held) for address, held in slots.held.items()} == {
            "greedy": 2,
            **dict.fromkeys(("one", "two", "three", "four"), 2),
        }
    assert (slots.taken, slots.held) == (0, {})


def test_places_that_were_given_back_are_free_again() -> None:
    slots = ConnectionSlots(4, 2)
    with ExitStack() as stack:
        taken(slots, stack, "one")
    assert (slots.taken, slots.held) == (0, {})


def test_a_stream_is_refused_to_the_address_that_has_its_share_and_given_to_another(
    app: Flask, phone: FlaskClient
) -> None:
    slots = app.extensions["companion"].channels.slots
    with ExitStack() as stack:
        taken(slots, stack, "127.0.0.1")
        assert phone.get("/live/score").status_code == 503
        other = phone.get("/live/score", environ_base={"REMOTE_ADDR": "127.0.0.2"})
        assert other.status_code == 200
        other.close()
