"""The family switch: offensive words are judged like any other but masked when displayed."""

from __future__ import annotations

import codecs
from functools import cache
from pathlib import Path

from companion.words.lexicon import folded
from companion.words.text_lists import lines

OFFENSIVE_WORDS_FILE = Path(__file__).with_name("lists") / "family.rot13.txt"
"""The words in ROT13, so that nobody reads them by accident."""


@cache
def hidden_words() -> frozenset[str]:
    """Return the words that are masked, folded."""
    text = OFFENSIVE_WORDS_FILE.read_text(encoding="ascii")
    return frozenset(codecs.decode(line, "rot13") for _, line in lines(text))


def masked(word: str) -> str:
    """Return a word as it is displayed with the family switch on: an offensive one in asterisks."""
    return "*" * len(word) if folded(word) in hidden_words() else word
