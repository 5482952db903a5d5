"""The verdict of a lexicon on a play, also at a tournament's word judge, and on a tableau.

Validity is True, False, or None if people have to decide: a letter is in doubt, a blank may stand for
several letters, the word is rare and the host asks about such words, or no list judges words of that length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from companion.errors import UsageError
from companion.model.grid import Grid, Place, Run, islands, runs
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.words.lexicon import Lexicon, Rare, folded
from companion.words.text_lists import MAX_WORD_LETTERS

VERDICT_TEXTS: Mapping[bool | None, str] = {
    True: "ACCEPTABLE",
    False: "NOT ACCEPTABLE",
    None: "ASK THE TABLE",
}

RARE_POLICY_NAMES: Mapping[Rare, str] = {
    Rare.ACCEPT: "lenient",
    Rare.ASK: "strict",
    Rare.REFUSE: "no rare words",
}
"""The word judge's names of the options for rare words."""

MAX_PLAY_WORDS = 99
"""Most words of one play; a tableau of 144 tiles has fewer."""

VERDICT_DISPLAY_S = 10.0
"""How long the word judge shows a verdict, in seconds."""


def checked_word(word: str) -> str:
    """Return a word in capitals; raise UsageError if it cannot be judged."""
    if not (2 <= len(word) <= MAX_WORD_LETTERS and folded(word).isalpha()):
        raise UsageError(
            f"{word[:MAX_WORD_LETTERS]!r} cannot be judged: a word is 2 to {MAX_WORD_LETTERS} letters"
        )
    return word.upper()


def judge_log_line(words: Sequence[str], valid: bool | None, label: str, rare: Rare) -> str:
    """Return the line of the word judge's log about a play."""
    return f"judged {' '.join(words)}: {VERDICT_TEXTS[valid]} by {label}, {RARE_POLICY_NAMES[rare]}"


def judge_tableau(
    cells: Grid, doubted: Set[Place], lexicon: Lexicon, rare: Rare = Rare.ACCEPT
) -> TableauVerdict:
    """Return which words lie in a tableau and whether it is valid.

    A tableau is valid if it is one group of tiles whose edges touch, with at least
    one word, and all its words are valid (Chew, "all tiles are connected,
    and any words in the crossword are acceptable").

    Parameters
    ----------
    cells
        The symbol of each tile by row and column, ``""`` for a blank.
    doubted
        The places whose symbol is in doubt.
    lexicon
        The word lists.
    rare
        What the host decided on rare words.
    """
    return tableau_verdict(cells, [judge_run(run, doubted, lexicon, rare) for run in runs(cells)])


def tableau_verdict(cells: Grid, words: Sequence[JudgedWord]) -> TableauVerdict:
    """Return the verdict on a tableau of judged words: valid if it is one group with valid words only."""
    groups = len(islands(cells))
    valid = combined_validity(word.valid for word in words) if groups == 1 and words else False
    return TableauVerdict(tuple(words), groups, valid)


def judge_run(run: Run, doubted: Set[Place], lexicon: Lexicon, rare: Rare) -> JudgedWord:
    """Return a run of a tableau as a judged word."""
    if not doubted.isdisjoint(run.places):
        valid = None
    elif all(run.symbols):
        valid = lexicon.validity(run.text, rare)
    else:
        possible = lexicon.fits(run.symbols) or not lexicon.covers(len(folded(run.text)))
        valid = None if possible else False
    return JudgedWord(run.text, run.row, run.col, run.direction, valid)


def judge_play(words: Iterable[str], lexicon: Lexicon, rare: Rare) -> bool | None:
    """Return whether all words of a play are valid."""
    return combined_validity(lexicon.validity(word, rare) for word in words)


def combined_validity(validities: Iterable[bool | None]) -> bool | None:
    """Return False if any validity is False, else None if any is None, else True."""
    found = set(validities)
    if False in found:
        return False
    return None if None in found else True
