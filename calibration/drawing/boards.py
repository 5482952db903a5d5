"""Drawn printed boards: squares, some shaded and lettered, and lines between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.drawing.camera import Camera
from calibration.drawing.fonts import CAPITAL_HEIGHT_PX, MASK_SIDE_PX, glyph, training_fonts
from calibration.drawing.paint import Box, Picture, Points, box_around, shrunk_by
from calibration.drawing.rng import Rng, choose

SQUARE_SIDE_PX = 48
"""Side of a board's square on its sheet, in pixels."""
SQUARES_PER_SIDE = 15
"""Squares along a side of the board of the game."""
BOARD_SIZES = (5, 9, SQUARES_PER_SIDE)
PROJECTION_STEP_PX = 8
"""Distance of pixels that are projected; those between are interpolated."""
EDGE = np.linspace(-0.5, 0.5, 9)
RIM = np.array([(along, side) for side in (-0.5, 0.5) for along in EDGE])
"""Points along two sides of a sheet, from its centre, in its widths."""
WORDING = (
    ("DOUBLE", "LETTER", "SCORE"),
    ("TRIPLE", "WORD", "SCORE"),
    ("DW",),
    ("3X", "WORD"),
    ("START",),
    ("2L",),
    ("x2",),
)
"""Texts of a square, line by line."""


@dataclass(frozen=True, slots=True)
class BoardSheet:
    """A board from above: its picture, 0 to 255, with a margin, and the number of squares along a side."""

    picture: Picture
    cells: int

    @property
    def breadth(self) -> float:
        """Width of the whole sheet, in squares."""
        return len(self.picture) / SQUARE_SIDE_PX


