"""The training loop of all networks: AdamW with a one-cycle learning rate."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from math import inf

import torch
from torch import Tensor, nn

log = logging.getLogger(__name__)

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""Where networks are trained: on a GPU if there is one."""

MIN_SCHEDULE_STEPS = 20
"""Least number of steps of a schedule; a shorter training only runs its beginning."""

PEAK, RESUMED_PEAK = 4e-3, 1e-3
"""Highest learning rates: of a training from nothing, and of one that is taken up again."""

RESUMING_BATCHES = 8
"""Number of batches that give a network's batch normalisations their statistics when it is taken up again."""


def on_device(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return tensors where networks are trained."""
    return tuple(one.to(DEVICE, non_blocking=True) for one in tensors)


def optimise(
    net: nn.Module, losses: Iterable[Tensor], steps: int, decay: float, clip: float = inf, peak: float = PEAK
) -> None:
    """Train a network with one step of AdamW for each loss.

    Parameters
    ----------
    net
        The network, changed in place.  It is on ``DEVICE`` in the meantime, in channels-last memory format,
        which is faster on a CPU too.
    losses
        An iterable that computes each loss with the weights after the step before.
    steps
        The number of losses.  The learning rate rises to its ``peak`` for a tenth of them, then falls.
    decay
        The weight decay.
    clip
        The largest norm of the gradient; a longer one is scaled down.
    """
    net.to(DEVICE, memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's types lack it
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, peak, max(steps, MIN_SCHEDULE_STEPS), pct_start=0.1
    )
    mean = torch.zeros((), device=DEVICE)
    for step, loss in enumerate(losses):
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(net.parameters(), clip)
        optimiser.step()
        schedule.step()
        mean = mean.lerp(loss.detach(), 0.02 if step else 1.0)
        if step % 100 == 0:
            log.info("%s: step %d of %d, loss %.3f", type(net).__name__, step, steps, float(mean))
    net.cpu()
