"""The premium squares of a board of 15 by 15, as on every Scrabble board."""

from __future__ import annotations

QUARTER = (
    "W..l...W",
    ".w...L..",
    "..w...l.",
    "l..w...l",
    "....w...",
    ".L...L..",
    "..l...l.",
    "W..l...w",
)
"""The upper left quarter with the middle row and column; the others mirror it.

W triple word, w double word, L triple letter, l double letter.
"""
