from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from calibration.evaluation import drawn
from calibration.evaluation.drawn import drawn_metrics, scene_of, tables, truth_of
from calibration.evaluation.results import LabelledPicture
from calibration.evaluation.truth import Truth
from companion.model.reading import Reading
from companion.model.tiles import tile_set
from companion.vision.camera_frame import CameraFrame
from tests.made_up import square, tile

BOX = tile_set("bananagrams-en")
SMALL = (640, 480)


class SeesAll:
    """Reads a drawn table without a fault, by its truth; ``blind`` tiles at the end are not seen."""

    def __init__(self, truth: Truth, blind: int = 0) -> None:
        tiles = truth.tiles or ()
        self.tiles = tuple(tile(one.symbol, one.centre) for one in tiles[: len(tiles) - blind])

    def read(self, frame: CameraFrame) -> Reading:
        height, width = frame.shape
        return Reading(width, height, "bananagrams-en", self.tiles, ())


def truth_drawn() -> Truth:
    scene, grids = scene_of(SMALL, 0, BOX)
    return truth_of(scene, grids, BOX)


def test_a_scene_has_the_whole_box_and_four_tableaux() -> None:
    truth = truth_drawn()
    assert Counter(one.symbol for one in truth.tiles or ()) == Counter(BOX.counts)
    assert (len(truth.grids), truth.face_down, truth.covered) == (4, 0, frozenset())


def test_the_same_number_draws_the_same_scene() -> None:
    assert np.array_equal(scene_of(SMALL, 1, BOX)[0].picture, scene_of(SMALL, 1, BOX)[0].picture)
    assert not np.array_equal(scene_of(SMALL, 1, BOX)[0].picture, scene_of(SMALL, 2, BOX)[0].picture)


def test_a_tile_that_is_hardly_to_be_seen_covers_its_tableau() -> None:
    scene, grids = scene_of(SMALL, 0, BOX)
    tiles = [replace(one, visible=0.5) if one.placed.group == 2 else one for one in scene.tiles]
    truth = truth_of(replace(scene, tiles=tuple(tiles)), grids, BOX)
    assert truth.covered == frozenset({2})
    assert sum(one.covered for one in truth.tiles or ()) == len(grids[2])


def test_a_tile_has_the_middle_and_the_side_of_its_face() -> None:
    scene, _ = scene_of(SMALL, 0, BOX)
    one = drawn.true_tile(replace(scene.tiles[0], corners=np.array(square(30.0, 40.0))))
    assert (one.centre, one.side) == ((30.0, 40.0), 40.0)


def test_what_is_read_right_counts_as_right_and_a_third_is_drawn_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawn, "SIZES", {"small": SMALL, "large": SMALL})
    seeing, told = SeesAll(truth_drawn(), blind=1), list[str]()
    found = {f.what: f for f in drawn_metrics(1, lambda _name, _board: seeing, told.append)}
    assert told == ["drawn, small, 1 of 1", "drawn, large, 1 of 1"]
    assert found["drawn, small: symbols right"].how == (
        "143 of 144; 0 wrong, 1 missed, 0 invented; 1 picture; see drawn, small, 1 of 1"
    )
    assert found["drawn, small: invented"].value == 0
    assert found["drawn, large: pictures with every tableau exact"].value == 0


def test_ten_scenes_mean_three_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def none(name: str, _size: tuple[int, int], count: int) -> list[LabelledPicture]:
        asked.append((name, count))
        return []

    monkeypatch.setattr(drawn, "tables", none)
    list(drawn_metrics(10, lambda _name, _board: SeesAll(Truth("x")), print))
    assert asked == [("1080p", 10), ("12 MP", 3)]


def test_tables_are_named_by_their_number() -> None:
    assert [name for name, _, _ in tables("small", SMALL, 2)] == [
        "drawn, small, 1 of 2",
        "drawn, small, 2 of 2",
    ]
