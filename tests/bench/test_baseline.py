from __future__ import annotations

import cv2
import numpy as np
import pytesseract
import pytest
from PIL import Image, ImageDraw, ImageFont

from calibration.evaluation.drawn import scene_of
from companion.bench import baseline
from companion.bench.baseline import (
    RIM_PX,
    TILE_SIDE_PX,
    TILES_PER_LINE,
    baseline_metrics,
    letters_right,
    match_outlines,
    outlines,
    page_letters,
    page_of,
    rectified_tile,
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


def page(*lines: str) -> Frame:
    """Return lines of black letters on white, each as wide as a tile's face."""
    side = TILE_SIDE_PX - 2 * RIM_PX
    sheet = Image.new("L", (TILES_PER_LINE * side, len(lines) * side), 255)
    for row, line in enumerate(lines):
        for col, text in enumerate(line):
            at = (int((col + 0.5) * side), int((row + 0.5) * side))
            ImageDraw.Draw(sheet).text(at, text, fill=0, font=ImageFont.load_default(32), anchor="mm")
    return np.asarray(sheet)


def test_a_tile_alone_has_an_outline_whichever_way_it_lies() -> None:
    found = outlines(table(UPRIGHT, TURNED), 40.0)
    assert {tile for tile, _ in match_outlines(np.array([UPRIGHT, TURNED]), found, 10.0)} == {0, 1}


def test_tiles_that_touch_have_none_of_their_own() -> None:
    assert len(outlines(table(UPRIGHT, UPRIGHT + np.array([40, 0], np.float32)), 40.0)) == 0


def test_an_outline_is_a_tiles_where_their_middles_are_near() -> None:
    true = np.array([UPRIGHT, TURNED])
    assert match_outlines(true, np.array([TURNED + 3, UPRIGHT + 60]), 40.0) == [(1, 0)]


def test_a_tile_is_cut_out_upright_in_black_and_white_without_its_rim() -> None:
    frame = table(TURNED)
    cv2.line(frame, (140, 40), (160, 60), 20, 5)  # along the tile's own middle row
    cut = rectified_tile(frame, TURNED)
    side = TILE_SIDE_PX - 2 * RIM_PX
    assert cut.shape == (side, side)
    assert set(np.unique(cut)) == {0, 255}
    assert cut[side // 2, side // 2] == 0
    assert (cut[side // 2] == 0).sum() > 2 * (cut[:, side // 2] == 0).sum()


def test_a_page_has_the_tiles_in_lines_and_white_after_the_last() -> None:
    dark = np.zeros((4, 4), np.uint8)
    sheet = page_of([dark] * (TILES_PER_LINE + 1))
    assert sheet.shape == (8, 4 * TILES_PER_LINE)
    assert not sheet[:4].any()
    assert not sheet[4:, :4].any()
    assert (sheet[4:, 4:] == 255).all()


def test_tesseract_reads_each_letter_in_its_place() -> None:
    letters = page_letters(page("HELLOAGAINWHATEVERYTHREE", "BREAD"))
    assert letters[0] == "H"
    assert "".join(letters[TILES_PER_LINE + k] for k in range(5)) == "BREAD"


def test_letters_are_counted_against_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, _ = scene_of((640, 480), 0, tile_set("bananagrams-en"))
    said = {k: tile.symbol for k, tile in enumerate(scene.tiles[:-1])}
    monkeypatch.setattr(baseline, "page_letters", lambda _page: {**said, 0: "?"})
    assert letters_right(scene) == len(scene.tiles) - 2


def test_tesseract_reads_most_tiles_of_a_sharp_table_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = [scene_of((1632, 1224), number, tile_set("bananagrams-en"))[0] for number in range(2)]
    calls: list[Frame] = []

    def counted(sheet: Frame) -> dict[int, str]:
        calls.append(sheet)
        return page_letters(sheet)

    monkeypatch.setattr(baseline, "page_letters", counted)
    outlined, right, tile, times = baseline_metrics(scenes, 100.0)
    assert len(calls) == 2
    assert 0 <= outlined.value < 100
    assert right.value > 80
    assert tile.value > 0
    assert times.value == pytest.approx(144 * tile.value / 100)


def test_without_tesseract_the_table_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_given: object, **_named: object) -> None:
        raise pytesseract.TesseractNotFoundError

    monkeypatch.setattr(pytesseract, "image_to_boxes", gone)
    scene, _ = scene_of((640, 480), 0, tile_set("bananagrams-en"))
    _, only = baseline_metrics([scene], 10.0)
    assert (only.value_text, only.how) == ("not measured", "install it: apt-get install tesseract-ocr")
