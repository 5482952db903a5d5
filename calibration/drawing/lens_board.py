"""Drawn pictures of the lens board (ChArUco) through a known lens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.light import captured
from calibration.drawing.paint import Cover, Picture, smooth_noise
from calibration.drawing.rng import Rng
from calibration.markers import LENS_SQUARE_MM, LENS_SQUARES, lens_board
from companion.model.profile import Lens
from companion.vision.grid.homography import distorted, matrices, project, undistorted

Points = NDArray[np.float64]

PAPER_PX_MM = 12
"""Resolution of the drawn sheet, in pixels for each millimetre."""

RIM_MM = 8.0
"""Width of the white paper around the board, in mm."""

SUPERSAMPLING = 3
"""Samples along each side of a pixel."""

PROJECTION_STEP_PX = 8
"""Distance of pixels that are projected; those between are interpolated."""

STRIP_ROWS = 128
"""Number of rows that are drawn at a time."""

BOARD_SHARE = 0.45
"""Width of a guided board, as a share of the picture's."""

INK, WHITE = 30.0, 235.0


@dataclass(frozen=True, slots=True, eq=False)
class BoardPose:
    """The pose of a board in the camera's frame: rotation vector and translation in mm, both (3,)."""

    rotation: Points
    translation_mm: Points

    @property
    def plane(self) -> Points:
        """The homography from the board's plane in mm to normalised camera coordinates, (3, 3)."""
        rotation = np.asarray(cv2.Rodrigues(self.rotation)[0], np.float64)
        return np.column_stack([rotation[:, :2], self.translation_mm])


def corners_px(lens: Lens, pose: BoardPose) -> Points:
    """Return the projections of the board's inner corners, in the order of their
    numbers, (n, 2) in pixels.
    """
    places = np.asarray(lens_board().getChessboardCorners(), np.float64)[:, :2]
    return distorted(project(matrices(lens)[0] @ pose.plane, places), lens)


def draw_lens_board(
    rng: Rng, size: tuple[int, int], lens: Lens, pose: BoardPose, severity: float = 1.0
) -> Cover:
    """Return a picture of the board in a pose, uint8 (h, w)."""
    width, height = size
    picture: Picture = np.asarray(
        90 + 18 * smooth_noise(rng, width, height, 40, 40) + 6 * smooth_noise(rng, width, height, 3, 3),
        np.float32,
    )
    paper = _paper()
    left, top, right, bottom = _box(lens, pose, size)
    for row in range(top, bottom if right > left else top, STRIP_ROWS):
        width, rows = right - left, min(STRIP_ROWS, bottom - row)
        places = _places(lens, pose, (width, rows), (left, row))
        x, y = ((places[..., k] + RIM_MM) * PAPER_PX_MM - 0.5 for k in (0, 1))
        fine = cv2.remap(paper, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-1)
        seen = cv2.resize(np.maximum(fine, 0), (width, rows), interpolation=cv2.INTER_AREA)
        share = cv2.resize((fine >= 0).astype(np.float32), (width, rows), interpolation=cv2.INTER_AREA)
        part = picture[row : row + rows, left:right]
        part *= 1 - share
        part += seen
    return captured(picture, rng, severity)


