from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing import fonts
from calibration.evaluation.drawn import scene_of
from companion.bench import baseline, speed
from companion.bench.speed import read_metrics, speed_metrics, with_other_tile
from companion.model.reading import Reading
from companion.model.tiles import tile_set
from companion.vision.camera_frame import CameraFrame
from tests.made_up import reading, tile

SMALL = (640, 480)
BOX = tile_set("bananagrams-en")


class SeesOne:
    """Sees one tile on any table."""

    def read(self, _frame: CameraFrame) -> Reading:
        return reading(others=(tile("A", (30.0, 30.0)),))


def test_a_table_is_read_with_the_size_of_its_tiles_unknown_and_known() -> None:
    scene, _ = scene_of(SMALL, 0, BOX)
    asked: list[float | None] = []

    def reader(tile_px: float | None) -> SeesOne:
        asked.append(tile_px)
        return SeesOne()

    unknown, known, floor = read_metrics("small", [scene, scene], 12.0, reader)
    assert asked == [None, scene.tile_px]
    assert (unknown.what, known.what) == (
        "read small, size of tiles unknown",
        "read small, size of tiles known",
    )
    assert known.target_text == "at most 12 ms"
    assert known.how.startswith("2 tiles seen of 288; ")
    assert floor.target_text == ""


def test_one_tile_is_changed_and_nothing_else() -> None:
    scene, _ = scene_of(SMALL, 0, BOX)
    changed = with_other_tile(scene) != scene.picture
    rows, cols = np.nonzero(changed)
    x, y = scene.tiles[0].corners.T
    assert changed.any()
    assert x.min() - 1 <= cols.min() <= cols.max() <= x.max() + 1
    assert y.min() - 1 <= rows.min() <= rows.max() <= y.max() + 1


@pytest.mark.slow
def test_every_way_of_reading_is_measured_on_the_large_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "LARGE", ("large", SMALL, 12.0))
    monkeypatch.setattr(speed, "SMALL", ("small", SMALL, 8.0))
    monkeypatch.setattr(speed, "RUNS", 1)
    monkeypatch.setattr(speed, "SCENES", 2)
    monkeypatch.setattr(speed, "STARTS", 1)
    monkeypatch.setattr(baseline, "SAMPLED_TILES", 1)
    told: list[str] = []
    found = {metric.what: metric for metric in speed_metrics(told.append)}
    assert {"look at small", "read one changed tile, small"} < set(found)
    assert found["decode a large JPEG, grey"].value >= 0
    assert found["companion read of a large JPEG, as a process: peak memory"].value > 50
    assert found["contours and pytesseract: times our reading"].value > 0
    assert told[0] == "drawing a table, large"


def test_the_table_is_drawn_with_what_every_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "FOLDERS", ())
    fonts.fonts_named.cache_clear()
    scene, _ = scene_of(SMALL, 0, BOX, fonts.BUILT_IN_FONTS)
    monkeypatch.undo()
    fonts.fonts_named.cache_clear()
    assert len(scene.tiles) == 144
