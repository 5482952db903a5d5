"""The values of equations, by the options that the players have chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from companion.errors import BadEquation
from companion.model.phrases import phrase
from companion.rules.binary_scrabble.equation import Equation, Expression, Operand, Operator, parsed

Number = int | Fraction
"""A fraction is never whole: whole numbers are integers."""

PRECEDENCE_LEVELS: Mapping[str, Sequence[frozenset[Operator]]] = {
    "left_to_right": (frozenset(Operator),),
    "standard": (
        frozenset({Operator.TIMES, Operator.OVER}),
        frozenset({Operator.PLUS, Operator.MINUS}),
        frozenset({Operator.AND}),
        frozenset({Operator.XOR}),
        frozenset({Operator.OR}),
    ),
}
"""Operators by precedence, the first level first; within a level from left to right; NOT comes before all."""

BANNED_IDENTITIES = {
    "off": frozenset[tuple[Operator, str]](),
    "tournament": frozenset({(Operator.TIMES, "1"), (Operator.PLUS, "0"), (Operator.MINUS, "0")}),
}
BANNED_IDENTITIES["tournament_and_or"] = BANNED_IDENTITIES["tournament"] | {
    (Operator.AND, "1"),
    (Operator.OR, "0"),
}
"""Banned fragments: an operator and the number after it."""


@dataclass(frozen=True, slots=True)
class EquationRules:
    """The options of equations; each field is the option of that name."""

    order: str = "left_to_right"
    negatives: str = "intermediate"
    division: str = "exact"
    double_not: bool = False
    identity: str = "off"
    xor: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> EquationRules:
        """Return the rules from a game's options."""
        return cls(*(options[field.name] for field in fields(cls)))


def equation_value(text: str, rules: EquationRules) -> int:
    """Return the value that all sides of a written equation have.

    Raises
    ------
    BadEquation
        If the text is no equation, is not true, or has something that the options do not allow.
    """
    equation = parsed(text)
    check_allowed(equation, rules)
    values = [side_value(side, rules) for side in equation.sides]
    for side, value in zip(equation.sides, values, strict=True):
        if value != values[0]:
            raise BadEquation(
                phrase(
                    "%(side)s is %(number)s and %(other)s is %(third)s: not equal",
                    side=equation.sides[0],
                    number=binary_text(values[0]),
                    other=side,
                    third=binary_text(value),
                )
            )
    return values[0]


def check_allowed(equation: Equation, rules: EquationRules) -> None:
    """Raise BadEquation for signs that the options do not allow in their place."""
    for side in equation.sides:
        for operand in (side.first, *(after for _, after in side.rest)):
            if operand.negative and rules.negatives != "on":
                raise BadEquation(
                    phrase("%(number)s has a leading -: negative numbers may not be written", number=operand)
                )
            if operand.nots > 1 and not rules.double_not:
                raise BadEquation(phrase("%(number)s: NOT applies to a number, not to a NOT", number=operand))
        for sign, operand in side.rest:
            if sign is Operator.XOR and not rules.xor:
                raise BadEquation(phrase("XOR is not played in this game"))
            if (sign, str(operand)) in BANNED_IDENTITIES[rules.identity]:
                raise BadEquation(
                    phrase(
                        "%(sign)s %(number)s changes nothing, and is banned in this game",
                        sign=sign,
                        number=operand,
                    )
                )


def side_value(side: Expression, rules: EquationRules) -> int:
    """Return the value of one side; raise BadEquation for fractions, and for negatives unless allowed."""
    value = evaluate(side, rules)
    if isinstance(value, Fraction):
        raise BadEquation(phrase("%(side)s is no whole number", side=side))
    if value < 0 and rules.negatives != "on":
        raise BadEquation(
            phrase(
                "%(side)s is %(number)s, and negative numbers are prohibited",
                side=side,
                number=binary_text(value),
            )
        )
    return value


