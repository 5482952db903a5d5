"""Colour that shadow and the light's strength hardly change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DARK = 8.0
"""Grey levels added before a logarithm is taken, so that noise in the dark counts little."""


def log_chroma(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours in log-chroma: half their lightness, blue against green, red against green.

    ``colours`` are blue, green, red of 0 to 255, shape (n, 3); or grey, (n, 1), of which the result is the
    logarithm.
    """
    logs = np.log(colours + DARK)
    if logs.shape[1] == 1:
        return np.asarray(logs)
    blue, green, red = logs.T
    return np.column_stack([logs.mean(1) / 2, blue - green, red - green])
