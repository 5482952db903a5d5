"""Looks at parts of a picture: what is moved, what is inside, what shapes tiles have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.errors import BadPicture
from companion.model.tiles import tile_set
from companion.vision.detector.detections import Detections, concatenate_detections
from companion.vision.detector.perspective import TILE_PX, RectifiedView
from companion.vision.grid.homography import points_inside
from companion.vision.pipeline.frame import (
    FrameDetections,
    Window,
    conform_shapes,
    measure_shapes,
    padded,
    translated,
    without_duplicates,
)
from companion.vision.pipeline.reader import Reader
from tests.vision.made_detections import detections_at, probabilities_of

ROW = [(100.0 * k, 50.0) for k in range(1, 11)]


def sized(detections: Detections, *sides: float) -> Detections:
    """Return detections with other sides."""
    return replace(detections, shapes=np.eye(2) * np.array(sides)[:, None, None])


def test_a_box_is_widened_up_to_the_picture_s_border() -> None:
    assert padded((10, 20, 30, 40), 12.4, (100, 50)) == (0, 8, 42, 50)


def test_a_find_is_inside_where_its_middle_is() -> None:
    assert points_inside(
        detections_at([(10, 10), (9.9, 10), (20, 10), (19.9, 10)]).centres, (10, 10, 20, 20)
    ).tolist() == [
        True,
        False,
        False,
        True,
    ]


def test_detections_are_moved_right_and_down() -> None:
    detections = detections_at([(10, 20)])
    assert translated(detections, np.array([3, -4])).centres.tolist() == [[13, 16]]


def test_a_tile_is_told_once_however_often_it_was_found() -> None:
    detections = detections_at([(10, 10), (12, 11), (50, 10), (9, 12), (11, 9)])
    scores = np.array([0.5, 0.6, 0.4, 0.9, 0.7])
    names = probabilities_of(*"ABCDE")
    look = FrameDetections((100, 100), replace(detections, scores=scores), names, 1.0)
    once = without_duplicates(look)
    assert once.detections.centres.tolist() == [[50, 10], [9, 12]]
    assert [names.symbols[k] for k in once.probabilities.p_symbol.sum(2).argmax(1)] == ["C", "D"]


def test_a_look_keeps_the_names_beside_their_finds() -> None:
    look = FrameDetections((100, 100), detections_at([(10, 10), (60, 10)]), probabilities_of("A", "B"), 1.0)
    kept = look.kept(np.array([False, True]))
    assert (kept.detections.centres.tolist(), kept.probabilities.p_symbol[0, 1, 0]) == ([[60, 10]], 0.99)


def test_new_tiles_have_the_shape_that_the_known_ones_have_there() -> None:
    known = sized(detections_at(ROW), *(40 + k for k in range(1, 11)))
    fitted = conform_shapes(sized(detections_at([(550, 50)]), 48), known)
    assert fitted.sides == pytest.approx([45.5], abs=0.3)


def test_a_row_of_tiles_says_nothing_of_how_sizes_change_across_it() -> None:
    rng = np.random.default_rng(1)
    row = np.column_stack([700 + 50.0 * np.arange(10), 330 + rng.normal(0, 0.5, 10)])
    known = sized(detections_at(row.tolist()), *(40 + rng.normal(0, 1, 10)))
    far = detections_at([(100.0, 330.0), (1300.0, 30.0), (600.0, 900.0), (100.0, 900.0)])
    fitted = conform_shapes(sized(far, *[40.0] * 4), known)
    assert len(fitted) == 4
    assert fitted.sides == pytest.approx([40] * 4, rel=0.12)


def test_a_wrong_slope_of_the_first_tiles_does_not_stay() -> None:
    rng = np.random.default_rng(2)
    first = np.array([(x, y) for x in (900, 950, 1000) for y in (600, 650, 700)], float)
    known = sized(detections_at(first.tolist()), *(40 * (1 - 0.06 * (first - 950)[:, 0] / 100)))
    for place in rng.uniform((100, 100), (1800, 1300), (100, 2)).tolist():
        new = sized(detections_at([place]), 40 * rng.normal(1, 0.04))
        named = conform_shapes(new, known)
        known = concatenate_detections(known, measure_shapes(named, new, known, np.ones(1)))
    corners = detections_at([(100.0, 100.0), (1800.0, 100.0), (1800.0, 1300.0), (100.0, 1300.0)])
    fitted = conform_shapes(sized(corners, *[40.0] * 4), known)
    assert fitted.sides == pytest.approx([40] * 4, rel=0.08)


def test_tiles_far_from_a_heap_do_not_follow_its_slope() -> None:
    rng = np.random.default_rng(3)
    heap = np.array([(x, y) for x in range(700, 1250, 45) for y in range(500, 950, 45)], float)
    known = sized(detections_at(heap.tolist()), *(37.5 * (1 - 0.05 * (heap[:, 0] - 950) / 500)))
    for y in range(100, 1300, 50):
        new = sized(detections_at([(1850, y)]), 40 * rng.normal(1, 0.04))
        known = concatenate_detections(
            known, measure_shapes(conform_shapes(new, known), new, known, np.ones(1))
        )
    assert known.sides[len(heap) :] == pytest.approx([40] * 24, rel=0.08)


def test_a_find_of_quite_another_size_than_the_known_tiles_is_none() -> None:
    assert len(conform_shapes(sized(detections_at([(500, 80), (600, 80)]), 60, 41), detections_at(ROW))) == 1


@pytest.mark.parametrize("moved", [0.0, 0.3])
def test_the_pattern_of_a_cloth_changes_no_shape_of_known_tiles(moved: float) -> None:
    known = sized(detections_at(ROW), *[40.0] * 10)
    cloth = sized(
        detections_at([(x, y) for x in range(0, 1100, 50) for y in range(100, 900, 50)]), *[30] * 352
    )
    seen = concatenate_detections(translated(known, np.array([moved, 0.0])), cloth)
    assert conform_shapes(seen, known).sides[:10] == pytest.approx([40] * 10, abs=0.5)


def test_where_few_tiles_are_known_all_are_evened_together() -> None:
    known = sized(detections_at([(0, 0), (100, 0), (200, 0)]), 40, 40, 40)
    fitted = conform_shapes(sized(detections_at([(300, 0), (100, 0)]), 44, 40), known)
    assert fitted.centres.tolist() == [[300, 0], [100, 0]]
    assert fitted.sides == pytest.approx([40, 40], abs=1.5)


def test_tiles_of_two_looks_come_one_after_the_other() -> None:
    assert concatenate_detections(detections_at([(1, 2)]), detections_at([(3, 4)])).centres.tolist() == [
        [1, 2],
        [3, 4],
    ]


def test_a_part_cannot_be_looked_at_where_the_size_of_tiles_is_unknown() -> None:
    known = FrameDetections((64, 64), detections_at([]), probabilities_of(), None)
    with pytest.raises(BadPicture, match="look at the whole picture first"):
        Reader(tile_set("bananagrams-en")).detect_region(np.zeros((64, 64), np.uint8), (0, 0, 64, 64), known)


@pytest.mark.parametrize(
    "view", [None, RectifiedView.whole(np.eye(3), (640, 480), TILE_PX)], ids=["straight down", "aslant"]
)
def test_a_part_is_detected_at_another_scale_with_and_without_a_view(view: RectifiedView | None) -> None:
    known = FrameDetections((640, 480), detections_at([(60, 60)]), probabilities_of("A"), 0.5, table=view)
    once, again = (Window.around((0, 0, 100, 100), known, times).scale for times in (1.0, 1.07))
    assert again == pytest.approx(1.07 * once)
