"""When two readings of one tile settle a doubt."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.decoding import agree


def chances(*values: float) -> NDArray[np.float64]:
    return np.array(values)


def test_what_both_read_surely_is_no_doubt_any_more() -> None:
    assert agree(chances(0.7, 0.3, 0, 0), chances(0.99, 0, 0, 0))


@pytest.mark.parametrize(("first", "second"), [(0.7, 0.74), (0.59, 0.99)])
def test_it_stays_a_doubt_where_one_of_them_is_not_sure(first: float, second: float) -> None:
    assert not agree(chances(first, 1 - first, 0, 0), chances(second, 0, 0, 0))


def test_a_letter_on_what_may_be_no_tile_stays_a_doubt_however_plainly_it_is_read() -> None:
    assert not agree(chances(0.64, 0.01, 0, 0), chances(0.99, 0, 0, 0))


def test_even_a_sure_first_reader_is_doubted_where_the_second_differs() -> None:
    assert not agree(chances(0.99, 0.01, 0, 0), chances(0, 0.99, 0, 0))
