"""Teaching the namer."""

from __future__ import annotations

import logging

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F  # noqa: N812 - the name everybody knows

from calibration.training.networks import Namer
from companion.reading.crops import standardised

log = logging.getLogger(__name__)


def train(
    cuts: NDArray[np.uint8], labels: NDArray[np.int16], epochs: float, seed: int, batch: int = 256
) -> Namer:
    """Return a namer taught on crops, (n, 32, 32) uint8, and their classes, (n,)."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Namer().to(memory_format=torch.channels_last)
    steps = int(epochs * len(cuts) / batch)
    rule = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=2e-2)
    rate = torch.optim.lr_scheduler.OneCycleLR(rule, 4e-3, steps, pct_start=0.1)
    mean = 0.0
    for step in range(steps):
        chosen = rng.integers(len(cuts), size=batch)
        x = _varied(cuts[chosen], rng)
        y = torch.from_numpy(labels[chosen].astype(np.int64))
        value = F.cross_entropy(
            net(torch.from_numpy(x).to(memory_format=torch.channels_last)), y, label_smoothing=0.02
        )
        rule.zero_grad()
        value.backward()
        rule.step()
        rate.step()
        mean = 0.99 * mean + 0.01 * float(value) if step else float(value)
        if step % 100 == 0:
            log.info("namer: step %d of %d, loss %.3f", step, steps, mean)
    return net.eval()


def _varied(cuts: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return crops standardised, with a little fresh noise and moved by up to a pixel."""
    x = standardised(cuts)
    dx, dy = rng.integers(-1, 2, 2)
    x = np.roll(x, (dy, dx), (2, 3))
    return np.asarray(x + rng.normal(0, 0.06, x.shape), np.float32)
