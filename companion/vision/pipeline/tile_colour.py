"""Tiles beside a Volcano board are of the same plastic or wood as those on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.grid.volcano.board import Volcano
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.pipeline.colour_model import face_colours
from companion.vision.pipeline.contrast import has_no_edge, matches_surface, similar_brightness
from companion.vision.pipeline.frame import FrameDetections

Mask = NDArray[np.bool_]

BARE = 0.25
"""A letter on the board whose colour is farther from the middle one's may lie under a pyramid."""
ALIKE, SPREAD = 0.15, 2.5
"""A tile's colour is at most so far from those on the board, and so many times as far as most of them are."""
OTHER_LIGHT = 0.25
"""A face so much brighter or darker than those on the board, in log-chroma, that is as bright as the table
around it, is likelier a print there than a tile in other light."""
PLAINLY = 0.25
"""What shows its letter so surely, and has the tiles' colour, is one in any light."""
MOST = 90
"""Percentile of those that are most of them."""
IN_A_BOX, CLEAR = 20, 0.7
"""No box has more tiles of one letter (Bananagrams has 18 of E): where a cloth shows more of it, or where it
has no edges, what is less clear than this is a print."""
STRANGE = 0.3
"""Score at most of a letter on a face of another colour: it hardly is a tile, so it is a doubt."""


def reject_other_colours(
    frame: Picture, grey: Picture, look: FrameDetections, board: Volcano, sure: Mask
) -> FrameDetections:
    """Return a look without what lies beside the board and has no edges, or another colour than those on it.

    A letter there that is ``sure``, (n,), stays in doubt, but one that ends nowhere or repeats like a pattern
    must be clear.  ``frame`` is the picture, ``grey`` the same in grey; grey alone tells how bright a face
    should be, and no more.
    """
    clear = look.detections.scores * look.probabilities.p_best_symbol()
    alike = similar_brightness(grey, look.detections, ~sure) | (clear > (PLAINLY if frame.ndim == 3 else 1))
    strange = has_other_colour(frame, look, board, sure) | matches_cloth(frame, grey, look, board, sure)
    beside = ~board.holds(look.detections.centres)
    printed = has_no_edge(frame, look.detections.quads(), beside)
    shown = look.probabilities.p_best_symbol() > look.probabilities.p_blank
    printed |= patterned(look.probabilities, beside & shown)
    strange |= printed
    scores = np.minimum(look.detections.scores, np.where(beside & strange, STRANGE, 1.0))
    detections = replace(look.detections, scores=scores)
    return replace(look, detections=detections).kept(
        ~beside | (sure & ~(printed & (clear < CLEAR))) | (alike & ~strange)
    )


def patterned(probabilities: ClassProbabilities, beside: Mask) -> Mask:
    """Return which detections show a symbol that more ``beside`` the board show than a box has, (n,)."""
    best = probabilities.p_symbol.sum(2).argmax(1)
    often = np.bincount(best[beside], minlength=len(probabilities.symbols)) > IN_A_BOX
    return np.asarray(often[best])


def has_other_colour(frame: Picture, look: FrameDetections, board: Volcano, sure: Mask | None = None) -> Mask:
    """Return which faces have another tone than the letters that lie open on the board, (n,).

    ``sure``, (n,), are those that surely show a letter, by default all; grey tells nothing.
    """
    known = board.holds(look.detections.centres) & (True if sure is None else sure)
    if frame.ndim == 2 or not known.any():
        return np.zeros(len(known), np.bool_)
    tones = face_colours(frame, look.detections.centres, look.detections.vectors())[:, 1:]
    away = np.linalg.norm(tones - np.median(tones[known], 0), axis=1)
    bare = known & (away < BARE)
    away = np.linalg.norm(tones - np.median(tones[bare if bare.any() else known], 0), axis=1)
    return np.asarray(away > max(ALIKE, SPREAD * float(np.percentile(away[bare], MOST) if bare.any() else 0)))


def matches_cloth(frame: Picture, grey: Picture, look: FrameDetections, board: Volcano, sure: Mask) -> Mask:
    """Return which detections beside the board are as bright as the table, unlike the tiles on it, (n,)."""
    on = board.holds(look.detections.centres)
    if not (on & sure).any():
        return np.zeros(len(on), np.bool_)
    shade = face_colours(frame, look.detections.centres, look.detections.vectors())[:, 0]
    other = np.abs(shade - np.median(shade[on & sure])) > OTHER_LIGHT
    return matches_surface(grey, look.detections.quads(), ~on & other)
