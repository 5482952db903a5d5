"""What a tableau and a round score in League City (league_city.txt, The Score)."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.grid import Place, Run, islands, runs
from companion.model.seats import Score, Seat
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules.league_city.values import Race

DIFFICULT = frozenset("JQXZ")

BONUS = 5
"""Points of the player who finished first."""

PER_DIFFICULT = 3
"""Daronian points of a difficult tile, however many words use it."""


def word_points(letters: int) -> int:
    """Return the points of a word of so many letters: 2 for two, one less than its letters for more."""
    return 2 if letters == 2 else letters - 1


def is_difficult(symbol: str) -> bool:
    """Return whether a tile shows a letter that is difficult to use."""
    return symbol.upper() in DIFFICULT


def jamesian(words: Sequence[Run]) -> int:
    """Return the points of words, each once doubled that has a difficult letter."""
    return sum(word_points(len(run.symbols)) * (1 + any(map(is_difficult, run.symbols))) for run in words)


def daronian(words: Sequence[Run]) -> int:
    """Return the points of words and three more for each difficult tile, once where two words share it."""
    used = {
        place
        for run in words
        for place, symbol in zip(run.places, run.symbols, strict=True)
        if is_difficult(symbol)
    }
    return sum(word_points(len(run.symbols)) for run in words) + PER_DIFFICULT * len(used)


METHODS = {"jamesian": jamesian, "daronian": daronian}
"""The two ways to score difficult letters, never mixed."""


def largest(seen: Sighting) -> list[frozenset[Place]]:
    """Return the largest connected group of the tiles seen; several where they are of one size."""
    groups = islands(seen.cells())
    return [group for group in groups if len(group) == len(groups[0])]


def good_words(seen: Sighting, verdict: Verdict, group: frozenset[Place]) -> list[Run]:
    """Return the words of a group that are good beyond doubt."""
    bad, doubts = {*verdict.invalid_words, *verdict.undecided_words}, set(verdict.doubts)
    cells = {place: symbol for place, symbol in seen.cells().items() if place in group}
    return [run for run in runs(cells) if run.text not in bad and doubts.isdisjoint(run.places)]


def tableau_points(seat: Seat, scoring: str) -> int:
    """Return the points of the good words in the largest group; the best of groups of one size."""
    seen, verdict = seat.sighting, seat.verdict
    if seen is None or verdict is None:
        return 0
    return max((METHODS[scoring](good_words(seen, verdict, group)) for group in largest(seen)), default=0)


def leftover(seat: Seat) -> int:
    """Return how many tiles lie outside the largest group; none of a seat that nobody has seen."""
    if seat.sighting is None:
        return 0
    used = max(map(len, largest(seat.sighting)), default=0)
    return max(0, seat.hand - used)


def round_score(state: Race, number: int) -> Score:
    """Return a seat's points of a round that has ended, as the tables stand."""
    seat = state.seat(number)
    if seat.out:
        return 0
    points = tableau_points(seat, state.options["scoring"])
    penalty = state.penalties[number - 1] if state.penalties else 0
    if seat.done_ns is not None:
        return points + BONUS - penalty
    counted = points if state.options["losers_score"] == "valid_words" else 0
    return counted - penalty - leftover(seat) * int(state.options["leftover_penalty"])


def round_scores(state: Race, *, ended: bool) -> tuple[Score, ...]:
    """Return everybody's points of the round; those that the referee has set stand."""
    found = {number: round_score(state, number) if ended else 0 for number in state.numbers}
    return tuple({**found, **dict(state.fixed_scores)}.values())


def round_places(state: Race, scores: Sequence[Score], *, ended: bool) -> tuple[int | None, ...]:
    """Return the ranks by points; equal points share the best, and those that the referee has set stand."""
    playing = [scores[number - 1] for number in state.active]
    found = {
        number: 1 + sum(other > scores[number - 1] for other in playing)
        if ended and number in state.active
        else None
        for number in state.numbers
    }
    return tuple({**found, **dict(state.fixed_places)}.values())
