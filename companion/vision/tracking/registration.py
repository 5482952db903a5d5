"""Registration of a frame with the background: the change of light, and the camera's motion.

Small pictures are those of ``BlockGrid.downsample``.  Brightness is in grey levels of 256.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame
from companion.vision.tracking.block_grid import (
    BLOCK_SAMPLES,
    STILL,
    TILE_BLOCKS,
    BlockGrid,
    Floats,
    Mask,
    Motion,
    Picture,
)

FIT_SAMPLES = 1000
"""Samples to which light and motion are fitted."""

FIT_STEPS = 2
"""Steps of the fit of the light in a frame; the next frame continues from there."""

MAX_GAIN = 3.0
"""Bound of the gain, and of its inverse.  Its square bounds the ratio of two lights at a place: that of the
frame and a shadow may each take their share.
"""

GAIN_PRIOR_VARIANCE = 50.0
"""Variance of a picture with half weight in the fit of the gain, in squared grey levels."""

MAX_OFFSET = 60.0
"""Bound of the offset, in grey levels."""

MIN_FIT_VARIANCE = 12.0
"""Least variance beside the noise of a picture that determines the gain, in squared grey levels."""

MIN_VARIANCE = 0.01
"""Least variance of a window, in squared grey levels: less is the rounding of a sum."""

MIN_CORRELATION = 0.5
"""Least correlation with the background of a frame, or a part, of the same scene in another light."""

MAX_LIGHT_CONTRAST = 0.35
"""Largest contrast of its own that another light adds in a window, as a share of the change there: the edge
of a soft shadow has less, the rim of an object as much as the change.
"""

STRUCTURE_SIGMAS = 2.0
"""Least contrast of a known structure that another light leaves, in standard deviations of the noise."""

MOTION_PRIOR_WEIGHT = 4.0
"""Weight in the fit of the motion of there being none, in squared grey levels per squared pixel: that of
a noise of 2 grey levels and a shake of a pixel, so that it counts only where next to nothing is seen."""

MIN_MOTION_PX = 0.05
"""Least change of the motion that is corrected, in pixels: the fit's own error on drawn tables."""

MAX_MOTION_STEPS = 12
"""Most steps of the fit of the motion in a frame, a bound of its time; three to ten are usual."""

MAX_MOTION_SAMPLES = 2.0
"""Bound of the motion, in samples of the small picture, a quarter of a tile: beyond, the camera has moved."""

MAX_BROKEN_SHARE = 0.25
"""Blocks that a motion of the frame may make differ, as a share of those that it makes match: one that
follows a hand makes most that show edges differ, the camera's next to none."""

MIN_MATCHED_SHARE = 0.15
"""Least share of the differing blocks that a motion of the frame makes match: one that is fitted to a tile
that was moved takes a few blocks off its rim."""

CAMERA_MOVED_SHARE, PERHAPS_MOVED_SHARE = 0.75, 0.5
"""Least share of differing edges after a motion of the camera: alone, and where tiles are seen elsewhere.

Fewer, those under hands, still differ once a motion is undone; more do where its fit ends at a wrong one.
"""

Light = tuple[float, float]
"""Gain, and offset in grey levels."""

Samples = NDArray[np.float32]


def stride_of(small: Picture) -> int:
    """Return the interval between samples of a small picture to which light and motion are fitted."""
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
    return np.asarray(cv2.transform(small, np.array([light])), np.uint8)


def changed_structure(now: Picture, known: Picture, least: Picture, noise: float) -> tuple[Mask, Mask]:
    """Return where more than the light has changed around a sample, and where marks are known around it.

    Another light leaves one picture a linear function of the other in each window, so that their correlation
    tells it from an object (Jacques, Jung and Musse, SIBGRAPI 2005), once the light's own slope is taken off.
    """
    mean, known_mean = window_mean(now), window_mean(known)
    own, known_own = now - mean, known - known_mean
    variance, known_variance = (np.maximum(window_mean(one * one), MIN_VARIANCE) for one in (own, known_own))
    explained = np.maximum(window_mean(own * known_own), 0) ** 2 / (variance * known_variance)
    left = np.maximum(variance, known_variance) * (1 - explained)
    most = np.maximum(MAX_LIGHT_CONTRAST * window_mean(np.asarray(cv2.absdiff(now, known), np.uint8)), least)
    gain = np.clip(mean / np.maximum(known_mean, 1), 1 / MAX_GAIN, 1)
    marked = gain**2 * known_variance > (STRUCTURE_SIGMAS * noise) ** 2
    unseen = MAX_GAIN**2 * np.minimum(mean, known_mean) < np.maximum(mean, known_mean)
    return unseen | (left > most**2) | (marked & (explained < MIN_CORRELATION**2)), marked


