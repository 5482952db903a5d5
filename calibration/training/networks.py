"""Architectures of the detector of tiles, the classifier of crops, and the fine classifier."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from companion.vision.classifier import CLASSES
from companion.vision.networks import CHROMA_CHANNELS, OUTPUT_CHANNELS, DetectorClass


def conv(inside: int, outside: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """Return a convolution with batch normalisation and ReLU."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class ResidualBlock(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """Return the sum of the input and the two convolutions, rectified."""
        return torch.relu(x + self.second(self.first(x)))


class Detector(nn.Module):
    """From patches to eight values of each class for each cell of 4 x 4 pixels.

    A patch is its grey levels in cells, (n, 16, h / 4, w / 4), 0 to 1, and its chroma, (n, 2, h / 4, w / 4),
    0 where it is grey; h and w are multiples of 8.  The values: the logit of a centre of the class in the
    cell; the offset of the centre, x and y, in pixels; the shape, three entries of a symmetric matrix, in
    units of 16 pixels; and the rotation as the cosine and sine of four times the angle.
    """

    def __init__(self, fine: int = 24, coarse: int = 64) -> None:
        super().__init__()
        self.stem = conv(16 + CHROMA_CHANNELS, fine)
        self.near = ResidualBlock(fine)
        self.down = conv(fine, coarse, 3, 2)
        self.far = nn.Sequential(ResidualBlock(coarse), ResidualBlock(coarse))
        self.up = nn.Sequential(nn.Conv2d(coarse, fine, 1), nn.Upsample(scale_factor=2, mode="nearest"))
        self.last = conv(2 * fine, 32)
        self.out = nn.Conv2d(32, len(DetectorClass) * OUTPUT_CHANNELS, 1)
        first = [-4.0] + [0.0] * (OUTPUT_CHANNELS - 1)  # centres are few
        self.out.bias = nn.Parameter(torch.tensor(first * len(DetectorClass)))

    def forward(self, x: Tensor, chroma: Tensor) -> Tensor:
        """Return the values of every cell, class after class, (n, classes * 8, h / 4, w / 4)."""
        near = self.near(self.stem(torch.cat([x * 2 - 1, chroma], 1)))
        far = self.up(self.far(self.down(near)))
        out: Tensor = self.out(self.last(torch.cat([near, far], 1)))
        return out


class Classifier(nn.Module):
    """From standardised crops in blocks, (n, 4, 16, 16), to a logit for each class."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(4, 16),
            conv(16, 32, 3, 2),
            conv(32, 64),
            conv(64, 96, 3, 2),
            nn.Flatten(),
            nn.Dropout(0.15),
        )
        self.out = nn.Linear(96 * 16, len(CLASSES))

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits, (n, classes)."""
        out: Tensor = self.out(self.body(x))
        return out


class FineClassifier(nn.Module):
    """From standardised crops in blocks, (n, 4, 24, 24), to a logit for each class."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(4, 24),
            conv(24, 48, 3, 2),
            conv(48, 64),
            conv(64, 96, 3, 2),
            ResidualBlock(96),
            nn.Flatten(),
            nn.Dropout(0.15),
        )
        self.out = nn.Linear(96 * 36, len(CLASSES))

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits, (n, classes)."""
        out: Tensor = self.out(self.body(x))
        return out
