"""Training targets of the detector, and the random crops that it is trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from calibration.drawing.materials import LUMINANCE_WEIGHTS
from calibration.training.optimise import DEVICE
from calibration.training.scenes import PATCH_SIDE_PX, TrainingScene
from companion.vision.colour import LOG_OFFSET
from companion.vision.networks import OUTPUT_CHANNELS, SHAPE_PX, STRIDE_PX, DetectorClass

CROP_SIDE_PX = 256
"""Side of a random crop of a patch, in pixels."""

MIN_FULLY_VISIBLE_SHARE, MAX_HIDDEN_VISIBLE_SHARE = 0.85, 0.12
"""Visible shares of a tile: below the first the loss ignores it, below the second it is background."""

MAX_IGNORED_DISTANCE, MAX_VALUE_DISTANCE, PEAK_STD, MAX_PEAK_DISTANCE = 0.6, 0.45, 0.2, 1.0
"""Distances from a tile's centre, in its sides: within the first a half hidden one is ignored, within the
second cells hold its values; standard deviation of its peak, and where that ends.
"""
REACH_CELLS = 6
"""Largest distance of a cell from the centre of a tile that it belongs to: 0.6 sides of 40 pixels."""

WHITE_BALANCE_STD = 0.1
"""Standard deviation of a crop's white balance, in logarithms of blue and red against green."""

GREY_SHARE = 0.5
"""Share of the crops in grey: the reader sees many tables without colour."""
GAIN_STD, LIFT_STD = 0.25, 0.06
"""Standard deviations of a crop's contrast, in logarithms, and of its brightness, of 1."""

Batch = tuple[Tensor, Tensor, Tensor]
"""Grey crops in cells, (size, 16, h / 4, w / 4), 0 to 1; their chroma, (size, 2, h / 4, w / 4), 0 in grey;
and targets, (size, classes, 9, h / 4, w / 4)."""


def detection_targets(quads: Tensor, seen: Tensor, maps: Tensor, count: int, side: int) -> Tensor:
    """Return the detector's targets, each of one class for one crop.

    Parameters
    ----------
    quads
        The corners of all tiles, pyramids or squares in pixels of their crop, clockwise, shape (n, 4, 2).
    seen
        The visible share of each, (n,), 0 to 1.
    maps
        The number of the target that each belongs to, (n,).
    count
        The number of targets.
    side
        Side of a crop in pixels, a multiple of 4.

    Returns
    -------
    Tensor
        Shape (count, 9, side / 4, side / 4), float32.  The first eight channels are those of the network; the
        first is a heatmap with a Gaussian that is 1 in the cell of each centre.  The last channel is the
        weight of the cell in the loss, 0 where a half hidden tile lies.
    """
    n = side // STRIDE_PX
    shown = seen > MAX_HIDDEN_VISIBLE_SHARE
    quads, maps, whole = quads[shown], maps[shown], seen[shown] >= MIN_FULLY_VISIBLE_SHARE
    out = torch.zeros(count * n * n, OUTPUT_CHANNELS + 1, device=quads.device)
    out[:, 8] = 1
    centres, (shapes, turns) = quads.mean(1), shapes_and_turns(quads)
    nearest = ((centres - (STRIDE_PX - 1) / 2) / STRIDE_PX).round().long()
    cells = nearest[:, None] + torch.arange(-REACH_CELLS, REACH_CELLS + 1, device=quads.device)[:, None]
    off = cells * STRIDE_PX + (STRIDE_PX - 1) / 2 - centres[:, None]
    dx, dy = off[:, None, :, 0].expand(-1, off.shape[1], -1), off[:, :, None, 1].expand(-1, -1, off.shape[1])
    offsets = torch.stack([dx, dy], -1)  # (n, rows, columns, 2)
    away = torch.einsum("kij,krcj->krci", torch.linalg.inv(shapes), offsets).norm(dim=-1)
    inside = (cells >= 0) & (cells < n)
    inside = inside[:, :, None, 1] & inside[:, None, :, 0]
    at = (maps[:, None, None] * n + cells[:, :, None, 1]) * n + cells[:, None, :, 0]
    out[at[inside & ~whole[:, None, None] & (away < MAX_IGNORED_DISTANCE)], 8] = 0
    inside &= whole[:, None, None] & (away < MAX_PEAK_DISTANCE)
    peaks = torch.exp(-((away / PEAK_STD) ** 2) / 2)
    out[:, 0].scatter_reduce_(0, at[inside], peaks[inside], "amax")
    held = nearest.clamp(0, n - 1)
    central = (held * STRIDE_PX + (STRIDE_PX - 1) / 2 - centres).abs().amax(1) <= STRIDE_PX
    top = (maps * n + held[:, 1]) * n + held[:, 0]
    out[top[central & whole], 0] = 1
    inside &= away < MAX_VALUE_DISTANCE
    least = torch.full_like(out[:, 0], torch.inf)
    least.scatter_reduce_(0, at[inside], away[inside], "amin")
    inside &= away <= least[at.clamp(0, len(least) - 1)]
    which = inside.nonzero(as_tuple=True)[0]
    values = torch.stack(
        [shapes[:, 0, 0], shapes[:, 1, 1], shapes[:, 0, 1], torch.cos(4 * turns), torch.sin(4 * turns)], 1
    )
    values[:, :3] /= SHAPE_PX
    out[at[inside], 1:8] = torch.cat([-offsets[inside], values[which]], 1)
    return out.view(count, n, n, -1).permute(0, 3, 1, 2)


