"""Tiles in a picture of which nobody knows how large they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names, SetNamer, cut_from
from companion.vision.detector.detections import Finds, find, nothing, working_scale
from companion.vision.detector.shapes import LARGEST, SMALLEST, evened, weighted_median
from companion.vision.networks import Finder

SCALES = (0.06, 0.14, 0.32, 0.75)
"""Shrinkings tried when nobody knows how large a tile is: 20 to 400 pixels become 9 to 26."""
SMALLEST_PX, LARGEST_PX = 8.0, 28.0
"""Breadth of the tiles that the finder can be trusted with, in pixels at the working scale."""
TOO_LARGE_PX = 8.7
"""Tiles broader than this at one scale, in pixels, are seen well enough there: finer scales are not tried."""
HOPELESS = 0.01
"""A find that is a tile with less than this chance is dropped before shapes are made even."""
PLENTY = 4.0
"""With so much proof at one scale, a finer one that has less than half of it ends the search."""
AMPLE = 8.0
"""With so much proof of tiles that are too large for the finer scales, those are not tried."""
STRESS = 3
"""Power of that chance by which a find counts: a cloth's pattern makes many weak finds."""


def search(finder: Finder, namer: SetNamer, grey: NDArray[np.uint8]) -> tuple[Finds, float | None]:
    """Return the places that may be tiles and the scale they were found at, ``None`` where none was."""
    side = likeliest_side(finder, namer, grey)
    return (nothing(), None) if side is None else found_at(finder, namer, grey, side)


def found_at(finder: Finder, namer: SetNamer, grey: NDArray[np.uint8], side: float) -> tuple[Finds, float]:
    """Return the places that may be tiles of a known breadth, in pixels, and the scale they were found at.

    Those that show a symbol or a bare face say how all are shaped, as a cloth's pattern makes many others.
    """
    scale = working_scale(side)
    finds = find(finder, grey, scale, (SMALLEST * side, LARGEST * side))
    names = namer.glance(*cut_from(grey, finds))
    weights = finds.scores * (1 - names.none)
    likely = weights > HOPELESS
    return evened(finds.kept(likely), weights[likely] ** STRESS), scale


def likeliest_side(finder: Finder, namer: SetNamer, grey: NDArray[np.uint8]) -> float | None:
    """Return the breadth of the tiles in a picture, in pixels, ``None`` where no tile is seen.

    Symbols tell it; bare faces are asked only where no scale shows a symbol.
    """
    looks: list[tuple[Finds, Names]] = []
    proofs: list[float] = []
    for scale in SCALES:
        looks.append(glance(finder, namer, grey, scale))
        proofs.append(float(proof(*looks[-1]).sum()))
        if max(proofs) > PLENTY and proofs[-1] < max(proofs) / 2:
            break
        if (
            proofs[-1] > AMPLE
            and weighted_median(looks[-1][0].sides, proof(*looks[-1])) > TOO_LARGE_PX / scale
        ):
            break
    if max(proofs) > 0:
        best = looks[int(np.argmax(proofs))]
        return weighted_median(best[0].sides, proof(*best))
    bare = [np.maximum(0, 2 * finds.scores * names.down - 1) for finds, names in looks]
    k = int(np.argmax([some.sum() for some in bare]))
    return weighted_median(looks[k][0].sides, bare[k]) if bare[k].sum() > 0 else None


def proof(finds: Finds, names: Names) -> NDArray[np.float64]:
    """Return how much each find speaks for tiles of its size being there, 0 to 1, (n,)."""
    return np.asarray(np.maximum(0, 2 * finds.scores * names.likeliest() - 1))


def glance(finder: Finder, namer: SetNamer, grey: NDArray[np.uint8], scale: float) -> tuple[Finds, Names]:
    """Return what is found at one scale, with its names after one look."""
    finds = find(finder, grey, scale, (SMALLEST_PX / scale, LARGEST_PX / scale))
    return finds, namer.glance(*cut_from(grey, finds))
