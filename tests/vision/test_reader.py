"""The reader's front: what it refuses, mirrored pictures, and that an empty table gives nothing."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import draw_placed
from companion.errors import BadPicture, BadTileSet, MirroredPicture
from companion.model.reading import Reading
from companion.model.tiles import TileSet, tile_set
from companion.vision.camera_frame import Frame
from companion.vision.classifier import ClassProbabilities
from companion.vision.pipeline.reader import Reader, is_mirrored
from companion.vision.tracking import Tracker
from tests.vision.made_detections import LETTERS, detections_at, probabilities_of

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


def row_of(word: Sequence[str], turn: float = 0.0, seed: int = 1) -> Frame:
    """Return a drawn table with a row of symbols, seen from a side."""
    placed = [PlacedTile(1.04 * k - 3, 0, 0.0, letter, 0, (0, k)) for k, letter in enumerate(word)]
    return draw_placed(np.random.default_rng(seed), View(900, 900, 60, 0, turn), placed, severity=0.3).picture


def letters(reading: Reading) -> str:
    """Return the letters that are read, in the alphabet's order."""
    return "".join(sorted(tile.symbol or "" for tile in reading.tiles))


@pytest.mark.parametrize("turn", [0.0, 33.0, 90.0, 180.0])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_mirrored_picture_is_refused_with_what_to_do(axis: int, turn: float) -> None:
    picture = row_of("FRINGES", turn)
    assert letters(Reader(ENGLISH).read(picture)) == "EFGINRS"
    with pytest.raises(MirroredPicture, match="switch the camera's mirroring off"):
        Reader(ENGLISH).read(np.ascontiguousarray(np.flip(picture, axis)))


@pytest.mark.parametrize("word", ["AUTOMAT", "MAMMOTH", "A", "JILL", ""])
def test_a_picture_of_letters_that_have_mirror_images_is_read(word: str) -> None:
    Reader(ENGLISH).read(row_of(word))


def test_letters_that_are_their_own_mirror_images_are_read_in_a_mirror() -> None:
    mirrored = np.ascontiguousarray(row_of("AUTOMAT")[:, ::-1])
    assert letters(Reader(ENGLISH).read(mirrored)) == "AAMOTTU"


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("turn", [0.0, 180.0])
def test_symbols_that_the_set_lacks_are_no_mirror_image(turn: float, seed: int) -> None:
    seen = Reader(ENGLISH).read(row_of("10=01=1", turn, seed)).tiles
    assert seen
    assert all(tile.doubt for tile in seen if tile.symbol != "O")


def test_a_few_tiles_seen_from_near_are_read() -> None:
    picture = row_of("KINGS")
    corners = np.array([tile.corners for tile in Reader(ENGLISH).read(picture).tiles]).reshape(-1, 2)
    (left, top), (right, bottom) = corners.min(0), corners.max(0)
    near = picture[int(top) - 20 : int(bottom) + 20, int(left) - 20 : int(right) + 20]
    large = np.asarray(cv2.resize(near, None, fx=12, fy=12), np.uint8)
    assert letters(Reader(ENGLISH).read(large)) == "GIKNS"


def test_a_letter_that_the_edge_of_the_picture_cuts_is_in_doubt() -> None:
    picture = row_of("KINGS")
    first = min(Reader(ENGLISH).read(picture).tiles, key=lambda tile: tile.centre)
    left, right = first.corners[0][0], first.corners[1][0]
    cut = np.ascontiguousarray(picture[:, round(left + 0.3 * (right - left)) :])
    seen = sorted(Reader(ENGLISH).read(cut).tiles, key=lambda tile: tile.centre)
    assert [(tile.symbol, tile.doubt) for tile in seen[:2]] == [("K", True), ("I", False)]


class MirrorClassifier:
    """Tells no letter upright, and each for sure in the mirror."""

    symbols = LETTERS

    def classify_once(self, picture: Frame, quads: np.ndarray) -> ClassProbabilities:
        return self.classify(picture, quads)

    def classify(self, picture: Frame, quads: np.ndarray) -> ClassProbabilities:
        mirrored = np.linalg.det(quads[0, [1, 3]] - quads[0, 0]) < 0
        return probabilities_of(*"J" * len(quads), sure=0.99 if mirrored else 0.01)


@pytest.mark.parametrize(("count", "mirrored"), [(1, False), (2, True)])
def test_one_letter_alone_does_not_tell_that_a_picture_is_mirrored(count: int, mirrored: bool) -> None:
    tiles = detections_at([(50.0 + 60 * k, 50.0) for k in range(count)])
    seen = probabilities_of(*"L" * count, sure=0.6, others="J" * count)
    picture = np.zeros((100, 200), np.uint8)
    assert is_mirrored(MirrorClassifier(), picture, tiles, seen) is mirrored


def test_a_live_table_is_read_once_its_camera_mirrors_no_more() -> None:
    picture = row_of("FRINGES")
    tracker = Tracker(Reader(ENGLISH))
    for k in range(3):
        with pytest.raises(MirroredPicture):
            tracker.update(np.ascontiguousarray(picture[:, ::-1]), 100_000_000 * k)
    seen = [tracker.update(picture, 100_000_000 * k) for k in range(3, 20)]
    assert letters(seen[-1].reading) == "EFGINRS"


class Silent:
    """A second reader without answers, which counts the tiles that it is shown."""

    shown = 0

    def symbol_probabilities(self, cuts: np.ndarray, symbols: tuple[str, ...]) -> np.ndarray:
        self.shown += len(cuts)
        return np.zeros((len(cuts), len(symbols)))


def test_a_second_reader_is_a_stage_of_its_own_where_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    picture, second = row_of("FINGERS"), Silent()
    asked = Reader(ENGLISH, second=second)
    assert "second" not in asked.read(picture).timing_ms
    monkeypatch.setattr("companion.vision.pipeline.reader.low_confidence", lambda chosen: chosen)
    timing = asked.read(picture).timing_ms
    assert (second.shown, list(timing)) == (7, ["total", "find", "read", "second", "fit"])
    assert timing["total"] == pytest.approx(sum(timing.values()) / 2)
    assert min(timing.values()) > 0
