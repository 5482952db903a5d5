"""What a bot knows: words, found by the letters that it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from companion.words.lexicon import Lexicon, Verdict

LONGEST = 8
"""Letters of the longest word that a bot lays."""

LETTERS = {letter: number for number, letter in enumerate(ascii_uppercase)}

Indices = NDArray[np.intp]


class Vocabulary:
    """Words in capitals, and how often each has each letter.

    Parameters
    ----------
    words
        The words; those with other letters than A to Z, or too long ones, are left out.
    """

    def __init__(self, words: Iterable[str]) -> None:
        known = sorted({word.upper() for word in words})
        self.words = tuple(word for word in known if 2 <= len(word) <= LONGEST and set(word) <= set(LETTERS))
        self.known = frozenset(self.words)
        self.counts = np.zeros((len(self.words), len(LETTERS)), np.int8)
        for number, word in enumerate(self.words):
            for letter in word:
                self.counts[number, LETTERS[letter]] += 1

    @classmethod
    def of(cls, lexicon: Lexicon) -> Vocabulary:
        """Return the words that a lexicon is sure of."""
        return cls(word for word, verdict in lexicon.words if verdict is Verdict.VALID)

    def every(self) -> Indices:
        """Return the indices of all words."""
        return np.arange(len(self.words))

    def within(self, letters: Iterable[str], among: Indices, lacking: int = 1) -> Indices:
        """Return those of some words that lack at most so many letters of those given."""
        held = np.zeros(len(LETTERS), np.int8)
        for letter, many in Counter(letters).items():
            held[LETTERS[letter]] = many
        missing = np.maximum(self.counts[among] - held, 0).sum(1, dtype=np.int16)
        return np.asarray(among[missing <= lacking])
