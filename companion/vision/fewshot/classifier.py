"""What lies on the tiles of a set of one's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.model.tiles import BLANK, TileSet
from companion.vision.classifier.crops import TTA_OFFSETS, augmented_quads, crops
from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.fewshot.embedding import Cut, Embedder
from companion.vision.fewshot.head import Head
from companion.vision.fewshot.objectness import background_probability, blank_probability
from companion.vision.fewshot.sheet import Grey
from companion.vision.fewshot.signs import CROP, TILE
from companion.vision.pipeline.edge_contrast import matches_surface
from companion.vision.pipeline.face_brightness import brightness_ratio, rim_brightness, side_vectors
from companion.vision.pipeline.frame import map_arrays, with_replaced

Quads = NDArray[np.float64]

STRANGER = 0.6
"""What is left of a symbol's chance on a tile that looks like no example: a doubt, but a tile."""
SURELY = 4
"""Power of the chance that it is a tile at all, by which that counts: a cloth's pattern is strange too."""
SURER = 0.995
"""Below this a tile is looked at again through moved crops: a few examples tell less than training."""
DARKEST = 0.87
"""A bare face is at least so bright beside the nearest lettered ones, and at most the inverse."""
BURNT, FAINT, FAINT_SHARE = 253, 170, 1
"""Grey levels of a face as bright as the camera can tell, and of ink that hardly shows on it; and the darkest
per cent of a tile, which are ink if there is any."""
BURNT_TELLS = 0.8
"""What is left of every chance on a tile that is burnt out."""
OTHER_PLASTIC = 0.8
"""What is left of the chance of a bare face that is not, or that is as bright as the table beside it: a gap
between tiles may look like a face."""
LEAN, OTHERWISE, LEANING_TELLS = 0.26, 0.5, 0.8
"""Hands lean, and a slash may look like a one: a symbol is a doubt that, turned by so much, in radians, is
likelier than this another one; and what is then left of its chance."""

MANY, SUREST, WILD_TELLS = 20, 0.97, 0.85
"""Where so many detections, and most, may be tiles but look like no symbol, a cloth's pattern is among them;
what is less sure than the second is then a doubt too, of whose chance the third is left."""


class FewShotClassifier:
    """Names the tiles of a set whose examples taught a head; safe to call from several threads."""

    def __init__(self, sight: Embedder, head: Head, tile_set: TileSet) -> None:
        self._sight, self._head = sight, head
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._rows = [head.kinds.index(symbol) for symbol in self.symbols]
        self._bare = head.kinds.index(BLANK) if BLANK in head.kinds else None

    def classify_once(self, picture: Grey, quads: Quads) -> ClassProbabilities:
        """Return the names of tiles after one look at each; a stranger is hardly one."""
        return self._looked(picture, quads, 0.0)

    def classify(self, picture: Grey, quads: Quads) -> ClassProbabilities:
        """Return the names of tiles outlined in a picture where a tile is 14 to 60 pixels broad."""
        first = self._looked(picture, quads, STRANGER)
        if not len(quads):
            return first
        sure = np.maximum.reduce([first.p_best_symbol(), first.p_blank, first.p_background])
        unsure = np.flatnonzero(sure < SURER)
        if len(unsure):
            more = [
                self._looked(picture, augmented_quads(quads[unsure], *nudge), STRANGER)
                for nudge in TTA_OFFSETS
            ]
            mean = map_arrays(lambda *looks: np.mean(looks, 0), first.kept(unsure), *more)
            first = with_replaced(first, unsure, mean)
        burnt = np.flatnonzero(burnt_out(picture, quads))
        if len(burnt):
            drawn_out = self._looked(with_faint_ink(picture), quads[burnt], STRANGER)
            first = with_replaced(first, burnt, drawn_out)
        bare = first.p_blank > 0.5
        gap = other_plastic(picture, quads, bare) | matches_surface(picture, quads, bare)
        first.p_blank[:] *= np.where(gap, OTHER_PLASTIC, 1.0)
        first.p_symbol[self._leaning(picture, quads, first)] *= LEANING_TELLS
        first.p_symbol[on_wild_cloth(first)] *= WILD_TELLS
        first.p_blank[burnt] *= BURNT_TELLS
        first.p_symbol[burnt] *= BURNT_TELLS
        return first

    def _leaning(self, picture: Grey, quads: Quads, probabilities: ClassProbabilities) -> NDArray[np.bool_]:
        """Return which tiles may show another symbol that leans, (n,)."""
        told, own = np.zeros(len(quads), bool), probabilities.p_symbol.sum(2).argmax(1)
        for way in (-LEAN, LEAN):
            other = self._looked(picture, leant(quads, way), STRANGER).p_symbol.sum(2)
            other[np.arange(len(own)), own] = 0.0
            told |= other.max(1) > OTHERWISE
        return told

    def _looked(self, picture: Grey, quads: Quads, stranger: float) -> ClassProbabilities:
        """Return names after one look; ``stranger`` is left of a symbol that looks like no example.

        What is a tile and what a bare one, the networks tell, less surely the better the examples know it;
        which symbol it is, the examples alone tell.
        """
        count = len(self.symbols)
        if not len(quads):
            nothing = np.zeros(0)
            return ClassProbabilities(self.symbols, np.zeros((0, count, 4)), nothing, nothing, nothing)
        strokes, signs, views = self._sight.seen(Cut.of(picture, quads))
        chance, known = self._head.symbol_probabilities(views)
        none, bare = background_probability(strokes, signs, known), blank_probability(strokes, signs)
        floor = stranger * (1 - none) ** SURELY
        share = (1 - none) * (floor + (1 - floor) * known)
        if self._bare is not None:
            bare = known * chance[:, self._bare].sum(1) + (1 - known) * bare
        else:
            share = share * (1 - bare)
        own = chance[:, self._rows] * share[:, None, None]
        down = (1 - none) * bare
        foreign = np.clip(1 - none - down - own.sum((1, 2)), 0, 1)
        return ClassProbabilities(self.symbols, own, down, none, foreign)


