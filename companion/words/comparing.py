"""Comparison of two word lists: precision, recall and differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from companion.words.lexicon import Verdict, WordList

SHORT_WORD_LENGTHS = (2, 3, 4)
"""Word lengths that are also compared on their own: most words of a tableau are short."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of words that the judging list accepts, that the other list has, and that are in both.

    ``letters`` is the length of the words compared, or ``None`` for all;
    ``lenient`` whether rare words are accepted.
    """

    letters: int | None
    lenient: bool
    accepted: int
    other: int
    both: int

    @property
    def precision(self) -> float | None:
        """The share of accepted words that the other list has, or ``None`` if no word is accepted."""
        return self.both / self.accepted if self.accepted else None

    @property
    def recall(self) -> float | None:
        """The share of the other list's words that are accepted, or ``None`` if it has none."""
        return self.both / self.other if self.other else None


def list_agreements(judge: WordList, yardstick: WordList) -> tuple[Agreement, ...]:
    """Return the agreement of the judging list with a reference, strict and lenient, by word length."""
    accepted = {
        False: {word for word, verdict in judge if verdict is Verdict.VALID},
        True: {word for word, _ in judge},
    }
    other = {word for word, _ in yardstick}
    return tuple(
        agreement(words, other, letters, lenient)
        for letters in (None, *SHORT_WORD_LENGTHS)
        for lenient, words in accepted.items()
    )


def agreement(accepted: Set[str], other: Set[str], letters: int | None, lenient: bool) -> Agreement:
    """Return the agreement of two sets of words, among words of one length or among all."""
    ours, theirs = ({word for word in words if letters in {None, len(word)}} for words in (accepted, other))
    return Agreement(letters, lenient, len(ours), len(theirs), len(ours & theirs))


@dataclass(frozen=True, slots=True)
class Differences:
    """Words that only one of two lists has, the shortest first.

    ``valid`` and ``rare`` are words of the judging list that the other list
    lacks; ``missing`` are words of the other list that it lacks.
    """

    valid: tuple[str, ...]
    rare: tuple[str, ...]
    missing: tuple[str, ...]

    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Return the three kinds of words by name."""
        return {"valid": self.valid, "rare": self.rare, "missing": self.missing}

    def by_length(self) -> Iterator[tuple[int, Mapping[str, int]]]:
        """Yield each word length at which the lists differ, with the number of words of each kind."""
        counted = {kind: Counter(map(len, words)) for kind, words in self.groups().items()}
        for letters in sorted(set().union(*counted.values())):
            yield letters, {kind: counts[letters] for kind, counts in counted.items()}

    def lines(self) -> Iterator[str]:
        """Yield every word that differs as a line: its kind, a tab, the word."""
        return (f"{kind}\t{word}\n" for kind, words in self.groups().items() for word in words)


def differences(judge: WordList, yardstick: WordList) -> Differences:
    """Return the words in which the judging list and a reference differ."""
    ours, theirs = dict(judge), {word for word, _ in yardstick}
    here = {
        verdict: in_order({word for word, said in ours.items() if said is verdict} - theirs)
        for verdict in (Verdict.VALID, Verdict.RARE)
    }
    return Differences(here[Verdict.VALID], here[Verdict.RARE], in_order(theirs - ours.keys()))


def in_order(words: Set[str]) -> tuple[str, ...]:
    """Return words by length, then by the alphabet."""
    return tuple(sorted(words, key=lambda word: (len(word), word)))
