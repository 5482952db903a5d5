"""What a lexicon says of a whole play and of a whole tableau.

Validity is True, False, or None where the table has to decide: a letter is in
doubt, a blank may stand for several letters, the host asks about rare words
and the word is one, or no list judges words of that length.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from companion.model.grid import Grid, Place, Run, islands, runs
from companion.model.judged import JudgedWord, TableauVerdict
from companion.words.lexicon import Lexicon, Rare, folded


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
    words = tuple(judged(run, doubted, lexicon, rare) for run in runs(cells))
    groups = len(islands(cells))
    if groups != 1 or not words:
        return TableauVerdict(words, groups, valid=False)
    return TableauVerdict(words, groups, together(word.valid for word in words))


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
