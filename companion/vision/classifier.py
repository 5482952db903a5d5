"""Classification of detected tiles: classes, crops, and the probability of each symbol in each turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.vision.camera_frame import ImagePyramid, halved
from companion.vision.detector.detections import Detections
from companion.vision.networks import ClassifierNetwork, softmax

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

LATIN = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
ACCENTED = tuple("ÄÖÜÅÆØÑÇÉÕÓŠŽČĆŁŚŃŻŹĘĄ")
SIGNS = ("0", "1", "=", "+", "-", "x", "/", "AND", "OR", "NOT", "XOR")
SYMBOLS = LATIN + ACCENTED + SIGNS

HALF_TURN_SYMMETRIC = frozenset("HINOSXZØÖ0-/=x") - {"Ö"}
"""Symbols that look alike upside down."""

QUARTER_TURN_SYMMETRIC = frozenset("+x")
"""Symbols that look alike after a quarter turn."""

ROTATION_INVARIANT = frozenset("O")
"""Symbols without a visible rotation: some are drawn as circles."""

HOMOGLYPHS = {"O": "0", "0": "O"}
"""A letter and a digit that are printed alike; no set has both."""


def turns(symbol: str) -> int:
    """Return how many of a symbol's four quarter turns are distinguishable: 1, 2 or 4."""
    return 1 if symbol in QUARTER_TURN_SYMMETRIC else 2 if symbol in HALF_TURN_SYMMETRIC else 4


class Class(NamedTuple):
    """One class of the network: a symbol and its turn, or no symbol.

    ``turn`` is the corner of the crop, 0 to 3 clockwise from the top left, at which
    the symbol's own top left lies.
    """

    symbol: str | None
    turn: int


BLANK_FACE = Class("", 0)
BACKGROUND = Class(None, 0)

CLASSES: tuple[Class, ...] = (
    *(Class(symbol, turn) for symbol in SYMBOLS for turn in range(turns(symbol))),
    BLANK_FACE,
    BACKGROUND,
)
CLASS_INDEX = {klass: k for k, klass in enumerate(CLASSES)}


def class_of(symbol: str | None, turn: int) -> int:
    """Return the index of the class of a symbol in a turn; ``""`` is a bare face, ``None`` no tile."""
    if not symbol:
        return CLASS_INDEX[BLANK_FACE if symbol == "" else BACKGROUND]
    return CLASS_INDEX[Class(symbol, turn % turns(symbol))]


def class_shares(symbols: tuple[str, ...]) -> tuple[NDArray[np.intp], Floats]:
    """Return the class of each symbol in each quarter turn, and its share of that class, (symbols, 4) each.

    Turns that look alike share a class.
    """
    classes = [class_of(symbol, turn) for symbol in symbols for turn in range(4)]
    shares = np.repeat([turns(symbol) / 4 for symbol in symbols], 4)
    return np.array(classes, np.intp).reshape(-1, 4), shares.reshape(-1, 4)


CROP = (32, 28)
"""Side of the classifier's crops, and of the tile in their middle, in pixels."""
FINE_CROP = (48, 36)
"""Side of the fine classifier's crops, and of the tile in their middle, in pixels."""
TTA_OFFSETS = (
    (0.06, 0.0, 1.0),
    (-0.06, 0.0, 1.0),
    (0.0, 0.06, 1.0),
    (0.0, -0.06, 1.0),
    (0.0, 0.0, 1.09),
    (0.0, 0.0, 0.92),
)
"""Test-time augmentation: offsets right and down, in tile sides, and scale."""


def crops(frame: Grey, quads: Floats, side: int = CROP[0], tile: int = CROP[1]) -> Grey:
    """Return rectified crops, uint8 (n, side, side), of tiles that are ``tile`` pixels wide in their middle.

    ``frame`` is grey, (h, w), a tile in it 14 to 60 pixels wide: larger ones would alias, so shrink the
    picture first.  ``quads`` (n, 4, 2) are corners in pixels, clockwise from the crop's top left.
    """
    middle = frame_of(side, tile).astype(np.float32)
    out = np.empty((len(quads), side, side), np.uint8)
    for k, quad in enumerate(np.ascontiguousarray(quads, np.float32)):
        matrix = cv2.getPerspectiveTransform(quad, middle)
        cv2.warpPerspective(frame, matrix, (side, side), dst=out[k], borderMode=cv2.BORDER_REPLICATE)
    return out


def frame_of(side: int, tile: int) -> Floats:
    """Return the corners of a tile in the middle of its crop, clockwise from the top left, (4, 2)."""
    return np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float) * tile + (side - tile) / 2 - 0.5