def random_board(rng: Rng, cells: int | None = None) -> BoardSheet:
    """Return a random printed board, of ``cells`` squares a side where that is given."""
    n = cells or int(rng.choice(BOARD_SIZES))
    sheet = np.full((n * SQUARE_SIDE_PX, n * SQUARE_SIDE_PX), rng.uniform(40, 230), np.float32)
    shades, inset, lettered = rng.uniform(40, 235, 4), int(rng.integers(0, 5)), rng.random() < 0.7
    wording = [WORDING[k] for k in rng.permutation(len(WORDING))[:4]]
    if rng.random() < 0.5:
        wording = [WORDING[0], WORDING[1]] * 2
    ink = float(rng.uniform(10, 60) if rng.random() < 0.7 else rng.uniform(200, 245))
    font = choose(rng, training_fonts()[0])
    for k in np.flatnonzero(rng.random(n * n) < 0.3).tolist():
        top, left, kind = SQUARE_SIDE_PX * (k // n), SQUARE_SIDE_PX * (k % n), int(rng.integers(4))
        square = sheet[
            top + inset : top + SQUARE_SIDE_PX - inset, left + inset : left + SQUARE_SIDE_PX - inset
        ]
        square[:] = shades[kind]
        if lettered:
            letter_square(square, wording[kind], font, ink)
    rule_lines(sheet, int(rng.integers(0, 4)), float(rng.uniform(10, 245)))
    margin, shade = int(rng.integers(0, 40)), float(rng.uniform(30, 230))
    return BoardSheet(np.pad(sheet, margin, constant_values=shade), n)


def rule_lines(sheet: Picture, thick: int, shade: float) -> None:
    """Draw the lines between squares, ``thick`` pixels wide to either side."""
    for at in range(0, len(sheet) + 1, SQUARE_SIDE_PX) if thick else ():
        sheet[max(0, at - thick) : at + thick] = shade
        sheet[:, max(0, at - thick) : at + thick] = shade


def letter_square(
    square: Picture, lines: tuple[str, ...], font: Path, ink: float, share: float = 0.9
) -> None:
    """Print lines of small text on a square, the longest over a ``share`` of its width."""
    side, longest = len(square), max(map(len, lines))
    high = max(2, int(side * (0.27 * share if len(lines) > 1 else 0.5) * MASK_SIDE_PX / CAPITAL_HEIGHT_PX))
    step = min(1 / (len(lines) + 1), 0.34 * share)
    for k, words in enumerate(lines):
        mask = glyph(font, words)
        if mask is None:
            continue
        wide = int(side * share * len(words) / longest) if len(words) > 2 else high
        small = cv2.resize(mask, (wide, high), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        middle = 0.5 + (k - (len(lines) - 1) / 2) * step
        top, left = int(side * middle - high / 2), (side - wide) // 2
        cut = small[max(0, -top) :, max(0, -left) :]
        area = square[max(0, top) : max(0, top) + len(cut), max(0, left) : max(0, left) + cut.shape[1]]
        area += (ink - area) * cut[: area.shape[0], : area.shape[1]]


def draw_flat(
    picture: Picture, sheet: Picture, seen: Camera, pose: tuple[float, float, float], breadth: float
) -> None:
    """Draw a square sheet on the table, in the camera's perspective.

    ``pose`` is its centre (x, y) in tile sides and its rotation clockwise in radians; ``breadth`` its width
    in tile sides.
    """
    x, y, turn = pose
    c, s = np.cos(turn), np.sin(turn)
    ways = np.array([[c, -s], [s, c]]) * breadth
    rim = np.vstack([RIM, RIM[:, ::-1]]) @ ways.T + (x, y)
    ends = seen.pixels(np.column_stack([rim, np.zeros(len(rim))]))
    if box := box_around(ends, picture):
        sheet = shrunk_by(sheet, len(sheet) / float(np.linalg.norm(ends[len(EDGE) - 1] - ends[0])))
        at = (table_places(seen, box) - (x, y)) @ np.linalg.inv(ways).T
        across, down = np.moveaxis(((at + 0.5) * len(sheet) - 0.5).astype(np.float32), -1, 0)
        drawn = cv2.remap(sheet, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        cover = cv2.remap(np.ones_like(sheet), across, down, cv2.INTER_LINEAR)
        area = box.of(picture)
        area += (drawn - area) * cover


def board_squares(seen: Camera, pose: tuple[float, float, float], pitch: float) -> Points:
    """Return the outlines of a board's squares, row by row, (225, 4, 2) in pixels.

    ``pose`` is its centre (x, y) in tile sides and its rotation clockwise in radians, ``pitch`` a square's
    side in tile sides.
    """
    x, y, turn = pose
    c, s = np.cos(turn), np.sin(turn)
    steps = np.arange(SQUARES_PER_SIDE) - SQUARES_PER_SIDE // 2
    middles = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 1, 2)
    ends = middles + np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    flat = pitch * ends.reshape(-1, 2) @ np.array([[c, s], [-s, c]]) + (x, y)
    return seen.pixels(np.column_stack([flat, np.zeros(len(flat))])).reshape(-1, 4, 2)


def table_places(seen: Camera, box: Box) -> Points:
    """Return the places on the table that the pixels of a box show, (h, w, 2) in tile sides."""
    width, height = box.size
    columns, lines = (side // PROJECTION_STEP_PX + 4 for side in box.size)
    x = box.left + (np.arange(columns) - 1) * PROJECTION_STEP_PX + (PROJECTION_STEP_PX - 1) / 2
    y = box.top + (np.arange(lines) - 1) * PROJECTION_STEP_PX + (PROJECTION_STEP_PX - 1) / 2
    coarse = seen.places(np.stack(np.meshgrid(x, y), -1))
    fine = cv2.resize(
        coarse, (columns * PROJECTION_STEP_PX, lines * PROJECTION_STEP_PX), interpolation=cv2.INTER_LINEAR
    )
    return np.asarray(
        fine[
            PROJECTION_STEP_PX : PROJECTION_STEP_PX + height, PROJECTION_STEP_PX : PROJECTION_STEP_PX + width
        ]
    )
