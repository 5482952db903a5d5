"""Places, points, handicaps and standings by Chew's rules; lists have one entry for each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from companion.model.seats import Score, Seat

Places = Sequence[int | None]

HANDICAP_CHANGES = {
    2: (1, -1),
    3: (1, 0, -1),
    4: (2, 1, -1, -2),
    5: (2, 1, 0, -1, -2),
    6: (3, 2, 1, -1, -2, -3),
}
"""Change of the handicap by number of players, first to last (chew.txt, its last three paragraphs)."""

MIN_HANDICAP = 3
"""The smallest handicap."""


def finishers(seats: Sequence[Seat], tie_ns: int) -> list[list[int]]:
    """Return the seats that are done, in order, those within ``tie_ns`` of a group's first in that group."""
    done = sorted(
        (seat.done_ns, n) for n, seat in enumerate(seats, 1) if seat.done_ns is not None and not seat.out
    )
    groups: list[list[int]] = []
    opened = 0
    for done_ns, number in done:
        if groups and done_ns - opened <= tie_ns:
            groups[-1].append(number)
        else:
            groups.append([number])
            opened = done_ns
    return groups


def stragglers(seats: Sequence[Seat]) -> list[list[int]]:
    """Return the seats that are not done, by unplaced tiles, the fewest first, equal ones in one group."""
    left = sorted(
        (seat.hand - seat.placed, n)
        for n, seat in enumerate(seats, 1)
        if seat.done_ns is None and not seat.out
    )
    return [[number for _, number in group] for _, group in groupby(left, key=lambda one: one[0])]


def places(groups: Sequence[Sequence[int]], seats: int) -> list[int | None]:
    """Return the place of every seat; the seats of a group share its best place."""
    found: list[int | None] = [None] * seats
    place = 1
    for group in groups:
        for number in group:
            found[number - 1] = place
        place += len(group)
    return found


def shares(given: Places, worth: Sequence[int]) -> list[Fraction]:
    """Return the share of each seat in the worth of the places; tied seats get the mean of their places."""
    ranked = sorted((place, n) for n, place in enumerate(given) if place is not None)
    found = [Fraction(0)] * len(given)
    position = 0
    for _, tied in groupby(ranked, key=lambda one: one[0]):
        group = [n for _, n in tied]
        mean = Fraction(sum(worth[position : position + len(group)]), len(group))
        for n in group:
            found[n] = mean
        position += len(group)
    return found


def points(given: Places) -> tuple[Score, ...]:
    """Return every seat's points: 1 for the last place, 2 for the second-last, and so on; alone, 0."""
    players = sum(place is not None for place in given)
    if len(given) == 1:
        return (0,)
    found = shares(given, range(players, 0, -1))
    return tuple(int(share) if share.denominator == 1 else float(share) for share in found)


def handicaps_after(given: Places, handicaps: Sequence[int | None]) -> tuple[int, ...]:
    """Return the next handicaps: changed by place, a shared change rounded toward 0, at least three."""
    players = sum(place is not None for place in given)
    change = shares(given, HANDICAP_CHANGES.get(players, (0,) * players))
    return tuple(max(MIN_HANDICAP, (old or 0) + int(by)) for old, by in zip(handicaps, change, strict=True))


def standings(totals: Sequence[Score], rounds: Sequence[Places]) -> list[list[int]]:
    """Return the seats from first to last, equal ones in one list.

    They are compared by points, then by rounds won, then head to head: by how often each finished before the
    others of the tie.
    """
    seats = range(1, len(totals) + 1)
    firsts = {n: sum(places[n - 1] == 1 for places in rounds) for n in seats}
    found = []
    for tied in grouped({n: (-totals[n - 1], -firsts[n]) for n in seats}):
        found += grouped({n: -sum(duel(rounds, n, other) for other in tied) for n in tied})
    return found


def grouped(rank: Mapping[int, Any]) -> list[list[int]]:
    """Return seats in groups of equal rank, the smallest rank first."""
    return [list(group) for _, group in groupby(sorted(rank, key=lambda n: rank[n]), key=lambda n: rank[n])]


def duel(rounds: Sequence[Places], one: int, other: int) -> int:
    """Return in how many more rounds one seat finished before the other than after it."""
    pairs = [(places[one - 1] or len(places) + 1, places[other - 1] or len(places) + 1) for places in rounds]
    return sum((mine < theirs) - (mine > theirs) for mine, theirs in pairs)
