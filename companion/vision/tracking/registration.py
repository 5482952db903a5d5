"""Registration of a frame with the background: the change of light, and the camera's shift.

Small pictures are those of ``BlockGrid.downsample``.  Brightness is in grey levels of 256.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame
from companion.vision.tracking.block_grid import BlockGrid, Picture, Shift

FIT_SAMPLES = 1000
"""Samples to which light and shift are fitted."""

FIT_STEPS = 2
"""Steps of the fit of the light in a frame; the next frame continues from there."""

MAX_GAIN = 3.0
"""Bound of the gain, and of its inverse."""

MIN_LIGHT_CHANGE = 0.5
"""Least change of light that is corrected, in grey levels."""

GAIN_PRIOR_VARIANCE = 50.0
"""Variance of a picture with half weight in the fit of the gain, in squared grey levels."""

MAX_OFFSET = 60.0
"""Bound of the offset, in grey levels."""

MIN_FIT_VARIANCE = 12.0
"""Least variance beside the noise of a picture that determines the gain, in squared grey levels."""

MIN_CORRELATION = 0.5
"""Least correlation with the background of a frame of the same scene in another light."""

SHIFT_PRIOR_WEIGHT = 4.0
"""Weight in the fit of the shift of its being 0, in squared grey levels per pixel."""

MIN_SHIFT_PX = 0.05
"""Least change of the shift that is corrected, in pixels."""

MAX_SHIFT_STEPS = 8
"""Most steps of the fit of the shift in a frame."""

MAX_SHIFT_SAMPLES = 2.0
"""Bound of the shift, in samples of the small picture, a quarter of a tile: beyond, the camera has moved."""

Light = tuple[float, float]
"""Gain, and offset in grey levels."""

Samples = NDArray[np.float32]


def stride_of(small: Picture) -> int:
    """Return the interval between samples of a small picture to which light and shift are fitted."""
    return max(1, int((small.size / FIT_SAMPLES) ** 0.5))


def subsampled(small: Picture) -> Samples:
    """Return about a thousand evenly spread samples of a small picture, float32 (n,)."""
    every = stride_of(small)
    return small[::every, ::every].astype(np.float32).ravel()


def fit_light(seen: Samples, known: Samples, noise: float, start: Light) -> Light:
    """Return gain and offset that bring seen samples, (n,), to the known ones, (n,).

    Iteratively reweighted least squares with Welsch's weights, begun at the last frame's light ``start``:
    objects that cover less than three quarters of the picture have no weight.  At low variance the fit tends
    to a gain alone.  A frame of another scene keeps the light ``start``.  ``noise`` is the spread of a sample
    from frame to frame, in grey levels.
    """
    gain, offset = start
    for _ in range(FIT_STEPS):
        off = np.abs(gain * seen + offset - known)
        quarter = float(np.partition(off, len(off) // 4)[len(off) // 4])
        weight = np.exp(-((off / (4 * quarter + 2)) ** 2))
        weight /= weight.sum()
        x, y = float(weight @ seen), float(weight @ known)
        aside, beside = seen - x, known - y
        heavy = weight * aside
        along, across, spread = float(heavy @ beside), float(heavy @ aside), float(weight @ beside**2)
        if spread > MIN_FIT_VARIANCE + 2 * noise**2 and along <= MIN_CORRELATION * (across * spread) ** 0.5:
            return start
        gain = (along + GAIN_PRIOR_VARIANCE * y / max(x, 1.0)) / (across + GAIN_PRIOR_VARIANCE)
        gain = min(max(gain, 1 / MAX_GAIN), MAX_GAIN)
        offset = y - gain * x
        if abs(offset) > MAX_OFFSET:
            return start
    return gain, offset


def undo_light(small: Picture, light: Light) -> Picture:
    """Return a small picture with gain and offset applied."""
    gain, offset = light
    if abs(gain - 1) * 255 + abs(offset) < MIN_LIGHT_CHANGE:
        return small
    table = np.clip(np.arange(256) * gain + offset + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(small, table), np.uint8)


def fit_shift(grid: BlockGrid, frame: CameraFrame, known: Picture, light: Light, start: Shift) -> Shift:
    """Return the shift of a frame against the ``known`` small picture, begun at the last frame's ``start``.

    Direct registration (Lucas and Kanade, 1981) at about a thousand samples, robust as in ``fit_light``: with
    slopes of the brightness over two pixels, and where these show a shift, first over two samples, for a
    large one, then over less and less.  Where little is seen it tends to 0.  A shift beyond the bound is not
    returned, but ``start``.
    """
    prior = np.array([SHIFT_PRIOR_WEIGHT, SHIFT_PRIOR_WEIGHT, 1.0])
    every, there, (gain, offset) = stride_of(known), subsampled(known), light

    def seen(at: Shift) -> Samples:
        return gain * grid.subsampled(frame, at, every) + offset

    def stepped(at: Shift, reach: float) -> Shift:
        x, y = at
        here = seen(at)
        slopes = np.stack(
            [
                seen((x + reach, y)) - seen((x - reach, y)),
                seen((x, y + reach)) - seen((x, y - reach)),
                np.full(len(here), 2 * reach, np.float32),
            ]
        ) / (2 * reach)
        off = there - here
        spread = 4 * float(np.median(np.abs(off))) + 2 + reach * np.abs(slopes[:2]).sum(0)
        heavy = np.exp(-((off / spread) ** 2)) * slopes
        normal = heavy @ slopes.T + np.diag(prior)
        right, down, _ = np.linalg.solve(normal, heavy @ off - prior * (x, y, 0)).tolist()
        return x + right, y + down

    if distance(start, stepped(start, 1.0)) < MIN_SHIFT_PX:
        return start
    shift, reach = start, float(grid.step)
    for _ in range(MAX_SHIFT_STEPS):
        last, shift = shift, stepped(shift, reach)
        if (by := distance(last, shift)) < MIN_SHIFT_PX:
            break
        reach = min(reach, max(1.0, 2 * by))
    return shift if distance(shift, (0.0, 0.0)) <= MAX_SHIFT_SAMPLES * grid.step else start


def distance(one: Shift, other: Shift) -> float:
    """Return the larger of the differences along both axes, in pixels."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
