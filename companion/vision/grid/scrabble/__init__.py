"""Where a 15x15 crossword game board lies in a picture."""

from companion.vision.grid.scrabble.board import CELLS, Board
from companion.vision.grid.scrabble.finding import find_board

__all__ = ["CELLS", "Board", "find_board"]