def _box(lens: Lens, pose: BoardPose, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the part of the picture that shows the sheet: left, top, right, bottom in pixels."""
    width, height = (n * LENS_SQUARE_MM for n in LENS_SQUARES)
    x, y = np.meshgrid(np.linspace(-RIM_MM, width + RIM_MM, 20), np.linspace(-RIM_MM, height + RIM_MM, 14))
    seen = distorted(project(matrices(lens)[0] @ pose.plane, np.stack([x, y], -1).reshape(-1, 2)), lens)
    low, high = np.floor(seen.min(0)) - 3 * PROJECTION_STEP_PX, np.ceil(seen.max(0)) + 3 * PROJECTION_STEP_PX
    left, top = np.clip(low, 0, size).astype(int)
    right, bottom = np.clip(high, 0, size).astype(int)
    return int(left), int(top), int(right), int(bottom)


def _paper() -> Picture:
    """Return the printed sheet with its rim, float32."""
    size = tuple(round(n * LENS_SQUARE_MM * PAPER_PX_MM) for n in LENS_SQUARES)
    board = lens_board().generateImage(size, marginSize=0, borderBits=1)
    rim = round(RIM_MM * PAPER_PX_MM)
    sheet = cv2.copyMakeBorder(board, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(255,))
    return np.asarray(INK + (WHITE - INK) / 255 * sheet.astype(np.float32), np.float32)


def _places(
    lens: Lens, pose: BoardPose, size: tuple[int, int], corner: tuple[int, int]
) -> NDArray[np.float32]:
    """Return the place on the board of each sample of a strip, in mm, float32, (n rows, n width, 2)."""
    (width, rows), (left, top) = size, corner
    columns, lines = (n // PROJECTION_STEP_PX + 4 for n in (width, rows))
    x = left + (np.arange(columns) - 1) * PROJECTION_STEP_PX + (PROJECTION_STEP_PX - 1) / 2
    y = top + (np.arange(lines) - 1) * PROJECTION_STEP_PX + (PROJECTION_STEP_PX - 1) / 2
    pixels = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    ways = project(np.asarray(np.linalg.inv(matrices(lens)[0] @ pose.plane)), undistorted(pixels, lens))
    coarse = np.clip(ways, -1e4, 1e4).reshape(lines, columns, 2).astype(np.float32)
    scale = PROJECTION_STEP_PX * SUPERSAMPLING
    fine = cv2.resize(coarse, (columns * scale, lines * scale), interpolation=cv2.INTER_LINEAR)
    return np.asarray(
        fine[scale : scale + rows * SUPERSAMPLING, scale : scale + width * SUPERSAMPLING], np.float32
    )


def guided_poses(rng: Rng, lens: Lens, size: tuple[int, int]) -> Iterator[BoardPose]:
    """Yield an endless sequence of poses: all over the picture, tilted in every direction.

    The board's longer side fills about ``BOARD_SHARE`` of the picture's width.
    """
    spots = [(0.5, 0.5), (0.2, 0.22), (0.8, 0.22), (0.8, 0.78), (0.2, 0.78)]
    spots += [(0.5, 0.2), (0.84, 0.5), (0.5, 0.8), (0.16, 0.5)]
    leans = [(0, 0), (25, 0), (-25, 0), (0, 25), (0, -25), (18, 18), (-18, -18)]
    number = 0
    while True:
        spot, lean = spots[number % len(spots)], leans[number % len(leans)]
        yield board_pose(rng, lens, size, (spot, lean, BOARD_SHARE))
        number += 1


def board_pose(
    rng: Rng,
    lens: Lens,
    size: tuple[int, int],
    way: tuple[tuple[float, float], tuple[float, float], float],
) -> BoardPose:
    """Return a random pose near ``way``: spot (shares of the picture), tilts
    (degrees), share of the width.
    """
    (across, down), (lean_x, lean_y), share = way
    matrix = matrices(lens)[0]
    middle = np.array([[across * size[0], down * size[1]]]) + rng.normal(0, 0.02, 2) * size
    straight = undistorted(middle, lens)[0]
    direction = np.array([*((straight - matrix[:2, 2]) / np.diag(matrix)[:2]), 1.0])
    breadth = LENS_SQUARES[0] * LENS_SQUARE_MM
    distance = matrix[0, 0] * breadth / (share * size[0])
    leaning, turning = np.zeros(3), np.zeros(3)
    leaning[:2] = np.radians([lean_x, lean_y]) + rng.normal(0, 0.05, 2)
    turning[2] = rng.normal(0, 0.2)
    rotation = np.asarray(cv2.Rodrigues(leaning)[0] @ cv2.Rodrigues(turning)[0], np.float64)
    centre = np.array([breadth / 2, LENS_SQUARES[1] * LENS_SQUARE_MM / 2, 0.0])
    return BoardPose(
        np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel(), direction * distance - rotation @ centre
    )
