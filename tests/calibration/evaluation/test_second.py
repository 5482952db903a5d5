"""The measurement of the second reader: what is counted, and that it can be measured here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import ImageFont

from calibration.evaluation import second as bench
from calibration.evaluation.second import Exam, alone_figures, doubt_figures, exam, second_figures

SYMBOLS = ("A", "B", "C", "D")
A, B, C, D = range(4)


class Told:
    """A reader that says of each tile what it was told."""

    def __init__(self, *second: list[float]) -> None:
        self.second = np.array(second)

    def symbol_probabilities(
        self, _cuts: NDArray[np.uint8], _symbols: tuple[str, ...]
    ) -> NDArray[np.float64]:
        return self.second


@pytest.fixture
def font(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Draw with the font that Pillow brings along."""
    brought = ImageFont.load_default(20)
    assert isinstance(brought, ImageFont.FreeTypeFont)
    (tmp_path / "brought.ttf").write_bytes(brought.font_bytes)
    monkeypatch.setattr(bench, "reporting_fonts", lambda: (tmp_path / "brought.ttf",))


def tiles(truth: list[int], *first: list[float]) -> Exam:
    return Exam(SYMBOLS, np.zeros((len(truth), 32, 32), np.uint8), np.array(truth), np.array(first))


def test_alone_it_is_right_silent_or_wrong() -> None:
    four = tiles([A, A, A, A], *[[0.0] * 4] * 4)
    reader = Told([0.9, 0, 0, 0], [0, 0.9, 0, 0], [0, 0.5, 0, 0], [0, 0, 0, 0])
    told = {figure.what: figure.how for figure in alone_figures(four, reader)}
    assert told["Tesseract alone: right"] == "1 of 4"
    assert told["Tesseract alone: silent"] == "1 of 4"
    assert told["Tesseract alone: wrong where sure"] == "1 of 2"


def test_doubts_are_counted_as_agreed_settled_or_differing() -> None:
    first = [[0.7, 0.2, 0.1, 0], [0.7, 0.2, 0.1, 0], [0.5, 0.3, 0.2, 0], [0.6, 0.4, 0, 0], [0.6, 0.4, 0, 0]]
    reader = Told([0.99, 0, 0, 0], [0.99, 0, 0, 0], [0.6, 0, 0, 0], [0, 0, 0, 0.6], [0, 0, 0, 0])
    told = [figure.how for figure in doubt_figures(tiles([A, B, A, D, B], *first), reader)]
    assert told == ["2 of 5", "3 of 5", "1 of 3", "2 of 5", "1 of 2", "1 of 1"]


@pytest.mark.usefixtures("font")
def test_the_same_tiles_are_drawn_every_time_each_letter_as_often() -> None:
    once, again = exam(26), exam(26)
    assert once.truth.tolist() == list(range(26))
    assert (once.cuts == again.cuts).all()
    assert once.cuts.shape == (26, 32, 32)
    assert (once.first.argmax(1) == once.truth).mean() > 0.5


@pytest.mark.usefixtures("font")
def test_all_is_measured_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "which", lambda _name: "there")
    monkeypatch.setattr(bench, "Tesseract", lambda most: Told(*[[0.0] * 26] * most))
    monkeypatch.setattr(bench, "DOUBT", 2.0)  # so that every tile is a doubt
    figures = list(second_figures(26))
    assert [figure.what.partition(":")[0] for figure in figures] == ["Tesseract alone"] * 4 + ["doubts"] * 6


def test_without_tesseract_nothing_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (figure,) = second_figures()
    assert (figure.measured, figure.how) == ("not measured", "install it: apt-get install tesseract-ocr")
