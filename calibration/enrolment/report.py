"""The report of an enrolment: leave-one-out accuracy of each symbol, confusable pairs, outlying examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from companion.model.grid import BLANK_SIGN
from companion.model.phrases import joined, phrase
from companion.vision.decoding import MIN_CONFIDENCE
from companion.vision.fewshot.head import Head, Trial, distance_softmax, merge_equal_turns
from companion.vision.fewshot.sheet import symbol_label

MIN_CONFUSABLE_P = 0.06
"""Mean probability that goes to another symbol above which the two are confusable."""
MIN_ACCURACY_PERCENT = 70.0
"""Least leave-one-out accuracy of a usable set, in per cent."""
MIN_MEAN_P_TRUE_SYMBOL = 0.4
"""Mean probability of the true symbol below which its examples count as misplaced."""
MIN_CONFUSABLE_ONCE_P = 0.5
"""Probability that goes to another symbol for one example above which the two are confusable."""
MIN_RELATIVE_SIMILARITY = 0.4
"""Similarity of an example to the others of its symbol, relative to the median, below
which it is an outlier.
"""
MAX_OUTLIER_P_OWN, MIN_OUTLIER_P_OTHER = 0.05, 0.8
"""Probabilities of an outlier: less than the first for its own symbol, more than the second for another."""


@dataclass(frozen=True, slots=True)
class SymbolAccuracy:
    """Leave-one-out accuracy of one symbol.

    ``examples`` is their number; ``right``, ``unsure`` and ``wrong`` are per cent of all augmented views
    (unsure ones whether right or not); ``sure`` is the mean probability of the truth, 0 to 1; ``turns`` the
    number of distinguishable quarter turns.
    """

    symbol: str
    examples: int
    right: float
    unsure: float
    wrong: float
    sure: float
    turns: int


@dataclass(frozen=True, slots=True)
class ConfusablePair:
    """Two confusable symbols: up to ``share`` of the one's probability goes to the other, 0 to 1.

    ``turned`` where that holds only for tiles of unknown rotation.
    """

    one: str
    other: str
    share: float
    turned: bool

    @property
    def advice(self) -> str:
        """Advice on the pair."""
        if self.turned:
            return phrase(
                "alike when one is turned: draw a line under %(one)s and %(other)s, as players do under 6 "
                "and 9, and enrol them again",
                one=symbol_label(self.one),
                other=symbol_label(self.other),
            )
        return phrase(
            "write %(one)s and %(other)s more differently, or enrol more tiles of both",
            one=symbol_label(self.one),
            other=symbol_label(self.other),
        )


@dataclass(frozen=True, slots=True)
class OutlierExample:
    """An example unlike the others of its symbol; ``number`` counts from 0 over all photographs."""

    symbol: str
    number: int

    def __str__(self) -> str:
        return phrase(
            "tile %(number)s of %(symbol)s", number=self.number + 1, symbol=symbol_label(self.symbol)
        )


@dataclass(frozen=True, slots=True)
class EnrolmentReport:
    """The report of an enrolment: symbols in order, confusable pairs, the worst first, and outliers."""

    symbols: tuple[SymbolAccuracy, ...]
    confusable: tuple[ConfusablePair, ...]
    outliers: tuple[OutlierExample, ...] = ()

    @property
    def right(self) -> float:
        """The mean leave-one-out accuracy of the symbols, in per cent."""
        return sum(one.right for one in self.symbols) / len(self.symbols)

    @property
    def poor(self) -> bool:
        """Whether the accuracy is too low for play."""
        return self.right < MIN_ACCURACY_PERCENT

    @property
    def misplaced(self) -> tuple[str, ...]:
        """The symbols whose examples look like other ones; perhaps the tiles were laid in another order."""
        return tuple(
            one.symbol for one in self.symbols if one.wrong > 50 or one.sure < MIN_MEAN_P_TRUE_SYMBOL
        )

    def faults(self) -> Iterator[str]:
        """Yield the reasons to refuse the set, with advice."""
        if self.misplaced:
            names = " ".join(symbol or BLANK_SIGN for symbol in self.misplaced)
            yield phrase(
                "the examples of %(symbols)s look like other symbols; were the tiles laid in the order that "
                "was said, the first of each upright?  Nothing was kept",
                symbols=names,
            )
        elif self.outliers:
            yield phrase(
                "%(which)s: unlike the others of its symbol; look at the picture of what was found: perhaps "
                "something else was taken for a tile, or tiles were laid in another order.  Nothing was kept",
                which=joined(map(str, self.outliers), ", "),
            )
        elif self.poor:
            yield phrase(
                "only %(share)s %% of the examples are read by what the others teach; photograph the tiles "
                "again, nearer and in even light without glare, or three of each.  Nothing was kept",
                share=f"{self.right:.0f}",
            )


def report_of(head: Head, trial: Trial) -> EnrolmentReport:
    """Return the report of a fitted head and its leave-one-out trial."""
    chance = merge_equal_turns(distance_softmax(trial.away, head.sharpness), head.turns)
    likely, upright = chance.sum(2), chance[np.arange(len(chance)), :, trial.corner]
    upright = upright / np.maximum(upright.sum(1, keepdims=True), 1e-12)
    pairs = tuple(_pairs(head.kinds, trial, likely, upright))
    return EnrolmentReport(tuple(_learnt(head, trial, likely)), pairs, tuple(_odd(head.kinds, trial, likely)))


def _learnt(head: Head, trial: Trial, likely: np.ndarray) -> Iterator[SymbolAccuracy]:
    """Yield the accuracy of each symbol."""
    for k, symbol in enumerate(head.kinds):
        own = trial.truth == k
        own_views = likely[own]
        right, unsure = own_views.argmax(1) == k, own_views.max(1) < MIN_CONFIDENCE
        yield SymbolAccuracy(
            symbol,
            len(np.unique(trial.example[own])),
            100 * float((right & ~unsure).mean()),
            100 * float(unsure.mean()),
            100 * float((~right & ~unsure).mean()),
            float(own_views[:, k].mean()),
            int(head.turns[k]),
        )


def _odd(kinds: tuple[str, ...], trial: Trial, likely: np.ndarray) -> Iterator[OutlierExample]:
    """Yield the outlying examples."""
    numbers = np.unique(trial.example)
    alike = {k: float(trial.alike[trial.example == k].mean()) for k in numbers}
    usual = float(np.median(list(alike.values())))
    for kind, symbol in enumerate(kinds):
        for number, k in enumerate(np.unique(trial.example[trial.truth == kind])):
            chance = likely[trial.example == k].mean(0)
            elsewhere = chance[kind] < MAX_OUTLIER_P_OWN and chance.max() > MIN_OUTLIER_P_OTHER
            if alike[k] < MIN_RELATIVE_SIMILARITY * usual or elsewhere:
                yield OutlierExample(symbol, number)


def _pairs(
    kinds: tuple[str, ...], trial: Trial, likely: np.ndarray, upright: np.ndarray
) -> list[ConfusablePair]:
    """Return the confusable pairs, the worst first."""
    found = []
    for a, one in enumerate(kinds):
        for b, other in enumerate(kinds[a + 1 :], a + 1):
            if (share := confusion(trial, likely, a, b)) > MIN_CONFUSABLE_P:
                turned = confusion(trial, upright, a, b) < share / 3
                found.append(ConfusablePair(one, other, share, turned))
    return sorted(found, key=lambda pair: -pair.share)


def confusion(trial: Trial, chance: np.ndarray, a: int, b: int) -> float:
    """Return the larger share of one symbol's probability that went to the other, over all or for one
    example.
    """
    worst = 0.0
    for one, other in ((a, b), (b, a)):
        mine = trial.truth == one
        by_example = [
            chance[mine & (trial.example == k), other].mean() for k in np.unique(trial.example[mine])
        ]
        mean, most = float(np.mean(by_example)), float(np.max(by_example))
        worst = max(worst, mean, most if most > MIN_CONFUSABLE_ONCE_P else 0.0)
    return worst
