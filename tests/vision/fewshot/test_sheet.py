from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from companion.errors import BadTileSet
from companion.vision.fewshot.sheet import (
    TILE_FRAME,
    Examples,
    cut_looks,
    encode_sheet,
    parse_sheet,
    read_sheet,
)
from tests.shapes import examples


def png(size: tuple[int, int], text: str | None) -> bytes:
    about = PngImagePlugin.PngInfo()
    if text is not None:
        about.add_itxt("tiles", text)
    file = io.BytesIO()
    Image.new("L", size).save(file, "PNG", pnginfo=about)
    return file.getvalue()


def test_a_sheet_is_read_back_as_it_was_written() -> None:
    there = examples(["△", "", "✚"])
    back = parse_sheet(encode_sheet(there))
    assert back.symbols == there.symbols
    assert np.array_equal(back.looks, there.looks)


def test_a_sheet_is_a_picture_with_a_row_for_each_symbol() -> None:
    with Image.open(io.BytesIO(encode_sheet(examples(["△", "✚"], each=4)))) as picture:
        assert picture.size == (4 * 48, 2 * 48)


def test_symbols_may_have_different_numbers_of_examples() -> None:
    some = examples(["△", "✚"])
    back = parse_sheet(encode_sheet(Examples(some.looks[:5], some.symbols[:5])))
    assert back.symbols == ("△", "△", "△", "✚", "✚")


def test_a_symbol_with_one_example_is_refused() -> None:
    some = examples(["△", "✚"])
    with pytest.raises(BadTileSet, match=r"'✚': 2 to 12 examples are needed; got 1"):
        Examples(some.looks[:4], some.symbols[:4])


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (b"", "no sheet"),
        (b"\xff\xd8\xff", "no sheet"),
        (png((96, 48), None), "no sheet"),
        (png((96, 48), "[["), "no sheet"),
        (png((96, 48), json.dumps([["A", 13]])), "no sheet"),
        (png((96, 48), json.dumps([["A", True]])), "no sheet"),
        (png((96, 96), json.dumps([["A", 2], ["A", 2]])), "no sheet"),
        (png((96, 48), json.dumps([["two words", 2]])), "no sheet"),
        (png((96, 48), json.dumps([])), "no sheet"),
        (png((48, 48), json.dumps([["A", 2]])), "cut short"),
        (png((96, 48), json.dumps([["A", 2], ["B", 2]])), "cut short"),
        (png((5000, 48), json.dumps([["A", 2]])), "no sheet"),
        (bytes(2**24 + 1), "at most 16 MiB"),
    ],
)
def test_anything_else_is_refused_and_says_what_to_do(file: bytes, says: str) -> None:
    with pytest.raises(BadTileSet, match=says):
        parse_sheet(file)


def test_a_missing_sheet_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadTileSet, match=r"kitchen\.png: .*enrol it again"):
        read_sheet(tmp_path / "kitchen.png")


def test_a_tile_is_cut_into_the_middle_of_its_example() -> None:
    picture = np.zeros((100, 100), np.uint8)
    picture[30:62, 40:72] = 255
    quad = np.array([[[39.5, 29.5], [71.5, 29.5], [71.5, 61.5], [39.5, 61.5]]])
    (look,) = cut_looks(picture, quad)
    assert (look[9:39, 9:39] == 255).all()
    assert (look[:7] == 0).all()
    assert TILE_FRAME.tolist() == [[7.5, 7.5], [39.5, 7.5], [39.5, 39.5], [7.5, 39.5]]
