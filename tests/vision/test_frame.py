"""Looks at parts of a picture: what is moved, what is inside, what shapes tiles have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.errors import BadPicture
from companion.model.tiles import tile_set
from companion.vision import Reader
from companion.vision.detector.detections import Finds
from companion.vision.pipeline.frame import Look, evened_with, inside, moved, together, widened
from tests.vision.made_detections import finds_at, named

ROW = [(100.0 * k, 50.0) for k in range(1, 11)]


def sized(finds: Finds, *sides: float) -> Finds:
    """Return finds with other sides."""
    return replace(finds, shapes=np.eye(2) * np.array(sides)[:, None, None])


def test_a_box_is_widened_up_to_the_picture_s_border() -> None:
    assert widened((10, 20, 30, 40), 12.4, (100, 50)) == (0, 8, 42, 50)


def test_a_find_is_inside_where_its_middle_is() -> None:
    assert inside(finds_at([(10, 10), (9.9, 10), (20, 10), (19.9, 10)]), (10, 10, 20, 20)).tolist() == [
        True,
        False,
        False,
        True,
    ]


def test_finds_and_looks_are_moved_right_and_down() -> None:
    finds = finds_at([(10, 20)])
    assert moved(finds, np.array([3, -4])).centres.tolist() == [[13, 16]]
    look = Look((100, 100), finds, named("A"), 1.0)
    assert look.moved(np.array([1, 2])).finds.centres.tolist() == [[11, 22]]


def test_a_look_keeps_the_names_beside_their_finds() -> None:
    look = Look((100, 100), finds_at([(10, 10), (60, 10)]), named("A", "B"), 1.0)
    kept = look.kept(np.array([False, True]))
    assert (kept.finds.centres.tolist(), kept.names.chance[0, 1, 0]) == ([[60, 10]], 0.99)


def test_new_tiles_have_the_shape_that_the_known_ones_have_there() -> None:
    known = sized(finds_at(ROW), *(40 + k for k in range(1, 11)))
    fitted = evened_with(sized(finds_at([(550, 50)]), 48), known)
    assert fitted.sides == pytest.approx([45.5], abs=1e-3)


def test_a_find_of_quite_another_size_than_the_known_tiles_is_none() -> None:
    assert len(evened_with(sized(finds_at([(500, 80), (600, 80)]), 60, 41), finds_at(ROW))) == 1


def test_where_few_tiles_are_known_all_are_evened_together() -> None:
    known = sized(finds_at([(0, 0), (100, 0), (200, 0)]), 40, 40, 40)
    fitted = evened_with(sized(finds_at([(300, 0), (100, 0)]), 44, 40), known)
    assert fitted.centres.tolist() == [[300, 0], [100, 0]]
    assert fitted.sides == pytest.approx([40, 40], abs=1.5)


def test_tiles_of_two_looks_come_one_after_the_other() -> None:
    assert together(finds_at([(1, 2)]), finds_at([(3, 4)])).centres.tolist() == [[1, 2], [3, 4]]


def test_a_part_cannot_be_looked_at_where_the_size_of_tiles_is_unknown() -> None:
    known = Look((64, 64), finds_at([]), named(), None)
    with pytest.raises(BadPicture, match="look at the whole picture first"):
        Reader(tile_set("bananagrams-en")).looked_within(np.zeros((64, 64), np.uint8), (0, 0, 64, 64), known)
