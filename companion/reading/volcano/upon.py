"""A look at a table with a Volcano board: the board, its pyramids, letters in the open and under them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.reading.look import Look
from companion.reading.name import SetNamer
from companion.reading.networks import Finder
from companion.reading.volcano.finding import find_volcano
from companion.reading.volcano.plan import Picture
from companion.reading.volcano.seats import no_pyramids
from companion.reading.volcano.veiled import filled, looked_through

SURELY = 0.5
"""A find that shows a symbol with more than this chance tells where the board is."""
LIKELY = 0.2
"""A find that is a tile with less than this chance is dropped."""


def upon_volcano(frame: Picture, look: Look, finder: Finder, namer: SetNamer) -> Look:
    """Return a look at a whole picture with the board in it, without a board where none is certain.

    ``frame`` is the picture, blue, green, red or grey.
    """
    board = find_volcano(frame, look.finds.kept(surely(look)), look.finds)
    if board is None:
        return replace(look, board=None)
    tiles = replace(look.kept(no_pyramids(look.finds, board)), board=board)
    whole = filled(frame, looked_through(frame, tiles, board, finder, namer), board, finder, namer)
    return whole.kept(no_pyramids(whole.finds, board) & likely(whole))


def likely(look: Look) -> NDArray[np.bool_]:
    """Return which finds are tiles rather than not, (n,)."""
    return np.asarray(look.finds.scores * (1 - look.names.none) > LIKELY)


def surely(look: Look) -> NDArray[np.bool_]:
    """Return which finds surely are tiles with a symbol, (n,)."""
    chance = look.finds.scores * (1 - look.names.none) * look.names.likeliest()
    return np.asarray(chance > SURELY)
