"""What picture of the lens board is still missing, told to the person who holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.board import Sight
from calibration.lens.starts import starting_matrix
from companion.model.phrases import phrase, phrase_n

Grid = NDArray[np.bool_]

COLUMNS, ROWS = 8, 5
"""Cells that the picture is divided into."""

COVERED = 0.8
"""Share of the cells in which corners must have been seen."""

FEWEST_VIEWS, MOST_VIEWS = 8, 40

LEANING_DEG = 12.0
"""A board that leans so much tells the focal length; one that lies flat to the camera does not."""

LEANING_EACH_WAY = 2
"""Pictures wanted that lean to the side, and that lean back or forth."""

MOVED = 0.06
"""Share of the picture's width by which corners must have moved since every picture that was kept."""


PARTS = (
    (phrase("upper left part"), phrase("upper edge"), phrase("upper right part")),
    (phrase("left edge"), phrase("middle"), phrase("right edge")),
    (phrase("lower left part"), phrase("lower edge"), phrase("lower right part")),
)
"""What people call the parts of a picture, row by row."""


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

    ``says`` is a sentence for the person; ``take`` whether the live picture is worth keeping; ``goal`` where
    in the picture to hold the board (left, top, right, bottom, shares of its sides), if anywhere in
    particular; ``covered`` the share of the picture in which corners were seen.
    """

    step: Step
    says: str
    take: bool
    covered: float
    goal: tuple[float, float, float, float] | None = None


def advice(kept: Sequence[Sight], live: Sight | None = None) -> Advice:
    """Return what to do next, from the pictures that were kept and the live one (None: no board in it)."""
    take = live is not None and live.sharp and len(kept) < MOST_VIEWS and adds(live, kept)
    every = [*kept, live] if live is not None and take else list(kept)
    cells = covered_cells(every)
    covered = float(cells.mean())
    if live is None and not kept:
        says = phrase(
            "Hold the lens board before the camera, flat, so that it fills about half of the picture."
        )
        return Advice(Step.SHOW, says, take=False, covered=covered)
    if live is not None and not live.sharp:
        says = phrase("Hold the board still, and see that the camera is in focus: this picture is blurred.")
        return Advice(Step.HOLD_STILL, says, take=False, covered=covered)
    return _missing(every, cells, take)


def _missing(every: Sequence[Sight], cells: Grid, take: bool) -> Advice:
    """Return what the pictures that there are leave out: first places, then leanings, then more of them."""
    covered = float(cells.mean())
    if covered < COVERED:
        goal = emptiest(cells)
        says = phrase(
            "Move the board to the %(part)s of the picture; its edge may reach beyond.", part=named(goal)
        )
        return Advice(Step.MOVE, says, take, covered, goal)
    leanings = np.array([leaning(sight) for sight in every])
    leans = (
        phrase("Lean the board so that its left or right side comes nearer to the camera."),
        phrase("Lean the board so that its upper or lower side comes nearer to the camera."),
    )
    for axis, says in enumerate(leans):
        if np.count_nonzero(np.abs(leanings[:, axis]) > LEANING_DEG) < LEANING_EACH_WAY:
            return Advice(Step.LEAN, says, take, covered)
    if len(every) < FEWEST_VIEWS:
        left = FEWEST_VIEWS - len(every)
        says = phrase_n(
            "Hold it elsewhere, nearer or leaning otherwise: %(count)s more picture.",
            "Hold it elsewhere, nearer or leaning otherwise: %(count)s more pictures.",
            left,
        )
        return Advice(Step.MORE, says, take, covered)
    return Advice(Step.ENOUGH, phrase("Enough pictures: the lens can be found."), take, covered)


def adds(live: Sight, kept: Sequence[Sight]) -> bool:
    """Return whether a picture shows the board otherwise than every picture that was kept."""
    return all(moved(live, one) > MOVED * max(live.size) for one in kept)


def moved(one: Sight, other: Sight) -> float:
    """Return how far apart a corner that both show lies at most, in pixels; infinite where they share few."""
    _, mine, theirs = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(mine) < 4:
        return float("inf")
    return float(np.hypot(*(one.corners[mine] - other.corners[theirs]).T).max())


def covered_cells(sights: Sequence[Sight]) -> Grid:
    """Return in which cells of the picture corners were seen, (ROWS, COLUMNS)."""
    cells = np.zeros((ROWS, COLUMNS), np.bool_)
    for sight in sights:
        column, row = (sight.corners / sight.size * (COLUMNS, ROWS)).astype(int).T
        cells[np.clip(row, 0, ROWS - 1), np.clip(column, 0, COLUMNS - 1)] = True
    return cells


def emptiest(cells: Grid) -> tuple[float, float, float, float]:
    """Return the part of the picture, 3 by 3 cells, with most cells missing: left, top, right, bottom."""
    missing = (~cells).astype(float)
    parts = [
        (missing[top : top + 3, left : left + 3].sum(), -top, -left)
        for top in range(ROWS - 2)
        for left in range(COLUMNS - 2)
    ]
    _, top, left = max(parts)
    return (-left / COLUMNS, -top / ROWS, (3 - left) / COLUMNS, (3 - top) / ROWS)


def named(part: tuple[float, float, float, float]) -> str:
    """Return what people call a part of the picture."""
    x, y = (part[0] + part[2]) / 2, (part[1] + part[3]) / 2
    return PARTS[(y > 0.42) + (y > 0.58)][(x > 0.42) + (x > 0.58)]


def leaning(sight: Sight) -> tuple[float, float]:
    """Return how far the board leans to the side, and back or forth, in degrees, as a common lens sees it."""
    pose = cv2.solvePnP(
        np.column_stack([sight.places, np.zeros(len(sight.places))]),
        sight.corners,
        starting_matrix(sight.size),
        np.zeros(4),
        flags=cv2.SOLVEPNP_IPPE,
    )
    x, y, z = np.asarray(cv2.Rodrigues(pose[1])[0], np.float64)[:, 2]
    return float(np.degrees(np.arctan2(x, abs(z)))), float(np.degrees(np.arctan2(y, abs(z))))
