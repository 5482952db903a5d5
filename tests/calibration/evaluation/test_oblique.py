from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calibration.drawing.light import out_of_focus, with_hard_shadow
from calibration.drawing.rng import Rng
from calibration.evaluation import oblique
from calibration.evaluation.oblique import (
    KEYSTONE,
    MIN_TILE_PX,
    Source,
    drawn_oblique_table,
    oblique_metrics,
    random_perspective,
    random_shrink,
    spoilt_photographs,
    warped_picture,
)
from calibration.evaluation.scoring import score
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame, grey
from companion.vision.pipeline.reader import Reader


def source(*tiles: TrueTile) -> Source:
    return Source("one", Path("one.jpg"), Truth("bananagrams-en", tiles=tiles))


@pytest.fixture
def photograph(monkeypatch: pytest.MonkeyPatch) -> Source:
    """A photograph of two tiles, the second at the right edge; every tile is brighter than the table."""
    picture = np.full((400, 600), 80, np.uint8)
    picture[180:221, 280:321] = picture[180:221, 559:600] = 200
    monkeypatch.setattr(oblique, "decode", lambda _path: picture)
    return source(TrueTile("A", (300.0, 200.0), 40.0), TrueTile("B", (579.0, 200.0), 40.0))


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_tiles_of_a_photograph_seen_aslant_lie_where_its_truth_has_them(photograph: Source) -> None:
    name, frame, truth = warped_picture(photograph, *random_perspective(rng(), photograph, KEYSTONE))
    assert name == "one"
    assert truth.tiles
    x, y = truth.tiles[0].centre
    assert grey(frame)[round(y), round(x)] > 150
    assert grey(frame)[0, 0] < 100


def test_a_tile_that_the_new_picture_cuts_off_counts_as_covered(photograph: Source) -> None:
    _, _, truth = warped_picture(photograph, np.eye(3), (600, 400))
    assert truth.tiles
    assert [tile.covered for tile in truth.tiles] == [False, True]


def test_a_tile_too_small_to_read_counts_as_covered(photograph: Source) -> None:
    share = 0.9 * MIN_TILE_PX / 40
    _, _, truth = warped_picture(photograph, np.diag([share, share, 1.0]), (600, 400))
    assert truth.tiles
    assert truth.tiles[0].covered


def test_a_shrunk_photograph_has_small_tiles(photograph: Source) -> None:
    _, frame, truth = warped_picture(photograph, *random_shrink(rng(), photograph))
    assert truth.tiles
    assert truth.tiles[0].side
    assert 19 < truth.tiles[0].side < 36
    assert frame.shape[1] < 600


@pytest.mark.parametrize("spoil", [with_hard_shadow, out_of_focus])
def test_a_spoilt_photograph_keeps_its_tiles(
    photograph: Source, spoil: Callable[[Frame, Rng, float], Frame]
) -> None:
    [(_, one, truth), (_, other, _)] = spoilt_photographs([photograph], spoil, (7,), 2)
    assert truth == photograph.truth
    assert one.shape == (400, 600)
    assert not np.array_equal(grey(one), grey(other))


@pytest.mark.parametrize("folder", [None, "empty"])
def test_photographs_that_are_not_there_are_told_of(
    folder: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oblique, "labelled_sets", lambda *_: [])
    (only,) = oblique_metrics(
        tmp_path / folder if folder else None, 1, lambda *_: Reader(tile_set("binary")), print
    )
    assert (only.value_text, only.how) == ("not measured", "there are no labelled photographs")


def test_a_drawn_table_seen_aslant_is_read_from_its_near_tiles_to_the_far_ones() -> None:
    _, frame, truth = drawn_oblique_table((5, 0), 1, 1)
    sides = [tile.side for tile in truth.tiles or () if tile.side and not tile.covered]
    seen = score(truth, Reader(tile_set(truth.tile_set)).read(frame))
    assert max(sides) > 2 * min(sides)
    assert seen.missed <= 0.02 * seen.tiles
    assert seen.silent == 0
