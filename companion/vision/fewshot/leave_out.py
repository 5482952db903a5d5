"""Learning a set, judged by leaving examples out: how sure to be, what is strange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.fewshot.augmentation import embed_augmented
from companion.vision.fewshot.embedding import Embedder
from companion.vision.fewshot.head import Floats, Head, Prototypes, ViewModel, distance_softmax
from companion.vision.fewshot.sheet import Examples

WARMTHS = 0.03 * 0.5 ** np.arange(0.0, 6.0)
"""How much a distance may count; the likeliest of these is taken.  Few examples never allow more."""
TELLING = 0.9
"""A turn is told apart from others where it has so much of their chance together."""
OVERLOOKED = 0.2
"""Symbols of which the one gets less than this of the other's chance are told apart."""
STRANGE = 0.03
"""A tile is strange that looks less like the examples than this share of the examples left out did."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Examples as seen by a reader that never met them.

    ``truth`` (n,) is the index of what each shows and ``corner`` (n,) that of its own top left; ``away``
    (n, kinds, 4) squared distances and ``alike`` (n,) likeness to what it shows; ``example`` (n,) the number
    of the example, as one is seen several times.
    """

    truth: NDArray[np.intp]
    corner: NDArray[np.intp]
    away: Floats
    alike: Floats
    example: NDArray[np.intp]


def fit_head(sight: Embedder, examples: Examples) -> tuple[Head, Trial]:
    """Return what examples teach, and how each was seen without it."""
    kinds = examples.kinds
    views = embed_augmented(sight, examples.looks)
    count, times = views[0].shape[:2]
    shows = np.array([kinds.index(symbol) for symbol in examples.symbols], np.intp)
    flat = [view.reshape(count * times * 4, -1) for view in views]
    labels = (shows[:, None, None] * 4 + np.arange(4) + np.zeros((1, times, 1), np.intp)).ravel()
    eyes = tuple(ViewModel.of(view, labels) for view in flat)
    at = [eye.place.of(view) for eye, view in zip(eyes, flat, strict=True)]
    trial = leave_one_out(at, labels, np.repeat(np.arange(count), 4 * times), shows)
    warmth, limit = calibrate(trial)
    turns = telling_turns(kinds, trial, warmth)
    return Head(kinds, eyes, turns, warmth, limit, confusion(trial, warmth)), trial


def leave_one_out(
    at: Sequence[Floats], labels: NDArray[np.intp], example: NDArray[np.intp], shows: NDArray[np.intp]
) -> Trial:
    """Return how examples are seen by readers who know the others alone.

    ``at`` are for each eye the places (n, d) of the examples' looks, ``labels`` (n,) symbol and turn of each,
    ``example`` (n,) its number, and ``shows`` (examples,) the symbol of each.  One example of every symbol is
    left out at a time.
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
    """Return how much a distance counts, and the likeness below which a tile is a stranger."""
    right = np.arange(len(trial.truth)), trial.truth
    warmth = max(WARMTHS, key=lambda w: np.log(distance_softmax(trial.away, w)[right].sum(1) + 1e-6).mean())
    return float(warmth), float(np.quantile(trial.alike, STRANGE))


def confusion(trial: Trial, warmth: float) -> Floats:
    """Return how likely each symbol is, by column, on a tile that looks like a row's, (kinds, kinds).

    Symbols that look alike the same way up, by the examples that were left out, share what they have; none
    becomes likelier than the one that the tile looks like.
    """
    upright = distance_softmax(trial.away, warmth)[np.arange(len(trial.truth)), :, trial.corner]
    upright /= np.maximum(upright.sum(1, keepdims=True), 1e-12)
    read = np.array([upright[trial.truth == kind].mean(0) for kind in range(upright.shape[1])])
    alike = np.maximum(read, read.T)
    alike[alike < OVERLOOKED] = 0
    np.fill_diagonal(alike, 1)
    return np.asarray(alike / alike.sum(1, keepdims=True))


def telling_turns(kinds: tuple[str, ...], trial: Trial, warmth: float) -> NDArray[np.int_]:
    """Return how many of its turns each symbol lets one tell apart: 1, 2 or 4, and 1 for a bare face."""
    chance = distance_softmax(trial.away, warmth)
    turns = np.full(len(kinds), 4)
    for k, symbol in enumerate(kinds):
        mine = np.flatnonzero(trial.truth == k)
        own = chance[mine, k] + 1e-9
        own = own[np.arange(len(mine))[:, None], (trial.corner[mine][:, None] + np.arange(4)) % 4]
        first, _, half, _ = (own / own.sum(1, keepdims=True)).mean(0)
        turns[k] = 1 if not symbol or first + half < TELLING else 2 if first < TELLING else 4
    return turns
