"""A nearest-prototype classifier of a set's symbols, fitted to its examples in a second or two.

For each view the features are projected on their principal components and whitened by the scatter within
classes, shrunk towards a multiple of the identity (Fisher's linear discriminant).  Squared distances to the
classes' means add up over the views; a softmax makes probabilities of them.  A tile unlike its nearest
example is unknown.  The free parameters are fitted by leaving one example out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import EPSILON
from companion.vision.fewshot.embedding import Embedder, TileCrops, Views
from companion.vision.fewshot.sheet import EXAMPLE_SIDE_PX, EXAMPLE_TILE_PX, TILE_FRAME, Examples, Grey
from companion.vision.grid.homography import unit_vectors

Floats = NDArray[np.float64]

MAX_COMPONENTS = 192
"""Largest number of principal components of the features."""
SCATTER_SHRINKAGE = 0.05
"""Shrinkage of the scatter within classes towards a multiple of the identity."""
KNOWN_STEP_WIDTH = 0.02
"""Width of the logistic step from unknown to known, in cosine similarity."""


@dataclass(frozen=True, slots=True)
class Prototypes:
    """The examples of one view.

    ``looks`` (m, d) are their projected features, of length 1; ``labels`` (m,) four times the number of the
    symbol plus the corner at which its own top left lies; ``whitening`` (d, d) makes the scatter within
    classes the identity, and ``means`` (labels, d) are the classes' means there.
    """

    looks: Floats
    labels: NDArray[np.intp]
    whitening: Floats
    means: Floats

    @classmethod
    def of(cls, at: Floats, labels: NDArray[np.intp]) -> Prototypes:
        """Return the prototypes of projected features, (m, d)."""
        counts = np.bincount(labels)
        means = np.zeros((len(counts), at.shape[1]))
        np.add.at(means, labels, at)
        means /= counts[:, None]
        inside = at - means[labels]
        scatter = inside.T @ inside / len(at)
        least = SCATTER_SHRINKAGE * np.trace(scatter) / len(scatter) + EPSILON
        whitening = np.linalg.inv(np.linalg.cholesky(scatter + least * np.eye(len(scatter)))).T
        return cls(unit_vectors(at), labels, whitening, means @ whitening)

    def distances(self, at: Floats) -> Floats:
        """Return squared distances of features, (n, d), to each symbol's mean in each turn, (n, kinds, 4)."""
        x = at @ self.whitening
        away = (x**2).sum(1)[:, None] + (self.means**2).sum(1) - 2 * x @ self.means.T
        return np.asarray(np.maximum(away, 0).reshape(len(at), len(self.means) // 4, 4))

    def likeness(self, at: Floats, kinds: NDArray[np.intp]) -> Floats:
        """Return the cosine similarity of each tile to the nearest example of one symbol, (n,)."""
        alike = unit_vectors(at) @ self.looks.T
        return np.asarray(np.where(self.labels // 4 == kinds[:, None], alike, -1).max(1, initial=-1))


@dataclass(frozen=True, slots=True)
class ViewModel:
    """The model of one view: its prototypes, and the projection of features, (n, f), to theirs, (n, d)."""

    middle: Floats
    ways: Floats
    prototypes: Prototypes

    @classmethod
    def of(cls, features: NDArray[np.float32], labels: NDArray[np.intp]) -> ViewModel:
        """Return the model of features (n, f) with labels (n,) as ``Prototypes`` has them."""
        middle, ways = principal_components(features)
        return cls(middle, ways, Prototypes.of((features - middle) @ ways, labels))

    def projected(self, features: NDArray[np.float32]) -> Floats:
        """Return projected features, (n, d)."""
        return np.asarray((features - self.middle) @ self.ways)


@dataclass(frozen=True, slots=True)
class Head:
    """The fitted classifier of a set's symbols.

    ``kinds`` are the symbols, ``""`` a blank face; ``view_models`` one for each view; ``turns`` (kinds,) the
    number of its distinguishable turns; ``sharpness`` the inverse temperature of the softmax; ``limit`` the
    cosine similarity below which a tile is unlike every example; ``confusion`` (kinds, kinds) the probability
    of each symbol, by column, on a tile classified as a row's.
    """

    kinds: tuple[str, ...]
    view_models: tuple[ViewModel, ...]
    turns: NDArray[np.int_]
    sharpness: float
    limit: float
    confusion: Floats

    def symbol_probabilities(self, views: Sequence[NDArray[np.float32]]) -> tuple[Floats, Floats]:
        """Return the probability of each symbol and turn, (n, kinds, 4), and each tile's familiarity, (n,).

        ``views`` are the features of n tiles, (n, features) each.  Probabilities add up to 1 for every tile,
        even one unlike all examples; its familiarity is 0 to 1.
        """
        seen = [
            (model.prototypes, model.projected(view))
            for model, view in zip(self.view_models, views, strict=True)
        ]
        away = np.sum([prototypes.distances(at) for prototypes, at in seen], 0)
        chance = np.einsum("nat,ab->nbt", distance_softmax(away, self.sharpness), self.confusion)
        chance = merge_equal_turns(chance, self.turns)
        best = chance.sum(2).argmax(1)
        alike = np.mean([prototypes.likeness(at, best) for prototypes, at in seen], 0)
        return chance, 1 / (1 + np.exp((self.limit - alike) / KNOWN_STEP_WIDTH))


def distance_softmax(away: Floats, sharpness: float) -> Floats:
    """Return the softmax of squared distances, (n, kinds, 4), over kinds and turns."""
    grown = np.exp(-sharpness / 2 * (away - away.min((1, 2), keepdims=True, initial=np.inf)))
    return np.asarray(grown / grown.sum((1, 2), keepdims=True))


def merge_equal_turns(chance: Floats, turns: NDArray[np.int_]) -> Floats:
    """Return probabilities (n, kinds, 4) in which indistinguishable turns share their sum."""
    half = (chance + np.roll(chance, 2, 2)) / 2
    every = np.broadcast_to(chance.mean(2, keepdims=True), chance.shape)
    which = turns[None, :, None]
    return np.where(which == 4, chance, np.where(which == 2, half, every))


def principal_components(features: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return the mean of features, (n, f), and their principal components as columns, (f, d)."""
    x = features.astype(np.float64)
    middle = x.mean(0)
    x -= middle
    wide = len(x) < x.shape[1]
    values, vectors = np.linalg.eigh(x @ x.T if wide else x.T @ x)
    values, vectors = values[::-1][:MAX_COMPONENTS], vectors[:, ::-1][:, :MAX_COMPONENTS]
    kept = values > EPSILON * max(float(values[0]), EPSILON)
    ways = vectors[:, kept]
    return middle, x.T @ ways / np.sqrt(values[kept]) if wide else ways


INVERSE_TEMPERATURES = 0.03 * 0.5 ** np.arange(0.0, 6.0)
"""Inverse temperatures tried; the one of greatest likelihood is taken."""
MIN_TURN_SHARE = 0.9
"""Least share of a symbol's probability, over its turns, at which a turn is distinguishable."""
MAX_CONFUSION = 0.2
"""Largest confusion of two symbols that count as distinguishable."""
UNKNOWN_QUANTILE = 0.03
"""Quantile of the similarity of left-out examples, below which a tile is unknown."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Left-out examples, classified by heads that were fitted without them.

    ``truth`` (n,) is the index of each one's symbol and ``corner`` (n,) that of its own top left; ``away``
    (n, kinds, 4) squared distances and ``alike`` (n,) its similarity to its own symbol; ``example`` (n,) the
    number of the example, as each is augmented several times.
    """

    truth: NDArray[np.intp]
    corner: NDArray[np.intp]
    away: Floats
    alike: Floats
    example: NDArray[np.intp]


def fit_head(embedder: Embedder, examples: Examples) -> tuple[Head, Trial]:
    """Return the head fitted to examples, and the trial of leaving each out."""
    kinds = examples.kinds
    views = embed_augmented(embedder, examples.looks)
    shows = np.array([kinds.index(symbol) for symbol in examples.symbols], np.intp)
    example = np.repeat(np.arange(len(shows)), 4 * AUGMENTED_VERSIONS)
    labels = shows[example] * 4 + np.arange(len(example)) % 4
    view_models = tuple(ViewModel.of(view, labels) for view in views)
    at = [model.projected(view) for model, view in zip(view_models, views, strict=True)]
    trial = leave_one_out(at, labels, example, shows)
    sharpness, limit = calibrate(trial)
    turns = distinguishable_turns(kinds, trial, sharpness)
    return Head(kinds, view_models, turns, sharpness, limit, confusion(trial, sharpness)), trial


def leave_one_out(
    at: Sequence[Floats], labels: NDArray[np.intp], example: NDArray[np.intp], shows: NDArray[np.intp]
) -> Trial:
    """Return distances and similarities of examples to prototypes of the others alone.

    ``at`` are for each view the projected features (n, d), ``labels`` (n,) symbol and turn of each,
    ``example`` (n,) its number, and ``shows`` (examples,) the symbol of each.  One example of every symbol
    is left out at a time.
    """
    before = np.array([int((shows[:k] == shows[k]).sum()) for k in range(len(shows))])
    away, alike = np.zeros((len(labels), int(shows.max()) + 1, 4)), np.zeros(len(labels))
    for fold in range(int(before.max()) + 1):
        out = before[example] == fold
        for some in at:
            known = Prototypes.of(some[~out], labels[~out])
            away[out] += known.distances(some[out])
            alike[out] += known.likeness(some[out], labels[out] // 4) / len(at)
    return Trial(labels // 4, labels % 4, away, alike, example)


def calibrate(trial: Trial) -> tuple[float, float]:
    """Return the likeliest inverse temperature, and the similarity below which a tile is unknown."""
    right = np.arange(len(trial.truth)), trial.truth
    likely = [distance_softmax(trial.away, one)[right].sum(1) + 1e-6 for one in INVERSE_TEMPERATURES]
    sharpness = INVERSE_TEMPERATURES[np.log(likely).mean(1).argmax()]
    return float(sharpness), float(np.quantile(trial.alike, UNKNOWN_QUANTILE))


def confusion(trial: Trial, sharpness: float) -> Floats:
    """Return the probability of each symbol, by column, on a tile classified as a row's, (kinds, kinds).

    Symbols that were confused the same way up, when they were left out, share their probability; none becomes
    likelier than the classified one.
    """
    upright = distance_softmax(trial.away, sharpness)[np.arange(len(trial.truth)), :, trial.corner]
    upright /= np.maximum(upright.sum(1, keepdims=True), 1e-12)
    read = np.array([upright[trial.truth == kind].mean(0) for kind in range(upright.shape[1])])
    alike = np.maximum(read, read.T)
    alike[alike < MAX_CONFUSION] = 0
    np.fill_diagonal(alike, 1)
    return np.asarray(alike / alike.sum(1, keepdims=True))


def distinguishable_turns(kinds: tuple[str, ...], trial: Trial, sharpness: float) -> NDArray[np.int_]:
    """Return the number of distinguishable turns of each symbol, (kinds,): 1, 2 or 4; 1 for a blank face."""
    own = distance_softmax(trial.away, sharpness)[np.arange(len(trial.truth)), trial.truth] + EPSILON
    own = np.take_along_axis(own, (trial.corner[:, None] + np.arange(4)) % 4, 1)
    own /= own.sum(1, keepdims=True)
    turns = np.full(len(kinds), 4)
    for k, symbol in enumerate(kinds):
        first, _, half, _ = own[trial.truth == k].mean(0)
        turns[k] = 1 if not symbol or first + half < MIN_TURN_SHARE else 2 if first < MIN_TURN_SHARE else 4
    return turns


AUGMENTED_VERSIONS = 6
"""Number of augmented versions of each example; the first is unchanged."""
TURN_SIGMA_RAD, SHEAR_SIGMA, SCALE_SIGMA, SHIFT_SIGMA = 0.06, 0.04, 0.05, 0.035
"""Standard deviations: turn in radians, shear, relative scale, shift in tile sides."""
BLUR_PX, NOISE_SIGMA = (0.3, 1.2), 3.0
"""Blur of half of the versions, in pixels, and standard deviation of the noise, in grey levels."""


def embed_augmented(embedder: Embedder, looks: Grey) -> Views:
    """Return the views of n examples, (n, 48, 48): of each version of each example four turns, one by one.

    Turn k has the symbol's own top left at corner k of the crop, clockwise from the crop's top left.
    """
    rng = np.random.default_rng(len(looks))
    versions = zip(*(augmented(rng, look) for look in looks), strict=True)
    upright = TileCrops(*map(np.concatenate, versions))
    seen = [embedder.embed(upright.turned(turn))[-1] for turn in range(4)]
    strokes, usual, places = (
        np.stack(some, 1).reshape(4 * len(upright.whole), -1) for some in zip(*seen, strict=True)
    )
    return strokes, usual, places


def augmented(rng: np.random.Generator, look: Grey) -> TileCrops:
    """Return one example, uint8 (48, 48), and augmented versions of it."""
    cut = TileCrops.of(look, np.array([TILE_FRAME, *(_moved(rng) for _ in range(AUGMENTED_VERSIONS - 1))]))
    for k in range(1, AUGMENTED_VERSIONS):
        blur = float(rng.uniform(*BLUR_PX)) if rng.random() < 0.5 else 0.0
        noise = abs(float(rng.normal(0, NOISE_SIGMA)))
        for some in cut:
            soft = cv2.GaussianBlur(some[k], (0, 0), blur) if blur else some[k]
            some[k] = np.clip(soft + rng.normal(0, noise, soft.shape), 0, 255).astype(np.uint8)
    return cut


def _moved(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return an example's corners, (4, 2), perturbed by a random affine map."""
    angle = rng.normal(0, TURN_SIGMA_RAD)
    c, s = np.cos(angle), np.sin(angle)
    bend = np.array([[c, -s], [s, c]]) @ (np.eye(2) + rng.normal(0, SHEAR_SIGMA, (2, 2)))
    middle = (EXAMPLE_SIDE_PX - 1) / 2
    moved = (TILE_FRAME - middle) @ bend.T * np.exp(rng.normal(0, SCALE_SIGMA)) + middle
    return np.asarray(moved + rng.normal(0, SHIFT_SIGMA, 2) * EXAMPLE_TILE_PX)
