"""Training of the classifier and of the fine classifier on labelled crops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from calibration.drawing.rng import Rng
from calibration.training.augmentation import NOISE_STD, Augmentation, augment
from calibration.training.crops import WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX
from calibration.training.networks import Classifier, FineClassifier
from calibration.training.optimise import (
    DEVICE,
    PEAK,
    RESUMED_PEAK,
    RESUMING_BATCHES,
    on_device,
    optimise,
)
from calibration.training.resume import resume
from companion.vision.classifier import CLASSES, FINE_CROP, class_of
from companion.vision.networks import standardised

AUGMENTATION = Augmentation(rotation=0.07, shear=0.05, scale=0.06, translation=0.035)
SIZES = (WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX), FINE_CROP
TURNED_CLASSES = np.array([[class_of(one.symbol, one.turn + k) for k in range(4)] for one in CLASSES])
"""The class of each class turned clockwise by 0 to 3 quarters, (classes, 4)."""

SMOOTHING = 0.02
"""Label smoothing of the cross entropy."""

Batches = Callable[[], tuple[Tensor, Tensor]]
"""Returns the next batch: standardised crops in blocks, (n, 4, h / 2, w / 2), and their classes, (n,)."""


def train_classifier(
    crops: NDArray[np.uint8],
    labels: NDArray[np.int16],
    epochs: float,
    seed: int,
    start: Path | None = None,
    batch: int = 256,
) -> Classifier:
    """Return a classifier trained on crops, (n, 32, 32) uint8, and their classes, (n,).

    ``start`` is the file of a quantized one whose training goes on.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    def drawn() -> tuple[Tensor, Tensor]:
        chosen = rng.integers(len(crops), size=batch)
        x = torch.from_numpy(shifted_with_noise(crops[chosen], rng))
        return x, torch.from_numpy(labels[chosen].astype(np.int64))

    net = Classifier()
    _train(net, drawn, max(1, int(epochs * len(crops) / batch)), torch.float32, start)
    return net


def _train(net: nn.Module, drawn: Batches, steps: int, precision: torch.dtype, start: Path | None) -> None:
    """Train a network for some steps, from a quantized one if there is a ``start``."""
    if start:
        resume(net, start, (drawn()[:1] for _ in range(RESUMING_BATCHES)))

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            x, target = on_device(*drawn())
            with torch.autocast(DEVICE.type, precision, enabled=precision != torch.float32):
                logits = net(x.contiguous(memory_format=torch.channels_last)).float()
            yield functional.cross_entropy(logits, target, label_smoothing=SMOOTHING)

    optimise(net.train(), losses(), steps, 2e-2, peak=RESUMED_PEAK if start else PEAK)
    net.eval()


def shifted_with_noise(crops: NDArray[np.uint8], rng: Rng) -> NDArray[np.float32]:
    """Return standardised crops in blocks, (n, 4, 16, 16), all shifted by up to a pixel, with noise."""
    dx, dy = rng.integers(-1, 2, 2).tolist()
    moved = standardised(np.roll(crops, (dy, dx), (1, 2)))
    return np.asarray(moved + rng.normal(0, NOISE_STD, moved.shape), np.float32)


def train_fine_classifier(
    crops: NDArray[np.uint8],
    labels: NDArray[np.int16],
    steps: int,
    seed: int,
    start: Path | None = None,
    batch: int = 256,
) -> FineClassifier:
    """Return a fine classifier trained on wide crops, (n, 56, 56) uint8, and their classes, (n,).

    ``start`` is the file of a quantized one whose training goes on.
    """
    torch.manual_seed(seed)
    rng, cumulative = np.random.default_rng(seed), np.cumsum(sampling_weights(labels))

    def drawn() -> tuple[Tensor, Tensor]:
        chosen = np.searchsorted(cumulative, rng.random(batch) * cumulative[-1])
        return augmented_batch(crops[chosen], labels[chosen], rng)

    net = FineClassifier()
    _train(net, drawn, steps, torch.bfloat16, start)  # half the time of float32
    return net


def sampling_weights(labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return the sampling weight of each crop, (n,): one over the square root of its class's frequency."""
    return np.asarray(1 / np.sqrt(np.maximum(np.bincount(labels), 1))[labels])


def augmented_batch(crops: NDArray[np.uint8], labels: NDArray[np.int16], rng: Rng) -> tuple[Tensor, Tensor]:
    """Return crops augmented and turned by random quarters, (n, 4, 24, 24), and their classes then, (n,)."""
    quarters = rng.integers(4, size=len(crops))
    x = augment(crops, quarters, AUGMENTATION, SIZES, rng)
    return x, torch.from_numpy(TURNED_CLASSES[labels, quarters])
