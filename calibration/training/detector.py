"""Training of the detector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.training.networks import Detector
from calibration.training.optimise import PEAK, RESUMED_PEAK, RESUMING_BATCHES, optimise
from calibration.training.resume import resume
from calibration.training.scenes import TrainingScene
from calibration.training.targets import Batch, CropSampler
from companion.vision.camera_frame import grey
from companion.vision.detector.detections import chroma
from companion.vision.networks import SHAPE_PX, STRIDE_PX, DetectorClass, blocks

UNITS = (1, 1, SHAPE_PX, SHAPE_PX, SHAPE_PX, 1, 1)
"""Factors that make pixels of offset (2) and shape (3); those of rotation (2) have no unit."""
WEIGHTS, BETA = (0.25, 0.25, 0.15, 0.15, 0.15, 0.5, 0.5), 0.1
"""Weights of the errors of these values, and the error up to which they count by their square."""

CLASS_WEIGHTS = (3.0, 1.0, 1.0)
"""Weights of the losses of tiles, pyramids and squares: tiles lie on every table."""

BATCH_CROPS = 256
"""Number of crops in a batch."""

SCHEDULES = ((1.0, PEAK), (0.5, PEAK / 2))
"""Length of each one-cycle schedule, as a share of the steps, and its peak learning rate."""


def train(scenes: Sequence[TrainingScene], steps: int, seed: int, start: Path | None = None) -> Detector:
    """Return a detector trained for ``steps``, then for half as many at a lower learning rate.

    ``start`` is the file of a quantized one whose training goes on, for ``steps`` at a low rate.
    """
    torch.manual_seed(seed)
    net, sampler = Detector().train(), CropSampler(scenes)
    if start:
        some = sampler.batches(RESUMING_BATCHES, BATCH_CROPS, seed)
        resume(net, start, ((x.cpu(), tones.cpu()) for x, tones, _ in some))
    for number, (share, peak) in enumerate([(1.0, RESUMED_PEAK)] if start else SCHEDULES):
        length = max(1, int(steps * share))
        crops = sampler.batches(length, BATCH_CROPS, seed + 1000 * number)
        optimise(net, (batch_loss(net, batch) for batch in crops), length, 1e-4, 5.0, peak)
    return net.eval()


def batch_loss(net: Detector, batch: Batch) -> Tensor:
    """Return the loss of one batch, the weighted sum over all classes."""
    x, tones, targets = batch
    parts = (part.contiguous(memory_format=torch.channels_last) for part in (x, tones))
    values = net(*parts).unflatten(1, (len(DetectorClass), -1))
    losses = torch.stack([loss(values[:, kind], targets[:, kind]) for kind in DetectorClass])
    return losses @ torch.tensor(CLASS_WEIGHTS, device=losses.device)


def inputs(scene: TrainingScene) -> dict[str, NDArray[np.float32]]:
    """Return a scene's whole patch as inputs of the exported network."""
    x = (blocks(grey(scene.patch)[None], STRIDE_PX) / 255).astype(np.float32)
    return {"x": x, "chroma": chroma(scene.patch)[None]}


def loss(output: Tensor, target: Tensor) -> Tensor:
    """Return the loss of one class: focal for the centres, absolute for their values.

    ``output`` is the network's, (n, 8, h / 4, w / 4); ``target``, (n, 9, ...), is that of
    ``targets.detection_targets``.  The focal loss is that of Law and Deng, "CornerNet" (2018), section 3.2.
    """
    chance = torch.sigmoid(output[:, 0]).clamp(1e-5, 1 - 1e-5)
    bump, weight = target[:, 0], target[:, 8]
    top = (bump >= 0.999).float() * weight
    hit = -torch.log(chance) * (1 - chance) ** 2 * top
    miss = -torch.log(1 - chance) * chance**2 * (1 - bump) ** 4 * weight * (1 - top)
    near = ((bump > 0.3) * weight)[:, None]
    unit, scale = torch.tensor([UNITS, WEIGHTS], device=output.device)[:, None, :, None, None]
    off = functional.smooth_l1_loss(output[:, 1:8] * unit, target[:, 1:8] * unit, reduction="none", beta=BETA)
    values = (off * scale * near).sum() / near.sum().clamp(min=1)
    return (hit.sum() + miss.sum()) / top.sum().clamp(min=1) + values
