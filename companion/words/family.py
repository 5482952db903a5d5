"""The family switch: words that are judged as any other but never displayed."""

from __future__ import annotations

import codecs
from functools import cache
from pathlib import Path

from companion.words.lexicon import folded
from companion.words.plain import lines

FILE = Path(__file__).with_name("lists") / "family.rot13.txt"
"""The words, turned by thirteen letters so that nobody reads them by accident."""


@cache
def hidden_words() -> frozenset[str]:
    """Return the words that are not for display, folded."""
    text = FILE.read_text(encoding="ascii")
    return frozenset(codecs.decode(line, "rot13") for _, line in lines(text))


def masked(word: str) -> str:
    """Return a word as a table with the family switch on displays it: an offensive one in asterisks."""
    return "*" * len(word) if folded(word) in hidden_words() else word
