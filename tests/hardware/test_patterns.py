"""What the lights say: no two patterns look alike, to any eyes, on any lamp."""

from __future__ import annotations

from itertools import combinations, groupby, pairwise

import pytest

from companion.model.patterns import Pattern
from hardware.lights import Colour, colour
from hardware.lights.patterns import DARK, pixels, rhythm
from tests.hardware.eyes import SIGHTS, difference

MS = 1_000_000
WATCHED_MS, STEP_MS = 12_000, 10
LIT = [pattern for pattern in Pattern if pattern is not Pattern.OFF]


def stretches(pattern: Pattern, number: int = 0) -> list[tuple[bool, int]]:
    """Return how long, in ms, a pattern is lit and dark in turn, as somebody sees who sees no colours.

    The last stretch, which the watching cuts short, is left out, unless there is only that.
    """
    lit = [colour(pattern, at * MS, number) != DARK for at in range(0, WATCHED_MS, STEP_MS)]
    told = [(on, STEP_MS * len(list(some))) for on, some in groupby(lit)]
    return told[:-1] or told


def beat(pattern: Pattern, number: int = 0) -> tuple[list[int], list[int]]:
    """Return the different lengths that a pattern is lit and dark, in ms, from short to long."""
    told = stretches(pattern, number)
    return sorted({ms for on, ms in told if on}), sorted({ms for on, ms in told if not on})


def alike(one: list[int], other: list[int]) -> bool:
    """Return whether two sets of lengths sound the same: none is half as long again as its like."""
    return len(one) == len(other) and all(
        max(a, b) < 1.5 * min(a, b) for a, b in zip(one, other, strict=True)
    )


def seen(pattern: Pattern) -> set[Colour]:
    return {colour(pattern, at * MS, 3) for at in range(0, 4000, STEP_MS)} - {DARK}


@pytest.mark.parametrize("number", [1, 2, 3, 10, 21])
def test_no_two_patterns_have_the_same_rhythm_on_a_lamp_of_one_colour(number: int) -> None:
    beats = {pattern: beat(pattern, number) for pattern in Pattern}
    same = [
        (one, other)
        for one, other in combinations(Pattern, 2)
        if all(alike(a, b) for a, b in zip(beats[one], beats[other], strict=True))
    ]
    assert same == []


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_colours_of_what_the_table_answers_differ_for_all_eyes(sight: str) -> None:
    answers = [Pattern.ACCEPTED, Pattern.REFUSED, Pattern.DRAW, Pattern.DOUBT, Pattern.WARNING]
    first = {pattern: next(iter(seen(pattern))) for pattern in answers}
    close = {
        (one, other): difference(first[one], first[other], sight) for one, other in combinations(answers, 2)
    }
    assert {pair: far for pair, far in close.items() if far < 20} == {}


def test_eyes_without_red_cones_see_red_darker_than_amber() -> None:
    assert difference(Colour(1, 0, 0), DARK, "protanope") < difference(Colour(1, 0.45, 0), DARK, "protanope")


def test_white_is_white_to_all_eyes() -> None:
    assert max(difference(Colour(1, 1, 1), Colour(1, 1, 1), sight) for sight in SIGHTS) == 0
    assert all(difference(Colour(1, 1, 1), DARK, sight) == pytest.approx(100, abs=0.1) for sight in SIGHTS)


@pytest.mark.parametrize(("number", "pulses_ms"), [(1, [250]), (3, [250] * 3), (12, [1100, 250, 250])])
def test_the_number_to_draw_is_counted_in_pulses(number: int, pulses_ms: list[int]) -> None:
    steps = rhythm(Pattern.DRAW, number).steps
    assert [step.ms for step in steps if step.colour != DARK] == pulses_ms


@pytest.mark.parametrize("number", [-5, 0, 1])
def test_no_number_is_one_pulse(number: int) -> None:
    assert rhythm(Pattern.DRAW, number) == rhythm(Pattern.DRAW, 1)


def test_a_number_that_nobody_can_count_is_bounded() -> None:
    assert len(rhythm(Pattern.DRAW, 10**9).steps) == 2 * (19 + 9) + 1


def test_a_light_is_tested_by_each_colour_alone_without_end() -> None:
    assert seen(Pattern.TEST) == {Colour(1, 0, 0), Colour(0, 1, 0), Colour(0, 0, 1)}
    assert rhythm(Pattern.TEST).lasts_ns is None


def test_an_accepted_call_is_lit_at_once_and_over_after_a_second_and_a_half() -> None:
    at_ms = (-1, 0, 1499, 1500, 5000)
    assert [colour(Pattern.ACCEPTED, at * MS) != DARK for at in at_ms] == [False, True, True, False, False]


@pytest.mark.parametrize("pattern", LIT)
def test_every_pattern_is_lit_from_its_first_moment(pattern: Pattern) -> None:
    assert colour(pattern, 0, 2) != DARK


@pytest.mark.parametrize("pattern", LIT)
def test_a_pattern_changes_exactly_when_it_says_so(pattern: Pattern) -> None:
    told, at_ns = rhythm(pattern, 3), 0
    for _ in range(20):
        step, next_ns = told.at(at_ns)
        if step < 0:
            break
        assert told.at(next_ns - 1)[0] == step
        assert told.at(next_ns)[0] != step
        at_ns = next_ns


@pytest.mark.parametrize("pattern", Pattern)
def test_no_light_flashes_more_than_three_times_in_any_second(pattern: Pattern) -> None:
    # WCAG 2.2, 2.3.1: what flashes more often can set off a seizure
    lit = [colour(pattern, at * MS, 3) != DARK for at in range(-STEP_MS, WATCHED_MS, STEP_MS)]
    flashes = [not before and now for before, now in pairwise(lit)]
    second = 1000 // STEP_MS
    assert max(sum(flashes[at : at + second]) for at in range(len(flashes) - second)) <= 3


def test_on_a_strip_the_tiles_to_draw_are_counted_up() -> None:
    lit = [sum(led != DARK for led in pixels(Pattern.DRAW, at * 600 * MS, 8, 3)) for at in range(3)]
    assert lit == [1, 2, 3]


def test_on_a_strip_no_more_leds_are_lit_than_it_has() -> None:
    assert len(pixels(Pattern.DRAW, 8 * 600 * MS, 4, 9)) == 4


def test_the_winners_light_runs() -> None:
    first, later = pixels(Pattern.WINNER, 0, 6), pixels(Pattern.WINNER, 760 * MS, 6)
    assert len(set(first)) == 2
    assert [led != first[0] for led in first] != [led != later[1] for led in later]
