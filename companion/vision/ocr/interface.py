"""What every reader of symbols can be asked, be it a network or Tesseract."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class SymbolReader(Protocol):
    """Says how likely each symbol is on each tile."""

    def symbol_probabilities(
        self,
        cuts: NDArray[np.uint8],
        symbols: tuple[str, ...],
        turns: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Return how likely each symbol in each quarter turn is on each tile.

        Parameters
        ----------
        cuts
            Straightened tiles as ``companion.vision.classifier.crops`` cuts them, the most
            urgent first, shape (n, side, side), uint8, side 32 to 96 pixels, the tile in the middle
            seven eighths.
        symbols
            The set's symbols without blanks.
        turns
            For each tile the corner, 0 to 3 clockwise from the top left, at which its symbol's
            own top left lies, or -1 where nobody knows; shape (n,).  ``None``: nobody knows any.

        Returns
        -------
        Shape (n, symbols, 4), float64, by that corner; a tile's sum is at most 1, and 0 where
        the reader has nothing to say.
        """
        ...
