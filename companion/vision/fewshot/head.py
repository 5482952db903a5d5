"""What a set's symbols look like to the reader, learnt from its examples in a second or two.

The features of the examples are brought to a space in which the tiles of one symbol scatter alike in every
direction (Fisher's linear discriminant, with the scatter shrunk towards a ball); there a tile is what it lies
next to.  Two networks see each tile, and their distances add up.  A tile that looks little like any example
of that symbol is a stranger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SPREAD = 192
"""Directions that are kept of the features: those in which the examples differ most."""
SHRINK = 0.05
"""How far the scatter is taken towards a ball."""
SOFT = 0.02
"""Over which likeness a tile turns from strange to known."""
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Projection:
    """The space in which looks are compared: features (n, f) become (n, d) by ``(x - middle) @ ways``."""

    middle: Floats
    ways: Floats

    def of(self, features: NDArray[np.float32]) -> Floats:
        """Return where tiles lie, (n, d)."""
        return np.asarray((features - self.middle) @ self.ways)


@dataclass(frozen=True, slots=True)
class Prototypes:
    """What looks of known tiles teach.

    ``looks`` (m, d) where they lie and ``labels`` (m,) what they show, four times the number of the symbol
    and the corner at which its own top left lies; ``even`` (d, d) brings the space to one in which the looks
    of a label scatter alike in every direction, and ``means`` (labels, d) are their middles there.
    """

    looks: Floats
    labels: NDArray[np.intp]
    even: Floats
    means: Floats

    @classmethod
    def of(cls, at: Floats, labels: NDArray[np.intp]) -> Prototypes:
        """Return what looks at places (m, d) teach."""
        inside = at - class_means(at, labels)[labels]
        scatter = inside.T @ inside / len(at)
        scatter[np.diag_indices(len(scatter))] += SHRINK * np.trace(scatter) / len(scatter) + TINY
        even = np.linalg.inv(np.linalg.cholesky(scatter)).T
        return cls(unit(at), labels, even, class_means(at @ even, labels))

    def distances(self, at: Floats) -> Floats:
        """Return squared distances of tiles, (n, d), to each symbol in each turn, (n, kinds, 4)."""
        x = at @ self.even
        away = (x**2).sum(1)[:, None] + (self.means**2).sum(1) - 2 * x @ self.means.T
        return np.asarray(np.maximum(away, 0).reshape(len(at), len(self.means) // 4, 4))

    def likeness(self, at: Floats, kinds: NDArray[np.intp]) -> Floats:
        """Return how much each tile looks like the likest look of one symbol, (n,), at most 1."""
        alike = unit(at) @ self.looks.T
        return np.asarray(np.where(self.labels // 4 == kinds[:, None], alike, -1).max(1, initial=-1))


@dataclass(frozen=True, slots=True)
class ViewModel:
    """What the examples teach to look for in what one network sees: the space, and what is known there."""

    place: Projection
    known: Prototypes

    @classmethod
    def of(cls, features: NDArray[np.float32], labels: NDArray[np.intp]) -> ViewModel:
        """Return what looks at known tiles teach, features (n, f), labels (n,) as ``Prototypes`` has them."""
        place = fit_projection(features)
        return cls(place, Prototypes.of(place.of(features), labels))


@dataclass(frozen=True, slots=True)
class Head:
    """Tells the symbols of a set apart.

    ``kinds`` its symbols, ``""`` for a bare face; ``eyes`` what the examples teach of each view; ``turns``
    (kinds,) how many of its four turns can be told apart; ``warmth`` how much a distance counts; ``limit``
    the likeness below which a tile is unlike every example; ``truly`` (kinds, kinds) how likely each symbol
    is, by column, on a tile that looks like a row's: symbols that look alike share what they have.
    """

    kinds: tuple[str, ...]
    eyes: tuple[ViewModel, ...]
    turns: NDArray[np.int_]
    warmth: float
    limit: float
    truly: Floats

    def symbol_probabilities(self, views: Sequence[NDArray[np.float32]]) -> tuple[Floats, Floats]:
        """Return the chance of each symbol and turn, (n, kinds, 4), and how far each is known, (n,), 0 to 1.

        ``views`` are what is seen of n tiles, (n, features) for each eye.  The chances add up to 1 for every
        tile, however strange it is.
        """
        at = [eye.place.of(view) for eye, view in zip(self.eyes, views, strict=True)]
        away = [eye.known.distances(some) for eye, some in zip(self.eyes, at, strict=True)]
        chance = np.einsum("nat,ab->nbt", distance_softmax(np.sum(away, 0), self.warmth), self.truly)
        chance = merge_equal_turns(chance, self.turns)
        best = chance.sum(2).argmax(1)
        alike = [eye.known.likeness(some, best) for eye, some in zip(self.eyes, at, strict=True)]
        return chance, 1 / (1 + np.exp(np.clip((self.limit - np.mean(alike, 0)) / SOFT, -30, 30)))


def unit(at: Floats) -> Floats:
    """Return vectors, (n, d), of length 1."""
    return np.asarray(at / np.maximum(np.linalg.norm(at, axis=1, keepdims=True), TINY))


def distance_softmax(away: Floats, warmth: float) -> Floats:
    """Return chances from squared distances, (n, kinds, 4): they add up to 1 for each tile."""
    grown = np.exp(-warmth / 2 * (away - away.min((1, 2), keepdims=True, initial=np.inf)))
    return np.asarray(grown / grown.sum((1, 2), keepdims=True))


def merge_equal_turns(chance: Floats, turns: NDArray[np.int_]) -> Floats:
    """Return chances (n, kinds, 4) in which turns that look alike share what they have together."""
    half = (chance + np.roll(chance, 2, 2)) / 2
    every = np.broadcast_to(chance.mean(2, keepdims=True), chance.shape)
    which = turns[None, :, None]
    return np.where(which == 4, chance, np.where(which == 2, half, every))


def fit_projection(features: NDArray[np.float32]) -> Projection:
    """Return the space spanned by the directions in which features, (n, f), differ most."""
    x = features.astype(np.float64)
    middle = x.mean(0)
    x -= middle
    wide = len(x) < x.shape[1]
    values, vectors = np.linalg.eigh(x @ x.T if wide else x.T @ x)
    values, vectors = values[::-1][:SPREAD], vectors[:, ::-1][:, :SPREAD]
    kept = values > TINY * max(float(values[0]), TINY)
    ways = vectors[:, kept]
    return Projection(middle, x.T @ ways / np.sqrt(values[kept]) if wide else ways)


def class_means(at: Floats, labels: NDArray[np.intp]) -> Floats:
    """Return the mean of each label's rows, (labels, d)."""
    sums = np.zeros((int(labels.max()) + 1, at.shape[1]))
    np.add.at(sums, labels, at)
    return np.asarray(sums / np.bincount(labels)[:, None])
