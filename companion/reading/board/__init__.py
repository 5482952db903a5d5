"""Where a 15x15 crossword game board lies in a picture."""

from companion.reading.board.finding import find_board
from companion.reading.board.value import CELLS, Board

__all__ = ["CELLS", "Board", "find_board"]
