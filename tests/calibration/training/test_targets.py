"""What the detector should say, and the crops that it learns it from: only where torch is installed."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch, which only training needs, is not installed")

from torch import Tensor

from calibration.training import targets
from calibration.training.crops import square_quad
from calibration.training.scenes import PATCH_SIDE_PX, Outlines, TrainingScene
from calibration.training.targets import CROP_SIDE_PX, CropSampler, detection_targets, shapes_and_turns
from companion.vision.camera_frame import grey
from companion.vision.detector.detections import Detections, chroma
from companion.vision.networks import STRIDE_PX, DetectorClass

CELLS = CROP_SIDE_PX // STRIDE_PX


def square_of(side: float, x: float, y: float, angle: float = 0.0) -> Tensor:
    return torch.from_numpy(square_quad(np.array([x, y]), angle, side).astype(np.float32))[None]


def target_of(quads: Tensor, seen: float = 1.0) -> Tensor:
    """Return the target of squares in a crop of 64 pixels."""
    shares, first = torch.full((len(quads),), seen), torch.zeros(len(quads), dtype=torch.int64)
    return detection_targets(quads, shares, first, 1, 64)[0]


@pytest.mark.parametrize(("x", "y"), [(33.5, 41.5), (32.1, 43.4), (35.4, 40.1), (60.0, 2.0)])
def test_the_peak_of_a_target_is_in_the_cell_of_the_centre_and_points_to_it(x: float, y: float) -> None:
    wanted = target_of(square_of(16, x, y)).numpy()
    row, col = np.unravel_index(wanted[0].argmax(), wanted[0].shape)
    assert (col, row) == (int((x + 0.5) // 4), int((y + 0.5) // 4))
    assert wanted[0].max() == 1
    assert col * 4 + 1.5 + wanted[1, row, col] == pytest.approx(x, abs=1e-4)
    assert row * 4 + 1.5 + wanted[2, row, col] == pytest.approx(y, abs=1e-4)


def test_a_target_tells_shape_and_turn_in_the_units_of_the_detector() -> None:
    wanted = target_of(square_of(16, 33, 41, 0.2))
    assert wanted[3:8, 10, 8].tolist() == pytest.approx([1, 1, 0, np.cos(0.8), np.sin(0.8)], abs=1e-5)


def test_far_from_every_tile_nothing_is_wanted_and_everything_counts() -> None:
    wanted = target_of(square_of(16, 33, 41))
    assert wanted[:8, :4].max() == 0
    assert wanted[8].min() == 1


def test_a_half_hidden_tile_is_neither_asked_for_nor_forbidden() -> None:
    wanted = target_of(square_of(16, 33, 41), 0.5)
    assert wanted[0].max() == 0
    assert wanted[8, 10, 8] == 0
    assert wanted[8, :4].min() == 1


@pytest.mark.parametrize("shift", [0.0, 400.0])
def test_a_tile_that_is_gone_or_outside_is_no_tile(shift: float) -> None:
    wanted = target_of(square_of(16, 33 + shift, 41), 0.05 if shift == 0 else 1.0)
    assert wanted[0].max() == 0
    assert wanted[8].min() == 1


def test_between_two_tiles_each_cell_belongs_to_the_nearer_one() -> None:
    wanted = target_of(torch.cat([square_of(16, 20, 32), square_of(16, 36, 32)]))
    pointed = wanted[1, 8] + torch.arange(16) * 4 + 1.5
    assert pointed[[4, 5, 8, 9]].tolist() == pytest.approx([20, 20, 36, 36])


def test_each_target_shows_its_own_tiles_alone() -> None:
    pair = torch.cat([square_of(16, 20, 32), square_of(16, 44, 12)])
    both = detection_targets(pair, torch.ones(2), torch.tensor([2, 0]), 3, 64)
    assert [one[0].eq(1).nonzero().tolist() for one in both] == [[[3, 11]], [], [[8, 5]]]


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("angle", [0.0, 0.6, 2.8])
def test_shape_and_turn_draw_the_outline_again_whichever_corner_comes_first(turn: int, angle: float) -> None:
    lean = np.array([[1.1, 0.2], [-0.1, 0.8]])
    quad = square_quad(np.zeros(2), angle, 20.0) @ lean + (30, 40)
    (shape, first), (turned, facing) = (
        [part.numpy() for part in shapes_and_turns(torch.from_numpy(np.roll(quad, k, 0)[None].copy()))]
        for k in (0, turn)
    )
    again = Detections(quad.mean(0, keepdims=True), turned, facing, np.ones(1)).quads()
    assert again[0] == pytest.approx(np.roll(quad, turn, 0), abs=1e-4)
    assert shape == pytest.approx(turned, abs=1e-4)
    assert np.cos(4 * facing) == pytest.approx(np.cos(4 * first), abs=1e-4)


def made_up() -> TrainingScene:
    """Return red tiles, a blue pyramid and a green square on a black table."""
    picture = np.zeros((PATCH_SIDE_PX, PATCH_SIDE_PX, 3), np.uint8)
    middles = [(x, y) for x in (50, 110, 170, 230) for y in (60, 120, 180, 240)]
    quads = np.array([square_quad(np.array(one, float), 0.3 + k, 20.0) for k, one in enumerate(middles)])
    colours = [(255, 0, 0), (0, 255, 0), *[(0, 0, 255)] * 14]
    for quad, colour in zip(quads, colours, strict=True):
        cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
    ones = np.ones(len(quads), np.float32)
    pyramid, square, tiles = (
        Outlines(quads[part].astype(np.float32), ones[part]) for part in (slice(1), slice(1, 2), slice(2, 16))
    )
    none = np.zeros((0, 4, 2), np.float32)
    return TrainingScene(picture, picture[..., 0], 1.0, tiles, ("",) * 14, none, pyramid, square)


@pytest.mark.parametrize("seed", range(6))
def test_however_a_piece_is_cut_mirrored_and_lit_its_peaks_lie_on_what_they_name(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "GREY_SHARE", 0.0)
    x, tones, wanted = CropSampler([made_up()]).batch(3, torch.Generator().manual_seed(seed))
    assert (x.shape, tones.shape) == ((3, 16, CELLS, CELLS), (3, 2, CELLS, CELLS))
    assert wanted.shape == (3, len(DetectorClass), 9, CELLS, CELLS)
    assert 0 <= x.min() < x.max() <= 1
    peaks = (wanted[:, :, 0] == 1).nonzero()
    assert len(peaks) >= 3 * 4
    for crop, kind, row, col in peaks.tolist():
        blue, red = tones[crop, :, row, col].tolist()
        told = {DetectorClass.TILE: red, DetectorClass.PYRAMID: blue, DetectorClass.SQUARE: -max(red, blue)}
        assert told[DetectorClass(kind)] > 1


def test_grey_levels_and_colours_are_those_that_the_reader_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GREY_SHARE", "GAIN_STD", "LIFT_STD", "WHITE_BALANCE_STD"):
        monkeypatch.setattr(targets, name, 0.0)
    monkeypatch.setattr(targets, "CROP_SIDE_PX", PATCH_SIDE_PX)  # whole, though mirrored
    patch = np.random.default_rng(1).integers(0, 256, (PATCH_SIDE_PX, PATCH_SIDE_PX, 3), np.uint8)
    x, tones, _ = CropSampler([replace(made_up(), patch=patch)]).batch(1, torch.Generator().manual_seed(1))
    levels = np.sort(x.numpy() * 255, axis=None)
    assert levels == pytest.approx(np.sort(grey(patch), axis=None), abs=1.01)  # other rounding of halves
    for seen, wanted in zip(tones[0].numpy(), chroma(patch), strict=True):
        assert np.sort(seen, axis=None) == pytest.approx(np.sort(wanted, axis=None), abs=0.02)


def test_some_crops_are_grey() -> None:
    _, tones, _ = CropSampler([made_up()]).batch(24, torch.Generator().manual_seed(1))
    assert 0 < tones.flatten(1).any(1).sum() < 24


def test_batches_are_the_same_for_the_same_seed_and_others_for_each_step() -> None:
    one = made_up()
    sampler = CropSampler([one, replace(one, tiles=one.pyramids)])
    first, again = (list(sampler.batches(2, 3, seed=9)) for _ in range(2))
    assert all(
        torch.equal(*pair) for a, b in zip(first, again, strict=True) for pair in zip(a, b, strict=True)
    )
    assert not torch.equal(first[0][0], first[1][0])
