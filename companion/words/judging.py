"""What a lexicon says of a whole play and of a whole tableau.

Validity is True, False, or None where the table has to decide: a letter is in
doubt, a blank may stand for several letters, the host is strict and the word
rare, or no list judges words of that length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from companion.model.grid import Grid, Place, Run, islands, runs
from companion.model.judged import JudgedWord, TableauVerdict
from companion.words.lexicon import Lexicon, Verdict, folded


def judge_tableau(
    cells: Grid, doubted: Set[Place], lexicon: Lexicon, *, lenient: bool = True
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
    lenient
        Whether rare words are valid; else they are left to the table.
    """
    words = tuple(judged(run, doubted, lexicon, lenient) for run in runs(cells))
    groups = len(islands(cells))
    if groups != 1 or not words:
        return TableauVerdict(words, groups, valid=False)
    return TableauVerdict(words, groups, together(word.valid for word in words))


def judged(run: Run, doubted: Set[Place], lexicon: Lexicon, lenient: bool) -> JudgedWord:
    """Return one word of a tableau with its validity."""
    if not doubted.isdisjoint(run.places):
        valid = None
    elif all(run.symbols):
        valid = validity(run.text, lexicon, lenient)
    else:
        possible = lexicon.fits(run.symbols) or not lexicon.covers(len(folded(run.text)))
        valid = None if possible else False
    return JudgedWord(run.text, run.row, run.col, run.direction, valid)


def validity(word: str, lexicon: Lexicon, lenient: bool) -> bool | None:
    """Return whether a word is valid, or None where the table has to decide."""
    match lexicon.verdict(word):
        case Verdict.VALID:
            return True
        case Verdict.RARE:
            return True if lenient else None
        case Verdict.NOT_LISTED:
            return False if lexicon.covers(len(folded(word))) else None


def spells(lexicon: Lexicon, symbols: Sequence[str]) -> bool | None:
    """Return whether symbols side by side spell a word, or None where list or blank leave that open."""
    return validity("".join(symbols), lexicon, lenient=True) if all(symbols) else None


def judge_play(words: Iterable[str], lexicon: Lexicon, lenient: bool) -> bool | None:
    """Return whether all words of a play are valid, without saying which is not."""
    return together(validity(word, lexicon, lenient) for word in words)


def together(validities: Iterable[bool | None]) -> bool | None:
    """Return False where anything is invalid, else None where anything is unsure, else True."""
    found = set(validities)
    if False in found:
        return False
    return None if None in found else True