def evaluate(side: Expression, rules: EquationRules) -> Number:
    """Return the value of an expression, by the levels of the option ``order``."""
    numbers: list[Number] = [operand_value(side.first)]
    numbers += [operand_value(operand) for _, operand in side.rest]
    signs = [sign for sign, _ in side.rest]
    for level in PRECEDENCE_LEVELS[rules.order]:
        numbers, signs = evaluate_level(level, numbers, signs, rules)
    return numbers[0]


def evaluate_level(
    level: frozenset[Operator], numbers: Sequence[Number], signs: Sequence[Operator], rules: EquationRules
) -> tuple[list[Number], list[Operator]]:
    """Return numbers and the signs between them with one level of operators evaluated."""
    found, left = [numbers[0]], []
    for sign, number in zip(signs, numbers[1:], strict=True):
        if sign in level:
            found[-1] = apply_operator(sign, found[-1], number, rules)
        else:
            found.append(number)
            left.append(sign)
    return found, left


def operand_value(operand: Operand) -> int:
    """Return an operand's value; NOT inverts the digits as written, leading zeros included."""
    value = int(operand.digits, 2)
    if operand.nots % 2:
        value ^= (1 << len(operand.digits)) - 1
    return -value if operand.negative else value


def apply_operator(sign: Operator, one: Number, other: Number, rules: EquationRules) -> Number:
    """Return the result of an operator; raise BadEquation if the options do not allow it."""
    match sign:
        case Operator.PLUS:
            return checked_step(one + other, rules)
        case Operator.MINUS:
            return checked_step(one - other, rules)
        case Operator.TIMES:
            return checked_step(one * other, rules)
        case Operator.OVER:
            return divide(one, other, rules)
    return bitwise(sign, one, other, rules)


def checked_step(value: Number, rules: EquationRules) -> Number:
    """Return an intermediate value; raise BadEquation for a negative one unless allowed."""
    if value < 0 and rules.negatives == "off":
        raise BadEquation(
            phrase("a step gives %(number)s, and negative numbers are prohibited", number=binary_text(value))
        )
    return whole(value)


def whole(value: Number) -> Number:
    """Return a whole number as an integer."""
    return int(value) if value.denominator == 1 else value


def divide(one: Number, other: Number, rules: EquationRules) -> Number:
    """Return a quotient: exact, rounded down, or a fraction, by the option ``division``."""
    if other == 0:
        raise BadEquation(phrase("%(number)s/0: nothing can be divided by zero", number=binary_text(one)))
    quotient = Fraction(one) / other
    if rules.division == "floor":
        return quotient.numerator // quotient.denominator
    if rules.division == "exact" and quotient.denominator != 1:
        raise BadEquation(
            phrase(
                "%(number)s/%(other)s is no whole number", number=binary_text(one), other=binary_text(other)
            )
        )
    return whole(quotient)


def bitwise(sign: Operator, one: Number, other: Number, rules: EquationRules) -> int:
    """Return two numbers combined bit by bit, the shorter one padded with leading zeros.

    Negative numbers, if allowed here, are two's complements of infinite width.
    """
    if isinstance(one, Fraction) or isinstance(other, Fraction):
        raise BadEquation(
            phrase(
                "%(sign)s takes whole numbers, not %(number)s and %(other)s",
                sign=sign,
                number=binary_text(one),
                other=binary_text(other),
            )
        )
    if min(one, other) < 0 and rules.negatives != "on":
        raise BadEquation(
            phrase(
                "%(sign)s takes no negative numbers; got %(number)s",
                sign=sign,
                number=binary_text(min(one, other)),
            )
        )
    if sign is Operator.AND:
        return one & other
    return one ^ other if sign is Operator.XOR else one | other


def binary_text(value: Number) -> str:
    """Return a number in binary notation."""
    if isinstance(value, Fraction):
        return f"{value.numerator:b}/{value.denominator:b}"
    return f"{value:b}"
