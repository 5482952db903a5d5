"""Boards drawn from the rules and seen by a made-up camera."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.board import Board

Picture = NDArray[np.uint8]
Matrix3 = NDArray[np.float64]
Colour = tuple[int, int, int]

RULES = """
W . . l . . . W . . . l . . W
. w . . . L . . . L . . . w .
. . w . . . l . l . . . w . .
l . . w . . . l . . . w . . l
. . . . w . . . . . w . . . .
. L . . . L . . . L . . . L .
. . l . . . l . l . . . l . .
W . . l . . . w . . . l . . W
. . l . . . l . l . . . l . .
. L . . . L . . . L . . . L .
. . . . w . . . . . w . . . .
l . . w . . . l . . . w . . l
. . w . . . l . l . . . w . .
. w . . . L . . . L . . . w .
W . . l . . . W . . . l . . W
"""
"""The premium squares: triple and double word (W, w), triple and double letter (L, l)."""

LAYOUT = [row.split() for row in RULES.split("\n") if row]
NAMES = {
    "W": ("TRIPLE", "WORD"),
    "w": ("DOUBLE", "WORD"),
    "L": ("TRIPLE", "LETTER"),
    "l": ("DOUBLE", "LETTER"),
}
SIDE = 40  # pixels of a drawn cell
RIM = 3  # cells of frame and table drawn around the playing area
CENTRES = np.array([[col + 0.5, row + 0.5] for row in range(15) for col in range(15)])


@dataclass(frozen=True)
class Style:
    """Colours of a board, BGR; ``tile`` is that of its tiles."""

    plain: Colour
    line: Colour
    frame: Colour
    squares: dict[str, Colour]
    tile: Colour = (190, 225, 240)


STRONG = {"W": (50, 40, 200), "w": (170, 150, 235), "L": (160, 90, 30), "l": (225, 190, 140)}
STYLES = {
    "beige": Style((165, 190, 200), (225, 230, 232), (40, 30, 130), STRONG),
    "green": Style((70, 95, 40), (40, 60, 25), (50, 75, 30), STRONG),
    "dark": Style((45, 40, 38), (90, 85, 80), (20, 20, 20), STRONG, (70, 110, 160)),
    "light": Style((215, 225, 228), (150, 160, 165), (235, 235, 235), STRONG, (120, 165, 200)),
}


def drawn(style: Style, tiles: int = 0, seed: int = 0, layout: list[list[str]] = LAYOUT) -> Picture:
    """Return a board seen from straight above, 21 cells of 40 pixels wide, on a grey table."""
    rng = np.random.default_rng(seed)
    flat = np.full(((15 + 2 * RIM) * SIDE,) * 2 + (3,), 120, np.uint8)
    cv2.rectangle(flat, (SIDE, SIDE), (20 * SIDE, 20 * SIDE), style.frame, -1)
    for k in range(7):
        cv2.putText(flat, "L", (150 + 90 * k, 90), cv2.FONT_HERSHEY_SIMPLEX, 1, (230, 230, 230), 3)
    for row in range(15):
        for col in range(15):
            draw_cell(flat, style, layout[row][col], row, col)
    for cell in rng.permutation(225)[:tiles]:
        draw_tile(flat, style, rng, *divmod(int(cell), 15))
    return flat


def draw_cell(flat: Picture, style: Style, kind: str, row: int, col: int) -> None:
    x, y = (RIM + col) * SIDE, (RIM + row) * SIDE
    cv2.rectangle(flat, (x, y), (x + SIDE, y + SIDE), style.squares.get(kind, style.plain), -1)
    cv2.rectangle(flat, (x, y), (x + SIDE, y + SIDE), style.line, 2)
    for line, word in enumerate(NAMES.get(kind, ())):
        cv2.putText(flat, word, (x + 5, y + 17 + 12 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.25, (30, 30, 30), 1)


def draw_tile(flat: Picture, style: Style, rng: np.random.Generator, row: int, col: int) -> None:
    dx, dy = rng.integers(-2, 3, 2)
    x, y = int((RIM + col) * SIDE + dx), int((RIM + row) * SIDE + dy)
    cv2.rectangle(flat, (x + 1, y + 1), (x + SIDE - 1, y + SIDE - 1), style.tile, -1)
    cv2.rectangle(flat, (x + 1, y + 1), (x + SIDE - 1, y + SIDE - 1), (60, 70, 80), 1)
    letter = chr(int(rng.integers(ord("A"), ord("Z") + 1)))
    cv2.putText(flat, letter, (x + 9, y + 31), cv2.FONT_HERSHEY_SIMPLEX, 1, (25, 25, 25), 2)


def pose(size: tuple[int, int], turn_deg: float, tilt_deg: float, side: float) -> Matrix3:
    """Return board coordinates to pixels for a camera as far off as the picture is wide.

    ``size`` is (width, height); ``side`` is a cell's, in pixels, at the middle.
    """
    width, height = size
    turn, tilt = np.deg2rad([turn_deg, tilt_deg])
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * side
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, np.sin(tilt) / width, 1]])
    middle = np.array([[1, 0, -7.5], [0, 1, -7.5], [0, 0, 1.0]])
    turned = np.vstack([np.column_stack([spin, [0, 0]]), [0, 0, 1.0]])
    return np.asarray(np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1.0]]) @ lean @ turned @ middle)


def seen(flat: Picture, size: tuple[int, int], matrix: Matrix3, noise: float = 2.0) -> Picture:
    """Return what a camera makes of a drawn board: perspective, softness, noise."""
    to_board = np.array([[1 / SIDE, 0, -RIM], [0, 1 / SIDE, -RIM], [0, 0, 1]])
    soft = cv2.GaussianBlur(flat, (5, 5), 0)
    picture = cv2.warpPerspective(soft, matrix @ to_board, size, borderValue=(120, 120, 120))
    rng = np.random.default_rng(5)
    for row in picture:  # of a whole large picture the noise would take hundreds of megabytes
        row[:] = np.clip(row + rng.normal(0, noise, row.shape), 0, 255)
    return np.asarray(picture, np.uint8)


def moved(matrix: Matrix3, points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(cv2.perspectiveTransform(points[None].astype(np.float64), matrix)[0], np.float64)


def error(board: Board, matrix: Matrix3) -> float:
    """Return the cells' mean square distance from where they were drawn, in cells, at the best turn."""
    pixels = moved(matrix, CENTRES)
    gaps = [
        moved(np.asarray(np.linalg.inv(board.turned(k).homography), np.float64), pixels) - CENTRES
        for k in range(4)
    ]
    return float(min(np.sqrt((gap**2).sum(axis=1).mean()) for gap in gaps))


def straight(style: str = "beige", **how: Any) -> tuple[Picture, Matrix3]:
    matrix = pose((1000, 750), 0, 0, 40)
    return seen(drawn(STYLES[style], **how), (1000, 750), matrix), matrix
