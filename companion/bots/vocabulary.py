"""The words that bots know, with a fast search by available letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from companion.words.lexicon import Lexicon, Verdict

MAX_WORD_LETTERS = 8
"""Greatest length of a word."""

LETTER_INDICES = {letter: number for number, letter in enumerate(ascii_uppercase)}

Indices = NDArray[np.intp]


class Vocabulary:
    """Words in capitals, with their letter counts, int8, shape (words, 26).

    Parameters
    ----------
    words
        The words; those with other letters than A to Z, or too long ones, are left out.
    """

    def __init__(self, words: Iterable[str]) -> None:
        known = sorted({word.upper() for word in words})
        self.words = tuple(
            word for word in known if 2 <= len(word) <= MAX_WORD_LETTERS and set(word) <= set(LETTER_INDICES)
        )
        self.known = frozenset(self.words)
        self.counts = np.zeros((len(self.words), len(LETTER_INDICES)), np.int8)
        for number, word in enumerate(self.words):
            for letter in word:
                self.counts[number, LETTER_INDICES[letter]] += 1

    @classmethod
    def of(cls, lexicon: Lexicon) -> Vocabulary:
        """Return the words of a lexicon with the verdict ``VALID``."""
        return cls(word for word, verdict in lexicon.words if verdict is Verdict.VALID)

    def all_indices(self) -> Indices:
        """Return the indices of all words."""
        return np.arange(len(self.words))

    def buildable(self, letters: Iterable[str], among: Indices, lacking: int = 1) -> Indices:
        """Return the words ``among`` those given that lack at most ``lacking`` of the letters, as indices."""
        held = np.zeros(len(LETTER_INDICES), np.int8)
        for letter, many in Counter(letters).items():
            held[LETTER_INDICES[letter]] = many
        missing = np.maximum(self.counts[among] - held, 0).sum(1, dtype=np.int16)
        return np.asarray(among[missing <= lacking])
