"""Lessons: drawn scenes as the detector and the classifier learn from them, and what each should answer."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

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
    NOTHING,
    PATCH_SIDE_PX,
    SAME_SYMBOL,
    Outlines,
    TrainingScene,
    training_scene,
    training_scenes,
)
from companion.vision.camera_frame import to_bgr
from companion.vision.classifier import BACKGROUND, BLANK_FACE, CLASS_INDEX, CLASSES, SYMBOLS, class_of
from companion.vision.networks import DETECTOR_PATH, STRIDE_PX, Detector, DetectorClass
from tests.calibration.simple import rng

Quad = NDArray[np.float64]
NONE = np.zeros((0, 4, 2), np.float32)


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
        to_bgr(np.asarray(patch, np.uint8)),
        picture,
        1.5,
        Outlines(quads.astype(np.float32), shares),
        tuple(symbols),
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
        size = picture.shape[0] // STRIDE_PX, picture.shape[1] // STRIDE_PX
        said = np.full((len(DetectorClass), 8, *size), -6.0, np.float32)
        for outline in outlines:
            box = clockwise(np.asarray(cv2.boxPoints(cv2.minAreaRect(outline)), np.float32))
            x, y = box.mean(0)
            col, row = int((x + 0.5) // STRIDE_PX), int((y + 0.5) // STRIDE_PX)
            across, middle = box[1] - box[0], (STRIDE_PX - 1) / 2
            shape, turn = float(np.hypot(*across)) / 16, float(np.arctan2(across[1], across[0]))
            off = x - col * STRIDE_PX - middle, y - row * STRIDE_PX - middle
            said[DetectorClass.TILE, :, row, col] = (
                6,
                *off,
                shape,
                shape,
                0,
                np.cos(4 * turn),
                np.sin(4 * turn),
            )
        return said


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
    assert one.patch.shape == (PATCH_SIDE_PX, PATCH_SIDE_PX, 3)
    assert 1.5 * PATCH_SIDE_PX <= side <= 2.5 * PATCH_SIDE_PX
    assert side / PATCH_SIDE_PX == one.patch_scale
    assert len(one.tiles.quads) == len(one.symbols) == len(one.tiles.seen)
    assert set(one.symbols) <= {*SYMBOLS, ""}


def test_a_place_of_the_picture_is_the_same_place_of_the_patch() -> None:
    bright = made_up("F")
    y, x = np.nonzero(bright.patch[..., 0] > 90)
    middle = bright.in_patch(bright.tiles.quads)[0].mean(0)
    assert (x.mean(), y.mean()) == pytest.approx(tuple(middle), abs=0.3)


def same(one: TrainingScene, other: TrainingScene) -> bool:
    return pickle.dumps(one) == pickle.dumps(other)


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


def test_lessons_tell_pyramids_and_squares_beside_their_tiles_some_under_hands() -> None:
    lessons = [training_scene((1, number)) for number in range(40)]
    pyramids, squares = (
        [(one, found) for one in lessons if len((found := getattr(one, name)).quads)]
        for name in ("pyramids", "squares")
    )
    assert 0 < len(pyramids) < len(squares) < len(lessons)
    for one, found in (*pyramids, *squares):
        quads = one.in_patch(found.quads)
        assert (np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1) > 5).all()
        assert (np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1) < 45).all()
    assert all((found.seen == 1).all() for _, found in pyramids)
    assert max(len(found.quads) for _, found in squares) == 225
    assert min(found.seen.min() for _, found in squares) < 0.5 < max(found.seen.max() for _, found in squares)


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
    corners = [corner_nearest(quad, true[0]) for quad, true in zip(quads, one.tiles.quads, strict=True)]
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
        true = one.tiles.quads[one.symbols.index(str(CLASSES[label].symbol))]
        assert CLASSES[label].turn == corner_nearest(quad, true[0])


def test_a_find_where_no_tile_lies_is_named_so() -> None:
    one = made_up()
    fewer = replace(one, tiles=Outlines(*(part[1:] for part in one.tiles)), symbols=one.symbols[1:])
    quads, labels = detected_crops(rng(), fewer, Outlining())
    (false,) = (quad for quad, label in zip(quads, labels, strict=True) if CLASSES[label] == BACKGROUND)
    assert false.mean(0) == pytest.approx(one.tiles.quads[0].mean(0), abs=2)


def test_a_bare_face_is_named_face_down_in_whichever_turn() -> None:
    one = made_up("F")
    bare = replace(one, symbols=("",))
    assert (
        tile_crops(rng(), bare)[1] == detected_crops(rng(), bare, Outlining())[1] == [CLASS_INDEX[BLANK_FACE]]
    )


def test_a_lesson_without_tiles_teaches_what_no_tile_is() -> None:
    one = made_up("FG")
    nothing = replace(one, tiles=NOTHING, symbols=())
    small, wide, labels = crops_of_scene(rng(), nothing, Outlining())
    assert set(labels.tolist()) == {class_of(None, 0)}
    assert (small.shape, wide.shape) == ((len(labels), 32, 32), (len(labels), 56, 56))


@pytest.mark.parametrize("seed", range(6))
def test_empty_cuts_keep_off_the_middles_of_tiles(seed: int) -> None:
    one = made_up()
    quads, labels = background_crops(rng(seed), one)
    away = [np.linalg.norm(one.tiles.quads.mean(1) - quad.mean(0), axis=1).min() for quad in quads]
    assert min(away) > 0.4 * 30
    assert set(labels) == {CLASS_INDEX[BACKGROUND]}


def test_an_imperfect_outline_is_still_about_the_true_one() -> None:
    true = square_quad(np.array([50.0, 60.0]), 0.3, 30.0)
    off = np.array([jittered_quad(rng(seed), true) - true for seed in range(200)])
    assert np.abs(off.mean(0)).max() < 0.6
    assert 0.5 < off.std() < 3


def test_cuts_of_several_lessons_come_in_their_order_from_other_processes() -> None:
    made = list(crops_of_scenes([made_up(), made_up("FL")], DETECTOR_PATH, seed=5, workers=1))
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
    middles, tiles = shown.printed.mean(1), shown.tiles.quads.mean(1)
    side = np.linalg.norm(shown.printed[0, 1] - shown.printed[0, 0])
    assert np.linalg.norm(middles[:, None] - tiles[None], axis=2).min() > 0.6 * side
