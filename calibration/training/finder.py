"""Teaching the finder."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - the name everybody knows

from calibration.training.lessons import PATCH, Lesson
from calibration.training.networks import Finder

log = logging.getLogger(__name__)
AHEAD = 4
"""Batches made ready ahead of the teaching."""
CELL = 4
CUT = 256
"""Side of a cell, and of the piece of a patch learnt from at a time, in pixels."""


def target(quads: NDArray[np.float32], seen: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """Return what the finder should say of a patch, shape (10, side / 4, side / 4), float32.

    The channels are the network's nine, the first as a bump of height 1 at each
    centre, and last a weight: 0 where a half hidden tile lies.
    """
    n = side // CELL
    out = np.zeros((10, n, n), np.float32)
    out[9] = 1
    y, x = np.mgrid[:n, :n].astype(np.float32) * CELL + (CELL - 1) / 2
    nearest = np.full((n, n), np.inf, np.float32)
    for quad, share in zip(quads, seen, strict=True):
        shape, turn = shape_and_turn(quad)
        centre = quad.mean(0)
        reach = np.abs(quad - centre).max()
        low = np.clip(((centre - reach) // CELL).astype(int), 0, n)
        high = np.clip(((centre + reach) // CELL).astype(int) + 2, 0, n)
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        dx, dy = x[window] - centre[0], y[window] - centre[1]
        if dx.size == 0:
            continue
        (a, b), (_, d) = np.linalg.inv(shape)
        away = np.hypot(a * dx + b * dy, b * dx + d * dy)
        if share < 0.85:
            out[9][window] = np.where(away < 0.6, 0.0 if share > 0.12 else out[9][window], out[9][window])
            continue
        near = away < np.minimum(nearest[window], 0.45)
        nearest[window] = np.where(near, away, nearest[window])
        bump = np.exp(-((away / 0.2) ** 2) / 2)
        top = np.unravel_index(np.argmin(dx**2 + dy**2), dx.shape)
        if abs(dx[top]) <= CELL and abs(dy[top]) <= CELL:
            bump[top] = 1.0
        out[0][window] = np.maximum(out[0][window], bump)
        values = (
            -dx,
            -dy,
            shape[0, 0] / 16,
            shape[1, 1] / 16,
            shape[0, 1] / 16,
            np.cos(4 * turn),
            np.sin(4 * turn),
        )
        for channel, value in enumerate(values, 1):
            out[channel][window] = np.where(near, value, out[channel][window])
    return out


def shape_and_turn(quad: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """Return a tile's symmetric shape matrix, (2, 2) in pixels, and its turn in radians (modulo a quarter).

    A tile's sides are the columns of shape @ turn; every quarter turn of the
    tile has the same shape.
    """
    sides = np.column_stack(
        [(quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2]
    ).astype(float)
    left, stretch, right = np.linalg.svd(sides)
    turn = left @ right
    return left @ np.diag(stretch) @ left.T, float(
        np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    )


def loss(said: Tensor, wanted: Tensor) -> Tensor:
    """Return the finder's loss: focal for the centres, absolute for their values."""
    chance = torch.sigmoid(said[:, 0]).clamp(1e-5, 1 - 1e-5)
    bump, weight = wanted[:, 0], wanted[:, 9]
    top = (bump >= 0.999).float() * weight
    hit = -torch.log(chance) * (1 - chance) ** 2 * top
    miss = -torch.log(1 - chance) * chance**2 * (1 - bump) ** 4 * weight * (1 - top)
    count = top.sum().clamp(min=1)
    near = ((bump > 0.3) * weight)[:, None]
    scale = torch.tensor([0.25, 0.25, 2, 2, 2, 0.5, 0.5], device=said.device)[None, :, None, None]
    values = (
        F.smooth_l1_loss(said[:, 1:8], wanted[:, 1:8], reduction="none", beta=0.1) * scale * near
    ).sum() / near.sum().clamp(min=1)
    return (hit.sum() + miss.sum()) / count + values


def train(lessons: Sequence[Lesson], steps: int, seed: int, start: Finder | None = None) -> Finder:
    """Return a finder taught on lessons for so many steps, from nothing or from an earlier one."""
    torch.manual_seed(seed)
    net = (start or Finder()).train()
    rule = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-4)
    rate = torch.optim.lr_scheduler.OneCycleLR(rule, 4e-3, steps, pct_start=0.1)
    mean = 0.0
    for step, (x, wanted) in enumerate(batches(lessons, steps, seed)):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = net(torch.from_numpy(x))
        value = loss(said.float(), torch.from_numpy(wanted))
        rule.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        rule.step()
        rate.step()
        mean = 0.98 * mean + 0.02 * float(value.detach()) if step else float(value.detach())
        if step % 100 == 0:
            log.info("finder: step %d of %d, loss %.3f", step, steps, mean)
    return net.eval()


def batches(
    lessons: Sequence[Lesson], steps: int, seed: int, size: int = 16
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Yield batches of pieces and targets, made ready by another process, the same for the same seed."""
    with get_context("fork").Pool(1, _share, (lessons,)) as pool:
        ahead: deque[AsyncResult[tuple[NDArray[np.float32], NDArray[np.float32]]]] = deque()
        for step in range(steps + AHEAD):
            if step < steps:
                ahead.append(pool.apply_async(_batch, (seed, step, size)))
            if step >= AHEAD:
                yield ahead.popleft().get()


_shared: list[Sequence[Lesson]] = []
"""The lessons, in the process that makes batches ready."""


def _share(lessons: Sequence[Lesson]) -> None:
    """Keep the lessons for ``_batch``."""
    _shared[:] = [lessons]


def _batch(seed: int, step: int, size: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return one batch: pieces (size, 1, h, w) and targets (size, 10, h / 4, w / 4)."""
    rng, lessons = np.random.default_rng((seed, step)), _shared[0]
    pairs = [_piece(lessons[k], rng) for k in rng.integers(len(lessons), size=size)]
    return np.stack([x for x, _ in pairs]), np.stack([wanted for _, wanted in pairs])


def _piece(lesson: Lesson, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return a random piece of a lesson's patch, mirrored and lit at random, and its target."""
    x0, y0 = rng.integers(0, PATCH - CUT + 1, 2)
    patch = lesson.patch[y0 : y0 + CUT, x0 : x0 + CUT].astype(np.float32) / 255
    quads = lesson.patch_quads - np.array([x0, y0], np.float32)
    if rng.random() < 0.5:
        patch, quads = patch[:, ::-1], (quads * (-1, 1) + (CUT - 1, 0))[:, ::-1]
    if rng.random() < 0.5:
        patch, quads = patch.T, quads[:, ::-1, ::-1]
    gain, lift = np.exp(rng.normal(0, 0.15)), rng.normal(0, 0.04)
    lit = np.clip(patch * gain + lift, 0, 1).astype(np.float32)
    return np.ascontiguousarray(lit[None]), target(quads.astype(np.float32), lesson.seen, CUT)