def correlations(some: Floats, others: Floats) -> Floats:
    """Return the correlation in each row, (m,), of samples with others, both (m, n) and 0 in the mean."""
    spread = (some**2).mean(1) * (others**2).mean(1)
    return np.asarray((some * others).mean(1) / np.sqrt(np.maximum(spread, MIN_VARIANCE)))


def window_mean(small: Picture | NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of a small picture around each sample, in a window of odd side just within a tile's."""
    side = TILE_BLOCKS * BLOCK_SAMPLES - 1
    return np.asarray(cv2.blur(small.astype(np.float32), (side, side)), np.float32)


def explains(before: Mask, after: Mask, edged: Mask) -> bool:
    """Return whether a motion of the camera explains which blocks differ ``before`` it, and which ``after``.

    ``edged`` are those that show edges.
    """
    broken = after & ~before
    least = max(np.count_nonzero(broken) / MAX_BROKEN_SHARE, MIN_MATCHED_SHARE * np.count_nonzero(before))
    return bool(
        np.count_nonzero(before & ~after) > least
        and np.count_nonzero(broken & edged) <= MAX_BROKEN_SHARE * np.count_nonzero(edged & ~before)
        and np.count_nonzero(after & edged) <= PERHAPS_MOVED_SHARE * np.count_nonzero(edged)
    )


def fit_motion(grid: BlockGrid, frame: CameraFrame, known: Picture, light: Light, start: Motion) -> Motion:
    """Return the motion of a frame against the ``known`` small picture, begun at the last frame's ``start``.

    Direct registration (Lucas and Kanade, 1981) by a similarity at about a thousand samples, robust as in
    ``fit_light``: with slopes of the brightness over two pixels, and where these show a motion, first over
    two samples, for a large one, then over less and less.  Where little is seen it tends to none.  A motion
    beyond the bound is not returned, but ``start``.
    """
    there, (gain, offset), places = subsampled(known), light, grid.from_middle(stride_of(known))
    x, y = (places / np.hypot(grid.width / 2, grid.height / 2)).astype(np.float32)
    prior = np.array([MOTION_PRIOR_WEIGHT] * len(start) + [1.0])

    def stepped(motion: Motion, reach: float) -> Motion:
        seen = gain * grid.around(frame, motion, places, reach) + offset
        off = there - seen[0]
        across, down = (seen[1::2] - seen[2::2]) / (2 * reach)
        slopes = np.array([across, down, x * down - y * across, x * across + y * down, np.ones_like(off)])
        half = np.partition(away := np.abs(off), len(off) // 2)[len(off) // 2]
        spread = 4 * half + 2 + reach * (np.abs(across) + np.abs(down))
        heavy = np.exp(-((away / spread) ** 2)) * slopes
        now = np.array([*motion, 0.0])
        by = np.linalg.solve(heavy @ slopes.T + np.diag(prior), heavy @ off - prior * now)
        return Motion(*(now + by)[:-1].tolist())

    if distance(start, stepped(start, 1.0)) < MIN_MOTION_PX:
        return start
    motion, reach = start, float(grid.step)
    for _ in range(MAX_MOTION_STEPS):
        last, motion = motion, stepped(motion, reach)
        if (by := distance(last, motion)) < MIN_MOTION_PX:
            break
        reach = min(reach, max(1.0, 2 * by))
    return motion if distance(motion, STILL) <= MAX_MOTION_SAMPLES * grid.step else start


def distance(one: Motion, other: Motion) -> float:
    """Return the largest difference of two motions, in pixels."""
    return float(np.abs(np.subtract(one, other)).max())
