"""What lies on each found tile: how likely each symbol in each quarter turn is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.vision.classifier.alphabet import (
    BACKGROUND,
    BLANK_FACE,
    CLASSES,
    INDEX,
    ROUND,
    class_table,
    homoglyph_shares,
    share_table,
)
from companion.vision.classifier.crops import FINE_CROP, SIDE, TILE, TTA_OFFSETS, augmented_quads, crops
from companion.vision.detector.detections import Detections, halved
from companion.vision.networks import ClassifierNetwork, softmax

CROP = SIDE, TILE
IS_SYMBOL = np.array([bool(one.symbol) for one in CLASSES])
"""Which classes show a symbol."""
SURE = 0.95
"""Below this it is in doubt whether a detection is a tile."""
PLAIN, PLAIN_ALIKE, ALIKE = 0.99, 0.995, frozenset("0OQDCG1IL+-/x=")
"""Least probabilities that spare a tile the fine classifier; the second is for symbols with lookalikes."""

CLOSER = 5.0
"""Weight of the fine classifier against the classifier in telling which symbol a tile shows; where they
disagree outright that still leaves a doubt."""

LEAST_OWN = 0.1
"""What the network gives to symbols that the set lacks is shared out among those it has, up to tenfold."""

LARGEST_CUT = 60.0

BLANK_THRESHOLD = 0.5
"""A tile that shows no symbol with more than this chance is bare."""


@dataclass(frozen=True, slots=True)
class ClassProbabilities:
    """How likely each symbol of the set is on each tile.

    ``symbols`` the set's symbols without blanks; ``p_symbol`` (n, symbols, 4) by
    the corner at which the symbol's own top left lies; ``p_blank`` (n,) a face without
    symbol; ``p_background`` (n,) no tile; ``p_foreign`` (n,) how much the network would
    have given to symbols that the set lacks; ``second`` what a second reader said of each
    symbol in each turn, shape as ``p_symbol``, 0 where it was not asked or had nothing to say.
    """

    symbols: tuple[str, ...]
    p_symbol: NDArray[np.float64]
    p_blank: NDArray[np.float64]
    p_background: NDArray[np.float64]
    p_foreign: NDArray[np.float64]
    second: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0, 4)))

    def __post_init__(self) -> None:
        if self.second.shape != self.p_symbol.shape:
            object.__setattr__(self, "second", np.zeros(self.p_symbol.shape))

    def p_best_symbol(self) -> NDArray[np.float64]:
        """Return the chance of the likeliest symbol in any turn, (n,)."""
        return np.asarray(self.p_symbol.sum(2).max(1, initial=0.0))

    def is_blank(self) -> NDArray[np.bool_]:
        """Return which tiles rather show no symbol than one, (n,), if they are tiles at all."""
        return np.asarray(self.p_blank > BLANK_THRESHOLD * (1 - self.p_background))

    def kept(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> ClassProbabilities:
        """Return the names of some of the tiles."""
        some = (
            part[keep]
            for part in (self.p_symbol, self.p_blank, self.p_background, self.p_foreign, self.second)
        )
        return ClassProbabilities(self.symbols, *some)

    def turned(self, way: NDArray[np.float64]) -> ClassProbabilities:
        """Return the names with their corners counted in frames turned by about so many radians, (n,)."""
        quarters = np.round(way / (np.pi / 2)).astype(int)
        turn = (np.arange(4)[None] + quarters[:, None]) % 4
        chance, second = (np.take_along_axis(said, turn[:, None], 2) for said in (self.p_symbol, self.second))
        return replace(self, p_symbol=chance, second=second)


class Classifier(Protocol):
    """Names the tiles of one set, whose ``symbols`` are those without the blank."""

    symbols: tuple[str, ...]

    def classify_once(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        """Return the names of tiles after one look at each."""

    def classify(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        """Return the names of tiles outlined in a picture where a tile is 14 to 60 pixels broad."""


class TrainedClassifier:
    """Names the tiles of a set whose symbols the networks were trained on.

    ``classifier`` looks at every tile, ``fine_classifier`` closely at those that are hard to tell.
    """

    def __init__(
        self, classifier: ClassifierNetwork, fine_classifier: ClassifierNetwork, tile_set: TileSet
    ) -> None:
        self._classifier, self._fine_classifier = classifier, fine_classifier
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._classes, self._shares = class_table(self.symbols), share_table(self.symbols)
        self._twins, self._twin_shares = homoglyph_shares(self.symbols)
        self._round = [k for k, symbol in enumerate(self.symbols) if symbol in ROUND]
        self._alike = np.array([klass.symbol in ALIKE for klass in CLASSES])

    def classify_once(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        """Return the names of tiles after one look at each."""
        return self._split(class_probabilities(self._classifier, picture, quads, CROP))

    def classify(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        """Return the names of tiles outlined in a picture where a tile is 14 to 60 pixels broad."""
        chances = self._looked(picture, quads)
        bound = np.where(self._alike[chances.argmax(1)], PLAIN_ALIKE, PLAIN)
        hard = np.flatnonzero(self._best(chances) < bound)
        if len(hard):
            closely = class_probabilities(self._fine_classifier, picture, quads[hard], FINE_CROP)
            chances[hard] = fused_probabilities(chances[hard], closely)
        return self._split(chances)

    def _looked(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of every class, (n, classes); what may be no tile is seen in moved crops too."""
        chances = class_probabilities(self._classifier, picture, quads, CROP)
        none = chances[:, INDEX[BACKGROUND]]
        vague = np.flatnonzero((none > 1 - SURE) & (self._best(chances) < SURE))
        if len(vague):
            more = [
                class_probabilities(self._classifier, picture, augmented_quads(quads[vague], *nudge), CROP)
                for nudge in TTA_OFFSETS
            ]
            chances[vague] = np.mean([chances[vague], *more], 0)
        return chances

    def _best(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of the likeliest answer of each tile, (n,)."""
        probabilities = self._split(chances)
        return np.asarray(
            np.maximum.reduce(
                [probabilities.p_best_symbol(), probabilities.p_blank, probabilities.p_background]
            )
        )

    def _split(self, chances: NDArray[np.float64]) -> ClassProbabilities:
        """Return class chances as chances of the set's symbols and turns."""
        by_turn = chances[:, self._classes] * self._shares + chances[:, self._twins] * self._twin_shares
        by_turn[:, self._round] = by_turn[:, self._round].mean(2, keepdims=True)
        down, none = chances[:, INDEX[BLANK_FACE]], chances[:, INDEX[BACKGROUND]]
        foreign = np.clip(1 - by_turn.sum((1, 2)) - down - none, 0, 1)
        own = np.maximum(1 - foreign, LEAST_OWN)
        return ClassProbabilities(self.symbols, by_turn / own[:, None, None], down / own, none / own, foreign)


def class_probabilities(
    network: ClassifierNetwork, picture: NDArray[np.uint8], quads: NDArray[np.float64], size: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the chance of every class after one look at each tile, (n, classes), in crops of a size."""
    return softmax(network.logits(crops(picture, quads, *size)))


def fused_probabilities(
    classifier: NDArray[np.float64], fine_classifier: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return probabilities, (n, classes): whether by the classifier, which symbol mostly by the fine one."""
    both = np.where(IS_SYMBOL, CLOSER * fine_classifier + classifier, 0.0)
    share = np.where(IS_SYMBOL, classifier, 0.0).sum(1, keepdims=True) / both.sum(1, keepdims=True)
    return np.where(IS_SYMBOL, both * share, classifier)


def crop_source(
    frame: NDArray[np.uint8], detections: Detections
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return the picture to crop them from, halved until tiles are small enough, and their quads in it."""
    quads = detections.quads()
    side = float(np.median(detections.sides)) if len(detections) else 1.0
    times = max(0, int(np.log2(2 * side / LARGEST_CUT)))
    return halved(frame, times), (quads + 0.5) / 2**times - 0.5
