from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.scene import SceneContents, draw_scene
from calibration.evaluation.laying import (
    REACH,
    SHAKE_PX,
    LaidTable,
    TrackedGame,
    filled_in,
    laying_metrics,
    nearest_tiles,
    played,
)
from calibration.evaluation.oblique import labelled_photographs
from calibration.evaluation.truth import TrueTile
from companion.model.tiles import tile_set
from companion.vision.pipeline.reader import Reader

TILES = (TrueTile("A", (40.0, 30.0), 20.0), TrueTile("B", (60.0, 30.0), 20.0))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one labelled picture: a drawn table with two words."""
    folder = tmp_path_factory.mktemp("shared") / "photos" / "bananagrams_fi"
    folder.mkdir(parents=True)
    words = [list("TABLE"), list("GRAPE")]
    contents = SceneContents(words, list("ABCDEFGHIKLMNOPRSTU"), 1, 4, 2, 0)
    scene = draw_scene(np.random.default_rng(4), View(900, 700, 44, 0, 0), contents)
    cv2.imwrite(str(folder / "one.png"), scene.picture)
    tiles = [{"symbol": tile.symbol or "", "polygon": tile.corners.tolist()} for tile in scene.tiles]
    (folder / "one.json").write_text(json.dumps({"tiles_set": "bananagrams-en", "tiles": tiles}))
    return folder.parents[1]


def test_a_pixel_belongs_to_the_nearest_tile_within_reach() -> None:
    owners = nearest_tiles(TILES, (60, 100))
    assert (owners[30, 40], owners[30, 49], owners[30, 51], owners[30, 60]) == (0, 0, 1, 1)
    assert owners[30, int(40 - 20 * REACH) - 1] == owners[59, 99] == -1


def test_tiles_are_filled_in_from_around() -> None:
    picture = np.full((60, 100, 3), 90, np.uint8)
    picture[20:41, 30:71] = 220
    bare = filled_in(picture, nearest_tiles(TILES, (60, 100)))
    assert abs(bare - 90).max() < 4


def test_without_photographs_nothing_is_measured(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        (only,) = laying_metrics(folder, 3, lambda *_: pytest.fail("no reader is needed"), lambda _what: None)
        assert only.value_text == "not measured"


def test_tiles_that_are_not_asked_for_neither_count_nor_are_they_invented(shared: Path) -> None:
    table = LaidTable.of(labelled_photographs(shared)[0])
    truth = table.truth_of([0, 1, 2], [1])
    assert [tile.covered for tile in truth.tiles or ()] == [True, False, True]


@pytest.mark.slow
@pytest.mark.parametrize("shake_px", [0.0, SHAKE_PX])
def test_a_hand_lays_every_tile_and_takes_some_up(shared: Path, shake_px: float) -> None:
    (source,) = labelled_photographs(shared)
    table, rng = LaidTable.of(source), np.random.default_rng(1)
    game = TrackedGame(table.side, Reader(tile_set("bananagrams-en")), rng, shake_px)
    stages = list(played(table, game, rng))
    lettered = sum(tile.symbol is not None for tile in table.truth.tiles or ())
    laid, laid_again = (
        [score for stage, score in stages if stage == f"tiles a second after they were laid{where}"]
        for where in ("", " in a shadow")
    )
    tables = {stage: score for stage, score in stages if stage.startswith("tables")}
    assert sum(score.tiles for score in laid) == lettered
    assert sum(score.right for score in laid) >= lettered - 4
    assert len(tables) == 6
    for score in [*tables.values(), *laid_again]:
        assert (score.right, score.wrong, score.invented) == (score.tiles, 0, 0)
    stay = tables["tables from which tiles were taken"].tiles
    assert stay + sum(score.tiles for score in laid_again) == tables["tables in a shadow"].tiles == lettered
    assert len(game.took_ms) > 100
