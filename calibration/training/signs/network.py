"""The network that sees signs: where a crop lies among all that may be written, and whether it is a tile."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from calibration.training.networks import Residual

PLACE, STATES = 96, 3
"""Numbers that say where a sign lies; and what a crop may be: a tile with a sign, a bare one, none."""


def _conv(inside: int, outside: int, size: int, stride: int) -> nn.Sequential:
    """Return a convolution with its normalisation and rectifier."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class Signs(nn.Module):
    """From standardised crops (n, 1, 40, 40) to (n, 96 + 3): a place, and a logit for each state.

    Tiles of one sign in one turn lie close together, others far apart.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(1, 24, 5, 2),
            _conv(24, 48, 3, 2),
            _conv(48, 80, 3, 2),
            Residual(80),
            _conv(80, 56, 1, 1),
            nn.Flatten(),
            nn.Dropout(0.1),
        )
        self.out = nn.Linear(56 * 25, PLACE + STATES)

    def forward(self, x: Tensor) -> Tensor:
        """Return place and state, (n, 99)."""
        out: Tensor = self.out(self.body(x))
        return out


class Lesson(nn.Module):
    """The network with what only its teaching needs: all signs by name, and how much a distance counts."""

    def __init__(self, signs: int) -> None:
        super().__init__()
        self.net = Signs()
        self.named = nn.Linear(PLACE, signs)
        self.warmth = nn.Parameter(torch.tensor(-2.0))
