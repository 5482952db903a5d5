"""Training of the detector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.training.networks import Detector
from calibration.training.optimise import optimise
from calibration.training.scenes import DetectorClass, TrainingScene
from calibration.training.targets import CropSampler
from companion.vision.camera_frame import grey
from companion.vision.detector.detections import chroma

WEIGHTS = (0.25, 0.25, 2, 2, 2, 0.5, 0.5)
"""Weights of the errors of offset (2), shape (3) and rotation (2)."""

CHROMA_CHANNELS = 2
"""Channels of colour: blue and red over green."""

BATCH_CROPS = 64
"""Number of crops in a batch."""

SCHEDULES = ((1.0, 4e-3), (0.5, 2e-3))
"""Length of each one-cycle schedule, as a share of the steps, and its peak learning rate."""


def train(kind: DetectorClass, scenes: Sequence[TrainingScene], steps: int, seed: int) -> Detector:
    """Return a detector trained for ``steps``, then for half as many at a lower learning rate.

    That of tiles sees grey levels alone, the others colour too.
    """
    torch.manual_seed(seed)
    net, sampler = Detector(0 if kind is DetectorClass.TILE else CHROMA_CHANNELS).train(), CropSampler(scenes)
    for number, (share, peak) in enumerate(SCHEDULES):
        length = max(1, int(steps * share))
        crops = sampler.batches(length, BATCH_CROPS, seed + 1000 * number)
        losses = (_loss_of(net, x, tones, target[:, kind]) for x, tones, target in crops)
        optimise(net, losses, length, 1e-4, 5.0, peak)
    return net.eval()


def _loss_of(net: Detector, x: Tensor, tones: Tensor, target: Tensor) -> Tensor:
    """Return the loss of one batch."""
    parts = (x, tones) if net.sees_colour else (x,)
    return loss(net(*(part.contiguous(memory_format=torch.channels_last) for part in parts)), target)


def inputs(net: Detector, scene: TrainingScene) -> dict[str, NDArray[np.float32]]:
    """Return a scene's whole patch as inputs of the exported network."""
    x = (grey(scene.patch)[None, None] / 255).astype(np.float32)
    return {"x": x, "chroma": chroma(scene.patch)[None]} if net.sees_colour else {"x": x}


def loss(output: Tensor, target: Tensor) -> Tensor:
    """Return the detector's loss: focal for the centres, absolute for their values.

    ``output`` is the network's, (n, 8, h / 4, w / 4); ``target``, (n, 9, ...), is that of
    ``targets.detection_targets``.  The focal loss is that of Law and Deng, "CornerNet" (2018), section 3.2.
    """
    chance = torch.sigmoid(output[:, 0]).clamp(1e-5, 1 - 1e-5)
    bump, weight = target[:, 0], target[:, 8]
    top = (bump >= 0.999).float() * weight
    hit = -torch.log(chance) * (1 - chance) ** 2 * top
    miss = -torch.log(1 - chance) * chance**2 * (1 - bump) ** 4 * weight * (1 - top)
    near = ((bump > 0.3) * weight)[:, None]
    scale = torch.tensor(WEIGHTS, device=output.device)[None, :, None, None]
    off = functional.smooth_l1_loss(output[:, 1:8], target[:, 1:8], reduction="none", beta=0.1)
    values = (off * scale * near).sum() / near.sum().clamp(min=1)
    return (hit.sum() + miss.sum()) / top.sum().clamp(min=1) + values
