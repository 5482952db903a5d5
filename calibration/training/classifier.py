"""Teaching the classifier."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.drawing.rng import Rng
from calibration.training.course import course
from calibration.training.networks import Classifier
from companion.vision.networks import standardised


def train(
    cuts: NDArray[np.uint8], labels: NDArray[np.int16], epochs: float, seed: int, batch: int = 256
) -> Classifier:
    """Return a classifier taught on crops, (n, 32, 32) uint8, and their classes, (n,)."""
    torch.manual_seed(seed)
    net = Classifier().train()
    steps = max(1, int(epochs * len(cuts) / batch))
    lots = np.random.default_rng(seed)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = lots.integers(len(cuts), size=batch)
            yield _loss_of(net, varied(cuts[chosen], lots), labels[chosen])

    course(net, losses(), steps, 2e-2)
    return net.eval()


def _loss_of(net: Classifier, x: NDArray[np.float32], labels: NDArray[np.int16]) -> Tensor:
    """Return the loss of one batch."""
    said = net(torch.from_numpy(x).to(memory_format=torch.channels_last))
    return functional.cross_entropy(said, torch.from_numpy(labels.astype(np.int64)), label_smoothing=0.02)


def varied(cuts: NDArray[np.uint8], rng: Rng) -> NDArray[np.float32]:
    """Return crops standardised, (n, 1, 32, 32), with a little fresh noise and moved by up to a pixel."""
    dx, dy = rng.integers(-1, 2, 2).tolist()
    moved = np.roll(standardised(cuts), (dy, dx), (2, 3))
    return np.asarray(moved + rng.normal(0, 0.06, moved.shape), np.float32)
