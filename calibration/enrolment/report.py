"""How well a set was learnt: each symbol read by examples of the others alone, and which look alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from companion.model.grid import BLANK_SIGN
from companion.model.phrases import joined, phrase
from companion.vision.decoding import DOUBT
from companion.vision.fewshot.head import Head, Trial, distance_softmax, merge_equal_turns
from companion.vision.fewshot.sheet import named

ALIKE = 0.06
"""Symbols are alike where one gets so much of the other's chance, on average."""
POOR = 70.0
"""Per cent of the examples that must be read surely and rightly when left out."""
HARDLY = 0.4
"""A symbol that gets less of its own examples' chance than this is none that anybody could read."""
ALIKE_ONCE = 0.5
"""They are also where it gets so much for one example."""
UNLIKE = 0.4
"""An example is odd that is less like the others of its symbol than this share of what most examples are."""
OWN, OTHER = 0.05, 0.8
"""It is also where its own symbol gets less than this of its chance and another one more."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """How one symbol was read when each of its examples was left out in turn.

    ``examples`` how many there are; ``right``, ``unsure`` and ``wrong`` how often it was read so, in per cent
    of all looks (unsure whatever was read); ``sure`` the mean chance of the truth, 0 to 1; ``turns`` how many
    quarter turns can be told apart.
    """

    symbol: str
    examples: int
    right: float
    unsure: float
    wrong: float
    sure: float
    turns: int


@dataclass(frozen=True, slots=True)
class Alike:
    """Two symbols that look alike: ``share`` of the one's chance goes to the other at worst, 0 to 1.

    ``turned`` where that is so only for tiles whose way up nobody knows.
    """

    one: str
    other: str
    share: float
    turned: bool

    @property
    def advice(self) -> str:
        """What to do about it."""
        if self.turned:
            return phrase(
                "alike when one is turned: draw a line under %(one)s and %(other)s, as players do under 6 "
                "and 9, and enrol them again",
                one=named(self.one),
                other=named(self.other),
            )
        return phrase(
            "write %(one)s and %(other)s more differently, or enrol more tiles of both",
            one=named(self.one),
            other=named(self.other),
        )


@dataclass(frozen=True, slots=True)
class Odd:
    """An example that is unlike the others of its symbol; ``number`` counts from 0, over all photographs."""

    symbol: str
    number: int

    def __str__(self) -> str:
        return phrase("tile %(number)s of %(symbol)s", number=self.number + 1, symbol=named(self.symbol))


@dataclass(frozen=True, slots=True)
class Report:
    """How well a set was learnt.

    Its symbols in order; the pairs that look alike, the likest first; and the examples that are odd.
    """

    symbols: tuple[Learnt, ...]
    alike: tuple[Alike, ...]
    odd: tuple[Odd, ...] = ()

    @property
    def right(self) -> float:
        """How often an example was read surely and rightly when left out, in per cent."""
        return sum(one.right for one in self.symbols) / len(self.symbols)

    @property
    def poor(self) -> bool:
        """Whether the photographs are too poor to play with what they teach."""
        return self.right < POOR

    @property
    def misplaced(self) -> tuple[str, ...]:
        """The symbols that are hardly told from others: perhaps the tiles were laid in another order."""
        return tuple(one.symbol for one in self.symbols if one.wrong > 50 or one.sure < HARDLY)

    def faults(self) -> Iterator[str]:
        """Yield why nobody should play with what was learnt, and what to do, if there is any reason."""
        if self.misplaced:
            names = " ".join(symbol or BLANK_SIGN for symbol in self.misplaced)
            yield phrase(
                "the examples of %(symbols)s look like other symbols; were the tiles laid in the order that "
                "was said, the first of each upright?  Nothing was kept",
                symbols=names,
            )
        elif self.odd:
            yield phrase(
                "%(which)s: unlike the others of its symbol; look at the picture of what was found: perhaps "
                "something else was taken for a tile, or tiles were laid in another order.  Nothing was kept",
                which=joined(map(str, self.odd), ", "),
            )
        elif self.poor:
            yield phrase(
                "only %(share)s %% of the examples are read by what the others teach; photograph the tiles "
                "again, nearer and in even light without glare, or three of each.  Nothing was kept",
                share=f"{self.right:.0f}",
            )


def report_of(head: Head, trial: Trial) -> Report:
    """Return how well a set was learnt."""
    chance = merge_equal_turns(distance_softmax(trial.away, head.sharpness), head.turns)
    likely, upright = chance.sum(2), chance[np.arange(len(chance)), :, trial.corner]
    upright = upright / np.maximum(upright.sum(1, keepdims=True), 1e-12)
    pairs = tuple(_pairs(head.kinds, trial, likely, upright))
    return Report(tuple(_learnt(head, trial, likely)), pairs, tuple(_odd(head.kinds, trial, likely)))


def _learnt(head: Head, trial: Trial, likely: np.ndarray) -> Iterator[Learnt]:
    """Yield how each symbol was read."""
    for k, symbol in enumerate(head.kinds):
        mine = trial.truth == k
        some = likely[mine]
        right, unsure = some.argmax(1) == k, some.max(1) < DOUBT
        yield Learnt(
            symbol,
            len(np.unique(trial.example[mine])),
            100 * float((right & ~unsure).mean()),
            100 * float(unsure.mean()),
            100 * float((~right & ~unsure).mean()),
            float(some[:, k].mean()),
            int(head.turns[k]),
        )


def _odd(kinds: tuple[str, ...], trial: Trial, likely: np.ndarray) -> Iterator[Odd]:
    """Yield the examples that are unlike the others of their symbols."""
    numbers = np.unique(trial.example)
    alike = {k: float(trial.alike[trial.example == k].mean()) for k in numbers}
    usual = float(np.median(list(alike.values())))
    for kind, symbol in enumerate(kinds):
        for number, k in enumerate(np.unique(trial.example[trial.truth == kind])):
            chance = likely[trial.example == k].mean(0)
            elsewhere = chance[kind] < OWN and chance.max() > OTHER
            if alike[k] < UNLIKE * usual or elsewhere:
                yield Odd(symbol, number)


def _pairs(kinds: tuple[str, ...], trial: Trial, likely: np.ndarray, upright: np.ndarray) -> list[Alike]:
    """Return the pairs that look alike, the likest first."""
    found = []
    for a, one in enumerate(kinds):
        for b, other in enumerate(kinds[a + 1 :], a + 1):
            if (share := confused(trial, likely, a, b)) > ALIKE:
                turned = confused(trial, upright, a, b) < share / 3
                found.append(Alike(one, other, share, turned))
    return sorted(found, key=lambda pair: -pair.share)


def confused(trial: Trial, chance: np.ndarray, a: int, b: int) -> float:
    """Return how much of either symbol's chance went to the other, 0 to 1: over all, or for one example."""
    worst = 0.0
    for one, other in ((a, b), (b, a)):
        mine = trial.truth == one
        by_example = [
            chance[mine & (trial.example == k), other].mean() for k in np.unique(trial.example[mine])
        ]
        mean, most = float(np.mean(by_example)), float(np.max(by_example))
        worst = max(worst, mean, most if most > ALIKE_ONCE else 0.0)
    return worst
