"""What a lexicon says of a whole play, also at a tournament's desk, and of a whole tableau.

Validity is True, False, or None where the table has to decide: a letter is in
doubt, a blank may stand for several letters, the host asks about rare words
and the word is one, or no list judges words of that length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from companion.errors import UsageError
from companion.model.grid import Grid, Place, Run, islands, runs
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.words.lexicon import Lexicon, Rare, folded
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


def judge_tableau(
    cells: Grid, doubted: Set[Place], lexicon: Lexicon, rare: Rare = Rare.ACCEPT
) -> TableauVerdict:
    """Return which words lie in a tableau and whether it is valid.

    Valid is a tableau of one group of tiles whose edges touch, with at least
    one word, all of whose words are valid (Chew, "all tiles are connected,
    and any words in the crossword are acceptable").

    Parameters
    ----------
    cells
        The symbol of each tile by row and column, ``""`` for a blank.
    doubted
        The places whose symbol the reader is not sure of.
    lexicon
        Which words there are.
    rare
        What the host decided on rare words.
    """
    return connected(cells, [judged(run, doubted, lexicon, rare) for run in runs(cells)])


def connected(cells: Grid, words: Sequence[JudgedWord]) -> TableauVerdict:
    """Return the verdict on a tableau whose words are judged: it is one group of tiles with good words."""
    groups = len(islands(cells))
    valid = together(word.valid for word in words) if groups == 1 and words else False
    return TableauVerdict(tuple(words), groups, valid)


def judged(run: Run, doubted: Set[Place], lexicon: Lexicon, rare: Rare) -> JudgedWord:
    """Return one word of a tableau with its validity."""
    if not doubted.isdisjoint(run.places):
        valid = None
    elif all(run.symbols):
        valid = lexicon.validity(run.text, rare)
    else:
        possible = lexicon.fits(run.symbols) or not lexicon.covers(len(folded(run.text)))
        valid = None if possible else False
    return JudgedWord(run.text, run.row, run.col, run.direction, valid)


def judge_play(words: Iterable[str], lexicon: Lexicon, rare: Rare) -> bool | None:
    """Return whether all words of a play are valid, without saying which is not."""
    return together(lexicon.validity(word, rare) for word in words)


def together(validities: Iterable[bool | None]) -> bool | None:
    """Return False where anything is invalid, else None where anything is unsure, else True."""
    found = set(validities)
    if False in found:
        return False
    return None if None in found else True