def shapes_and_turns(quads: Tensor) -> tuple[Tensor, Tensor]:
    """Return symmetric shape matrices, (n, 2, 2) in pixels, and turns in radians (modulo a quarter), (n,).

    The sides of a quad, (n, 4, 2) in all and clockwise, are the columns of shape @ turn, its polar
    decomposition; every quarter turn of it has the same shape.
    """
    across = quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]
    down = quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]
    sides = torch.stack([across, down], -1) / 2
    turns = torch.atan2(sides[:, 1, 0] - sides[:, 0, 1], sides[:, 0, 0] + sides[:, 1, 1])
    c, s = torch.cos(turns), torch.sin(turns)
    back = torch.stack([torch.stack([c, s], -1), torch.stack([-s, c], -1)], -2)
    return sides @ back, turns


class CropSampler:
    """Random crops of scenes, with their targets; all is computed where networks are trained."""

    def __init__(self, scenes: Sequence[TrainingScene]) -> None:
        outlines = [(one.tiles, one.pyramids, one.squares) for one in scenes]
        quads = [s.in_patch(one.quads) for s, three in zip(scenes, outlines, strict=True) for one in three]
        counts = np.array([len(one) for one in quads])
        kinds = np.repeat(np.tile(np.arange(len(DetectorClass)), len(scenes)), counts)
        self._patches = torch.empty(
            len(scenes), PATCH_SIDE_PX, PATCH_SIDE_PX, 3, dtype=torch.uint8, device=DEVICE
        )
        for k, scene in enumerate(scenes):
            self._patches[k] = torch.from_numpy(scene.patch)
        self._quads = torch.from_numpy(np.concatenate(quads)).to(DEVICE)
        self._seen = torch.from_numpy(np.concatenate([one.seen for three in outlines for one in three])).to(
            DEVICE
        )
        self._kinds = torch.from_numpy(kinds).to(DEVICE)
        per_scene = counts.reshape(len(scenes), -1).sum(1)
        self._counts = torch.from_numpy(per_scene).to(DEVICE)
        self._starts = torch.from_numpy(np.cumsum(per_scene) - per_scene).to(DEVICE)

    def batches(self, count: int, size: int, seed: int) -> Iterator[Batch]:
        """Yield random batches, the same for the same seed and device."""
        rng = torch.Generator(DEVICE).manual_seed(seed)
        for _ in range(count):
            yield self.batch(size, rng)

    def batch(self, size: int, rng: torch.Generator) -> Batch:
        """Return random crops and their targets.

        They are mirrored, half of them grey, the others with a random white balance, all of random contrast
        and brightness.
        """
        drawn = {"device": DEVICE, "generator": rng}
        scenes = torch.randint(len(self._patches), (size,), **drawn)
        corner = torch.randint(PATCH_SIDE_PX - CROP_SIDE_PX + 1, (size, 2), **drawn)
        mirrored, transposed, grey = torch.rand((3, size), **drawn) < torch.tensor(
            [[0.5], [0.5], [GREY_SHARE]], device=DEVICE
        )
        colours = self._cut(scenes, corner, mirrored, transposed)
        weights = torch.from_numpy(LUMINANCE_WEIGHTS).to(DEVICE)
        levels = (torch.einsum("nhwc,c->nhw", colours, weights).round() / 255)[:, None]
        mean, (gain, lift) = levels.mean((2, 3), keepdim=True), torch.randn((2, size, 1, 1, 1), **drawn)
        lit = ((levels - mean) * torch.exp(GAIN_STD * gain) + mean + LIFT_STD * lift).clamp(0, 1)
        cells = functional.avg_pool2d(colours.permute(0, 3, 1, 2), STRIDE_PX).round()
        logs = torch.log(cells + LOG_OFFSET)
        balance = WHITE_BALANCE_STD * torch.randn((size, 2, 1, 1), **drawn)
        tones = (logs[:, [0, 2]] - logs[:, 1:2] + balance) * ~grey[:, None, None, None]
        x = functional.pixel_unshuffle(lit, STRIDE_PX)
        return x, tones, self._targets(scenes, corner, mirrored, transposed)

    def _cut(self, scenes: Tensor, corner: Tensor, mirrored: Tensor, transposed: Tensor) -> Tensor:
        """Return crops in colour, (n, h, w, 3) float32, mirrored, then transposed."""
        along = torch.arange(CROP_SIDE_PX, device=DEVICE)
        i = torch.where(transposed[:, None, None], along, along[:, None])
        j = torch.where(transposed[:, None, None], along[:, None], along)
        j = torch.where(mirrored[:, None, None], CROP_SIDE_PX - 1 - j, j)
        rows, cols = i + corner[:, 1, None, None], j + corner[:, 0, None, None]
        return self._patches[scenes[:, None, None], rows, cols].float()

    def _targets(self, scenes: Tensor, corner: Tensor, mirrored: Tensor, transposed: Tensor) -> Tensor:
        """Return the targets of crops, (n, classes, 9, h / 4, w / 4)."""
        counts, size = self._counts[scenes], len(scenes)
        crop = torch.repeat_interleave(torch.arange(size, device=DEVICE), counts)
        rows = (
            torch.arange(len(crop), device=DEVICE) + (self._starts[scenes] - counts.cumsum(0) + counts)[crop]
        )
        quads = self._quads[rows] - corner[crop, None]
        flipped = torch.stack([CROP_SIDE_PX - 1 - quads[..., 0], quads[..., 1]], -1).flip(1)
        quads = torch.where(mirrored[crop, None, None], flipped, quads)
        quads = torch.where(transposed[crop, None, None], quads.flip(1, 2), quads)
        maps, count = crop * len(DetectorClass) + self._kinds[rows], size * len(DetectorClass)
        targets = detection_targets(quads, self._seen[rows], maps, count, CROP_SIDE_PX)
        return targets.unflatten(0, (size, -1))