def augmented_quads(quads: Floats, *offsets: tuple[float, float, float]) -> Floats:
    """Return quads, (n, 4, 2), moved by each of k offsets, as in ``TTA_OFFSETS``, in turn: (k n, 4, 2)."""
    right, down, scale = np.reshape(np.transpose(offsets), (3, -1, 1, 1, 1))
    middle = quads.mean(1, keepdims=True)
    u, v = quads[:, [1]] - quads[:, [0]], quads[:, [3]] - quads[:, [0]]
    return np.asarray((quads - middle) * scale + middle + (right * u + down * v)).reshape(-1, 4, 2)


IS_SYMBOL = np.array([bool(one.symbol) for one in CLASSES])
"""Mask of the classes with a symbol, (classes,)."""
MIN_CONFIDENCE_WITHOUT_TTA = 0.95
"""Least probability of a tile, or of its best class, at which test-time augmentation is skipped."""
MIN_CONFIDENCE_WITHOUT_FINE = 0.99
"""Least probability at which the fine classifier is skipped."""

FINE_CLASSIFIER_WEIGHT = 5.0
"""Weight of the fine classifier relative to the classifier for a tile's symbol; strong disagreement still
leaves a doubt.
"""

P_FOREIGN_SYMBOL = 0.1
"""Probability of a symbol that the set lacks, relative to one that it has, before a tile is seen.

That people name another set than lies there stands in no drawn data.  With 0.03 and 0.05 two and one of 115
such letters in photographs stayed sure, with 0.1 none; more doubts letters of the right set.
"""

MAX_CROP_SOURCE_PX = 60.0
"""Largest width of a cropped tile, in pixels; above, the picture is halved first, as crops would alias."""

EPSILON = 1e-9
"""Least divisor, which keeps quotients finite."""

LIKELY = 0.5
"""Probability above which something is likelier than not."""

MIN_P_EVIDENCE = 0.01
"""Least probability of a symbol, and of none, whose logarithm counts as evidence."""


