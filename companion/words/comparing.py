"""How far one word list agrees with another."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from companion.words.lexicon import Verdict, WordList

SHORT = (2, 3, 4)
"""Word lengths that get a line of their own: a crossword of tiles is made of them."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Words that the judging list accepts, words of the other list, and words in both.

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
        """Part of the accepted words that the other list has, or None where none is accepted."""
        return self.both / self.accepted if self.accepted else None

    @property
    def recall(self) -> float | None:
        """Part of the other list's words that are accepted, or None where it has none."""
        return self.both / self.other if self.other else None


def compared(judge: WordList, yardstick: WordList) -> tuple[Agreement, ...]:
    """Return how the judging list agrees with a yardstick, strict and lenient, all words and short ones."""
    accepted = {
        False: {word for word, verdict in judge if verdict is Verdict.VALID},
        True: {word for word, _ in judge},
    }
    other = {word for word, _ in yardstick}
    return tuple(
        agreement(words, other, letters, lenient)
        for letters in (None, *SHORT)
        for lenient, words in accepted.items()
    )


def agreement(accepted: Set[str], other: Set[str], letters: int | None, lenient: bool) -> Agreement:
    """Return how two sets of words agree among words of a length, or among all."""
    ours, theirs = ({word for word in words if letters in {None, len(word)}} for words in (accepted, other))
    return Agreement(letters, lenient, len(ours), len(theirs), len(ours & theirs))