def on_wild_cloth(probabilities: ClassProbabilities) -> NDArray[np.bool_]:
    """Return which symbols may be a cloth's pattern, as most of what is seen looks like none, (n,)."""
    sure, bare = probabilities.p_best_symbol(), probabilities.p_blank > 0.5
    vague = ((sure < 0.5) & ~bare & (probabilities.p_background < 0.5)).sum()
    wild = vague >= MANY and vague > ((sure > SUREST) | bare).sum()
    return np.asarray(wild & (sure < SUREST))


def leant(quads: Quads, way: float) -> Quads:
    """Return outlines, (n, 4, 2), turned clockwise by so many radians."""
    middle = quads.mean(1, keepdims=True)
    c, s = np.cos(way), np.sin(way)
    return np.asarray((quads - middle) @ np.array([[c, s], [-s, c]]) + middle)


def burnt_out(picture: Grey, quads: Quads) -> NDArray[np.bool_]:
    """Return which tiles are so bright that what is on them may not show, or not all of it, (n,)."""
    inner = insides(picture, quads)
    faint = np.percentile(inner, FAINT_SHARE, axis=(1, 2)) > FAINT
    return np.asarray(faint & (np.median(inner, axis=(1, 2)) >= BURNT))


def with_faint_ink(picture: Grey) -> Grey:
    """Return a picture in which faint ink on a burnt face is as black as it can be."""
    return 255 - np.minimum(255 - picture, 255 - FAINT) * (255 // (255 - FAINT))


def other_plastic(picture: Grey, quads: Quads, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which bare faces are much darker or brighter than the lettered ones near them, (n,)."""
    lettered = np.flatnonzero(~bare)
    if not bare.any() or not len(lettered):
        return np.zeros(len(quads), bool)
    middles = quads.mean(1)
    ratio = brightness_ratio(rim_brightness(picture, middles, side_vectors(quads)), middles, lettered)
    return np.asarray(bare & ((ratio < DARKEST) | (ratio > 1 / DARKEST)))


def insides(picture: Grey, quads: Quads) -> Grey:
    """Return the middle of each tile, uint8 (n, m, m)."""
    edge = (CROP - TILE) // 2 + TILE // 5
    return crops(picture, quads, CROP, TILE)[:, edge:-edge, edge:-edge]
