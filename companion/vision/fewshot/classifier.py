"""The classifier of an enrolled set's tiles, and which classifier a set needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadTileSet
from companion.model.tiles import BLANK, TileSet
from companion.vision.classifier.alphabet import SYMBOLS
from companion.vision.classifier.crops import TTA_OFFSETS, augmented_quads, crops
from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, TrainedClassifier
from companion.vision.fewshot.embedding import BARE, CROP, LETTERED, NONE, TILE, Cut, Embedder
from companion.vision.fewshot.head import Head, fit_head
from companion.vision.fewshot.sheet import Grey, named, read
from companion.vision.networks import FINE_CLASSIFIER, ClassifierNetwork
from companion.vision.pipeline.contrast import (
    brightness_ratio,
    matches_surface,
    rim_brightness,
    side_vectors,
)
from companion.vision.pipeline.frame import map_arrays, with_replaced

Floats = NDArray[np.float64]

Quads = NDArray[np.float64]

STROKES, SIGNS, KNOWN, RARELY = 0.5, 0.4, 0.27, 1.25
"""Logistic model of "no tile": weights of the log odds by classifier, sign network and similarity to the
examples, and intercept.  Fitted to 14,585 detections in drawn pictures of 105 families, weighted by score."""
LEAST = 0.001
"""Probabilities are clipped to this before their log odds are taken."""
STRANGER = 0.6
"""Factor on a symbol's probability where the tile is like no example: a doubt, but a tile."""
SURELY = 4
"""Power of the tile's own probability on that factor: a cloth's pattern is like no example either."""
SURER = 0.995
"""Probability below which test-time augmentation is used: a few examples tell less than training."""
DARKEST = 0.87
"""Least brightness of a blank face against the nearest lettered ones; at most it is the inverse."""
BURNT, FAINT, FAINT_SHARE = 253, 170, 1
"""Grey levels of an overexposed face, and of ink that hardly shows on it; and the percentile that is ink."""
BURNT_TELLS = 0.8
"""Factor on every probability of an overexposed tile."""
OTHER_PLASTIC = 0.8
"""Factor on a blank of another brightness, or of the table's: a gap between tiles may look like a face."""
LEAN, OTHERWISE, LEANING_TELLS = 0.26, 0.5, 0.8
"""Rotation in radians, least probability of another symbol so rotated, and the factor then: handwriting
leans, and a slash may look like a one."""

MANY, SUREST, WILD_TELLS = 20, 0.97, 0.85
"""Where so many detections, and most, may be tiles but show no symbol, a cloth's pattern is among them: the
probability below which a tile is then doubted, and the factor on it."""


class FewShotClassifier:
    """Classifies the tiles of a set by a head fitted to its examples; safe to call from several threads."""

    def __init__(self, embedder: Embedder, head: Head, tile_set: TileSet) -> None:
        self._embedder, self._head = embedder, head
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._rows = [head.kinds.index(symbol) for symbol in self.symbols]
        self._bare = head.kinds.index(BLANK) if BLANK in head.kinds else None

    def classify_once(self, picture: Grey, quads: Quads) -> ClassProbabilities:
        """Return probabilities from one crop of each tile; what is like no example is hardly a tile."""
        return self._classified(picture, quads, 0.0)

    def classify(self, picture: Grey, quads: Quads) -> ClassProbabilities:
        """Return probabilities of tiles at quads (n, 4, 2) in a grey picture, tiles 14 to 60 px broad."""
        first = self._classified(picture, quads, STRANGER)
        if not len(quads):
            return first
        sure = np.maximum.reduce([first.p_best_symbol(), first.p_blank, first.p_background])
        unsure = np.flatnonzero(sure < SURER)
        if len(unsure):
            more = [
                self._classified(picture, augmented_quads(quads[unsure], *nudge), STRANGER)
                for nudge in TTA_OFFSETS
            ]
            mean = map_arrays(lambda *looks: np.mean(looks, 0), first.kept(unsure), *more)
            first = with_replaced(first, unsure, mean)
        overexposed = np.flatnonzero(is_overexposed(picture, quads))
        if len(overexposed):
            stretched = self._classified(stretch_contrast(picture), quads[overexposed], STRANGER)
            first = with_replaced(first, overexposed, stretched)
        bare = first.p_blank > 0.5
        gap = has_other_brightness(picture, quads, bare) | matches_surface(picture, quads, bare)
        first.p_blank[:] *= np.where(gap, OTHER_PLASTIC, 1.0)
        first.p_symbol[self._is_leaning(picture, quads, first)] *= LEANING_TELLS
        first.p_symbol[is_among_pattern(first)] *= WILD_TELLS
        first.p_blank[overexposed] *= BURNT_TELLS
        first.p_symbol[overexposed] *= BURNT_TELLS
        return first

    def _is_leaning(
        self, picture: Grey, quads: Quads, probabilities: ClassProbabilities
    ) -> NDArray[np.bool_]:
        """Return which tiles may show another symbol, written leaning, (n,)."""
        told, own = np.zeros(len(quads), bool), probabilities.p_symbol.sum(2).argmax(1)
        for way in (-LEAN, LEAN):
            other = self._classified(picture, rotated_quads(quads, way), STRANGER).p_symbol.sum(2)
            other[np.arange(len(own)), own] = 0.0
            told |= other.max(1) > OTHERWISE
        return told

    def _classified(self, picture: Grey, quads: Quads, stranger: float) -> ClassProbabilities:
        """Return probabilities; ``stranger`` is the factor on a symbol that is like no example.

        The networks tell what is a tile and what a blank, less so the better the examples know it; the
        examples alone tell which symbol it is.
        """
        count = len(self.symbols)
        if not len(quads):
            nothing = np.zeros(0)
            return ClassProbabilities(self.symbols, np.zeros((0, count, 4)), nothing, nothing, nothing)
        strokes, signs, views = self._embedder.embed(Cut.of(picture, quads))
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


