"""The equations on a board, judged without a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import product

from companion.errors import BadEquation
from companion.model.grid import Grid, Place, Run, runs
from companion.model.tiles import BLANK, TileSet
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.rules.binary_scrabble.equation import EQUALS, SYMBOLS
from companion.rules.binary_scrabble.value import EquationRules, equation_value
from companion.words.judging import tableau_verdict

MAX_BLANKS = 3
"""Blanks in the box; a run with more of them is left to people."""

DEFAULT_RULES = EquationRules()
"""The rules of equations with all options at their defaults."""


def makes_equations(tiles: TileSet) -> bool:
    """Return whether a tile set has only the digits and signs of equations."""
    symbols = {symbol for symbol in tiles.symbols if symbol}
    return EQUALS in symbols and symbols <= set(SYMBOLS)


def judge_equations(cells: Grid, doubted: Set[Place], rules: EquationRules = DEFAULT_RULES) -> TableauVerdict:
    """Return which equations lie on a board and whether it is valid.

    A board is valid if it has one group of tiles and every run is an equation.

    Parameters
    ----------
    cells
        The symbol of each tile by row and column, ``""`` for a blank.
    doubted
        The places whose symbol is in doubt.
    rules
        The options of equations.
    """
    return tableau_verdict(
        cells,
        [
            JudgedWord(run.text, run.row, run.col, run.direction, validity(run, doubted, rules))
            for run in runs(cells)
        ],
    )


def validity(run: Run, doubted: Set[Place], rules: EquationRules) -> bool | None:
    """Return whether a run is a valid equation, or ``None`` if a doubt or a blank leaves that open."""
    if not doubted.isdisjoint(run.places) or run.symbols.count(BLANK) > MAX_BLANKS:
        return None
    if BLANK not in run.symbols:
        return is_equation(run.text, rules)
    return None if any(is_equation(text, rules) for text in possible(run.symbols)) else False


def possible(symbols: Sequence[str]) -> Iterator[str]:
    """Yield the texts that symbols may read, with every choice of symbols for the blanks."""
    for faces in product(SYMBOLS, repeat=symbols.count(BLANK)):
        chosen = iter(faces)
        yield "".join(symbol or next(chosen) for symbol in symbols)


def is_equation(text: str, rules: EquationRules) -> bool:
    """Return whether a text is a true equation that the rules allow."""
    try:
        equation_value(text, rules)
    except BadEquation:
        return False
    return True
