"""The reading under the soft shadow of somebody who leans over the table, and what is no shadow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing import clutter
from calibration.drawing.light import body_shadow
from companion.vision.tracking.block_grid import BlockGrid
from companion.vision.tracking.occluders import relit_blocks
from tests.slow import mostly_slow
from tests.vision.test_tracking_drawn import LOOSE, SEEDS, VIEW, Camera, loose, scene, words

Floats = NDArray[np.float32]


def shadow(seed: int) -> Floats:
    """Return a soft shadow over a part of a drawn table."""
    return body_shadow(np.random.default_rng(seed), (VIEW.width, VIEW.height), VIEW.tile_px)


def relit_share(before: Floats, after: Floats) -> float:
    """Return the share of the changed blocks in which only the light has changed."""
    grid = BlockGrid.of(before.astype(np.uint8), VIEW.tile_px)
    now, known = (grid.downsample(np.clip(one, 0, 255).astype(np.uint8)) for one in (after, before))
    least = np.full(known.shape, 6, np.uint8)
    differing = grid.blocks(np.where(np.abs(now.astype(int) - known) > least, np.uint8(255), np.uint8(0)))
    relit = relit_blocks(grid, now, known, differing, least, 1.0)
    assert not (relit & ~differing).any()
    return float(relit[differing].mean())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_soft_shadow_changes_only_the_light(seed: int) -> None:
    table = scene(seed).picture.astype(np.float32)
    assert relit_share(table, table * shadow(seed)) > 0.9
    assert relit_share(table * shadow(seed), table) > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_hands_and_the_dark_are_no_other_light(seed: int) -> None:
    table = scene(seed).picture.astype(np.float32)
    hand = table.copy()
    clutter.draw_hand(np.random.default_rng(seed), hand, np.zeros(table.shape, np.uint8), VIEW.tile_px)
    assert relit_share(table, hand) < 0.1
    assert relit_share(table, np.full_like(table, 4.0)) < 0.1


@pytest.mark.parametrize("seed", mostly_slow((1, 4, 9, 10, 11, 12, 13)))
def test_a_tile_laid_as_somebody_leans_over_is_read_at_once(seed: int) -> None:
    camera, before = Camera(), scene(seed, LOOSE[0])
    assert words(camera.rests(before.picture)) == ["PLANTED"]
    lit = scene(seed).picture * shadow(seed)
    seen = [camera.takes(lit) for _ in range(9)]
    assert (words(seen[-1]), loose(seen[-1]), seen[-1].covered) == (["PLANTED"], {"K", "Z"}, ())
    assert sum(len(frame.changed) for frame in seen) == 1
    seen = [camera.takes(scene(seed).picture) for _ in range(9)]
    assert (words(seen[-1]), loose(seen[-1]), seen[-1].covered) == (["PLANTED"], {"K", "Z"}, ())
    assert not any(frame.changed for frame in seen)


@pytest.mark.parametrize("seed", mostly_slow((1, 4, 9, 10, 12, 13)))
@pytest.mark.parametrize(("old", "new"), [("O", "Q"), ("E", "F")])
def test_a_letter_exchanged_as_somebody_leans_over_is_read_anew(seed: int, old: str, new: str) -> None:
    camera = Camera()
    camera.rests(scene(seed, replace(LOOSE[0], symbol=old), LOOSE[1]).picture)
    after = scene(seed, replace(LOOSE[0], symbol=new), LOOSE[1]).picture * shadow(seed)
    seen = [camera.takes(after) for _ in range(14)]
    assert (words(seen[-1]), loose(seen[-1])) == (["PLANTED"], {new, "Z"})
