"""Teaching the detector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.training.course import channels_last, course
from calibration.training.lessons import Lesson
from calibration.training.networks import Detector
from calibration.training.targets import batches

WEIGHTS = (0.25, 0.25, 2, 2, 2, 0.5, 0.5)
"""What an error in each value counts: place, shape, turn."""


COURSES = ((1.0, 4e-3), (0.5, 2e-3))
"""Length of each course, as a share of the steps, and the peak of its rate."""


def train(lessons: Sequence[Lesson], steps: int, seed: int) -> Detector:
    """Return a detector taught on lessons for so many steps and half as many again, more gently."""
    torch.manual_seed(seed)
    net = Detector().train()
    channels_last(net)
    for number, (share, peak) in enumerate(COURSES):
        length = max(1, int(steps * share))
        losses = (_loss_of(net, *batch) for batch in batches(lessons, length, seed + 1000 * number))
        course(net, losses, length, 1e-4, 5.0, peak)
    return net.eval()


def _loss_of(net: Detector, x: NDArray[np.float32], wanted: NDArray[np.float32]) -> Tensor:
    """Return the loss of one batch."""
    said = net(torch.from_numpy(x).to(memory_format=torch.channels_last))
    return loss(said, torch.from_numpy(wanted))


def loss(said: Tensor, wanted: Tensor) -> Tensor:
    """Return the detector's loss: focal for the centres, absolute for their values.

    ``said`` is what the network says, (n, 8, h / 4, w / 4), ``wanted`` what ``target`` wants, (n, 9, ...).
    The focal loss is that of Law and Deng, "CornerNet" (2018), section 3.2.
    """
    chance = torch.sigmoid(said[:, 0]).clamp(1e-5, 1 - 1e-5)
    bump, weight = wanted[:, 0], wanted[:, 8]
    top = (bump >= 0.999).float() * weight
    hit = -torch.log(chance) * (1 - chance) ** 2 * top
    miss = -torch.log(1 - chance) * chance**2 * (1 - bump) ** 4 * weight * (1 - top)
    near = ((bump > 0.3) * weight)[:, None]
    scale = torch.tensor(WEIGHTS)[None, :, None, None]
    off = functional.smooth_l1_loss(said[:, 1:8], wanted[:, 1:8], reduction="none", beta=0.1)
    values = (off * scale * near).sum() / near.sum().clamp(min=1)
    return (hit.sum() + miss.sum()) / top.sum().clamp(min=1) + values
