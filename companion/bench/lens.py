"""Accuracy of lens calibration from drawn pictures of the lens board at 12 MP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from calibration.drawing.lens_board import corners_px, draw_lens_board, guided_poses
from calibration.evaluation.metric import Metric, Progress, cpu_timed
from calibration.lens import BoardDetection, find_board, fit
from calibration.lens.fit import Errors, rms, straightness_px
from companion.model.profile import Lens
from companion.vision.grid.homography import matrices, project, undistorted

SEED = 12
VIEWS = 12
PICTURE_SIZE_PX = (4608, 2592)
MAX_ERROR_PX = 0.5

FLAT_TABLE_RADIUS = 1.2
"""Radius of the flat table that is checked, in distances of the camera from it."""

LENSES = {
    "ordinary": Lens(
        "ordinary",
        (3386.0, 0.0, 2350.0, 0.0, 3386.0, 1275.0, 0.0, 0.0, 1.0),
        (-0.18, 0.06, 0.001, -0.0008, 0.0),
        0.0,
    ),
    "fisheye": Lens(
        "fisheye",
        (1750.0, 0.0, 2350.0, 0.0, 1750.0, 1275.0, 0.0, 0.0, 1.0),
        (-0.02, 0.004, -0.003, 0.0006),
        0.0,
    ),
}
"""A Camera Module 3 behind a lens with more distortion than its own, and a fisheye, both off-centre."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardMeasurement:
    """The detection of a drawn board, the error of each corner in pixels, and the processor time."""

    sight: BoardDetection
    off: Errors
    took_ms: float


def lens_metrics(progress: Progress) -> Iterator[Metric]:
    """Yield the errors of corners, and of a flat table undistorted by the fitted lens, for each model."""
    for name, true in LENSES.items():
        progress(f"drawing lens boards, {name}")
        boards = list(drawn_board_detections(true))
        off = np.concatenate([board.off for board in boards])
        how = f"{len(off)} corners of {len(boards)} drawn boards, 12 MP, leaning, {name} lens"
        yield Metric(f"lens board's corners, {name}: typical error", rms(off), "px", MAX_ERROR_PX, how=how)
        worst = float(np.percentile(off, 99))
        yield Metric(f"lens board's corners, {name}: 99 % within", worst, "px", MAX_ERROR_PX, how=how)
        progress(f"finding the lens, {name}")
        found, took_ms = cpu_timed(partial(fit, [board.sight for board in boards]))
        bent = flat_errors(found.lens, true)
        how = f"{len(bent)} places all over a flat table, lens found from those boards"
        yield Metric(
            f"flat table through the found lens, {name}: typical error",
            rms(bent),
            "px",
            MAX_ERROR_PX,
            how=how,
        )
        yield Metric(
            f"flat table through the found lens, {name}: worst",
            float(bent.max()),
            "px",
            MAX_ERROR_PX,
            how=how,
        )
        yield Metric(f"finding the lens, {name}", took_ms / 1000, "s", how=f"from {len(boards)} boards")
        each_ms = float(np.median([board.took_ms for board in boards]))
        yield Metric(f"finding the board in 12 MP, {name}", each_ms, "ms", how="median")


def drawn_board_detections(true: Lens) -> Iterator[BoardMeasurement]:
    """Yield the sharp detections in pictures drawn through a lens."""
    rng = np.random.default_rng(SEED)
    for held in islice(guided_poses(rng, true, PICTURE_SIZE_PX), VIEWS):
        picture = draw_lens_board(rng, PICTURE_SIZE_PX, true, held)
        sight, took_ms = cpu_timed(partial(find_board, picture))
        if sight is not None and sight.sharp:
            off = np.hypot(*(sight.corners - corners_px(true, held)[sight.numbers]).T)
            yield BoardMeasurement(sight, off, took_ms)


def flat_errors(found: Lens, true: Lens) -> Errors:
    """Return the deviation from a plane of a flat table's places, undistorted by the fitted lens, in px."""
    x, y = np.meshgrid(
        np.linspace(20, PICTURE_SIZE_PX[0] - 20, 40), np.linspace(20, PICTURE_SIZE_PX[1] - 20, 24)
    )
    pixels = np.stack([x, y], -1).reshape(-1, 2)
    sheet = project(np.asarray(np.linalg.inv(matrices(true)[0])), undistorted(pixels, true))
    near = np.hypot(*sheet.T) < FLAT_TABLE_RADIUS
    return straightness_px(found, pixels[near], sheet[near])
