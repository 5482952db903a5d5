"""The word judge's desk, as tournament players know it: the whole play in, one verdict out, then cleared.

Nobody learns which word was at fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.errors import UsageError
from companion.words.lexicon import Rare, folded
from companion.words.plain import WORD_MAX

VERDICTS: Mapping[bool | None, str] = {True: "ACCEPTABLE", False: "NOT ACCEPTABLE", None: "ASK THE TABLE"}

POLICIES: Mapping[Rare, str] = {Rare.ACCEPT: "lenient", Rare.ASK: "strict", Rare.REFUSE: "no rare words"}
"""What the desk calls a decision on rare words."""

PLAY_MAX = 99
"""Words one play may have; a tableau of 144 tiles has fewer."""

SHOWN_S = 10.0
"""How long the desk shows a verdict."""


def checked(word: str) -> str:
    """Return a word that can be judged, in capitals; raise UsageError for any other."""
    if not (2 <= len(word) <= WORD_MAX and folded(word).isalpha()):
        raise UsageError(f"{word[:WORD_MAX]!r} cannot be judged: a word is 2 to {WORD_MAX} letters")
    return word.upper()


def note(words: Sequence[str], valid: bool | None, label: str, rare: Rare) -> str:
    """Return what the desk's log keeps of a play."""
    return f"judged {' '.join(words)}: {VERDICTS[valid]} by {label}, {POLICIES[rare]}"
