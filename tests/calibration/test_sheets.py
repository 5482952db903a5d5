"""Sheets as a printer would print them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.edges import measure_marker
from calibration.markers import LENS_SQUARE_MM, MARKER_SIDES_MM, find_markers, lens_board
from calibration.sheets.cards import seat_sheet
from calibration.sheets.legend import Card, Line, legend_sheet
from calibration.sheets.lens import lens_sheet
from calibration.sheets.marking import board_sheet, corner_sheet
from calibration.sheets.mat import mat_sheet
from calibration.sheets.page import RULER_MM
from companion.paper import MARGIN_MM, PAPERS, Paper
from companion.vision.camera_frame import Frame

PX_PER_MM = 6.0
OPENED: Any = pypdfium2.PdfDocument
"""It carries no types."""


def printed(pdf: bytes, page: int = 0) -> Frame:
    """Return a page as grey pixels, six a millimetre."""
    with OPENED(pdf) as document:
        drawn = document[page].render(scale=PX_PER_MM * 25.4 / 72, grayscale=True).to_numpy()
    return np.array(drawn.squeeze(), np.uint8)


def pages(pdf: bytes) -> int:
    with OPENED(pdf) as document:
        return len(document)


def words(pdf: bytes, page: int = 0) -> str:
    with OPENED(pdf) as document:
        return str(document[page].get_textpage().get_text_range())


SHEETS: dict[str, Callable[[Paper], bytes]] = {
    "corners": corner_sheet,
    "board": board_sheet,
    "lens": lens_sheet,
    "seats": lambda paper: seat_sheet(paper, 4, "http://192.168.4.1:8080"),
    "mat": lambda paper: mat_sheet(paper, ["A", "B", ""], 3, 20.0),
    "legend": lambda paper: legend_sheet(paper, [Card("Chew", (Line(1, "short", "FLIP", "next tile"),))]),
}


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_has_the_size_of_its_paper_and_keeps_off_the_edges(sheet: str, paper: Paper) -> None:
    page = printed(SHEETS[sheet](paper))
    sides = sorted(side / PX_PER_MM for side in page.shape)
    assert sides == pytest.approx(sorted((paper.width, paper.height)), abs=0.3)
    rows, columns = np.nonzero(page < 128)
    margin = 10 * PX_PER_MM
    assert min(rows.min(), columns.min()) > margin
    assert rows.max() < page.shape[0] - margin
    assert columns.max() < page.shape[1] - margin


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_sheet_has_a_ruler_of_its_true_length_and_says_so(sheet: str) -> None:
    pdf = SHEETS[sheet](PAPERS["a4"])
    page = printed(pdf)
    high = page.shape[0] - round(
        (MARGIN_MM + 3.5) * PX_PER_MM
    )  # where the marks of 0, 50 and 100 alone reach
    dark = np.flatnonzero(page[high, : round((MARGIN_MM + RULER_MM + 3) * PX_PER_MM)] < 128)
    marks = [run.mean() for run in np.split(dark, np.flatnonzero(np.diff(dark) > 1) + 1)]
    assert np.diff(marks) / PX_PER_MM == pytest.approx([50, 50], abs=0.1)
    assert "actual size" in words(pdf)


@pytest.mark.parametrize(("sheet", "numbers"), [(corner_sheet, range(4)), (board_sheet, range(4, 8))])
@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_markers_are_printed_at_their_exact_size(
    sheet: Callable[[Paper], bytes], numbers: range, paper: Paper
) -> None:
    page = printed(sheet(paper))
    found = find_markers(page)
    assert [one.number for one in found] == list(numbers)
    for one in found:
        side = measure_marker(page, one, None).side_px / PX_PER_MM
        assert side == pytest.approx(MARKER_SIDES_MM[one.number], abs=0.15)


def test_the_arrow_of_each_card_points_to_the_corner_that_it_names() -> None:
    found = find_markers(printed(corner_sheet(PAPERS["a4"])))
    middle = np.mean([one.corners.mean(0) for one in found], axis=0)
    ways = [np.sign(one.corners.mean(0) - middle).tolist() for one in found]
    assert ways == [[-1, -1], [1, -1], [1, 1], [-1, 1]]


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_corner_of_the_lens_board_is_found_at_its_exact_distance(paper: Paper) -> None:
    page = printed(lens_sheet(paper))
    corners, numbers, _, _ = cv2.aruco.CharucoDetector(lens_board()).detectBoard(page)
    assert len(numbers) == 40
    steps = np.diff(np.asarray(corners).reshape(5, 8, 2), axis=1)[..., 0] / PX_PER_MM
    assert steps == pytest.approx(np.full((5, 7), LENS_SQUARE_MM), abs=0.2)


def test_the_code_of_each_seat_opens_its_page() -> None:
    pdf = seat_sheet(PAPERS["a4"], 3, "http://192.168.4.1:8080/")
    read = [
        address
        for page in range(pages(pdf))
        for address in cv2.QRCodeDetector().detectAndDecodeMulti(printed(pdf, page))[1]
    ]
    assert sorted(read) == [f"http://192.168.4.1:8080/seat/{seat}" for seat in (1, 2, 3)]


def test_a_mat_has_a_place_for_every_tile_in_order() -> None:
    pdf = mat_sheet(PAPERS["a4"], ["A", "B", ""], 2, 20.0)
    told = words(pdf).split()
    assert [word for word in told if word in {"A", "B", "blank"}][-6:] == [
        "A",
        "A",
        "B",
        "B",
        "blank",
        "blank",
    ]


def test_a_mat_of_many_symbols_goes_on_over_several_sheets() -> None:
    symbols = [chr(65 + k) for k in range(26)]
    pdf = mat_sheet(PAPERS["letter"], symbols, 3, 20.0)
    told = " ".join(words(pdf, page) for page in range(pages(pdf))).split()
    assert pages(pdf) > 1
    assert all(told.count(symbol) >= 3 for symbol in symbols)


def test_a_legend_tells_what_each_button_calls() -> None:
    told = words(SHEETS["legend"](PAPERS["a4"]))
    assert "FLIP" in told
    assert "next tile" in told
