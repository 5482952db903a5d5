from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import BadTileSet
from companion.model.reading import Face
from companion.model.tiles import TileSet
from companion.vision import Reader
from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, TrainedClassifier
from companion.vision.fewshot.classifier import (
    classifier_for,
    has_other_brightness,
    is_among_pattern,
    is_overexposed,
    rotated_quads,
)
from companion.vision.fewshot.sheet import FRAME, SIDE, Examples, written
from companion.vision.layout.compose import DOUBT
from tests.shapes import SHAPES, examples, photograph

ROWS = [["△", "Γ", "↑"], ["✚", "△", "Γ"]]


def set_of(folder: Path, symbols: tuple[str, ...], shown: tuple[str, ...] | None = None) -> TileSet:
    sheet = folder / "shapes.png"
    sheet.write_bytes(written(examples(shown or symbols)))
    return TileSet("shapes", symbols, looks=sheet)


def line(lean: float) -> np.ndarray:
    """Return an example of a tile with one stroke that leans to the right, in radians, (48, 48)."""
    look = np.full((SIDE, SIDE), 95, np.uint8)
    look[8:40, 8:40] = 215
    way = 10 * np.array([np.sin(lean), -np.cos(lean)])
    start, end = (np.round((23.5 + side * way) * 16).astype(int).tolist() for side in (-1, 1))
    return np.asarray(cv2.line(look, start, end, 25, 3, cv2.LINE_AA, 4))


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> TileSet:
    return set_of(tmp_path_factory.mktemp("set"), tuple(SHAPES))


@pytest.fixture(scope="module")
def classifier(shapes: TileSet) -> Classifier:
    return classifier_for(shapes)


@pytest.fixture(scope="module")
def reader(shapes: TileSet) -> Reader:
    return Reader(shapes)


def test_shapes_are_read_in_a_fresh_photograph(reader: Reader) -> None:
    seen = sorted(
        reader.read(photograph(ROWS, seed=9)).tiles, key=lambda t: (round(t.centre[1] / 60), t.centre)
    )
    assert [tile.symbol for tile in seen] == [symbol for row in ROWS for symbol in row]


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_shape_is_read_with_its_own_top_left_first(reader: Reader, quarters: int) -> None:
    (tile,) = reader.read(photograph([["Γ"]], seed=4, quarters=quarters)).tiles
    right = np.subtract(tile.corners[1], tile.corners[0])
    assert tile.symbol == "Γ"
    assert round(np.degrees(np.arctan2(right[1], right[0])) / 90) % 4 == quarters


def test_a_shape_that_nobody_showed_is_no_silent_fault(tmp_path: Path) -> None:
    three = Reader(set_of(tmp_path, ("△", "Γ", "↑")))
    assert all(tile.doubt or tile.symbol is None for tile in three.read(photograph([["✚", "✚"]])).tiles)


def test_a_bare_face_is_never_surely_a_symbol(reader: Reader) -> None:
    seen = reader.read(photograph([["△", "", "Γ"]], seed=5)).tiles
    assert {tile.symbol for tile in seen if tile.face is Face.UP and not tile.doubt} == {"△", "Γ"}


def test_a_set_without_pictures_is_named_by_the_trained_network() -> None:
    assert isinstance(classifier_for(TileSet("plain", ("A", "B"))), TrainedClassifier)


def test_symbols_that_nobody_taught_are_refused_with_the_way_out() -> None:
    with pytest.raises(BadTileSet, match=r"does not know △.*companion enrol"):
        classifier_for(TileSet("shapes", ("△",)))


def test_a_sheet_that_lacks_a_symbol_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadTileSet, match=r"shapes\.png does not show '✚'; enrol the set again"):
        classifier_for(set_of(tmp_path, ("△", "✚"), ("△", "Γ")))


def test_a_leaning_symbol_that_another_one_looks_like_is_a_doubt(tmp_path: Path) -> None:
    sheet = tmp_path / "lines.png"
    leans = [-0.04, 0, 0.04, 0.56, 0.6, 0.64]
    sheet.write_bytes(written(Examples(np.array([line(lean) for lean in leans]), (*"111", *"///"))))
    classifier = classifier_for(TileSet("lines", ("1", "/"), looks=sheet))
    leaning, upright = (
        classifier.classify(line(lean), FRAME[None]).p_best_symbol()[0] for lean in (0.1, 0.0)
    )
    assert leaning < DOUBT < upright


@pytest.mark.parametrize(("vague", "told"), [(25, [True, False]), (19, [False, False])])
def test_among_many_detections_that_look_like_nothing_only_the_surest_is_believed(
    vague: int, told: list[bool]
) -> None:
    chance = np.zeros((2 + vague, 1, 4))
    chance[:2, 0, 0] = 0.9, 0.99
    nothing = np.zeros(2 + vague)
    probabilities = ClassProbabilities(("A",), chance, nothing, nothing + 0.3, nothing)
    assert is_among_pattern(probabilities)[:2].tolist() == told


def test_an_outline_is_turned_clockwise_about_its_middle() -> None:
    square = np.array([[[0.0, 0], [10, 0], [10, 10], [0, 10]]])
    assert np.round(rotated_quads(square, np.pi / 2)[0], 6).tolist() == [[10, 0], [10, 10], [0, 10], [0, 0]]


def test_a_bare_face_much_darker_than_the_lettered_ones_beside_it_is_of_other_plastic() -> None:
    picture = np.full((40, 160), 200, np.uint8)
    picture[:, 80:120], picture[:, 120:] = 150, 190
    square = np.array([[0, 0], [38, 0], [38, 38], [0, 38]], float)
    quads = np.array([square + np.array([x, 0]) for x in (1, 41, 81, 121)])
    told = has_other_brightness(picture, quads, np.array([False, False, True, True]))
    assert told.tolist() == [False, False, True, False]


@pytest.mark.parametrize("shape", ["↑", "Γ", "✚"])
def test_faint_ink_on_a_burnt_tile_is_read_and_doubted(classifier: Classifier, shape: str) -> None:
    look = examples((shape,), each=2, seed=9).looks[0]
    look[8:40, 8:40] = np.minimum(255, 256 - (215 - look[8:40, 8:40].astype(float)) / 10)
    probabilities = classifier.classify(look, FRAME[None])
    best = probabilities.p_symbol.sum(2)[0].argmax()
    assert probabilities.symbols[best] == shape
    assert 0.5 < probabilities.p_best_symbol()[0] < DOUBT


@pytest.mark.parametrize(("grey", "told"), [(240, False), (255, True)])
def test_what_is_on_a_tile_that_is_burnt_out_may_not_show(grey: int, told: bool) -> None:
    picture = np.full((40, 120), grey, np.uint8)
    picture[14:26, 14:26], picture[14:26, 54:66] = 60, 200  # ink that shows, and ink that hardly does
    square = np.array([[0, 0], [38, 0], [38, 38], [0, 38]], float) + 1
    quads = np.array([square + np.array([x, 0]) for x in (0, 40, 80)])
    assert is_overexposed(picture, quads).tolist() == [False, told, told]