def background_probability(strokes: Floats, signs: Floats, known: Floats) -> Floats:
    """Return the probability that there is no tile, (n,), by the fitted logistic model.

    ``strokes`` and ``signs`` (n, 3) are the states' probabilities as ``Embedder.embed`` returns them, and
    ``known`` (n,) how far the examples know what is seen, 0 to 1.
    """
    against = (
        STROKES * log_odds(strokes[:, NONE])
        + SIGNS * log_odds(signs[:, NONE])
        - KNOWN * log_odds(known)
        - RARELY
    )
    return np.asarray(1 / (1 + np.exp(-against)))


def blank_probability(strokes: Floats, signs: Floats) -> Floats:
    """Return the probability of a blank where there is a tile, (n,): the networks' geometric mean."""
    bare, lettered = (
        np.sqrt(np.clip(strokes[:, k], LEAST, 1) * np.clip(signs[:, k], LEAST, 1)) for k in (BARE, LETTERED)
    )
    return np.asarray(bare / (bare + lettered))


def log_odds(chance: Floats) -> Floats:
    """Return the log odds of probabilities, (n,)."""
    some = np.clip(chance, LEAST, 1 - LEAST)
    return np.asarray(np.log(some / (1 - some)))


def is_among_pattern(probabilities: ClassProbabilities) -> NDArray[np.bool_]:
    """Return which symbols may be a cloth's pattern, as most detections look like none, (n,)."""
    sure, bare = probabilities.p_best_symbol(), probabilities.p_blank > 0.5
    vague = ((sure < 0.5) & ~bare & (probabilities.p_background < 0.5)).sum()
    wild = vague >= MANY and vague > ((sure > SUREST) | bare).sum()
    return np.asarray(wild & (sure < SUREST))


def rotated_quads(quads: Quads, way: float) -> Quads:
    """Return quads, (n, 4, 2), rotated clockwise by so many radians about their middles."""
    middle = quads.mean(1, keepdims=True)
    c, s = np.cos(way), np.sin(way)
    return np.asarray((quads - middle) @ np.array([[c, s], [-s, c]]) + middle)


def is_overexposed(picture: Grey, quads: Quads) -> NDArray[np.bool_]:
    """Return which tiles are so bright that their ink may not show, or not all of it, (n,)."""
    inner = inner_crops(picture, quads)
    faint = np.percentile(inner, FAINT_SHARE, axis=(1, 2)) > FAINT
    return np.asarray(faint & (np.median(inner, axis=(1, 2)) >= BURNT))


def stretch_contrast(picture: Grey) -> Grey:
    """Return a picture with its brightest grey levels stretched: faint ink on burnt faces gets black."""
    return 255 - np.minimum(255 - picture, 255 - FAINT) * (255 // (255 - FAINT))


def has_other_brightness(picture: Grey, quads: Quads, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blanks are much darker or brighter than the lettered tiles near them, (n,)."""
    lettered = np.flatnonzero(~bare)
    if not bare.any() or not len(lettered):
        return np.zeros(len(quads), bool)
    middles = quads.mean(1)
    ratio = brightness_ratio(rim_brightness(picture, middles, side_vectors(quads)), middles, lettered)
    return np.asarray(bare & ((ratio < DARKEST) | (ratio > 1 / DARKEST)))


def inner_crops(picture: Grey, quads: Quads) -> Grey:
    """Return the middle of each tile, uint8 (n, m, m)."""
    edge = (CROP - TILE) // 2 + TILE // 5
    return crops(picture, quads, CROP, TILE)[:, edge:-edge, edge:-edge]


def classifier_for(tile_set: TileSet) -> Classifier:
    """Return the classifier of a set: the trained one, or one fitted to its own examples.

    Raises
    ------
    BadTileSet
        Where nobody taught a symbol, or the pictures of the set cannot be read.
    """
    if tile_set.looks is None:
        if strange := [symbol for symbol in tile_set.symbols if symbol and symbol not in SYMBOLS]:
            raise BadTileSet(
                f"tile set {tile_set.name!r}: the reader does not know {' '.join(strange)}; "
                f"it knows {' '.join(SYMBOLS)}, and others once they are enrolled (companion enrol)"
            )
        return TrainedClassifier(ClassifierNetwork(), ClassifierNetwork(FINE_CLASSIFIER), tile_set)
    examples = read(tile_set.looks)
    if lacking := [symbol for symbol in tile_set.symbols if symbol and symbol not in examples.kinds]:
        raise BadTileSet(
            f"tile set {tile_set.name!r}: {tile_set.looks.name} does not show "
            f"{' '.join(map(named, lacking))}; enrol the set again with them"
        )
    embedder = Embedder()
    head, _ = fit_head(embedder, examples)
    return FewShotClassifier(embedder, head, tile_set)
