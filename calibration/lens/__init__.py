"""Lens calibration from pictures of the lens board.

``find_board`` detects the board, ``advice`` names the view that is still missing, ``fit`` finds the lens,
``initial_matrix`` has the intrinsics of common cameras, ``overlay.lens_overlay`` draws the result.
"""

from calibration.lens.board import BoardDetection, find_board, is_mirrored
from calibration.lens.data_sheets import CAMERAS, initial_matrix
from calibration.lens.fit import LensFit, fit
from calibration.lens.guide import Advice, Step, advice

__all__ = [
    "CAMERAS",
    "Advice",
    "BoardDetection",
    "LensFit",
    "Step",
    "advice",
    "find_board",
    "fit",
    "initial_matrix",
    "is_mirrored",
]
