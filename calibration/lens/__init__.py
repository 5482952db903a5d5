"""How a lens bends the picture, from pictures of the lens board.

Pictures lead to values: ``find_board`` sees the board, ``advice`` says what picture is still missing,
``fit`` finds the lens, ``starting_matrix`` knows common cameras, ``shown_lens`` draws what was understood.
"""

from calibration.lens.board import Sight, find_board, mirrored
from calibration.lens.fit import Fitted, fit
from calibration.lens.guide import Advice, Step, advice
from calibration.lens.starts import STARTS, starting_matrix

__all__ = [
    "STARTS",
    "Advice",
    "Fitted",
    "Sight",
    "Step",
    "advice",
    "find_board",
    "fit",
    "mirrored",
    "starting_matrix",
]
