from __future__ import annotations

from collections import Counter

import pytest

from calibration.drawing import fonts
from calibration.evaluation.drawn import scene_of
from companion.bench import speed
from companion.bench.speed import (
    STAGES,
    drawn_scenes,
    free_table_reader,
    read_and_judge,
    read_metrics,
    speed_metrics,
    stage_metric,
)
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
        "read small, tile size unknown",
        "read small, tile size known",
    )
    assert known.target_text == "at most 12 ms"
    assert known.how.startswith("2 tiles seen of 288; ")
    assert floor.target_text == ""


@pytest.mark.parametrize("tiles", [10, 144, 288])
def test_so_many_tiles_are_drawn_in_the_proportions_of_the_box(tiles: int) -> None:
    (scene,) = drawn_scenes((1280, 960), tiles, 1)
    laid = Counter(tile.symbol for tile in scene.tiles)
    assert laid.total() == tiles
    assert all(abs(laid[symbol] - tiles / 144 * many) <= 1 for symbol, many in (BOX.counts or {}).items())


def test_stages_tell_their_shares_of_a_picture_read_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "RUNS", 1)
    metric = stage_metric("a table", drawn_scenes((1280, 960), 50, 1))
    named = dict(part.rsplit(" ", 2)[:2] for part in metric.how.split(", "))
    assert tuple(named) == STAGES
    assert 97 <= sum(map(int, named.values())) <= 103
    assert int(named["find"]) > int(named["words"])
    assert metric.value > 0


def test_words_are_judged_after_every_tile_is_read() -> None:
    (scene,) = drawn_scenes((1280, 960), 50, 1)
    timing = read_and_judge(free_table_reader(None), scene.picture)
    assert tuple(timing) == STAGES
    assert timing["second"] == 0
    assert min(timing[stage] for stage in ("find", "read", "fit", "words")) > 0


@pytest.mark.slow
def test_every_way_of_reading_is_measured_on_the_large_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "LARGE", ("large", SMALL, 12.0))
    monkeypatch.setattr(speed, "SMALL", ("small", SMALL, 8.0))
    monkeypatch.setattr(speed, "RUNS", 1)
    monkeypatch.setattr(speed, "SCENES", 2)
    monkeypatch.setattr(speed, "FEW_SCENES", 1)
    monkeypatch.setattr(speed, "STARTS", 1)
    monkeypatch.setattr(speed, "TABLES", (("small", SMALL, 50),))
    told: list[str] = []
    found = {metric.what: metric for metric in speed_metrics(told.append)}
    assert {"look at small", "track small, one tile changes", "read and judge small, 50 tiles"} < set(found)
    assert found["decode a large JPEG, grey"].value >= 0
    assert found["companion read of a large JPEG, as a process: peak memory"].value > 50
    assert found["Tesseract: times our reading"].value > 0
    assert told[0] == "drawing tables, large"


def test_the_table_is_drawn_with_what_every_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "FOLDERS", ())
    fonts.fonts_named.cache_clear()
    scene, _ = scene_of(SMALL, 0, BOX, fonts.BUILT_IN_FONTS)
    monkeypatch.undo()
    fonts.fonts_named.cache_clear()
    assert len(scene.tiles) == 144
