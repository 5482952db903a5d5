"""Augmentation of crops: the rotation, shear, scale and translation errors of a detector, and noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.drawing.rng import Rng
from companion.vision.networks import CROP_STRIDE_PX

NOISE_STD = 0.06
"""Standard deviation of the noise that is added to a standardised crop."""

Size = tuple[int, int]
"""Side of a crop and of the tile in its middle, in pixels."""


@dataclass(frozen=True, slots=True)
class Augmentation:
    """Standard deviations of random geometric errors.

    ``rotation`` in radians, ``shear`` and ``scale`` relative, ``translation`` in tile sides.
    """

    rotation: float
    shear: float
    scale: float
    translation: float


def augment(
    crops: NDArray[np.uint8],
    quarters: NDArray[np.int64],
    errors: Augmentation,
    sizes: tuple[Size, Size],
    rng: Rng,
) -> Tensor:
    """Return augmented and standardised crops in blocks, (n, 4, h / 2, w / 2), in channels-last format.

    Parameters
    ----------
    crops
        The crops, (n, side, side) uint8.
    quarters
        Quarter turns clockwise of each, (n,).
    errors
        The standard deviations of their errors.
    sizes
        Sides of the crops and of their tiles, before and after.
    rng
        The generator of all random numbers except the noise, which is torch's.
    """
    count, ((wide, of_wide), (side, tile)) = len(crops), sizes
    angle = quarters * np.pi / 2 + rng.normal(0, errors.rotation, count)
    c, s = np.cos(angle), np.sin(angle)
    size = np.exp(rng.normal(0, errors.scale, (count, 1, 1))) * side / tile * of_wide / wide
    bend = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2) @ (
        np.eye(2) + rng.normal(0, errors.shear, (count, 2, 2))
    )
    shift = rng.normal(0, errors.translation, (count, 2, 1)) * 2 * of_wide / wide
    affine = torch.from_numpy(np.concatenate([bend * size, shift], 2).astype(np.float32))
    x = torch.from_numpy(crops[:, None].astype(np.float32))
    grid = functional.affine_grid(affine, [count, 1, side, side], align_corners=False)
    x = functional.grid_sample(x, grid, align_corners=False, padding_mode="border")
    x = x - x.mean((2, 3), keepdim=True)
    x = x / (x.std((2, 3), keepdim=True, correction=0) + 6.0)
    x = x + NOISE_STD * torch.randn_like(x)
    return functional.pixel_unshuffle(x, CROP_STRIDE_PX).contiguous(memory_format=torch.channels_last)
