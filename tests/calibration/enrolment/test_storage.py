from __future__ import annotations

from pathlib import Path

import pytest

from calibration.enrolment.storage import checked_name, own_names, save_set, set_named
from companion.errors import BadOutput, BadTileSet
from companion.model.tiles import TileSet
from companion.vision.fewshot.sheet import read_sheet
from tests.shapes import examples

SHAPES = TileSet("kitchen", ("△", "✚"), {"△": 5, "✚": 2}, {"✚": 3})


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    return tmp_path / "tiles"


def test_a_kept_set_is_found_by_its_name_with_all_that_it_has(home: Path) -> None:
    save_set(SHAPES, examples(["△", "✚"]), home)
    back = set_named("kitchen")
    assert (back.symbols, back.counts, back.values) == (("△", "✚"), {"△": 5, "✚": 2}, {"✚": 3})
    assert back.looks is not None
    assert read_sheet(back.looks).kinds == ("△", "✚")


def test_the_two_files_may_be_copied_anywhere(home: Path, tmp_path: Path) -> None:
    save_set(SHAPES, examples(["△", "✚"]), home)
    there = tmp_path / "stick"
    home.rename(there)
    assert set_named(str(there / "kitchen.json")).looks == there / "kitchen.png"


def test_sets_that_come_with_the_product_are_found_too() -> None:
    assert set_named("binary").size == 100


def test_an_unknown_name_tells_the_nearest_of_ones_own(home: Path) -> None:
    save_set(SHAPES, examples(["△", "✚"]), home)
    with pytest.raises(BadTileSet, match=r"did you mean 'kitchen'"):
        set_named("kitchn")


@pytest.mark.parametrize("name", ["", "../up", "Kitchen", "a" * 41, "binary", "a.json"])
def test_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(BadTileSet):
        checked_name(name)


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadOutput, match="cannot be written"):
        save_set(SHAPES, examples(["△", "✚"]), tmp_path / "file")


def test_nobody_has_sets_before_the_first() -> None:
    assert own_names() == []
