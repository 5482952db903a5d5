"""Binary equations: their syntax and its parser.

An equation is a text of binary numbers and signs, as the tiles of a run read together; spaces only separate
signs.  There are no brackets: an expression is a row of operands with an operator between every two.
``value`` evaluates it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import BadEquation
from companion.model.phrases import phrase

EQUALS = "="
NOT = "NOT"
MINUS = "-"

MAX_EQUATION_CHARS = 400
"""Longest equation, in characters; a run on the board has at most 15 tiles."""


class Operator(StrEnum):
    """A binary operator."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "x"
    OVER = "/"
    AND = "AND"
    XOR = "XOR"
    OR = "OR"


SYMBOLS = ("0", "1", EQUALS, *Operator, NOT)
"""Every symbol of an equation, a tile each."""

TOKEN_PATTERN = re.compile(r"[01]+|XOR|AND|NOT|OR|[=+\-x/]")

PRINTED_SIGNS = str.maketrans("×÷", "x/")
"""Signs as printed in the rule text, to the signs used here."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A number as written, with leading zeros; the number of NOTs before it; whether it has a minus."""

    digits: str
    nots: int = 0
    negative: bool = False

    def __str__(self) -> str:
        return MINUS * self.negative + f"{NOT} " * self.nots + self.digits


@dataclass(frozen=True, slots=True)
class Expression:
    """One side of an equation: an operand, then operators, each with the operand after it."""

    first: Operand
    rest: tuple[tuple[Operator, Operand], ...] = ()

    def __str__(self) -> str:
        return str(self.first) + "".join(f"{spaced(sign)}{operand}" for sign, operand in self.rest)


@dataclass(frozen=True, slots=True)
class Equation:
    """Two or more sides that should be equal."""

    sides: tuple[Expression, ...]

    def __str__(self) -> str:
        return EQUALS.join(map(str, self.sides))


def spaced(sign: Operator) -> str:
    """Return an operator with the spaces that words need."""
    return f" {sign} " if sign.isupper() else str(sign)


def parsed(text: str) -> Equation:
    """Return the equation in a text.

    Raises
    ------
    BadEquation
        If there is none, with the reason: "You may not string together arbitrary symbols"
        (binary_scrabble.txt).
    """
    sides: list[list[str]] = [[]]
    for token in tokens(text):
        if token == EQUALS:
            sides.append([])
        else:
            sides[-1].append(token)
    if len(sides) == 1:
        raise BadEquation(phrase("there is no = in it"))
    return Equation(tuple(expression(side) for side in sides))


def tokens(text: str) -> Iterator[str]:
    """Yield the numbers and signs of a text; raise BadEquation at anything else."""
    if len(text) > MAX_EQUATION_CHARS:
        raise BadEquation(
            phrase(
                "an equation has at most %(most)s characters; got %(count)s",
                most=MAX_EQUATION_CHARS,
                count=len(text),
            )
        )
    at, text = 0, text.translate(PRINTED_SIGNS)
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        found = TOKEN_PATTERN.match(text, at)
        if found is None:
            raise BadEquation(phrase("%(text)s is no digit and no sign", text=repr(text[at])))
        yield found[0]
        at = found.end()


def expression(side: Sequence[str]) -> Expression:
    """Return the expression in the tokens of one side; raise BadEquation if there is none."""
    first, at = operand(side, 0)
    rest = []
    while at < len(side):
        if side[at] not in set(Operator):
            raise BadEquation(
                phrase("no operator stands between %(side)s and %(other)s", side=side[at - 1], other=side[at])
            )
        after, end = operand(side, at + 1)
        rest.append((Operator(side[at]), after))
        at = end
    return Expression(first, tuple(rest))


def operand(side: Sequence[str], at: int) -> tuple[Operand, int]:
    """Return the operand that starts at a token, and where the next token is."""
    negative = at == 0 and side[:1] == [MINUS]
    start = at + negative
    nots = 0
    while side[start + nots : start + nots + 1] == [NOT]:
        nots += 1
    end = start + nots
    if end == len(side):
        raise BadEquation(
            phrase("no number follows %(side)s", side=side[-1])
            if side
            else phrase("nothing stands beside an =")
        )
    digits = side[end]
    if not digits.isdecimal():
        raise BadEquation(
            phrase("no number follows %(side)s: %(text)s does", side=side[end - 1], text=digits)
            if end
            else phrase("no number stands before %(text)s", text=digits)
        )
    if not nots and digits != "0" and digits.startswith("0"):
        raise BadEquation(
            phrase("%(number)s has leading zeros, and only the number after a NOT may", number=digits)
        )
    return Operand(digits, nots, negative), end + 1
