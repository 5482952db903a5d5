"""A look at a table with a Volcano board: the board, its pyramids, letters in the open and under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier
from companion.vision.detector.detections import NMS_DISTANCE, Detections
from companion.vision.detector.pyramid_occlusion import MIDDLES, covers_by
from companion.vision.grid.homography import project
from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.grid.volcano.finding import find_volcano, in_colour, peopled
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.layout.boards import is_no_pyramid, volcano_cells
from companion.vision.networks import Detector
from companion.vision.picture import grey
from companion.vision.pipeline.board_evidence import judged_beside
from companion.vision.pipeline.frame import FrameDetections, concatenated
from companion.vision.pipeline.occluded_letters import RED, fill_open_cells, read_through_pyramids
from companion.vision.pipeline.second_pass import loosely, refine_size, second_pass
from companion.vision.pipeline.tile_colour import has_other_colour
from companion.vision.pipeline.volcano_doubts import doubt_unread_cells

SURELY = 0.5
"""A detection that shows a symbol with more than this chance tells where the board is."""
PERHAPS = 0.15
"""Where too few are so sure, those with more than this chance do."""
STRANGE = 0.3
"""Score at most of what only a first look saw beside the board: a doubt."""
LIKELY = 0.2
"""A detection that is a tile with less than this chance is dropped."""
SAME_PLACE = 0.5
"""A board whose cells all lie nearer than this, in cells, to those of another is the same."""
SHOWN = 0.15
"""So is one beside the board that is a certain tile with less than this."""


def detect_on_volcano(
    frame: Picture,
    look: FrameDetections,
    networks: tuple[Detector, Classifier],
    known: Volcano | None = None,
) -> FrameDetections:
    """Return a look at a whole picture with the board in it, without a board where none is certain.

    ``frame`` is the picture, blue, green, red or grey; ``known`` the board as it was known before.
    """
    classifier = networks[1]
    looks = (
        (seen, least) for seen in initial_detections(frame, look, networks) for least in (SURELY, PERHAPS)
    )
    for seen, least in looks:
        first = seen.kept(surely(seen, least))
        board = find_volcano(frame, first.detections, seen.detections)
        if board := still_there(frame, first.detections, board, known):
            break
    else:
        return replace(look, board=None)
    plane = grey(frame)
    fresh = second_pass(plane, first, board, networks)
    fresh = fresh.kept(likely(fresh))
    fresh = judged_beside(frame, fresh, ~board.holds(fresh.detections.centres), surely(fresh))
    fresh = refine_size(plane, fresh, classifier)
    fresh = fresh.kept(likely(fresh) & shown(fresh, board))
    sure, lettered = surely(fresh), surely(fresh, LIKELY)
    faces = fresh.detections.kept(lettered & ~has_other_colour(frame, fresh, board, sure))
    board = peopled(frame, board, fresh.detections.kept(sure), faces, known.palette if known else None)
    tiles = replace(fresh, board=board).kept(is_no_pyramid(fresh.detections, board))
    whole = fill_open_cells(frame, read_through_pyramids(frame, tiles, board, networks), board, networks)
    whole = whole.kept(is_no_pyramid(whole.detections, board) & likely(whole) & shown(whole, board))
    if lost(whole, first, board).any():
        on = board.holds(first.detections.centres)
        before = judged_beside(frame, first, ~on, on)
        whole = restore_lost(whole, before, board)
    return doubt_unread_cells(whole, board, ~board.mask(board.holes))


def still_there(
    frame: Picture, tiles: Detections, found: Volcano | None, known: Volcano | None
) -> Volcano | None:
    """Return the board as found in a picture, or as known where it was found elsewhere and still lies there.

    A board that was moved by a row leaves a row of cells that show neither a letter nor a pyramid.
    """
    if known is None or known.palette is None:
        return found
    middles = project(known.homography, MIDDLES)
    if found and np.abs(found.places(middles) - MIDDLES).max() < SAME_PLACE:
        return found
    shows = covers_by(known.palette, in_colour(frame), known, tiles).tints.of >= 0
    cells, _, fits = volcano_cells(tiles, known)
    shows[cells[fits] @ (CELLS, 1)] = True
    return known if (~shows).sum() < CELLS else found


def restore_lost(look: FrameDetections, first: FrameDetections, board: Volcano) -> FrameDetections:
    """Return a look with what a ``first`` one has beside the board and this one has not, in doubt."""
    gone = first.kept(lost(look, first, board))
    detections = replace(gone.detections, scores=np.minimum(gone.detections.scores, STRANGE))
    return replace(
        look,
        detections=concatenated(look.detections, detections),
        probabilities=concatenated(look.probabilities, gone.probabilities),
    )


def lost(look: FrameDetections, first: FrameDetections, board: Volcano) -> NDArray[np.bool_]:
    """Return which detections of a ``first`` look lie beside the board and are no more in this one, (n,)."""
    detections = first.detections
    away = np.linalg.norm(detections.centres[:, None] - look.detections.centres, axis=2).min(
        1, initial=np.inf
    )
    beside = is_no_pyramid(detections, board) & ~board.holds(detections.centres)
    return np.asarray((away > NMS_DISTANCE * detections.sides) & beside)


def initial_detections(
    frame: Picture, look: FrameDetections, networks: tuple[Detector, Classifier]
) -> Iterator[FrameDetections]:
    """Yield looks at a picture in which a board may show: the one given, then others."""
    yield look
    if look.scale is None:
        return
    yield loosely(grey(frame), look, networks)
    if frame.ndim == 3:
        yield loosely(np.ascontiguousarray(frame[..., RED]), look, networks)


def likely(look: FrameDetections) -> NDArray[np.bool_]:
    """Return which detections are tiles rather than not, (n,)."""
    return np.asarray(look.detections.scores * (1 - look.probabilities.p_background) > LIKELY)


def shown(look: FrameDetections, board: Volcano) -> NDArray[np.bool_]:
    """Return which detections lie on the board, or beside it and show what they are, (n,)."""
    probabilities = look.probabilities
    face = np.where(probabilities.is_blank(), probabilities.p_blank, probabilities.p_best_symbol())
    clear = look.detections.scores * (1 - probabilities.p_background) * face > SHOWN
    return np.asarray(board.holds(look.detections.centres) | clear)


def surely(look: FrameDetections, least: float = SURELY) -> NDArray[np.bool_]:
    """Return which detections surely are tiles with a symbol, or with more than another chance, (n,)."""
    chance = (
        look.detections.scores * (1 - look.probabilities.p_background) * look.probabilities.p_best_symbol()
    )
    return np.asarray(chance > least)
