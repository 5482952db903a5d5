"""How eyes that lack a kind of cone see coloured light.

Matrices for linear red, green, blue, severity 1.0: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE Transactions on Visualization and
Computer Graphics 15(6), 2009.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hardware.lights.patterns import Colour

SIGHTS = {
    "usual": np.eye(3),
    "protanope": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranope": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanope": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}

XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""From linear sRGB to CIE XYZ (IEC 61966-2-1)."""


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return CIE L*a*b* of linear light."""
    part = XYZ @ np.clip(light, 0, 1) / (XYZ @ np.ones(3))
    root = np.where(part > (6 / 29) ** 3, np.cbrt(part), part * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def difference(one: Colour, other: Colour, sight: str) -> float:
    """Return how different two lights look: the distance in CIE L*a*b*, of which 2.3 is just noticed."""
    return float(np.linalg.norm(lab(SIGHTS[sight] @ np.array(one)) - lab(SIGHTS[sight] @ np.array(other))))
