"""Who judges the tableaux of a tile set: the word list in use, a game's notation, or the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from companion.model.grid import Place, islands, runs
from companion.model.judged import JudgedWord, TableauVerdict
from companion.model.reading import Reading, Tableau
from companion.model.tiles import TileSet
from companion.rules.sense import notation_of
from companion.vision.pipeline.reader import VOLCANO
from companion.words import Lexicon, judge_tableau

Judge = Callable[[Tableau], TableauVerdict]


def judge_for(tiles: TileSet, lexicon: Lexicon | None) -> Judge:
    """Return what judges tableaux of a tile set.

    Tiles made for a game's notation are judged by it, as where nobody has agreed on anything else.
    ``lexicon`` knows the words of the set's letters, if any does.
    """
    if notation := notation_of(tiles):
        return lambda tableau: notation.judge(tableau.grid, doubted(tableau))
    if lexicon is None:
        return left_to_the_table

    def by_list(tableau: Tableau) -> TableauVerdict:
        return judge_tableau(tableau.grid, doubted(tableau), lexicon)

    return by_list


def verdicts_of(reading: Reading, judge: Judge) -> list[TableauVerdict]:
    """Return what is to be said of each tableau; letters in the cells of a Volcano board make no words."""
    verdicts = [with_unread(judge(tableau), tableau) for tableau in reading.tableaux]
    if reading.board == VOLCANO and verdicts:
        verdicts[0] = TableauVerdict((), verdicts[0].islands, None)
    return verdicts


def with_unread(verdict: TableauVerdict, tableau: Tableau) -> TableauVerdict:
    """Return a verdict that leaves open what a tile beside the tableau that was not read may change."""
    if not tableau.unread:
        return verdict
    beside = {(place.row, place.col) for place in tableau.unread}
    longer = {
        (run.row, run.col, run.direction) for run in runs(tableau.grid) if not beside.isdisjoint(run.places)
    }
    words = tuple(
        replace(word, valid=None) if (word.row, word.col, word.direction) in longer else word
        for word in verdict.words
    )
    return replace(verdict, words=words, valid=None)


def doubted(tableau: Tableau) -> set[Place]:
    """Return the places of a tableau whose symbol the reader is not sure of."""
    return {(cell.row, cell.col) for cell in tableau.cells if cell.doubt}


def left_to_the_table(tableau: Tableau) -> TableauVerdict:
    """Return the words of a tableau, all undecided."""
    words = (JudgedWord(run.text, run.row, run.col, run.direction, None) for run in runs(tableau.grid))
    return TableauVerdict(tuple(words), len(islands(tableau.grid)), None)
