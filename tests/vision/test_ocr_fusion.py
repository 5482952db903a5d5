"""How two readings of one tile are settled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from companion.vision.layout.compose import DOUBT
from companion.vision.ocr.recheck import CAP, Fused, fuse

A, B, C, D = range(4)


def chances(*values: float) -> NDArray[np.float64]:
    return np.array(values)


SILENT = chances(0, 0, 0, 0)


def test_a_silent_second_reader_changes_nothing() -> None:
    assert fuse(chances(0.6, 0.3, 0.1, 0), SILENT) == Fused(A, 0.6, (B, C))


def test_a_silent_first_reader_leaves_it_to_the_second() -> None:
    assert fuse(SILENT, chances(0, 0, 0.99, 0)) == Fused(C, 0.99, ())


def test_two_silent_readers_are_sure_of_nothing() -> None:
    assert fuse(SILENT, SILENT) == Fused(A, 0.0, ())


def test_what_both_read_surely_is_no_doubt_any_more() -> None:
    end = fuse(chances(0.7, 0.3, 0, 0), chances(0.99, 0, 0, 0))
    assert (end.best, end.others) == (A, (B,))
    assert end.confidence == pytest.approx(0.7 * 10 / (0.7 * 10 + 0.3))
    assert end.confidence > DOUBT


@pytest.mark.parametrize(("first", "second"), [(0.7, 0.94), (0.59, 0.99)])
def test_it_stays_a_doubt_where_one_of_them_is_not_sure(first: float, second: float) -> None:
    end = fuse(chances(first, 1 - first, 0, 0), chances(second, 0, 0, 0))
    assert (end.best, end.confidence) == (A, CAP)


def test_a_letter_on_what_may_be_no_tile_stays_a_doubt_however_plainly_it_is_read() -> None:
    end = fuse(chances(0.64, 0.01, 0, 0), chances(0.99, 0, 0, 0))
    assert (end.best, end.confidence) == (A, CAP)


def test_agreement_makes_a_weak_doubt_surer() -> None:
    end = fuse(chances(0.3, 0.2, 0.2, 0.1), chances(0.7, 0, 0, 0))
    assert end.confidence == pytest.approx(0.3 * 3 / (0.3 * 3 + 0.7))


def test_what_the_first_gives_to_no_symbol_counts_against_all() -> None:
    end = fuse(chances(0.2, 0, 0, 0), chances(0.7, 0, 0, 0))
    assert end.confidence == pytest.approx(0.2 * 3 / (0.2 * 3 + 0.8))


def test_where_they_differ_it_stays_a_doubt_and_both_are_named() -> None:
    end = fuse(chances(0.8, 0.1, 0.08, 0.02), chances(0, 0, 0, 0.7))
    assert (end.best, end.others) == (A, (B, D))
    assert end.confidence == pytest.approx(0.8 / (0.98 + 0.02 * 3))


def test_a_symbol_that_the_first_never_thought_of_is_named_all_the_same() -> None:
    assert fuse(chances(0.5, 0.3, 0.2, 0), chances(0, 0, 0, 0.99)).others == (B, D)


def test_a_sure_second_reader_decides_between_the_first_readers_own_two() -> None:
    end = fuse(chances(0.5, 0.4, 0.1, 0), chances(0, 0.99, 0, 0))
    assert end == Fused(B, CAP, (A, C))


def test_even_a_sure_first_reader_is_doubted_where_the_second_differs() -> None:
    assert fuse(chances(0.99, 0.01, 0, 0), chances(0, 0.99, 0, 0)).confidence == CAP


def test_the_cap_is_a_doubt() -> None:
    assert CAP < DOUBT


VECTORS = st.lists(st.floats(0, 1), min_size=5, max_size=5).map(lambda v: np.array(v) / max(1.0, sum(v)))


@given(VECTORS, VECTORS)
def test_any_two_readings_come_to_one_symbol_and_at_most_two_others(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> None:
    end = fuse(first, second)
    assert 0 <= end.confidence <= 1
    assert len({end.best, *end.others}) == 1 + len(end.others) <= 3
    if first.any() and second.any():
        assert {int(first.argmax()), int(second.argmax())} <= {end.best, *end.others}
