"""What the network says is taken for what a set has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.vision.classifier import CLASSES, TrainedClassifier, class_of

QUAD = np.array([[[10.0, 10], [30, 10], [30, 30], [10, 30]]])
GREY = np.full((40, 40), 200, np.uint8)


class Says:
    """A network that sees one of some classes, in equal parts or the first with ``first``, in anything."""

    def __init__(self, *symbols: str, first: float | None = None) -> None:
        self.classes = [class_of(symbol, 0) for symbol in symbols]
        self.shares = (
            np.full(len(symbols), 1 / len(symbols)) if first is None else np.array([first, 1 - first])
        )
        self.shown = 0

    def logits(self, cut: NDArray[np.uint8]) -> NDArray[np.float32]:
        self.shown += len(cut)
        out = np.full((len(cut), len(CLASSES)), -20.0, np.float32)
        out[:, self.classes] = np.log(self.shares)
        return out


def chances(symbols: tuple[str, ...], *said: str) -> dict[str, float]:
    """Return how likely the symbols of a set are where the network says something."""
    return told(Says(*said), Says(*said), *symbols)


def told(classifier: Says, fine_classifier: Says, *symbols: str) -> dict[str, float]:
    """Return how likely the symbols of a set are where two networks say something."""
    both: tuple[Any, Any] = classifier, fine_classifier
    probabilities = TrainedClassifier(*both, TileSet("one", symbols)).classify(GREY, QUAD)
    return dict(zip(probabilities.symbols, probabilities.p_symbol[0].sum(1).round(3).tolist(), strict=True))


@pytest.mark.parametrize(("letter", "figure"), [("O", "0"), ("0", "O")])
def test_a_set_of_letters_prints_no_nought_and_one_of_figures_no_o(letter: str, figure: str) -> None:
    assert chances((letter, "A"), figure) == {letter: 1.0, "A": 0.0}
    assert chances((letter, "A"), letter, figure) == {letter: 1.0, "A": 0.0}


def test_a_set_with_both_tells_o_from_nought() -> None:
    assert chances(("O", "0"), "0") == {"O": 0.0, "0": 1.0}


def test_what_no_set_prints_alike_is_not_taken_for_another() -> None:
    assert chances(("I", "A"), "1") == {"I": 0.0, "A": 0.0}


def test_a_letter_that_looks_like_one_of_another_set_is_not_sure() -> None:
    seen = Says("Ö", "Q", first=0.8)
    assert told(seen, seen, "A", "Q")["Q"] == pytest.approx(0.2 / (0.2 + 0.1 * 0.8), abs=0.001)


def test_a_search_takes_a_symbol_of_another_set_for_one_of_its_own() -> None:
    seen: tuple[Any, Any] = Says("Ö", "Q", first=0.999), Says("Ö", "Q")
    probabilities = TrainedClassifier(*seen, TileSet("one", ("A", "Q"))).classify_once(GREY, QUAD)
    assert probabilities.p_best_symbol() == pytest.approx([1], abs=0.001)


def test_what_is_hard_to_tell_is_looked_at_closely() -> None:
    assert told(Says("A", "R"), Says("R"), "A", "R") == {"A": 0.083, "R": 0.917}


def test_what_is_plain_is_not_looked_at_closely() -> None:
    fine_classifier = Says("R")
    assert told(Says("A"), fine_classifier, "A", "R") == {"A": 1.0, "R": 0.0}
    assert fine_classifier.shown == 0


def test_whether_there_is_a_symbol_at_all_the_classifier_tells() -> None:
    assert told(Says("A", ""), Says("R"), "A", "R") == {"A": 0.045, "R": 0.455}
    assert told(Says("A", ""), Says(""), "A", "R") == {"A": 0.5, "R": 0.0}
