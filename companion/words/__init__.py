"""Lexicons, and their verdicts on words and tableaux."""

from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.words.chosen import current_lexicon, default_lexicon, lexicon_for, lexicon_named
from companion.words.judging import judge_play, judge_tableau
from companion.words.lexicon import Lexicon, Rare, Verdict, WordList
from companion.words.masking import masked

__all__ = [
    "JudgedWord",
    "Lexicon",
    "Rare",
    "TableauVerdict",
    "Verdict",
    "WordList",
    "current_lexicon",
    "default_lexicon",
    "judge_play",
    "judge_tableau",
    "lexicon_for",
    "lexicon_named",
    "masked",
]