@dataclass(frozen=True, slots=True)
class ClassProbabilities:
    """The probabilities of the set's symbols on n tiles, float64.

    ``symbols`` are the set's, without blanks; ``p_symbol`` (n, symbols, 4) by the corner at which the
    symbol's own top left lies, 0 to 3 clockwise; ``p_blank`` (n,) of a face without symbol; ``p_background``
    (n,) of no tile; ``second`` the second reader's probabilities, shape as ``p_symbol``, 0 without an answer.
    """

    symbols: tuple[str, ...]
    p_symbol: Floats
    p_blank: Floats
    p_background: Floats
    second: Floats = field(default_factory=lambda: np.zeros((0, 0, 4)))

    def __post_init__(self) -> None:
        if self.second.shape != self.p_symbol.shape:
            object.__setattr__(self, "second", np.zeros(self.p_symbol.shape))

    def p_best_symbol(self) -> Floats:
        """Return the probability of the likeliest symbol in any turn, (n,)."""
        return np.asarray(self.p_symbol.sum(2).max(1, initial=0.0))

    def p_best_face(self) -> Floats:
        """Return the probability of the likeliest symbol or of a face without one, (n,)."""
        return np.maximum(self.p_best_symbol(), self.p_blank)

    def confidence(self) -> Floats:
        """Return the probability of the likeliest answer: a symbol, a face without one or no tile, (n,)."""
        return np.maximum(self.p_best_face(), self.p_background)

    def is_blank(self) -> NDArray[np.bool_]:
        """Return which tiles show no symbol, (n,), given that they are tiles."""
        return np.asarray(self.p_blank > LIKELY * (1 - self.p_background))

    def is_vague(self) -> NDArray[np.bool_]:
        """Return which tiles are blank or have no symbol that is likelier than not, (n,)."""
        return np.asarray(self.is_blank() | (self.p_best_symbol() < LIKELY))

    def kept(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> ClassProbabilities:
        """Return the probabilities of some of the tiles."""
        parts = self.p_symbol, self.p_blank, self.p_background, self.second
        return ClassProbabilities(self.symbols, *(part[keep] for part in parts))

    def rotated(self, radians: Floats) -> ClassProbabilities:
        """Return probabilities with corners counted in frames rotated by about ``radians``, (n,)."""
        quarters = np.round(radians / (np.pi / 2)).astype(int)
        turn = (np.arange(4) + quarters[:, None, None]) % 4
        p_symbol, second = (np.take_along_axis(part, turn, 2) for part in (self.p_symbol, self.second))
        return replace(self, p_symbol=p_symbol, second=second)


def p_tile(detections: Detections, probabilities: ClassProbabilities) -> Floats:
    """Return the probability that each detection is a tile, by detector and classifier, (n,)."""
    return detections.scores * (1 - probabilities.p_background)


class Classifier(Protocol):
    """Classifies tiles of one set, whose ``symbols`` are those without the blank."""

    symbols: tuple[str, ...]

    def classify_once(self, picture: Grey, quads: Floats) -> ClassProbabilities:
        """Return probabilities from one crop of each tile; arguments as for ``classify``."""

    def classify(self, picture: Grey, quads: Floats) -> ClassProbabilities:
        """Return the probabilities of tiles.

        ``picture`` is grey, (h, w), a tile in it 14 to 60 pixels wide; ``quads`` (n, 4, 2) are the tiles'
        corners in pixels, clockwise.
        """


class TrainedClassifier:
    """Classifies tiles of a set whose symbols the networks were trained on.

    ``classifier`` sees every tile, ``fine_classifier`` a larger crop of uncertain ones.
    """

    def __init__(
        self, classifier: ClassifierNetwork, fine_classifier: ClassifierNetwork, tile_set: TileSet
    ) -> None:
        self._classifier, self._fine_classifier = classifier, fine_classifier
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._classes, self._shares = class_shares(self.symbols)
        twins = {k: HOMOGLYPHS[symbol] for k, symbol in enumerate(self.symbols) if symbol in HOMOGLYPHS}
        self._twinned = [k for k, twin in twins.items() if twin not in self.symbols]  # counts once
        self._twins, self._twin_shares = class_shares(tuple(twins[k] for k in self._twinned))
        self._round = [k for k, symbol in enumerate(self.symbols) if symbol in ROTATION_INVARIANT]

    def classify_once(self, picture: Grey, quads: Floats) -> ClassProbabilities:
        """Return probabilities from one crop of each tile."""
        return self._of_set(class_probabilities(self._classifier, picture, quads, CROP), p_foreign=0.0)

    def classify(self, picture: Grey, quads: Floats) -> ClassProbabilities:
        """Return the probabilities of tiles, as ``Classifier`` does."""
        p_class = class_probabilities(self._classifier, picture, quads, CROP)
        vague = np.flatnonzero(p_class[:, CLASS_INDEX[BACKGROUND]] > 1 - MIN_CONFIDENCE_WITHOUT_TTA)
        vague = vague[self._of_set(p_class[vague]).confidence() < MIN_CONFIDENCE_WITHOUT_TTA]
        if len(vague):
            moved = augmented_quads(quads[vague], *TTA_OFFSETS)
            more = class_probabilities(self._classifier, picture, moved, CROP)
            p_class[vague] = np.mean([p_class[vague], *np.split(more, len(TTA_OFFSETS))], 0)
        hard = self._of_set(p_class).confidence() < MIN_CONFIDENCE_WITHOUT_FINE
        if hard.any():
            fine = class_probabilities(self._fine_classifier, picture, quads[hard], FINE_CROP)
            p_class[hard] = fused_probabilities(p_class[hard], fine)
        return self._of_set(p_class)

    def _of_set(self, p_class: Floats, p_foreign: float = P_FOREIGN_SYMBOL) -> ClassProbabilities:
        """Return class probabilities, (n, classes), as those of the set's symbols and turns.

        What the network takes for a symbol that the set lacks counts ``p_foreign`` times: with 0, as in a
        search, it counts for the set's likeliest symbol.
        """
        by_turn = p_class[:, self._classes] * self._shares
        by_turn[:, self._twinned] += p_class[:, self._twins] * self._twin_shares
        by_turn[:, self._round] = by_turn[:, self._round].mean(2, keepdims=True)
        blank, background = p_class[:, CLASS_INDEX[BLANK_FACE]], p_class[:, CLASS_INDEX[BACKGROUND]]
        own = np.minimum(by_turn.sum((1, 2)) + blank + background, 1)
        own += np.maximum(p_foreign * (1 - own), EPSILON)
        return ClassProbabilities(self.symbols, by_turn / own[:, None, None], blank / own, background / own)


def class_probabilities(
    network: ClassifierNetwork, picture: Grey, quads: Floats, size: tuple[int, int]
) -> Floats:
    """Return class probabilities, (n, classes), from one crop of each tile."""
    return softmax(network.logits(crops(picture, quads, *size)))


def fused_probabilities(classifier: Floats, fine_classifier: Floats) -> Floats:
    """Return probabilities, (n, classes): of any symbol by the classifier, of each by the fine one."""
    both = np.where(IS_SYMBOL, FINE_CLASSIFIER_WEIGHT * fine_classifier + classifier, 0.0)
    share = np.where(IS_SYMBOL, classifier, 0.0).sum(1, keepdims=True) / both.sum(1, keepdims=True)
    return np.where(IS_SYMBOL, both * share, classifier)


def crop_source(frame: Grey | ImagePyramid, detections: Detections) -> tuple[Grey, Floats]:
    """Return the picture for crops, halved until tiles are small enough, and the quads in it."""
    side = float(np.median(detections.sides)) if len(detections) else 1.0
    times = max(0, int(np.log2(2 * side / MAX_CROP_SOURCE_PX)))
    return halved(frame, times), (detections.quads() + 0.5) / 2**times - 0.5
