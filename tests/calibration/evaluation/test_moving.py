from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing.volcano import VolcanoTable
from calibration.evaluation import moving
from calibration.evaluation.laying import SHAKE_PX, TrackedGame
from calibration.evaluation.moving import drawn_table, moved_pyramids, moving_metrics, picture_of, random_move
from calibration.evaluation.scoring import total
from companion.model.tiles import tile_set
from companion.vision.pipeline.reader import Reader

SEED = (3, 1)


@pytest.fixture(scope="module")
def table() -> VolcanoTable:
    return drawn_table(np.random.default_rng(SEED))[0]


def test_a_move_changes_the_picture_where_the_pyramid_was_and_where_it_is(table: VolcanoTable) -> None:
    lifted, lowered, places = random_move(np.random.default_rng(1), table)
    (before, _), (without, _), (after, truth) = (picture_of(one, SEED) for one in (table, lifted, lowered))
    rows, cols = np.ogrid[: before.shape[0], : before.shape[1]]
    reach = 3 * np.median([tile.side or 0 for tile in truth.tiles or ()])
    was, stands = (np.hypot(rows - y, cols - x) < reach for x, y in places)
    for one, other, where in ((before, without, was), (without, after, stands)):
        changed = np.abs(one - other).max(2) > 40
        assert changed[where].any()
        assert not changed[~where].any()


def test_a_move_leads_to_a_free_cell_and_bares_a_letter(table: VolcanoTable) -> None:
    lifted, lowered, _ = random_move(np.random.default_rng(2), table)
    cells = [{one.cell for one in some.stood if one.cell} for some in (table, lifted, lowered)]
    assert [len(one) for one in cells] == [10, 9, 10]
    assert cells[1] == cells[0] & cells[2]
    bared = [
        sum(not tile.covered for tile in picture_of(one, SEED)[1].tiles or ())
        for one in (table, lifted, lowered)
    ]
    assert bared[1] > bared[0]
    assert bared[1] > bared[2]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "shake_px"), [((3, 0), 0.0), ((3, 0), SHAKE_PX), (SEED, SHAKE_PX)])
def test_each_moved_pyramid_is_seen_and_each_bared_letter_is_read(
    monkeypatch: pytest.MonkeyPatch, seed: tuple[int, ...], shake_px: float
) -> None:
    monkeypatch.setattr(moving, "MOVES", 2)
    rng = np.random.default_rng(seed)
    table, side = drawn_table(rng)
    game = TrackedGame(side, Reader(tile_set("bananagrams-en"), "volcano"), rng, shake_px)
    stages = list(moved_pyramids(table, game, seed, rng))
    one = total(score for _, score in stages)
    assert len(stages) == 8
    assert one.pieces == len(stages) * sum(bool(pyramid.cell) for pyramid in table.stood)
    assert (one.right, one.silent, one.invented) == (one.tiles, 0, 0)
    assert (one.pieces_right, one.pieces_silent) == (one.pieces, 0)


@pytest.mark.slow
def test_games_are_measured_by_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "MOVES", 1)
    said = list[str]()
    metrics = list(moving_metrics(1, lambda name, board: Reader(tile_set(name), board), said.append))
    assert said == ["playing Volcano board 1 of 1"]
    names = {metric.what.removeprefix("Volcano: ").partition(":")[0] for metric in metrics}
    assert names == {
        "boards as they are found",
        "boards a second after a move",
        "boards a second after a move in a shadow",
        "boards under a lamp",
        "boards after a knock against the camera",
        "boards in a shadow",
        "a frame",
    }
