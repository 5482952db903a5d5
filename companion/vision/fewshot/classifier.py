"""The classifier of an enrolled set's tiles, and which classifier a set needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadTileSet
from companion.model.tiles import BLANK, TileSet
from companion.vision.classifier import (
    SYMBOLS,
    TTA_OFFSETS,
    Classifier,
    ClassProbabilities,
    TrainedClassifier,
    augmented_quads,
)
from companion.vision.detector.detections import map_arrays, with_replaced
from companion.vision.fewshot.embedding import BARE, LETTERED, NONE, Embedder, TileCrops
from companion.vision.fewshot.head import Head, fit_head
from companion.vision.fewshot.sheet import Grey, read_sheet, symbol_label
from companion.vision.networks import FINE_CLASSIFIER_PATH, ClassifierNetwork

Floats = NDArray[np.float64]

CLASSIFIER_WEIGHT, SIGN_NETWORK_WEIGHT, SIMILARITY_WEIGHT, INTERCEPT = 0.5, 0.4, 0.27, 1.25
"""Logistic model of "no tile": weights of the log odds by classifier, sign network and similarity to the
examples, and intercept.  Fitted to 14,585 detections in drawn pictures of 105 families, weighted by score."""
MIN_PROBABILITY = 0.001
"""Probabilities are clipped to this before their log odds are taken."""
UNKNOWN_FACTOR = 0.6
"""Factor on a symbol's probability where the tile is unlike all examples: a doubt, but a tile."""
UNKNOWN_EXPONENT = 4
"""Exponent of the tile's own probability on that factor: a cloth's pattern is unlike all examples too."""
MIN_CONFIDENCE_WITHOUT_TTA = 0.995
"""Probability below which test-time augmentation is used: a few examples are less reliable than training."""


class FewShotClassifier:
    """Classifies the tiles of a set by a head fitted to its examples; safe to call from several threads."""

    def __init__(self, embedder: Embedder, head: Head, tile_set: TileSet) -> None:
        self._embedder, self._head = embedder, head
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._rows = [head.kinds.index(symbol) for symbol in self.symbols]
        self._bare = head.kinds.index(BLANK) if BLANK in head.kinds else None

    def classify_once(self, picture: Grey, quads: Floats) -> ClassProbabilities:
        """Return probabilities from one crop of each tile; a crop unlike all examples is hardly a tile."""
        return self._classified(picture, quads, 0.0)

    def classify(self, picture: Grey, quads: Floats) -> ClassProbabilities:
        """Return probabilities of tiles at quads (n, 4, 2) in a grey picture, tiles 14 to 60 px wide."""
        first = self._classified(picture, quads, UNKNOWN_FACTOR)
        unsure = np.flatnonzero(first.confidence() < MIN_CONFIDENCE_WITHOUT_TTA)
        if len(unsure):
            more = [
                self._classified(picture, augmented_quads(quads[unsure], nudge), UNKNOWN_FACTOR)
                for nudge in TTA_OFFSETS
            ]
            mean = map_arrays(lambda *looks: np.mean(looks, 0), first.kept(unsure), *more)
            first = with_replaced(first, unsure, mean)
        return first

    def _classified(self, picture: Grey, quads: Floats, stranger: float) -> ClassProbabilities:
        """Return probabilities; ``stranger`` is the factor on a symbol unlike all examples.

        The networks distinguish tile, blank and background, with less weight the more similar an example is;
        the symbol depends on the examples alone.
        """
        strokes, signs, views = self._embedder.embed(TileCrops.of(picture, quads))
        chance, known = self._head.symbol_probabilities(views)
        none, bare = background_probability(strokes, signs, known), blank_probability(strokes, signs)
        floor = stranger * (1 - none) ** UNKNOWN_EXPONENT
        share = (1 - none) * (floor + (1 - floor) * known)
        if self._bare is not None:
            bare = known * chance[:, self._bare].sum(1) + (1 - known) * bare
        else:
            share = share * (1 - bare)
        own = chance[:, self._rows] * share[:, None, None]
        down = (1 - none) * bare
        return ClassProbabilities(self.symbols, own, down, none)


def background_probability(strokes: Floats, signs: Floats, known: Floats) -> Floats:
    """Return the probability that there is no tile, (n,), by the fitted logistic model.

    ``strokes`` and ``signs`` (n, 3) are the states' probabilities as ``Embedder.embed`` returns them, and
    ``known`` (n,) the degree, 0 to 1, to which each is similar to an example.
    """
    against = (
        CLASSIFIER_WEIGHT * log_odds(strokes[:, NONE])
        + SIGN_NETWORK_WEIGHT * log_odds(signs[:, NONE])
        - SIMILARITY_WEIGHT * log_odds(known)
        - INTERCEPT
    )
    return np.asarray(1 / (1 + np.exp(-against)))


def blank_probability(strokes: Floats, signs: Floats) -> Floats:
    """Return the probability of a blank where there is a tile, (n,): the networks' geometric mean."""
    both = np.sqrt(np.clip(strokes, MIN_PROBABILITY, 1) * np.clip(signs, MIN_PROBABILITY, 1))
    bare, lettered = both[:, BARE], both[:, LETTERED]
    return np.asarray(bare / (bare + lettered))


def log_odds(chance: Floats, least: float = MIN_PROBABILITY) -> Floats:
    """Return the log odds of probabilities, (n,), that are clipped to ``least`` and its complement."""
    some = np.clip(chance, least, 1 - least)
    return np.asarray(np.log(some / (1 - some)))


def classifier_for(tile_set: TileSet) -> Classifier:
    """Return the classifier of a set: the trained one, or one fitted to its own examples.

    Raises
    ------
    BadTileSet
        Where a symbol has no examples, or the pictures of the set cannot be read.
    """
    if tile_set.looks is None:
        if strange := [symbol for symbol in tile_set.symbols if symbol and symbol not in SYMBOLS]:
            raise BadTileSet(
                f"tile set {tile_set.name!r}: the reader does not know {' '.join(strange)}; "
                f"it knows {' '.join(SYMBOLS)}, and others once they are enrolled (companion enrol)"
            )
        return TrainedClassifier(ClassifierNetwork(), ClassifierNetwork(FINE_CLASSIFIER_PATH), tile_set)
    examples = read_sheet(tile_set.looks)
    if lacking := [symbol for symbol in tile_set.symbols if symbol and symbol not in examples.kinds]:
        raise BadTileSet(
            f"tile set {tile_set.name!r}: {tile_set.looks.name} does not show "
            f"{' '.join(map(symbol_label, lacking))}; enrol the set again with them"
        )
    embedder = Embedder()
    head, _ = fit_head(embedder, examples)
    return FewShotClassifier(embedder, head, tile_set)
