"""Crops as an imperfect detector cuts them: each a little turned, slanting, larger or smaller, and moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.drawing.rng import Rng

NOISE = 0.06
"""Spread of the noise that is added to a crop of unit spread."""

Size = tuple[int, int]
"""Side of a crop and of the tile in its middle, in pixels."""


@dataclass(frozen=True, slots=True)
class Errors:
    """How far crops may be off, as spreads.

    ``turn`` in radians, ``bend`` as a slant, ``swell`` as a share of the size, ``shift`` in tile sides.
    """

    turn: float
    bend: float
    swell: float
    shift: float


def varied(
    crops: NDArray[np.uint8], quarters: NDArray[np.int64], errors: Errors, sizes: tuple[Size, Size], rng: Rng
) -> Tensor:
    """Return crops standardised and varied, (n, 1, side, side).

    Parameters
    ----------
    crops
        As they were cut, (n, side, side) uint8.
    quarters
        By how many quarters clockwise each is to be turned, (n,).
    errors
        How far each may be off.
    sizes
        Of the crops given and of those returned.
    rng
        Where every choice comes from, but for the noise: that is torch's.
    """
    count, ((wide, of_wide), (side, tile)) = len(crops), sizes
    angle = quarters * np.pi / 2 + rng.normal(0, errors.turn, count)
    c, s = np.cos(angle), np.sin(angle)
    size = np.exp(rng.normal(0, errors.swell, (count, 1, 1))) * side / tile * of_wide / wide
    bend = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2) @ (
        np.eye(2) + rng.normal(0, errors.bend, (count, 2, 2))
    )
    shift = rng.normal(0, errors.shift, (count, 2, 1)) * 2 * of_wide / wide
    way = torch.from_numpy(np.concatenate([bend * size, shift], 2).astype(np.float32))
    x = torch.from_numpy(crops[:, None].astype(np.float32))
    grid = functional.affine_grid(way, [count, 1, side, side], align_corners=False)
    x = functional.grid_sample(x, grid, align_corners=False, padding_mode="border")
    x = x - x.mean((2, 3), keepdim=True)
    x = x / (x.std((2, 3), keepdim=True, correction=0) + 6.0)
    x = x + NOISE * torch.randn_like(x)
    return x.contiguous(memory_format=torch.channels_last)
