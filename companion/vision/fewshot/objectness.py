"""Whether there is a tile at all: what both networks say, and whether the examples know what is seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.fewshot.signs import BARE, LETTERED, NONE

Floats = NDArray[np.float64]

STROKES, SIGNS, KNOWN, RARELY = 0.5, 0.4, 0.27, 1.25
"""What counts, in logarithms of odds, against a tile: the word of either network that there is none; and for
one: likeness to the examples, and that few detections are none.  A logistic fit to 14,585 detections in drawn
pictures of 105 families, on any cloth; each counted with how likely the detector held it."""
LEAST = 0.001
"""The least chance believed of anything."""


def background_probability(strokes: Floats, signs: Floats, known: Floats) -> Floats:
    """Return how likely there is no tile, (n,).

    ``strokes`` and ``signs`` (n, 3) are what either network says, as ``Sight.seen`` returns it, and ``known``
    (n,) how far the examples know what is seen, 0 to 1.
    """
    against = (
        STROKES * log_odds(strokes[:, NONE])
        + SIGNS * log_odds(signs[:, NONE])
        - KNOWN * log_odds(known)
        - RARELY
    )
    return np.asarray(1 / (1 + np.exp(-against)))


def blank_probability(strokes: Floats, signs: Floats) -> Floats:
    """Return how likely a tile is bare, where there is one, (n,); both networks have their say."""
    bare, lettered = (
        np.sqrt(np.clip(strokes[:, k], LEAST, 1) * np.clip(signs[:, k], LEAST, 1)) for k in (BARE, LETTERED)
    )
    return np.asarray(bare / (bare + lettered))


def log_odds(chance: Floats) -> Floats:
    """Return the logarithm of the odds of chances, (n,)."""
    some = np.clip(chance, LEAST, 1 - LEAST)
    return np.asarray(np.log(some / (1 - some)))
