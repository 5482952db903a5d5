"""Tiles in a picture of which nobody knows how large they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.reading.find import Finds, find, nothing, working_scale
from companion.reading.name import Names, SetNamer, cut_from
from companion.reading.networks import Finder
from companion.reading.shape import LARGEST, SMALLEST, evened, weighted_median

SCALES = (0.06, 0.14, 0.32, 0.75)
"""Shrinkings tried when nobody knows how large a tile is: 20 to 400 pixels become 9 to 26."""
SMALLEST_PX, LARGEST_PX = 8.0, 28.0
"""Breadth of the tiles that the finder can be trusted with, in pixels at the working scale."""
HOPELESS = 0.01
"""A find that is a tile with less than this chance is dropped before shapes are made even."""
STRESS = 3
"""Power of that chance by which a find counts: a cloth's pattern makes many weak finds."""


def search(finder: Finder, namer: SetNamer, grey: NDArray[np.uint8]) -> tuple[Finds, float | None]:
    """Return the places that may be tiles and the scale they were found at, ``None`` where none was."""
    side = likeliest_side(finder, namer, grey)
    if side is None:
        return nothing(), None
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
    looks = [glance(finder, namer, grey, scale) for scale in SCALES]
    for chances in ([names.likeliest() for _, names in looks], [names.down for _, names in looks]):
        proofs = [
            np.maximum(0, 2 * finds.scores * chance - 1)
            for (finds, _), chance in zip(looks, chances, strict=True)
        ]
        best = int(np.argmax([proof.sum() for proof in proofs]))
        if proofs[best].sum() > 0:
            return weighted_median(looks[best][0].sides, proofs[best])
    return None


def glance(finder: Finder, namer: SetNamer, grey: NDArray[np.uint8], scale: float) -> tuple[Finds, Names]:
    """Return what is found at one scale, with its names after one look."""
    finds = find(finder, grey, scale, (SMALLEST_PX / scale, LARGEST_PX / scale))
    return finds, namer.glance(*cut_from(grey, finds))
