"""Advice to the person who holds the lens board: which view is still missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.board import BoardDetection, find_board
from calibration.lens.data_sheets import initial_matrix
from companion.model.phrases import phrase, phrase_n
from companion.vision.camera_frame import Frame

Grid = NDArray[np.bool_]

COLUMNS, ROWS = 8, 5
"""Numbers of cells across and down the picture."""

MIN_COVERED_SHARE = 0.8
"""Least share of the cells with corners."""

MIN_VIEWS, MAX_VIEWS = 8, 40

MIN_TILT_DEG = 12.0
"""Least tilt of a board that determines the focal length."""

MIN_TILTED_VIEWS_PER_AXIS = 2
"""Least number of pictures tilted to the side, and of pictures tilted back or forth."""

MIN_NEW_VIEW_SHIFT_SHARE = 0.06
"""Least shift of corners from every kept picture, as a share of the picture's width."""


PARTS = (
    (phrase("upper left part"), phrase("upper edge"), phrase("upper right part")),
    (phrase("left edge"), phrase("middle"), phrase("right edge")),
    (phrase("lower left part"), phrase("lower edge"), phrase("lower right part")),
)
"""Names of the parts of a picture, row by row."""


class Step(StrEnum):
    """What to do next."""

    SHOW = "show"
    HOLD_STILL = "hold still"
    MOVE = "move"
    LEAN = "lean"
    MORE = "more"
    ENOUGH = "enough"


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next.

    ``text`` is a sentence for the person; ``take`` whether to keep the live picture; ``goal`` the part of the
    picture in which to hold the board (left, top, right, bottom, shares of its sides), or ``None``;
    ``covered`` the share of cells with corners.
    """

    step: Step
    text: str
    take: bool
    covered: float
    goal: tuple[float, float, float, float] | None = None


def advice(kept: Sequence[BoardDetection], live: BoardDetection | None = None) -> Advice:
    """Return what to do next, from the kept detections and the live one (``None``: no
    board in the picture).
    """
    take = live is not None and live.sharp and len(kept) < MAX_VIEWS and is_new_view(live, kept)
    every = [*kept, live] if live is not None and take else list(kept)
    cells = covered_cells(every)
    covered = float(cells.mean())
    if live is None and not kept:
        text = phrase(
            "Hold the lens board before the camera, flat, so that it fills about half of the picture."
        )
        return Advice(Step.SHOW, text, take=False, covered=covered)
    if live is not None and not live.sharp:
        text = phrase("Hold the board still, and see that the camera is in focus: this picture is blurred.")
        return Advice(Step.HOLD_STILL, text, take=False, covered=covered)
    return _missing(every, cells, take)


def _missing(every: Sequence[BoardDetection], cells: Grid, take: bool) -> Advice:
    """Return which views are missing: first places in the picture, then tilts, then more pictures."""
    covered = float(cells.mean())
    if covered < MIN_COVERED_SHARE:
        goal = emptiest_part(cells)
        text = phrase(
            "Move the board to the %(part)s of the picture; its edge may reach beyond.", part=part_name(goal)
        )
        return Advice(Step.MOVE, text, take, covered, goal)
    leans = (
        phrase("Lean the board so that its left or right side comes nearer to the camera."),
        phrase("Lean the board so that its upper or lower side comes nearer to the camera."),
    )
    for text, enough in zip(leans, tilted_enough(every), strict=True):
        if not enough:
            return Advice(Step.LEAN, text, take, covered)
    if len(every) < MIN_VIEWS:
        left = MIN_VIEWS - len(every)
        text = phrase_n(
            "Hold it elsewhere, nearer or leaning otherwise: %(count)s more picture.",
            "Hold it elsewhere, nearer or leaning otherwise: %(count)s more pictures.",
            left,
        )
        return Advice(Step.MORE, text, take, covered)
    return Advice(Step.ENOUGH, phrase("Enough pictures: the lens can be found."), take, covered)


def is_new_view(live: BoardDetection, kept: Sequence[BoardDetection]) -> bool:
    """Return whether a detection differs enough from every kept one."""
    return all(largest_shift(live, one) > MIN_NEW_VIEW_SHIFT_SHARE * max(live.size) for one in kept)


def largest_shift(one: BoardDetection, other: BoardDetection) -> float:
    """Return the largest distance between common corners in pixels, infinite for fewer than four."""
    _, mine, theirs = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(mine) < 4:
        return float("inf")
    return float(np.hypot(*(one.corners[mine] - other.corners[theirs]).T).max())


def covered_cells(sights: Sequence[BoardDetection]) -> Grid:
    """Return which cells of the picture have corners, (ROWS, COLUMNS)."""
    cells = np.zeros((ROWS, COLUMNS), np.bool_)
    for sight in sights:
        column, row = (sight.corners / sight.size * (COLUMNS, ROWS)).astype(int).T
        cells[np.clip(row, 0, ROWS - 1), np.clip(column, 0, COLUMNS - 1)] = True
    return cells


def emptiest_part(cells: Grid) -> tuple[float, float, float, float]:
    """Return the part of the picture, 3 by 3 cells, with most cells missing: left, top, right, bottom."""
    missing = (~cells).astype(float)
    parts = [
        (missing[top : top + 3, left : left + 3].sum(), -top, -left)
        for top in range(ROWS - 2)
        for left in range(COLUMNS - 2)
    ]
    _, top, left = max(parts)
    return (-left / COLUMNS, -top / ROWS, (3 - left) / COLUMNS, (3 - top) / ROWS)


def part_name(part: tuple[float, float, float, float]) -> str:
    """Return the name of a part of the picture."""
    x, y = (part[0] + part[2]) / 2, (part[1] + part[3]) / 2
    return PARTS[(y > 0.42) + (y > 0.58)][(x > 0.42) + (x > 0.58)]


def tilted_enough(sights: Sequence[BoardDetection]) -> tuple[bool, bool]:
    """Return whether enough boards are tilted to the side, and back or forth, to tell the focal length."""
    tilts = np.abs([tilt_deg(sight) for sight in sights])
    aside, along = np.count_nonzero(tilts > MIN_TILT_DEG, axis=0) >= MIN_TILTED_VIEWS_PER_AXIS
    return bool(aside), bool(along)


def tilt_deg(sight: BoardDetection) -> tuple[float, float]:
    """Return the tilts of the board to the side, and back or forth, in degrees, for a typical lens."""
    pose = cv2.solvePnP(
        np.column_stack([sight.places, np.zeros(len(sight.places))]),
        sight.corners,
        initial_matrix(sight.size),
        np.zeros(4),
        flags=cv2.SOLVEPNP_IPPE,
    )
    x, y, z = np.asarray(cv2.Rodrigues(pose[1])[0], np.float64)[:, 2]
    return float(np.degrees(np.arctan2(x, abs(z)))), float(np.degrees(np.arctan2(y, abs(z))))


def capture_views(
    frames: Iterable[Frame], show: Callable[[BoardDetection | None, Advice], None]
) -> tuple[BoardDetection, ...]:
    """Return the detections to keep, in order, until they are enough or the frames end.

    ``show`` is called for every frame with its detection, if any, and the advice.
    """
    kept: list[BoardDetection] = []
    for frame in frames:
        live = find_board(frame)
        next_step = advice(kept, live)
        if live is not None and next_step.take:
            kept.append(live)
        show(live, next_step)
        if next_step.step is Step.ENOUGH:
            break
    return tuple(kept)
