"""Overlays of the lens board's detection and of the fitted lens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.caption import BAD, GOOD, QUIET, Line, captioned, dimmed, resized_for_display
from calibration.lens.board import BoardDetection, Points
from calibration.lens.fit import LensFit
from calibration.lens.guide import COLUMNS, ROWS, Advice, covered_cells
from companion.model.profile import Lens
from companion.render.pen import DOUBT, MUTED, PAPER, VALID, Pen
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import distorted, undistorted

LINES_PER_DIRECTION = 12
"""Number of straight lines drawn in each direction, distorted by the lens."""

POINTS_PER_LINE = 48
"""Number of points of each such line."""


def guide_overlay(
    picture: Frame, live: BoardDetection | None, kept: Sequence[BoardDetection], next_step: Advice
) -> Frame:
    """Return a live picture, dimmed and resized, with the detected corners and the parts still missing."""
    handed, scale = resized_for_display(picture)
    frame = dimmed(handed, 0.75)
    pen = Pen(frame, max(1.0, frame.shape[1] / 900))
    seen = [*kept, live] if live is not None and next_step.take else list(kept)
    hatch_missing(pen, seen)
    if next_step.goal:
        left, top, right, bottom = np.array(next_step.goal) * np.tile(frame.shape[1::-1], 2)
        box = np.array([[left, top], [right, top], [right, bottom], [left, bottom], [left, top]])
        pen.line(box, DOUBT, 2.5)
    if live is not None:
        dots(pen, live.corners * scale, VALID if live.sharp else DOUBT)
    return frame


def lens_overlay(picture: Frame, sights: Sequence[BoardDetection], fitted: LensFit) -> Frame:
    """Return a picture with all used corners, and with straight lines distorted by the lens."""
    handed, scale = resized_for_display(picture)
    frame = dimmed(handed, 0.35)
    pen = Pen(frame, max(1.0, frame.shape[1] / 900))
    size = sights[0].size
    hatch_missing(pen, sights)
    for line in bent_lines(fitted.lens, size):
        pen.line(line * scale, PAPER, 0.7)
    for sight, error in zip(sights, fitted.errors_px, strict=True):
        dots(pen, sight.corners * scale, VALID if np.isfinite(error) else DOUBT)
    return captioned(frame, f"The lens: {fitted.lens.model}", list(report_lines(sights, fitted)))


def report_lines(sights: Sequence[BoardDetection], fitted: LensFit) -> list[Line]:
    """Return the result of a fit in sentences."""
    lens, out = fitted.lens, fitted.outliers
    used = len(sights) - len(out)
    within = f"Corners lie within {lens.error_px:.2f} px of where the lens shows them, in {used} pictures"
    lines: list[Line] = [
        (f"{within}; within {fitted.held_out_px:.2f} px in pictures kept apart.", GOOD),
        (f"Focal length {lens.matrix[0]:.0f} px.  White lines are straight in the world.", QUIET),
    ]
    if out:
        which = ", ".join(str(k + 1) for k in out)
        lines.append((f"Left out, for they fit badly: picture {which} of those kept.", BAD))
    if fitted.doubt:
        lines.append((f"Strange: {fitted.doubt}", BAD))
    return lines


def bent_lines(lens: Lens, size: tuple[int, int]) -> list[Points]:
    """Return straight lines distorted by the lens, across and down, each (``POINTS_PER_LINE``, 2) in pixels.

    They are the lines of a square grid on a plane that fills the middle of the picture.
    """
    width, height = size
    middle = np.array([[0.02 * width, height / 2], [0.98 * width, height / 2]])
    middle = np.concatenate([middle, [[width / 2, 0.02 * height], [width / 2, 0.98 * height]]])
    ends = undistorted(middle, lens)
    (left, right), (top, bottom) = ends[:2, 0], ends[2:, 1]
    across, down = np.linspace(left, right, POINTS_PER_LINE), np.linspace(top, bottom, POINTS_PER_LINE)
    rows = [
        np.column_stack([across, np.full(POINTS_PER_LINE, y)])
        for y in np.linspace(top, bottom, LINES_PER_DIRECTION)
    ]
    columns = [
        np.column_stack([np.full(POINTS_PER_LINE, x), down])
        for x in np.linspace(left, right, LINES_PER_DIRECTION)
    ]
    return [distorted(line, lens) for line in (*rows, *columns)]


def hatch_missing(pen: Pen, sights: Sequence[BoardDetection]) -> None:
    """Hatch the parts of the picture without a detected corner."""
    height, width = pen.frame.shape[:2]
    for row, column in np.argwhere(~covered_cells(sights)):
        left, right = (column + np.array([0.06, 0.94])) * width / COLUMNS
        top, bottom = (row + np.array([0.06, 0.94])) * height / ROWS
        box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        pen.hatch(box, MUTED, 9 * pen.width)


def dots(pen: Pen, places: Points, colour: str) -> None:
    """Mark places with dots."""
    for place in places:
        pen.line(np.stack([place, place]), colour, 3.0)
