"""Training targets of the detector, and the batches of random crops that it is trained on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult

import numpy as np
from numpy.typing import NDArray

from calibration.drawing.rng import Rng
from calibration.training.scenes import PATCH_SIDE_PX, TrainingScene

CELL_SIDE_PX, CROP_SIDE_PX = 4, 256
"""Side of the detector's cell, and of a random crop of a patch, in pixels."""

MIN_FULLY_VISIBLE_SHARE, MAX_HIDDEN_VISIBLE_SHARE = 0.85, 0.12
"""Visible shares of a tile: below the first the loss ignores it, below the second it is background."""

SHAPE_PX = 16.0
"""The detector's unit for shapes, in pixels."""

WHITE_BALANCE_STD = 0.1
"""Standard deviation of a crop's white balance, in logarithms of blue and red against green."""

PREFETCH = 4
"""Number of batches that are prepared ahead of the training."""

Floats = NDArray[np.float32]
Batch = tuple[Floats, Floats, Floats]
"""Grey crops, (size, 1, h, w), 0 to 1; their chroma, (size, 2, h / 4, w / 4), or (size, 0, ..) in grey; their
targets, (size, 9, h / 4, w / 4)."""


def detection_target(quads: Floats, seen: Floats, side: int) -> Floats:
    """Return the detector's target for a patch.

    Parameters
    ----------
    quads
        The tiles' corners in patch pixels, clockwise, shape (n, 4, 2).
    seen
        The visible share of each, (n,), 0 to 1.
    side
        Side of the patch in pixels, a multiple of 4.

    Returns
    -------
    Floats
        Shape (9, side / 4, side / 4), float32.  The first eight channels are those of the network; the first
        is a heatmap with a Gaussian that is 1 in the cell of each centre.  The last channel is the weight of
        the cell in the loss, 0 where a half hidden tile lies.
    """
    n = side // CELL_SIDE_PX
    out = np.zeros((9, n, n), np.float32)
    out[8] = 1
    nearest = np.full((n, n), np.inf, np.float32)
    for quad, share in zip(quads, seen, strict=True):
        window, dx, dy = _around(quad, n)
        if not (dx.size and dy.size) or share <= MAX_HIDDEN_VISIBLE_SHARE:
            continue
        shape, turn = shape_and_turn(quad)
        (a, b), (_, d) = np.linalg.inv(shape)
        away = np.hypot(a * dx + b * dy, b * dx + d * dy)
        if share < MIN_FULLY_VISIBLE_SHARE:
            out[8][window][away < 0.6] = 0
            continue
        bump = np.exp(-((away / 0.2) ** 2) / 2)
        row, col = np.abs(dy).argmin(), np.abs(dx).argmin()
        if max(abs(dx[0, col]), abs(dy[row, 0])) <= CELL_SIDE_PX:
            bump[row, col] = 1
        out[0][window] = np.maximum(out[0][window], bump)
        near = away < np.minimum(nearest[window], 0.45)
        nearest[window][near] = away[near]
        shapes = shape[0, 0] / SHAPE_PX, shape[1, 1] / SHAPE_PX, shape[0, 1] / SHAPE_PX
        values = out[1:8, *window]
        rows, cols = np.nonzero(near)
        values[0, rows, cols], values[1, rows, cols] = -dx[0, cols], -dy[rows, 0]
        values[2:, rows, cols] = np.array([*shapes, np.cos(4 * turn), np.sin(4 * turn)])[:, None]
    return out


