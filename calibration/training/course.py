"""One course of teaching, the same for both networks."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from math import inf

import torch
from torch import Tensor, nn

log = logging.getLogger(__name__)

SHORTEST = 20
"""Steps of the shortest schedule: a shorter course goes through its beginning."""


def channels_last(net: nn.Module) -> None:
    """Lay a network's weights out with the channels last, which convolutions on a processor like best."""
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's types leave this one out


def course(
    net: nn.Module, losses: Iterable[Tensor], steps: int, decay: float, clip: float = inf, peak: float = 4e-3
) -> None:
    """Teach a network by one step of AdamW for each loss.

    Parameters
    ----------
    net
        What is taught.
    losses
        Computed one by one, each with what the network has learnt before.
    steps
        How many losses there are.  The rate rises to its ``peak`` for a tenth of them, then falls.
    decay
        The weights' decay.
    clip
        Longest gradient, as a whole, that is followed in full.
    """
    rule = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=decay)
    rate = torch.optim.lr_scheduler.OneCycleLR(rule, peak, max(steps, SHORTEST), pct_start=0.1)
    mean = 0.0
    for step, loss in enumerate(losses):
        rule.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(net.parameters(), clip)
        rule.step()
        rate.step()
        mean = 0.98 * mean + 0.02 * float(loss.detach()) if step else float(loss.detach())
        if step % 100 == 0:
            log.info("%s: step %d of %d, loss %.3f", type(net).__name__, step, steps, mean)
