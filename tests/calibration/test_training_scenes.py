"""Lessons: drawn scenes as the detector and the classifier learn from them, and what each should answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.training.crops import (
    background_crops,
    crops_of_scene,
    crops_of_scenes,
    detected_crops,
    jittered_quad,
    printed_square_crops,
    square_quad,
    tile_crops,
    turn_between,
)
from calibration.training.scenes import (
    CONFUSABLE_SETS,
    PATCH_SIDE_PX,
    SAME_SYMBOL,
    TrainingScene,
    pyramid_scene,
    square_scene,
    training_scene,
    training_scenes,
)
from calibration.training.targets import (
    CELL_SIDE_PX,
    CROP_SIDE_PX,
    batches,
    detection_target,
    random_crop,
    shape_and_turn,
)
from companion.vision.classifier import BACKGROUND, BLANK_FACE, CLASS_INDEX, CLASSES, SYMBOLS, class_of
from companion.vision.detector.detections import Detections
from companion.vision.networks import MODELS_FOLDER, Detector
from tests.calibration.simple import rng

Quad = NDArray[np.float64]
NONE = np.zeros((0, 4, 2), np.float32)
FORKED = "ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"
"""Said from Python 3.12 on; the process that is forked there computes with numpy alone."""


def made_up(symbols: str = "FGLPR", off: float = 0.3, seen: float = 1.0) -> TrainingScene:
    """Return grey tiles on a black table, each turned farther than the one before."""
    picture = np.zeros((480, 480), np.uint8)
    quads = np.array(
        [
            square_quad(np.array([90.0 + 150 * (k % 3), 90 + 150 * (k // 3)]), off + k * 1.3, 30.0)
            for k in range(len(symbols))
        ]
    )
    for quad in quads:
        cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), 180, cv2.LINE_AA, 4)
    patch = cv2.resize(picture, (PATCH_SIDE_PX, PATCH_SIDE_PX), interpolation=cv2.INTER_AREA)
    shares = np.full(len(symbols), seen, np.float32)
    return TrainingScene(
        np.asarray(patch, np.uint8),
        picture,
        1.5,
        quads.astype(np.float32),
        tuple(symbols),
        shares,
        NONE,
    )


class Outlining(Detector):
    """A detector that outlines whatever is bright, and so errs by up to three quarter turns."""

    def __init__(self) -> None:
        self.asked = 0

    def values(
        self, picture: NDArray[np.uint8], chroma: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        assert chroma is None
        self.asked += 1
        outlines, _ = cv2.findContours(
            (picture > 90).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
        )
        boxes = [np.asarray(cv2.boxPoints(cv2.minAreaRect(one)), np.float32) for one in outlines]
        side = max(picture.shape)
        quads = np.array([clockwise(box) for box in boxes], np.float32).reshape(-1, 4, 2)
        wanted = detection_target(quads, np.ones(len(quads), np.float32), side)
        wanted[0] = np.where(wanted[0] >= 1, 6, -6)
        return wanted[:, : picture.shape[0] // CELL_SIDE_PX, : picture.shape[1] // CELL_SIDE_PX]


def clockwise(box: NDArray[np.float32]) -> NDArray[np.float32]:
    return box if cv2.contourArea(box, oriented=True) > 0 else box[::-1]


def corner_nearest(quad: Quad, place: NDArray[np.float32]) -> int:
    return int(np.linalg.norm(quad - place, axis=1).argmin())


# Lessons


@pytest.mark.parametrize("number", range(4))
def test_a_lesson_is_a_square_picture_its_patch_and_the_truth_of_both(number: int) -> None:
    one = training_scene((1, number))
    side = one.picture.shape[0]
    assert one.picture.shape == (side, side)
    assert one.patch.shape == (PATCH_SIDE_PX, PATCH_SIDE_PX)
    assert 1.5 * PATCH_SIDE_PX <= side <= 2.5 * PATCH_SIDE_PX
    assert side / PATCH_SIDE_PX == one.patch_scale
    assert len(one.quads) == len(one.symbols) == len(one.seen)
    assert set(one.symbols) <= {*SYMBOLS, ""}


def test_a_place_of_the_picture_is_the_same_place_of_the_patch() -> None:
    bright = made_up("F")
    y, x = np.nonzero(bright.patch > 90)
    assert (x.mean(), y.mean()) == pytest.approx(tuple(bright.patch_quads[0].mean(0)), abs=0.3)


def same(one: TrainingScene, other: TrainingScene) -> bool:
    return all(np.array_equal(*parts) for parts in zip(astuple(one), astuple(other), strict=True))


def test_a_lesson_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    first, again, other = training_scene((1, 7)), training_scene((1, 7)), training_scene((2, 7))
    assert same(first, again)
    assert first.picture.shape != other.picture.shape or (first.picture != other.picture).any()


def test_lessons_are_the_same_however_many_processes_draw_them() -> None:
    first, again = (list(training_scenes(2, seed=3, workers=workers)) for workers in (1, 2))
    assert all(same(*pair) for pair in zip(first, again, strict=True))


@pytest.mark.slow
def test_lessons_are_of_letters_of_accented_letters_and_of_signs() -> None:
    seen = {symbol for number in range(24) for symbol in training_scene((4, number)).symbols}
    assert {"A", "Ö", "AND", ""} <= seen


@pytest.mark.slow
def test_some_lessons_are_of_symbols_that_look_alike_alone() -> None:
    seen = [set(training_scene((5, number)).symbols) - {""} for number in range(24)]
    written = [{SAME_SYMBOL.get(symbol, symbol) for symbol in one} for one in CONFUSABLE_SETS]
    drills = [symbols for symbols in seen if symbols and any(symbols <= one for one in written)]
    assert 1 <= len(drills) <= 10


@pytest.mark.slow
def test_however_a_symbol_is_written_it_is_told_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibration.training.scenes.CONFUSABLE_SHARE", 1.0)
    seen = {symbol for number in range(24) for symbol in training_scene((5, number)).symbols}
    assert seen <= set(SYMBOLS) | {""}
    assert "/" in seen


# What the detector should say


def square_of(side: float, x: float, y: float, angle: float = 0.0) -> NDArray[np.float32]:
    return square_quad(np.array([x, y]), angle, side).astype(np.float32)[None]


@pytest.mark.parametrize(("x", "y"), [(33.5, 41.5), (32.1, 43.4), (35.4, 40.1), (60.0, 2.0)])
def test_the_peak_of_a_target_is_in_the_cell_of_the_centre_and_points_to_it(x: float, y: float) -> None:
    wanted = detection_target(square_of(16, x, y), np.ones(1, np.float32), 64)
    row, col = np.unravel_index(wanted[0].argmax(), wanted[0].shape)
    assert (col, row) == (int((x + 0.5) // 4), int((y + 0.5) // 4))
    assert wanted[0].max() == 1
    assert col * 4 + 1.5 + wanted[1, row, col] == pytest.approx(x, abs=1e-4)
    assert row * 4 + 1.5 + wanted[2, row, col] == pytest.approx(y, abs=1e-4)


def test_a_target_tells_shape_and_turn_in_the_units_of_the_detector() -> None:
    wanted = detection_target(square_of(16, 33, 41, 0.2), np.ones(1, np.float32), 64)
    assert wanted[3:8, 10, 8] == pytest.approx([1, 1, 0, np.cos(0.8), np.sin(0.8)], abs=1e-5)


def test_far_from_every_tile_nothing_is_wanted_and_everything_counts() -> None:
    wanted = detection_target(square_of(16, 33, 41), np.ones(1, np.float32), 64)
    assert wanted[:8, :4].max() == 0
    assert wanted[8].min() == 1


def test_a_half_hidden_tile_is_neither_asked_for_nor_forbidden() -> None:
    wanted = detection_target(square_of(16, 33, 41), np.full(1, 0.5, np.float32), 64)
    assert wanted[0].max() == 0
    assert wanted[8, 10, 8] == 0
    assert wanted[8, :4].min() == 1


@pytest.mark.parametrize("shift", [0.0, 400.0])
def test_a_tile_that_is_gone_or_outside_is_no_tile(shift: float) -> None:
    share = np.full(1, 0.05 if shift == 0 else 1.0, np.float32)
    wanted = detection_target(square_of(16, 33 + shift, 41), share, 64)
    assert wanted[0].max() == 0
    assert wanted[8].min() == 1


def test_between_two_tiles_each_cell_belongs_to_the_nearer_one() -> None:
    pair = np.concatenate([square_of(16, 20, 32), square_of(16, 36, 32)])
    wanted = detection_target(pair, np.ones(2, np.float32), 64)
    assert (wanted[1, 8] + np.arange(16) * 4 + 1.5)[[4, 5, 8, 9]] == pytest.approx([20, 20, 36, 36])


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("angle", [0.0, 0.6, 2.8])
def test_shape_and_turn_draw_the_outline_again_whichever_corner_comes_first(turn: int, angle: float) -> None:
    lean = np.array([[1.1, 0.2], [-0.1, 0.8]])
    quad = (square_quad(np.zeros(2), angle, 20.0) @ lean + (30, 40)).astype(np.float32)
    shape, facing = shape_and_turn(np.roll(quad, turn, 0))
    again = Detections(
        quad.mean(0, keepdims=True).astype(float), shape[None], np.array([facing]), np.ones(1)
    ).quads()
    assert again[0] == pytest.approx(np.roll(quad, turn, 0), abs=1e-4)
    assert shape == pytest.approx(shape_and_turn(quad)[0], abs=1e-4)
    assert np.cos(4 * facing) == pytest.approx(np.cos(4 * shape_and_turn(quad)[1]), abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_however_a_piece_is_cut_mirrored_and_lit_its_peaks_lie_on_its_tiles(seed: int) -> None:
    x, chroma, wanted = random_crop(made_up(), rng(seed))
    cells = CROP_SIDE_PX // CELL_SIDE_PX
    assert (x.shape, chroma.shape) == ((1, CROP_SIDE_PX, CROP_SIDE_PX), (0, cells, cells))
    assert wanted.shape == (9, cells, cells)
    assert 0 <= x.min() < x.max() <= 1
    peaks = np.argwhere(wanted[0] == 1)
    assert len(peaks) >= 2
    inner = [x[0, 4 * row : 4 * row + 4, 4 * col : 4 * col + 4].mean() for row, col in peaks]
    assert min(inner) > 0.8 * x.max()


def test_the_colours_of_a_crop_are_turned_and_mirrored_with_it() -> None:
    one = made_up()
    sides = (PATCH_SIDE_PX // CELL_SIDE_PX,) * 2
    cells = cv2.resize(one.patch, sides, interpolation=cv2.INTER_AREA) > 90
    tinted = replace(one, chroma=np.stack([np.zeros(cells.shape), cells]).astype(np.float32))
    for seed in range(8):
        x, chroma, _ = random_crop(tinted, rng(seed))
        faces = cv2.resize(x[0], chroma.shape[1:], interpolation=cv2.INTER_AREA) > 0.9 * x.max()
        assert (chroma[1] > chroma[1].min() + 0.5)[faces].all()


def test_a_lesson_about_pyramids_tells_their_bases_and_others_have_none() -> None:
    lessons = [pyramid_scene((1, number)) for number in range(8)]
    some = [one for one in lessons if len(one.quads)]
    assert 0 < len(some) < len(lessons)
    for one in some:
        sides = np.linalg.norm(one.patch_quads[:, 1] - one.patch_quads[:, 0], axis=1)
        assert (sides > 5).all()
        assert (one.seen == 1).all()
    assert {one.chroma.shape for one in lessons if one.chroma is not None} == {(2, 80, 80)}


def test_a_lesson_about_squares_tells_those_of_a_board_some_in_grey_some_under_hands() -> None:
    lessons = [square_scene((1, number)) for number in range(16)]
    some = [one for one in lessons if len(one.quads)]
    assert 0 < len(some) < len(lessons)
    assert max(len(one.quads) for one in some) == 225
    sides = [np.linalg.norm(one.patch_quads[:, 1] - one.patch_quads[:, 0], axis=1).max() for one in some]
    assert 5 < min(sides) < max(sides) < 45
    assert min(one.seen.min() for one in some) < 0.5 < max(one.seen.max() for one in some)
    grey_ones = [one.chroma is not None and not one.chroma.any() for one in lessons]
    assert 0 < sum(grey_ones) < len(lessons)


def test_a_grey_lesson_stays_grey_in_a_crop() -> None:
    grey_one = replace(made_up(), chroma=np.zeros((2, 80, 80), np.float32))
    assert not random_crop(grey_one, rng(1))[1].any()


@pytest.mark.filterwarnings(FORKED)
def test_batches_are_the_same_for_the_same_seed_and_others_for_each_step() -> None:
    some = [made_up(), made_up("LPR", off=1.0)]
    first, again = (list(batches(some, 2, seed=9, size=3)) for _ in range(2))
    assert [x.shape for x, *_ in first] == [(3, 1, CROP_SIDE_PX, CROP_SIDE_PX)] * 2
    assert [[part.tobytes() for part in one] for one in first] == [
        [part.tobytes() for part in one] for one in again
    ]
    assert first[0][0].tobytes() != first[1][0].tobytes()


# What the classifier should say


@pytest.mark.parametrize("turn", range(4))
def test_the_turn_between_outlines_is_the_corner_at_which_the_true_one_begins(turn: int) -> None:
    true = square_quad(np.array([50.0, 60.0]), 0.3, 30.0)
    assert turn_between(np.roll(true, turn, 0) + 2.0, true.astype(np.float32)) == turn


@pytest.mark.parametrize("seed", range(6))
def test_a_drawn_cut_is_named_by_the_corner_at_which_its_symbol_begins(seed: int) -> None:
    one = made_up()
    quads, labels = tile_crops(rng(seed), one)
    assert [CLASSES[label].symbol for label in labels] == list("FGLPR")
    corners = [corner_nearest(quad, true[0]) for quad, true in zip(quads, one.quads, strict=True)]
    assert [CLASSES[label].turn for label in labels] == corners


def test_drawn_cuts_come_in_all_four_turns() -> None:
    turns = {CLASSES[label].turn for seed in range(6) for label in tile_crops(rng(seed), made_up())[1]}
    assert turns == {0, 1, 2, 3}


@pytest.mark.parametrize("cut", [tile_crops, lambda lots, one: detected_crops(lots, one, Outlining())])
def test_a_tile_that_does_not_show_clearly_teaches_no_name(
    cut: Callable[[np.random.Generator, TrainingScene], tuple[list[Quad], list[int]]],
) -> None:
    assert cut(rng(), made_up(seen=0.9)) == ([], [])


@pytest.mark.parametrize("off", [0.3, 1.0, 2.9, 4.4])
def test_a_found_cut_is_named_by_the_corner_of_its_own_outline_at_which_the_symbol_begins(off: float) -> None:
    one = made_up(off=off)
    quads, labels = detected_crops(rng(), one, Outlining())
    assert sorted(str(CLASSES[label].symbol) for label in labels) == list("FGLPR")
    for quad, label in zip(quads, labels, strict=True):
        true = one.quads[one.symbols.index(str(CLASSES[label].symbol))]
        assert CLASSES[label].turn == corner_nearest(quad, true[0])


def test_a_find_where_no_tile_lies_is_named_so() -> None:
    one = made_up()
    fewer = replace(one, quads=one.quads[1:], symbols=one.symbols[1:], seen=one.seen[1:])
    quads, labels = detected_crops(rng(), fewer, Outlining())
    (false,) = (quad for quad, label in zip(quads, labels, strict=True) if CLASSES[label] == BACKGROUND)
    assert false.mean(0) == pytest.approx(one.quads[0].mean(0), abs=2)


def test_a_bare_face_is_named_face_down_in_whichever_turn() -> None:
    one = made_up("F")
    bare = replace(one, symbols=("",))
    assert (
        tile_crops(rng(), bare)[1] == detected_crops(rng(), bare, Outlining())[1] == [CLASS_INDEX[BLANK_FACE]]
    )


def test_a_lesson_without_tiles_teaches_what_no_tile_is() -> None:
    one = made_up("FG")
    nothing = replace(one, quads=one.quads[:0], symbols=(), seen=one.seen[:0])
    small, wide, labels = crops_of_scene(rng(), nothing, Outlining())
    assert set(labels.tolist()) == {class_of(None, 0)}
    assert (small.shape, wide.shape) == ((len(labels), 32, 32), (len(labels), 56, 56))


@pytest.mark.parametrize("seed", range(6))
def test_empty_cuts_keep_off_the_middles_of_tiles(seed: int) -> None:
    one = made_up()
    quads, labels = background_crops(rng(seed), one)
    away = [np.linalg.norm(one.quads.mean(1) - quad.mean(0), axis=1).min() for quad in quads]
    assert min(away) > 0.4 * 30
    assert set(labels) == {CLASS_INDEX[BACKGROUND]}


def test_an_imperfect_outline_is_still_about_the_true_one() -> None:
    true = square_quad(np.array([50.0, 60.0]), 0.3, 30.0)
    off = np.array([jittered_quad(rng(seed), true) - true for seed in range(200)])
    assert np.abs(off.mean(0)).max() < 0.6
    assert 0.5 < off.std() < 3


def test_cuts_of_several_lessons_come_in_their_order_from_other_processes() -> None:
    made = list(
        crops_of_scenes([made_up(), made_up("FL")], MODELS_FOLDER / "detector.onnx", seed=5, workers=1)
    )
    alone = [
        crops_of_scene(np.random.default_rng((5, k)), one, Detector())
        for k, one in enumerate((made_up(), made_up("FL")))
    ]
    for one, same in zip(made, alone, strict=True):
        assert [part.tobytes() for part in one] == [part.tobytes() for part in same]


def test_printed_squares_without_a_tile_are_shown_as_no_tile() -> None:
    one = made_up("FG")
    board = replace(one, printed=np.array([square_quad(np.array([240.0, 400]), 0.2, 30.0)] * 3, np.float32))
    quads, labels = printed_square_crops(rng(1), board)
    assert labels == [CLASS_INDEX[BACKGROUND]] * 3
    assert np.mean(quads, (0, 1)) == pytest.approx((240, 400), abs=6)


def test_a_lesson_with_equations_knows_the_printed_squares_that_no_tile_covers() -> None:
    shown = next(one for k in range(40) if len((one := training_scene((98, k))).printed))
    middles, tiles = shown.printed.mean(1), shown.quads.mean(1)
    side = np.linalg.norm(shown.printed[0, 1] - shown.printed[0, 0])
    assert np.linalg.norm(middles[:, None] - tiles[None], axis=2).min() > 0.6 * side
