"""A look at a table with a Volcano board: the board, its pyramids, letters in the open and under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import SetNamer
from companion.vision.detector.detections import APART
from companion.vision.grid.volcano.board import Volcano
from companion.vision.grid.volcano.finding import find_volcano, peopled
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.layout.on_volcano import no_pyramids
from companion.vision.networks import Finder
from companion.vision.picture import grey
from companion.vision.pipeline.frame import Look, together
from companion.vision.pipeline.occluded_letters import RED, filled, looked_through
from companion.vision.pipeline.second_pass import anew, better_sized, loosely
from companion.vision.pipeline.tile_colour import STRANGE, of_one_set, other_tone
from companion.vision.pipeline.volcano_doubts import asked

SURELY = 0.5
"""A find that shows a symbol with more than this chance tells where the board is."""
PERHAPS = 0.15
"""Where too few are so sure, those with more than this chance do."""
LIKELY = 0.2
"""A find that is a tile with less than this chance is dropped."""
SHOWN = 0.15
"""So is one beside the board that is a certain tile with less than this."""


def upon_volcano(frame: Picture, look: Look, finder: Finder, namer: SetNamer) -> Look:
    """Return a look at a whole picture with the board in it, without a board where none is certain.

    ``frame`` is the picture, blue, green, red or grey.
    """
    networks = finder, namer
    looks = ((seen, least) for seen in first_looks(frame, look, networks) for least in (SURELY, PERHAPS))
    for seen, least in looks:
        first = seen.kept(surely(seen, least))
        board = find_volcano(frame, first.finds, seen.finds)
        if board:
            break
    else:
        return replace(look, board=None)
    plane = grey(frame)
    fresh = anew(plane, first, board, networks)
    fresh = fresh.kept(likely(fresh))
    fresh = better_sized(plane, of_one_set(frame, plane, fresh, board, surely(fresh)), namer)
    fresh = fresh.kept(likely(fresh) & shown(fresh, board))
    sure, lettered = surely(fresh), surely(fresh, LIKELY)
    faces = fresh.finds.kept(lettered & ~other_tone(frame, fresh, board, sure))
    board = peopled(frame, board, fresh.finds.kept(sure), faces)
    tiles = replace(fresh, board=board).kept(no_pyramids(fresh.finds, board))
    whole = filled(frame, looked_through(frame, tiles, board, finder, namer), board, finder, namer)
    whole = whole.kept(no_pyramids(whole.finds, board) & likely(whole) & shown(whole, board))
    if lost(whole, first, board).any():
        before = of_one_set(frame, plane, first, board, board.holds(first.finds.centres))
        whole = with_lost(whole, before, board)
    return asked(whole, board)


def with_lost(look: Look, first: Look, board: Volcano) -> Look:
    """Return a look with what a ``first`` one has beside the board and this one has not, in doubt."""
    gone = first.kept(lost(look, first, board))
    finds = replace(gone.finds, scores=np.minimum(gone.finds.scores, STRANGE))
    return replace(look, finds=together(look.finds, finds), names=together(look.names, gone.names))


def lost(look: Look, first: Look, board: Volcano) -> NDArray[np.bool_]:
    """Return which finds of a ``first`` look lie beside the board and are no more in this one, (n,)."""
    finds = first.finds
    away = np.linalg.norm(finds.centres[:, None] - look.finds.centres, axis=2).min(1, initial=np.inf)
    beside = no_pyramids(finds, board) & ~board.holds(finds.centres)
    return np.asarray((away > APART * finds.sides) & beside)


def first_looks(frame: Picture, look: Look, networks: tuple[Finder, SetNamer]) -> Iterator[Look]:
    """Yield looks at a picture in which a board may show: the one given, then others."""
    yield look
    if look.scale is None:
        return
    yield loosely(grey(frame), look, networks)
    if frame.ndim == 3:
        yield loosely(np.ascontiguousarray(frame[..., RED]), look, networks)


def likely(look: Look) -> NDArray[np.bool_]:
    """Return which finds are tiles rather than not, (n,)."""
    return np.asarray(look.finds.scores * (1 - look.names.none) > LIKELY)


def shown(look: Look, board: Volcano) -> NDArray[np.bool_]:
    """Return which finds lie on the board, or beside it and show what they are, (n,)."""
    names = look.names
    face = np.where(names.bare(), names.down, names.likeliest())
    clear = look.finds.scores * (1 - names.none) * face > SHOWN
    return np.asarray(board.holds(look.finds.centres) | clear)


def surely(look: Look, least: float = SURELY) -> NDArray[np.bool_]:
    """Return which finds surely are tiles with a symbol, or with more than another chance, (n,)."""
    chance = look.finds.scores * (1 - look.names.none) * look.names.likeliest()
    return np.asarray(chance > least)
