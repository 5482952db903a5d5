"""What equations lie on a board: for whoever only wants to know, without a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import product

from companion.errors import BadEquation
from companion.model.grid import Grid, Place, Run, runs
from companion.model.judged import JudgedWord, TableauVerdict
from companion.model.tiles import BLANK, TileSet
from companion.rules.binary_scrabble.equation import EQUALS, SYMBOLS
from companion.rules.binary_scrabble.value import Agreed, solved
from companion.words.judging import connected

MOST_BLANKS = 3
"""Blanks in the box; a run with more of them is left to the table."""

AGREED = Agreed()
"""What counts where nobody has said otherwise."""


def makes_equations(tiles: TileSet) -> bool:
    """Return whether a set has the digits and signs of equations, and nothing else."""
    symbols = {symbol for symbol in tiles.symbols if symbol}
    return EQUALS in symbols and symbols <= set(SYMBOLS)


def judge_equations(cells: Grid, doubted: Set[Place], agreed: Agreed = AGREED) -> TableauVerdict:
    """Return which equations lie on a board and whether it is valid.

    Valid is a board with one group of tiles whose every run is an equation.

    Parameters
    ----------
    cells
        The symbol of each tile by row and column, ``""`` for a blank.
    doubted
        The places whose symbol the reader is not sure of.
    agreed
        What the players have agreed on.
    """
    return connected(
        cells,
        [
            JudgedWord(run.text, run.row, run.col, run.direction, validity(run, doubted, agreed))
            for run in runs(cells)
        ],
    )


def validity(run: Run, doubted: Set[Place], agreed: Agreed) -> bool | None:
    """Return whether a run is a valid equation, or ``None`` where a doubt or a blank leaves that open."""
    if not doubted.isdisjoint(run.places) or run.symbols.count(BLANK) > MOST_BLANKS:
        return None
    if BLANK not in run.symbols:
        return is_equation(run.text, agreed)
    return None if any(is_equation(text, agreed) for text in possible(run.symbols)) else False


def possible(symbols: Sequence[str]) -> Iterator[str]:
    """Yield what symbols may read, whatever the blanks among them stand for."""
    for faces in product(SYMBOLS, repeat=symbols.count(BLANK)):
        chosen = iter(faces)
        yield "".join(symbol or next(chosen) for symbol in symbols)


def is_equation(text: str, agreed: Agreed) -> bool:
    """Return whether a text is an equation, true and allowed."""
    try:
        solved(text, agreed)
    except BadEquation:
        return False
    return True
