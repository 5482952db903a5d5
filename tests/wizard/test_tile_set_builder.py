"""Tiles of one's own learnt at the table, symbol by symbol."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import BadCapture, BadEnrolment, BadTileSet
from companion.model.set_up import EnrolmentProgress, SetUpPicture
from companion.model.tiles import tile_set
from tests.shapes import SHAPES, photograph
from tests.wizard.made import Around, Shows

ORDER = tuple(SHAPES)


@pytest.fixture
def around(tmp_path: Path) -> Around:
    """A table on which three tiles of the first shape lie."""
    return Around(tmp_path, Shows(photograph([[ORDER[0]] * 3])))


def taken(around: Around, symbols: tuple[str, ...]) -> None:
    for seed, symbol in enumerate(symbols):
        around.camera.picture = photograph([[symbol] * 3], seed)
        around.wizard.example(0, symbol)


def test_a_set_is_learnt_symbol_by_symbol_and_kept(around: Around) -> None:
    assert ORDER[0] in around.wizard.learn("shapes", ORDER)
    taken(around, ORDER)
    assert around.wizard.state(0).tiles == EnrolmentProgress("shapes", ORDER, (3, 3, 3, 3))
    said = around.wizard.learnt()
    path = around.folder / "tiles" / "shapes.json"
    assert "choose shapes when you set up a game" in said
    assert "% of the examples are read surely" in said
    assert tile_set(str(path)).symbols == ORDER
    assert around.wizard.state(0).tiles is None


def test_what_was_understood_of_the_last_picture_is_drawn_on_it(around: Around) -> None:
    around.wizard.learn("shapes", ORDER)
    before = around.wizard.shown(0, SetUpPicture.TILES, 300)
    taken(around, ORDER[:1])
    after = cv2.imdecode(
        np.frombuffer(around.wizard.shown(0, SetUpPicture.TILES, 300), np.uint8), cv2.IMREAD_COLOR
    )
    assert after is not None
    green = (after[..., 1].astype(int) - after[..., 2] > 60).sum()
    assert green > 50
    assert before != after.tobytes()


def test_a_picture_taken_anew_takes_the_place_of_the_one_before(around: Around) -> None:
    around.wizard.learn("shapes", ORDER)
    taken(around, ORDER[:1])
    around.camera.picture = photograph([[ORDER[0]] * 2])
    assert "2 tiles" in around.wizard.example(0, ORDER[0])
    told = around.wizard.state(0).tiles
    assert told is not None
    assert told.examples == (2, 0, 0, 0)


@pytest.mark.parametrize(
    ("symbols", "says"),
    [([ORDER[0]], "1 tile is seen: lay 2 to"), ([], "no tile is seen")],
)
def test_a_picture_with_too_few_tiles_is_refused(around: Around, symbols: list[str], says: str) -> None:
    around.wizard.learn("shapes", ORDER)
    around.camera.picture = (
        photograph([symbols or [], [""] * 0]) if symbols else np.full((400, 500), 95, np.uint8)
    )
    with pytest.raises(BadEnrolment, match=says):
        around.wizard.example(0, ORDER[0])


def test_symbols_that_are_missing_are_named_and_nothing_is_kept(around: Around) -> None:
    around.wizard.learn("shapes", ORDER)
    taken(around, ORDER[:2])
    with pytest.raises(BadEnrolment, match=f"no picture shows {ORDER[2]} {ORDER[3]} yet"):
        around.wizard.learnt()
    assert not (around.folder / "tiles").exists()


def test_tiles_that_cannot_be_told_apart_are_not_kept(around: Around) -> None:
    around.wizard.learn("twins", ("A", "B"))
    for seed, symbol in enumerate(("A", "B")):
        around.camera.picture = photograph([[ORDER[0]] * 3], seed)
        around.wizard.example(0, symbol)
    with pytest.raises(BadEnrolment):
        around.wizard.learnt()
    assert not (around.folder / "tiles" / "twins.json").exists()


@pytest.mark.parametrize(
    ("name", "order", "error"),
    [
        ("Kitchen!", ("A", "B"), BadTileSet),
        ("binary", ("A", "B"), BadTileSet),
        ("kitchen", ("A", "A"), BadEnrolment),
        ("kitchen", ("A",), BadEnrolment),
        ("kitchen", ("A", "."), BadEnrolment),
    ],
)
def test_sets_that_cannot_be_are_refused(
    around: Around, name: str, order: tuple[str, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        around.wizard.learn(name, order)
    assert around.wizard.state(0).tiles is None


def test_a_symbol_that_the_set_lacks_and_a_set_that_nobody_began_are_refused(around: Around) -> None:
    with pytest.raises(BadCapture, match="say first what the set is called"):
        around.wizard.example(0, "A")
    around.wizard.learn("shapes", ORDER)
    with pytest.raises(BadEnrolment, match="none of the set's symbols"):
        around.wizard.example(0, "A")
