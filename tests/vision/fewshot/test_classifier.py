from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import BadTileSet
from companion.model.reading import Face
from companion.model.tiles import TileSet
from companion.vision.classifier import Classifier, TrainedClassifier
from companion.vision.fewshot.classifier import classifier_for
from companion.vision.fewshot.sheet import EXAMPLE_SIDE_PX, encode_sheet
from companion.vision.pipeline.reader import Reader
from tests.shapes import SHAPES, examples, photograph

ROWS = [["△", "Γ", "↑"], ["✚", "△", "Γ"]]


def set_of(folder: Path, symbols: tuple[str, ...], shown: tuple[str, ...] | None = None) -> TileSet:
    sheet = folder / "shapes.png"
    sheet.write_bytes(encode_sheet(examples(shown or symbols)))
    return TileSet("shapes", symbols, looks=sheet)


def line(lean: float) -> np.ndarray:
    """Return an example of a tile with one stroke that leans to the right, in radians, (48, 48)."""
    look = np.full((EXAMPLE_SIDE_PX, EXAMPLE_SIDE_PX), 95, np.uint8)
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
