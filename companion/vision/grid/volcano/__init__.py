"""The board of Martian Boggle: five rows of five letters with translucent pyramids on some of them."""

from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.grid.volcano.finding import find_volcano

__all__ = ["CELLS", "Volcano", "find_volcano"]
