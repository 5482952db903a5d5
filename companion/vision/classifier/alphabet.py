"""Every symbol that the network knows, and the classes it tells apart.

A class is a symbol in one of its quarter turns; turns that look alike are one
class.  Two classes stand for no symbol at all: a face without one, and no
tile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LATIN = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
ACCENTED = tuple("ÄÖÜÅÆØÑÇÉÕÓŠŽČĆŁŚŃŻŹĘĄ")
SIGNS = ("0", "1", "=", "+", "-", "x", "/", "AND", "OR", "NOT", "XOR")
SYMBOLS = LATIN + ACCENTED + SIGNS

HALF_TURN = frozenset("HINOSXZØÖ0-/=x") - {"Ö"}
"""Symbols that look alike upside down."""

QUARTER_TURN = frozenset("+x")
"""Symbols that look alike after a quarter turn."""

ROUND = frozenset("O")
"""Symbols whose turn tells nothing: some are drawn as circles."""

HOMOGLYPHS = {"O": "0", "0": "O"}
"""A letter and a figure that sets print alike; none has both."""


def turns(symbol: str) -> int:
    """Return how many of a symbol's four quarter turns can be told apart: 1, 2 or 4."""
    return 1 if symbol in QUARTER_TURN else 2 if symbol in HALF_TURN else 4


class Class(NamedTuple):
    """One class of the network: a symbol and its turn, or no symbol.

    ``turn`` is the corner of the crop, 0 to 3 clockwise from the top left, at which
    the symbol's own top left lies.
    """

    symbol: str | None
    turn: int


BLANK_FACE = Class("", 0)
BACKGROUND = Class(None, 0)

CLASSES: tuple[Class, ...] = (
    *(Class(symbol, turn) for symbol in SYMBOLS for turn in range(turns(symbol))),
    BLANK_FACE,
    BACKGROUND,
)
INDEX = {klass: k for k, klass in enumerate(CLASSES)}


def class_of(symbol: str | None, turn: int) -> int:
    """Return the index of the class of a symbol in a turn; ``""`` is a bare face, ``None`` no tile."""
    if not symbol:
        return INDEX[BLANK_FACE if symbol == "" else BACKGROUND]
    return INDEX[Class(symbol, turn % turns(symbol))]


def class_table(symbols: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the class that each symbol shows in each quarter turn, shape (len(symbols), 4)."""
    return np.array([[class_of(symbol, turn) for turn in range(4)] for symbol in symbols], np.intp).reshape(
        -1, 4
    )


def share_table(symbols: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the share of its class's chance that each symbol's turn gets, shape (len(symbols), 4)."""
    return np.array([[turns(symbol) / 4] * 4 for symbol in symbols]).reshape(-1, 4)


def homoglyph_shares(symbols: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the class that each symbol's twin shows in each turn, and its share, shapes (len(symbols), 4).

    The share is none where the set itself has the twin, or there is none.
    """
    twins = tuple(HOMOGLYPHS.get(symbol, symbol) for symbol in symbols)
    alone = np.array([twin not in symbols for twin in twins], np.bool_)
    return class_table(twins), np.where(alone[:, None], share_table(twins), 0.0)
