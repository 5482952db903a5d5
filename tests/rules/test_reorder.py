"""Simultaneity does not depend on the order in which events arrive."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from companion.events.codec import dump
from companion.model.calls import MILLISECOND, SECOND, Called, Seen
from companion.model.sightings import Sighting
from companion.rules.reorder import ReorderBuffer
from tests.rules.playing import Table, all_flipped, places, splitted, stairs, started


def heard_in(table: Table, arrival: tuple[Any, ...]) -> bytes:
    buffer = ReorderBuffer()
    for heard in arrival:
        buffer.add(heard)
    for heard in buffer.pop_ready(100 * SECOND):
        table.match.handle(heard)
    return dump(table.state)


def test_three_peels_lead_to_one_state_in_whatever_order_they_arrive() -> None:
    peels = [
        Called(3 * SECOND + n, seat, "peel") for n, seat in ((0, 2), (900 * MILLISECOND, 1), (2 * SECOND, 3))
    ]
    assert len({heard_in(splitted(3, policy="off"), arrival) for arrival in permutations(peels)}) == 1


def test_dones_around_the_tie_window_rank_by_their_stamps() -> None:
    dones = [Called(10 * SECOND + n * MILLISECOND, seat, "done") for n, seat in ((0, 3), (5, 1), (6, 2))]
    states = set()
    for arrival in permutations(dones):
        table = started(4, policy="off", flips=10)
        states.add(heard_in(table, arrival))
        assert [seat.place for seat in table.state.seats] == [1, 3, 1, 4]
    assert len(states) == 1


@pytest.mark.parametrize("first", [1, 2])
def test_two_dones_at_the_same_nanosecond_share_in_either_order(first: int) -> None:
    table = started(3, policy="off", flips=10)
    heard_in(table, tuple(Called(10 * SECOND, seat, "done") for seat in (first, 3 - first)))
    assert [seat.place for seat in table.state.seats] == [1, 1, 3]


def test_a_sighting_stamped_before_a_call_counts_although_it_comes_later() -> None:
    table = splitted()
    call, seen = Called(3 * SECOND, 1, "peel"), Seen(3 * SECOND - 1, 1, Sighting(tuple(stairs(21))))
    heard_in(table, (call, seen))
    assert table.state.seat(1).hand == 22


def test_nothing_is_decided_before_the_window_is_over() -> None:
    buffer = ReorderBuffer(window_ns=100)
    buffer.add(Called(1000, 1, "peel"))
    assert buffer.pop_ready(1099) == []
    assert buffer.pop_ready(1100) == [Called(1000, 1, "peel")]


def test_what_still_waits_is_handed_out_at_the_end() -> None:
    buffer = ReorderBuffer()
    buffer.add(Called(2, 1, "peel"))
    buffer.add(Called(1, 2, "peel"))
    assert [heard.at_ns for heard in buffer.drain()] == [1, 2]
    assert buffer.drain() == []


def test_a_tie_found_late_still_shares() -> None:
    table = started(3, policy="off")
    all_flipped(table)
    table.call(10, 2, "done")
    assert places(table.call(10.005, 1, "done")) == [1, 1, 3]
