"""The board of Martian Boggle: five rows of five letters with translucent pyramids on some of them."""

from companion.reading.volcano.finding import find_volcano
from companion.reading.volcano.value import CELLS, Volcano

__all__ = ["CELLS", "Volcano", "find_volcano"]
