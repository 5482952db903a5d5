"""Debouncing: presses count from their leading edge, whatever the contact does then."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from hardware.buttons import Edge, debounce_edges
from hardware.buttons.contact import Change, Contact, Phase, after_edge, after_time
from hardware.simulated.pins import bounce_edges

MS = 1_000_000
LOCK = 25 * MS
LONGEST = 6_200_000
"""The longest bounce that Ganssle measured, in ns."""


def contact(changes: Iterable[tuple[int, bool]]) -> list[Edge]:
    """Return edges of one contact: when, and whether closed."""
    return [Edge(at_ns, 17, closed) for at_ns, closed in changes]


def bounced(at_ns: int, closed: bool, offsets: Sequence[int]) -> list[tuple[int, bool]]:
    """Return one change that bounces at these times after its leading edge; it ends up changed."""
    inner = sorted({*offsets} - {0})
    inner = inner[: len(inner) // 2 * 2]
    return [(at_ns + after, closed == (n % 2 == 0)) for n, after in enumerate([0, *inner])]


def presses(edges: Iterable[Edge]) -> list[int]:
    return [change.at_ns for change in debounce_edges(edges, LOCK) if change.closed]


offsets = st.lists(st.integers(1, LONGEST), max_size=14)
"""Whatever a contact may do within the longest bounce."""


def test_a_clean_press_and_release_are_told_as_they_were() -> None:
    edges = contact([(0, True), (80 * MS, False)])
    assert list(debounce_edges(edges, LOCK)) == [Change(0, True), Change(80 * MS, False)]


def test_bounces_of_a_press_and_of_its_release_are_one_press() -> None:
    down = [(0, True), (MS, False), (2 * MS, True), (5 * MS, False), (6 * MS, True)]
    up = [(90 * MS, False), (91 * MS, True), (95 * MS, False)]
    assert list(debounce_edges(contact(down + up), LOCK)) == [Change(0, True), Change(90 * MS, False)]


def test_a_tap_shorter_than_the_lock_is_one_press_that_was_let_go() -> None:
    edges = contact([(0, True), (12 * MS, False)])
    assert list(debounce_edges(edges, LOCK)) == [Change(0, True), Change(12 * MS, False)]


def test_a_spark_is_no_press() -> None:
    edges = contact([(0, True), (300_000, False)])
    assert list(debounce_edges(edges, LOCK)) == []


def test_a_spark_is_counted() -> None:
    touched, _ = after_edge(Contact(), Edge(0, 17, closed=True), LOCK)
    left, _ = after_edge(touched, Edge(300_000, 17, closed=False), LOCK)
    assert after_time(left, LOCK, LOCK)[0] == Contact(Phase.OPEN, 0, False, 300_000, 300_000, False, spikes=1)


def test_a_press_is_certain_once_it_was_closed_for_half_a_millisecond_in_all() -> None:
    down = [(0, True), (300_000, False), (1_000_000, True)]
    state = Contact()
    for edge in contact(down):
        state, changes = after_edge(state, edge, LOCK)
        assert changes == []
    assert state.due_ns(LOCK) == 1_200_000
    assert after_time(state, 1_199_999, LOCK)[1] == []
    assert after_time(state, 1_200_000, LOCK)[1] == [Change(0, True)]


def test_a_contact_that_opens_for_a_moment_while_held_is_neither_let_go_nor_pressed_again() -> None:
    edges = contact([(0, True), (200 * MS, False), (203 * MS, True), (400 * MS, False)])
    assert list(debounce_edges(edges, LOCK)) == [Change(0, True), Change(400 * MS, False)]


def test_two_presses_60_ms_apart_are_two() -> None:
    edges = contact([(0, True), (50 * MS, False), (110 * MS, True), (160 * MS, False)])
    assert presses(edges) == [0, 110 * MS]


def test_an_edge_of_the_level_that_was_there_already_changes_nothing() -> None:
    edges = contact([(0, True), (MS, True), (80 * MS, False), (81 * MS, False)])
    assert list(debounce_edges(edges, LOCK)) == [Change(0, True), Change(80 * MS, False)]


def test_a_lost_release_does_not_hide_the_next_release() -> None:
    edges = contact([(0, True), (300 * MS, True), (380 * MS, False)])
    assert list(debounce_edges(edges, LOCK)) == [Change(0, True), Change(380 * MS, False)]


def test_what_was_found_by_looking_is_told_as_late() -> None:
    late = [Edge(0, 17, closed=True, late=True), Edge(80 * MS, 17, closed=False)]
    assert list(debounce_edges(late, LOCK)) == [Change(0, True, late=True), Change(80 * MS, False)]


@given(offsets, offsets, st.integers(30 * MS, 500 * MS))
def test_a_press_that_bounces_in_any_way_is_one_press_at_its_leading_edge(
    down: list[int], up: list[int], held_ns: int
) -> None:
    edges = contact([*bounced(1000, True, down), *bounced(1000 + held_ns, False, up)])
    assert list(debounce_edges(edges, LOCK)) == [Change(1000, True), Change(1000 + held_ns, False)]


@given(offsets, offsets, st.integers(1 * MS, 50 * MS))
def test_who_was_first_is_right_whatever_both_contacts_do(
    first: list[int], second: list[int], gap_ns: int
) -> None:
    one = contact([*bounced(0, True, first), (80 * MS, False)])
    other = contact([*bounced(gap_ns, True, second), (gap_ns + 80 * MS, False)])
    assert (presses(one), presses(other)) == ([0], [gap_ns])


@given(st.lists(st.tuples(offsets, offsets), min_size=1, max_size=6))
def test_every_press_is_told_once(some: list[tuple[list[int], list[int]]]) -> None:
    changes: list[tuple[int, bool]] = []
    for n, (down, up) in enumerate(some):
        changes += bounced(n * 150 * MS, True, down) + bounced(n * 150 * MS + 70 * MS, False, up)
    assert presses(contact(changes)) == [n * 150 * MS for n in range(len(some))]


def test_trains_are_as_long_as_measured_ones() -> None:
    chance = random.Random(7)
    lasted = [bounce_edges(chance)[-1] for _ in range(5000)]
    assert 1_450_000 < statistics.mean(lasted) < 1_670_000
    assert max(lasted) == LONGEST


def test_in_races_with_measured_bounces_nobody_loses_who_was_a_millisecond_ahead() -> None:
    chance = random.Random(11)
    for _ in range(500):
        first, second = bounced_like(0, chance), bounced_like(1 * MS, chance)
        assert presses(first) == [0]
        assert presses(second) == [1 * MS]


def test_stamping_the_last_bounce_instead_would_let_the_wrong_player_win_every_fourth_race() -> None:
    chance = random.Random(11)
    last = [(bounced_like(0, chance)[-2].at_ns, bounced_like(1 * MS, chance)[-2].at_ns) for _ in range(2000)]
    assert 0.2 < sum(first > second for first, second in last) / len(last) < 0.3


def bounced_like(at_ns: int, chance: random.Random) -> list[Edge]:
    """Return a press with a measured bounce, and its clean release."""
    down = [(at_ns + after, n % 2 == 0) for n, after in enumerate(bounce_edges(chance))]
    return contact([*down, (at_ns + 80 * MS, False)])
