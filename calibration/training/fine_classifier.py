"""Teaching the fine classifier."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.drawing.rng import Rng
from calibration.training.course import channels_last, course
from calibration.training.cuts import SIDE, TILE
from calibration.training.networks import FineClassifier
from calibration.training.varied import Errors, varied
from companion.vision.classifier import CLASSES, FINE_CROP, class_of

ERRORS = Errors(turn=0.07, bend=0.05, swell=0.06, shift=0.035)
SIZES = (SIDE, TILE), FINE_CROP
TURNED = np.array([[class_of(one.symbol, one.turn + k) for k in range(4)] for one in CLASSES])
"""The class that each becomes when it is turned clockwise by 0 to 3 quarters, (classes, 4)."""


def train(
    crops: NDArray[np.uint8], labels: NDArray[np.int16], steps: int, seed: int, batch: int = 256
) -> FineClassifier:
    """Return a fine classifier taught on wide crops, (n, 56, 56) uint8, and their classes, (n,)."""
    torch.manual_seed(seed)
    net = FineClassifier().train()
    channels_last(net)
    rng, upto = np.random.default_rng(seed), np.cumsum(weights(labels))

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = np.searchsorted(upto, rng.random(batch) * upto[-1])
            yield _loss_of(net, crops[chosen], labels[chosen], rng)

    course(net, losses(), steps, 2e-2)
    return net.eval()


def weights(labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return how often each crop is shown beside the others, (n,): rare classes oftener than they come."""
    return np.asarray(1 / np.sqrt(np.maximum(np.bincount(labels), 1))[labels])


def _loss_of(net: FineClassifier, crops: NDArray[np.uint8], labels: NDArray[np.int16], rng: Rng) -> Tensor:
    """Return the loss of one batch."""
    x, y = shown(crops, labels, rng)
    with torch.autocast("cpu", torch.bfloat16):  # half the time
        said = net(x).float()
    return functional.cross_entropy(said, y, label_smoothing=0.02)


def shown(crops: NDArray[np.uint8], labels: NDArray[np.int16], rng: Rng) -> tuple[Tensor, Tensor]:
    """Return crops as the fine classifier is shown them, each turned by quarters, and the classes then."""
    quarters = rng.integers(4, size=len(crops))
    x = varied(crops, quarters, ERRORS, SIZES, rng)
    return x, torch.from_numpy(TURNED[labels, quarters])
