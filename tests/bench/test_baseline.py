from __future__ import annotations

import cv2
import numpy as np
import pytesseract
import pytest
from PIL import Image, ImageDraw, ImageFont

from calibration.evaluation.drawn import scene_of
from companion.bench import baseline
from companion.bench.baseline import (
    baseline_metrics,
    best_letter,
    evenly_spaced,
    match_outlines,
    outlines,
    read_sample,
    rectified_tile,
    tesseract_words,
)
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame

UPRIGHT = np.array([[30, 30], [70, 30], [70, 70], [30, 70]], np.float32)
TURNED = np.array([[150, 22], [178, 50], [150, 78], [122, 50]], np.float32)


def table(*tiles: np.ndarray) -> Frame:
    """Return a grey table with white tiles, their corners given."""
    frame = np.full((100, 200), 90, np.uint8)
    for corners in tiles:
        cv2.fillConvexPoly(frame, corners.astype(np.int32), 230)
    return frame


def letter(text: str) -> Frame:
    """Return a black letter on white, 80 pixels high and broad."""
    page = Image.new("L", (80, 80), 255)
    ImageDraw.Draw(page).text((40, 40), text, fill=0, font=ImageFont.load_default(60), anchor="mm")
    return np.asarray(page)


def test_a_tile_alone_has_an_outline_whichever_way_it_lies() -> None:
    found = outlines(table(UPRIGHT, TURNED), 40.0)
    assert {tile for tile, _ in match_outlines(np.array([UPRIGHT, TURNED]), found, 10.0)} == {0, 1}


def test_tiles_that_touch_have_none_of_their_own() -> None:
    assert len(outlines(table(UPRIGHT, UPRIGHT + np.array([40, 0], np.float32)), 40.0)) == 0


def test_an_outline_is_a_tiles_where_their_middles_are_near() -> None:
    true = np.array([UPRIGHT, TURNED])
    assert match_outlines(true, np.array([TURNED + 3, UPRIGHT + 60]), 40.0) == [(1, 0)]


def test_a_tile_is_cut_out_upright_in_black_and_white_with_white_around_it() -> None:
    frame = table(TURNED)
    cv2.line(frame, (140, 40), (160, 60), 20, 5)  # along the tile's own middle row
    cut = rectified_tile(frame, TURNED)
    assert cut.shape == (116, 116)
    assert set(np.unique(cut)) == {0, 255}
    assert (cut[:20] == 255).all()
    assert cut[58, 58] == 0
    assert (cut[58] == 0).sum() > 2 * (cut[:, 58] == 0).sum()


def test_the_surest_of_four_turns_counts_and_its_first_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = iter([[(50.0, "N")], [(90.0, "ZZ")], [], [(80.0, "N")]])
    monkeypatch.setattr(baseline, "tesseract_words", lambda _picture: next(reads))
    assert best_letter(letter("Z")) == "Z"


def test_where_nothing_is_read_there_is_no_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "tesseract_words", lambda _picture: [])
    assert best_letter(letter("Z")) == ""


def test_tesseract_reads_a_plain_letter() -> None:
    assert [text for _, text in tesseract_words(letter("B"))] == ["B"]


def test_readings_are_counted_against_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "best_letter", lambda _cut: "A")
    done = read_sample(table(UPRIGHT), [(UPRIGHT, "A"), (UPRIGHT, "B"), (UPRIGHT, None)])
    assert (done.tiles, done.right) == (3, 1)


def test_tried_tiles_are_spread_over_all_from_the_first_to_the_last() -> None:
    tiles = [(UPRIGHT, str(k)) for k in range(144)]
    chosen = [int(symbol or "") for _, symbol in evenly_spaced(tiles)]
    assert (len(set(chosen)), chosen[0], chosen[-1]) == (24, 0, 143)
    assert evenly_spaced(tiles[:3]) == tiles[:3]


def test_where_no_tile_is_isolated_none_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, _ = scene_of((640, 480), 0, tile_set("bananagrams-en"))
    monkeypatch.setattr(baseline, "outlines", lambda _grey, _side: np.zeros((0, 4, 2), np.float32))
    monkeypatch.setattr(baseline, "best_letter", lambda _cut: "A")
    found = {metric.what.partition(": ")[2]: metric for metric in baseline_metrics(scene, 10.0)}
    assert (found["isolated"].value, found["read"].value, found["read"].how) == (
        0,
        0,
        "0 of 0 isolated tiles tried",
    )
    assert found["read, true outlines given"].how.endswith(" of 24 tiles tried")


def test_without_tesseract_the_table_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise pytesseract.TesseractNotFoundError

    monkeypatch.setattr(pytesseract, "get_tesseract_version", gone)
    scene, _ = scene_of((640, 480), 0, tile_set("bananagrams-en"))
    (only,) = baseline_metrics(scene, 10.0)
    assert (only.value_text, only.how) == ("not measured", "install it: apt-get install tesseract-ocr")
