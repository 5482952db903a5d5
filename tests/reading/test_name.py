"""What the network says is taken for what a set has."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.reading.alphabet import CLASSES, class_of
from companion.reading.name import TrainedNamer

QUAD = np.array([[[10.0, 10], [30, 10], [30, 30], [10, 30]]])
GREY = np.full((40, 40), 200, np.uint8)


class Says:
    """A network that is sure of some classes, in equal parts, whatever it is shown."""

    def __init__(self, *symbols: str) -> None:
        self.classes = [class_of(symbol, 0) for symbol in symbols]

    def logits(self, cut: NDArray[np.uint8]) -> NDArray[np.float32]:
        out = np.full((len(cut), len(CLASSES)), -20.0, np.float32)
        out[:, self.classes] = 0.0
        return out


def chances(symbols: tuple[str, ...], *said: str) -> dict[str, float]:
    """Return how likely the symbols of a set are where the network says something."""
    names = TrainedNamer(Says(*said), TileSet("one", symbols)).names(GREY, QUAD)  # type: ignore[arg-type]
    return dict(zip(names.symbols, names.chance[0].sum(1).round(3).tolist(), strict=True))


@pytest.mark.parametrize(("letter", "figure"), [("O", "0"), ("0", "O")])
def test_a_set_of_letters_prints_no_nought_and_one_of_figures_no_o(letter: str, figure: str) -> None:
    assert chances((letter, "A"), figure) == {letter: 1.0, "A": 0.0}
    assert chances((letter, "A"), letter, figure) == {letter: 1.0, "A": 0.0}


def test_a_set_with_both_tells_o_from_nought() -> None:
    assert chances(("O", "0"), "0") == {"O": 0.0, "0": 1.0}


def test_what_no_set_prints_alike_is_not_taken_for_another() -> None:
    assert chances(("I", "A"), "1") == {"I": 0.0, "A": 0.0}
