"""The measurement of the second reader: what is counted, and that it can be measured here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import ImageFont

from calibration.evaluation import ocr as bench
from calibration.evaluation.ocr import (
    LabelledTiles,
    doubt_metrics,
    labelled_tiles,
    ocr_alone_metrics,
    ocr_metrics,
)

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
    monkeypatch.setattr(bench, "evaluation_fonts", lambda: (tmp_path / "brought.ttf",))


def tiles(truth: list[int], *first: list[float]) -> LabelledTiles:
    return LabelledTiles(SYMBOLS, np.zeros((len(truth), 32, 32), np.uint8), np.array(truth), np.array(first))


def test_alone_it_is_right_silent_or_wrong() -> None:
    four = tiles([A, A, A, A], *[[0.0] * 4] * 4)
    reader = Told([0.9, 0, 0, 0], [0, 0.9, 0, 0], [0, 0.5, 0, 0], [0, 0, 0, 0])
    told = {metric.what: metric.how for metric in ocr_alone_metrics(four, reader)}
    assert told["Tesseract alone: right"] == "1 of 4"
    assert told["Tesseract alone: silent"] == "1 of 4"
    assert told["Tesseract alone: wrong where sure"] == "1 of 2"


def test_doubts_are_counted_as_agreed_settled_or_differing() -> None:
    first = [[0.7, 0.2, 0.1, 0], [0.7, 0.2, 0.1, 0], [0.5, 0.3, 0.2, 0], [0.6, 0.4, 0, 0], [0.6, 0.4, 0, 0]]
    reader = Told([0.99, 0, 0, 0], [0.99, 0, 0, 0], [0.6, 0, 0, 0], [0, 0, 0, 0.6], [0, 0, 0, 0])
    told = [metric.how for metric in doubt_metrics(tiles([A, B, A, D, B], *first), reader)]
    assert told == ["2 of 5", "3 of 5", "1 of 3", "2 of 5", "1 of 2", "1 of 1"]


@pytest.mark.usefixtures("font")
def test_the_same_tiles_are_drawn_every_time_each_letter_as_often() -> None:
    once, again = labelled_tiles(26), labelled_tiles(26)
    assert once.truth.tolist() == list(range(26))
    assert (once.cuts == again.cuts).all()
    assert once.cuts.shape == (26, 32, 32)
    assert (once.network.argmax(1) == once.truth).mean() > 0.5


@pytest.mark.usefixtures("font")
def test_all_is_measured_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "which", lambda _name: "there")
    monkeypatch.setattr(bench, "Tesseract", lambda most: Told(*[[0.0] * 26] * most))
    monkeypatch.setattr(bench, "MIN_CONFIDENCE", 2.0)  # so that every tile is a doubt
    metrics = list(ocr_metrics(26))
    assert [metric.what.partition(":")[0] for metric in metrics] == ["Tesseract alone"] * 4 + ["doubts"] * 6


def test_without_tesseract_nothing_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (metric,) = ocr_metrics()
    assert (metric.value_text, metric.how) == ("not measured", "install it: apt-get install tesseract-ocr")
