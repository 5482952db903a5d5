"""Training of the classifier and of the fine classifier on labelled crops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from calibration.drawing.rng import Rng
from calibration.training.augmentation import NOISE_STD, Augmentation, augment
from calibration.training.crops import WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX
from calibration.training.networks import Classifier, FineClassifier
from calibration.training.optimise import DEVICE, on_device, optimise
from companion.vision.classifier import CLASSES, FINE_CROP, class_of
from companion.vision.networks import standardised

AUGMENTATION = Augmentation(rotation=0.07, shear=0.05, scale=0.06, translation=0.035)
SIZES = (WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX), FINE_CROP
TURNED_CLASSES = np.array([[class_of(one.symbol, one.turn + k) for k in range(4)] for one in CLASSES])
"""The class of each class turned clockwise by 0 to 3 quarters, (classes, 4)."""

SMOOTHING = 0.02
"""Label smoothing of the cross entropy."""


def train_classifier(
    crops: NDArray[np.uint8], labels: NDArray[np.int16], epochs: float, seed: int, batch: int = 256
) -> Classifier:
    """Return a classifier trained on crops, (n, 32, 32) uint8, and their classes, (n,)."""
    torch.manual_seed(seed)
    net = Classifier().train()
    steps = max(1, int(epochs * len(crops) / batch))
    rng = np.random.default_rng(seed)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = rng.integers(len(crops), size=batch)
            yield _classifier_loss(net, shifted_with_noise(crops[chosen], rng), labels[chosen])

    optimise(net, losses(), steps, 2e-2)
    return net.eval()


def _classifier_loss(net: nn.Module, x: NDArray[np.float32], labels: NDArray[np.int16]) -> Tensor:
    """Return the cross entropy of one batch."""
    at, target = on_device(torch.from_numpy(x), torch.from_numpy(labels.astype(np.int64)))
    logits = net(at.contiguous(memory_format=torch.channels_last))
    return functional.cross_entropy(logits, target, label_smoothing=SMOOTHING)


def shifted_with_noise(crops: NDArray[np.uint8], rng: Rng) -> NDArray[np.float32]:
    """Return standardised crops, (n, 1, 32, 32), all shifted by up to a pixel, with noise."""
    dx, dy = rng.integers(-1, 2, 2).tolist()
    moved = np.roll(standardised(crops), (dy, dx), (2, 3))
    return np.asarray(moved + rng.normal(0, NOISE_STD, moved.shape), np.float32)


def train_fine_classifier(
    crops: NDArray[np.uint8], labels: NDArray[np.int16], steps: int, seed: int, batch: int = 256
) -> FineClassifier:
    """Return a fine classifier trained on wide crops, (n, 56, 56) uint8, and their classes, (n,)."""
    torch.manual_seed(seed)
    net = FineClassifier().train()
    rng, cumulative = np.random.default_rng(seed), np.cumsum(sampling_weights(labels))

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = np.searchsorted(cumulative, rng.random(batch) * cumulative[-1])
            yield _fine_classifier_loss(net, crops[chosen], labels[chosen], rng)

    optimise(net, losses(), steps, 2e-2)
    return net.eval()


def sampling_weights(labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return the sampling weight of each crop, (n,): one over the square root of its class's frequency."""
    return np.asarray(1 / np.sqrt(np.maximum(np.bincount(labels), 1))[labels])


def _fine_classifier_loss(
    net: nn.Module, crops: NDArray[np.uint8], labels: NDArray[np.int16], rng: Rng
) -> Tensor:
    """Return the cross entropy of one batch."""
    x, y = on_device(*augmented_batch(crops, labels, rng))
    with torch.autocast(DEVICE.type, torch.bfloat16):  # half the time
        logits = net(x).float()
    return functional.cross_entropy(logits, y, label_smoothing=SMOOTHING)


def augmented_batch(crops: NDArray[np.uint8], labels: NDArray[np.int16], rng: Rng) -> tuple[Tensor, Tensor]:
    """Return crops augmented and turned by random quarters, (n, 1, 48, 48), and their classes then, (n,)."""
    quarters = rng.integers(4, size=len(crops))
    x = augment(crops, quarters, AUGMENTATION, SIZES, rng)
    return x, torch.from_numpy(TURNED_CLASSES[labels, quarters])
