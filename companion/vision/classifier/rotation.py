"""Finds whose turn the finder misjudged are turned until their symbol can be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names, SetNamer, cut_from
from companion.vision.detector.detections import Finds
from companion.vision.pipeline.frame import exchanged

TURNS = (-0.15, 0.15, -0.3, 0.3, -0.45, 0.45)
"""How far such a find is turned, in radians: seen steeply, a tile that lies askew looks like no square."""
SURE = 0.9
"""What is named surer than this in its own turn is left as it is."""
READABLE, GAIN = 0.9, 0.2
"""What is so sure in another turn, and by so much surer than before, shows that the turn was misjudged."""
BARELY = 0.5
"""What is no tile with at least this chance is turned too: askew it may be one."""
MOST = 100
"""Finds turned in one picture, the strongest: a bound on what a wild pattern can cost."""


def righted(namer: SetNamer, grey: NDArray[np.uint8], finds: Finds, names: Names) -> tuple[Finds, Names]:
    """Return finds in a grey picture, and their names, with those turned that are read better so."""
    sure = np.maximum(names.likeliest(), names.down)
    unsure = np.flatnonzero(np.maximum(sure, np.where(names.none < BARELY, names.none, 0)) < SURE)[:MOST]
    if not len(unsure):
        return finds, names
    told = in_each_turn(namer, grey, finds.kept(unsure))
    read = np.maximum(told.likeliest(), told.down).reshape(len(TURNS), len(unsure))
    better = read.max(0) > np.maximum(READABLE, sure[unsure] + GAIN)
    turned, way = unsure[better], np.array(TURNS)[read.argmax(0)[better]]
    if not len(turned):
        return finds, names
    turns = finds.turns.copy()
    turns[turned] += way
    finds = replace(finds, turns=turns)
    again = namer.names(*cut_from(grey, finds.kept(turned)))
    return finds, exchanged(names, turned, again)


def in_each_turn(namer: SetNamer, grey: NDArray[np.uint8], finds: Finds) -> Names:
    """Return what finds are named in every turn, turn by turn."""
    some = finds.kept(np.tile(np.arange(len(finds)), len(TURNS)))
    some = replace(some, turns=some.turns + np.repeat(TURNS, len(finds)))
    return namer.glance(*cut_from(grey, some))
