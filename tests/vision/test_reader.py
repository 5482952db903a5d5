"""The reader's front: what it refuses, and that an empty table gives nothing."""

from __future__ import annotations

import numpy as np
import pytest

from companion.errors import BadPicture, BadTileSet
from companion.model.tiles import TileSet, tile_set
from companion.vision.pipeline.reader import Reader

ENGLISH = tile_set("bananagrams-en")


def test_a_set_with_symbols_that_nobody_taught_is_refused_by_name() -> None:
    with pytest.raises(BadTileSet, match="does not know Ж 7; it knows A B C"):
        Reader(TileSet("own", ("A", "Ж", "7", "")))


def test_a_board_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadPicture, match="chess"):
        Reader(ENGLISH, "chess")


@pytest.mark.parametrize(
    "frame",
    [np.zeros((10, 10), np.uint16), np.zeros((10, 10, 4), np.uint8), np.zeros((0, 10), np.uint8)],
    ids=["16 bits", "four channels", "empty"],
)
def test_what_is_no_picture_is_refused(frame: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
    with pytest.raises(BadPicture, match="a picture is uint8"):
        Reader(ENGLISH).read(frame)


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_an_empty_table_gives_nothing(shade: int) -> None:
    reading = Reader(ENGLISH).read(np.full((480, 640), shade, np.uint8))
    assert (reading.tiles, reading.tableaux) == ((), ())