def _around(quad: Floats, n: int) -> tuple[tuple[slice, slice], Floats, Floats]:
    """Return the window of the n x n cells that a tile may touch, and the offsets of its cells from the
    centre.

    The offsets to the right, (1, columns), and down, (rows, 1), are in pixels.
    """
    centre = quad.mean(0)
    reach = np.abs(quad - centre).max()
    low = np.clip(((centre - reach) // CELL_SIDE_PX).astype(int), 0, n)
    high = np.clip(((centre + reach) // CELL_SIDE_PX).astype(int) + 2, 0, n)
    x, y = (
        np.arange(low[k], high[k], dtype=np.float32) * CELL_SIDE_PX + (CELL_SIDE_PX - 1) / 2 - centre[k]
        for k in (0, 1)
    )
    return (slice(low[1], high[1]), slice(low[0], high[0])), x[None], y[:, None]


def shape_and_turn(quad: Floats) -> tuple[NDArray[np.float64], float]:
    """Return a tile's symmetric shape matrix, (2, 2) in pixels, and its turn in radians (modulo a quarter).

    A tile's sides are the columns of shape @ turn, its polar decomposition; every
    quarter turn of the tile has the same shape.
    """
    across, down = quad[1] - quad[0] + quad[2] - quad[3], quad[3] - quad[0] + quad[2] - quad[1]
    left, stretch, right = np.linalg.svd(np.column_stack([across, down]).astype(float) / 2)
    turn = left @ right
    return left @ np.diag(stretch) @ left.T, float(
        np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    )


def batches(scenes: Sequence[TrainingScene], steps: int, seed: int, size: int = 16) -> Iterator[Batch]:
    """Yield batches that another process prepares, the same for the same seed."""
    with get_context("fork").Pool(1, _share, (scenes,)) as pool:  # a fork shares the scenes
        ahead: deque[AsyncResult[Batch]] = deque()
        for step in range(steps + PREFETCH):
            if step < steps:
                ahead.append(pool.apply_async(_batch, (seed, step, size)))
            if step >= PREFETCH:
                yield ahead.popleft().get()


_shared: list[Sequence[TrainingScene]] = []
"""The scenes, in the process that prepares batches."""


def _share(scenes: Sequence[TrainingScene]) -> None:
    """Keep the scenes for ``_batch``."""
    _shared[:] = [scenes]


def _batch(seed: int, step: int, size: int) -> Batch:
    """Return one batch of random crops."""
    rng, lessons = np.random.default_rng((seed, step)), _shared[0]
    rows = [random_crop(lessons[k], rng) for k in rng.integers(len(lessons), size=size)]
    x, tones, wanted = (np.stack(part) for part in zip(*rows, strict=True))
    return x, tones, wanted


def random_crop(scene: TrainingScene, rng: Rng) -> Batch:
    """Return a random crop of a scene's patch, mirrored, with random brightness and white balance, and its
    target; one in colour begins at a cell.
    """
    step, cells = 1 if scene.chroma is None else CELL_SIDE_PX, CROP_SIDE_PX // CELL_SIDE_PX
    x0, y0 = step * rng.integers(0, (PATCH_SIDE_PX - CROP_SIDE_PX) // step + 1, 2)
    left, top = x0 // CELL_SIDE_PX, y0 // CELL_SIDE_PX
    patch = scene.patch[y0 : y0 + CROP_SIDE_PX, x0 : x0 + CROP_SIDE_PX].astype(np.float32) / 255
    whole = np.zeros((0, *scene.patch.shape), np.float32) if scene.chroma is None else scene.chroma
    tones = whole[:, top : top + cells, left : left + cells]
    balance = rng.normal(0, WHITE_BALANCE_STD, (len(tones), 1, 1)).astype(np.float32)
    tones = tones + balance * tones.any()  # a grey picture has none
    quads = scene.patch_quads - np.array([x0, y0], np.float32)
    if rng.random() < 0.5:
        patch, tones = patch[:, ::-1], tones[..., ::-1]
        quads = (quads * (-1, 1) + (CROP_SIDE_PX - 1, 0))[:, ::-1]
    if rng.random() < 0.5:
        patch, tones, quads = patch.T, tones.transpose(0, 2, 1), quads[:, ::-1, ::-1]
    gain, lift = np.exp(rng.normal(0, 0.15)), rng.normal(0, 0.04)
    lit = np.clip(patch * gain + lift, 0, 1).astype(np.float32)
    target = detection_target(quads.astype(np.float32), scene.seen, CROP_SIDE_PX)
    return np.ascontiguousarray(lit[None]), np.ascontiguousarray(tones), target
