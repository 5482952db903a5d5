"""What equations are worth, by what the players have agreed on."""

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

LEVELS: Mapping[str, Sequence[frozenset[Operator]]] = {
    "left_to_right": (frozenset(Operator),),
    "standard": (
        frozenset({Operator.TIMES, Operator.OVER}),
        frozenset({Operator.PLUS, Operator.MINUS}),
        frozenset({Operator.AND}),
        frozenset({Operator.XOR}),
        frozenset({Operator.OR}),
    ),
}
"""Operators that are worked out together, from left to right, the first first; NOT comes before all."""

IDENTITIES = {
    "off": frozenset[tuple[Operator, str]](),
    "tournament": frozenset({(Operator.TIMES, "1"), (Operator.PLUS, "0"), (Operator.MINUS, "0")}),
}
IDENTITIES["tournament_and_or"] = IDENTITIES["tournament"] | {(Operator.AND, "1"), (Operator.OR, "0")}
"""Operators and the whole number after them that are banned."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """What players agree on before the game; each field is the option of that name."""

    order: str = "left_to_right"
    negatives: str = "intermediate"
    division: str = "exact"
    double_not: bool = False
    identity: str = "off"
    xor: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Agreed:
        """Return what the options of a game say."""
        return cls(*(options[field.name] for field in fields(cls)))


def solved(text: str, agreed: Agreed) -> int:
    """Return the value of all sides of a written equation.

    Raises
    ------
    BadEquation
        Where it is none, is not true, or has what the players do not allow.
    """
    equation = parsed(text)
    check_agreed(equation, agreed)
    values = [side_value(side, agreed) for side in equation.sides]
    for side, value in zip(equation.sides, values, strict=True):
        if value != values[0]:
            raise BadEquation(
                phrase(
                    "%(side)s is %(number)s and %(other)s is %(third)s: not equal",
                    side=equation.sides[0],
                    number=written(values[0]),
                    other=side,
                    third=written(value),
                )
            )
    return values[0]


def check_agreed(equation: Equation, agreed: Agreed) -> None:
    """Raise BadEquation for signs that the players do not allow where they stand."""
    for side in equation.sides:
        for operand in (side.first, *(after for _, after in side.rest)):
            if operand.negative and agreed.negatives != "on":
                raise BadEquation(
                    phrase("%(number)s has a leading -: negative numbers may not be written", number=operand)
                )
            if operand.nots > 1 and not agreed.double_not:
                raise BadEquation(phrase("%(number)s: NOT applies to a number, not to a NOT", number=operand))
        for sign, operand in side.rest:
            if sign is Operator.XOR and not agreed.xor:
                raise BadEquation(phrase("XOR is not played in this game"))
            if (sign, str(operand)) in IDENTITIES[agreed.identity]:
                raise BadEquation(
                    phrase(
                        "%(sign)s %(number)s changes nothing, and is banned in this game",
                        sign=sign,
                        number=operand,
                    )
                )


def side_value(side: Expression, agreed: Agreed) -> int:
    """Return the value of one side: a whole number, and none below zero unless players allow that."""
    value = worked_out(side, agreed)
    if isinstance(value, Fraction):
        raise BadEquation(phrase("%(side)s is no whole number", side=side))
    if value < 0 and agreed.negatives != "on":
        raise BadEquation(
            phrase(
                "%(side)s is %(number)s, and negative numbers are prohibited",
                side=side,
                number=written(value),
            )
        )
    return value


def worked_out(side: Expression, agreed: Agreed) -> Number:
    """Return the value of an expression, level by level of the agreed order."""
    numbers: list[Number] = [operand_value(side.first)]
    numbers += [operand_value(operand) for _, operand in side.rest]
    signs = [sign for sign, _ in side.rest]
    for level in LEVELS[agreed.order]:
        numbers, signs = folded(level, numbers, signs, agreed)
    return numbers[0]


def folded(
    level: frozenset[Operator], numbers: Sequence[Number], signs: Sequence[Operator], agreed: Agreed
) -> tuple[list[Number], list[Operator]]:
    """Return numbers and the signs between them with one level of operators worked out."""
    found, left = [numbers[0]], []
    for sign, number in zip(signs, numbers[1:], strict=True):
        if sign in level:
            found[-1] = applied(sign, found[-1], number, agreed)
        else:
            found.append(number)
            left.append(sign)
    return found, left


def operand_value(operand: Operand) -> int:
    """Return an operand's value; a NOT turns the digits as written, leading zeros included."""
    value = int(operand.digits, 2)
    if operand.nots % 2:
        value ^= (1 << len(operand.digits)) - 1
    return -value if operand.negative else value


def applied(sign: Operator, one: Number, other: Number, agreed: Agreed) -> Number:
    """Return what an operator makes of two numbers; raise BadEquation where it may not."""
    match sign:
        case Operator.PLUS:
            return allowed(one + other, agreed)
        case Operator.MINUS:
            return allowed(one - other, agreed)
        case Operator.TIMES:
            return allowed(one * other, agreed)
        case Operator.OVER:
            return divided(one, other, agreed)
    return bitwise(sign, one, other, agreed)


def allowed(value: Number, agreed: Agreed) -> Number:
    """Return an intermediate value; raise BadEquation for a negative one where none may be."""
    if value < 0 and agreed.negatives == "off":
        raise BadEquation(
            phrase("a step gives %(number)s, and negative numbers are prohibited", number=written(value))
        )
    return whole(value)


def whole(value: Number) -> Number:
    """Return a whole number as an integer."""
    return int(value) if value.denominator == 1 else value


def divided(one: Number, other: Number, agreed: Agreed) -> Number:
    """Return a quotient: exact, rounded down, or a fraction, as agreed; none by zero."""
    if other == 0:
        raise BadEquation(phrase("%(number)s/0: nothing can be divided by zero", number=written(one)))
    quotient = Fraction(one) / other
    if agreed.division == "floor":
        return quotient.numerator // quotient.denominator
    if agreed.division == "exact" and quotient.denominator != 1:
        raise BadEquation(
            phrase("%(number)s/%(other)s is no whole number", number=written(one), other=written(other))
        )
    return whole(quotient)


def bitwise(sign: Operator, one: Number, other: Number, agreed: Agreed) -> int:
    """Return two numbers combined bit by bit, leading zeros assumed on the shorter one.

    Negative numbers, where players allow them here, are endless two's complements.
    """
    if isinstance(one, Fraction) or isinstance(other, Fraction):
        raise BadEquation(
            phrase(
                "%(sign)s takes whole numbers, not %(number)s and %(other)s",
                sign=sign,
                number=written(one),
                other=written(other),
            )
        )
    if min(one, other) < 0 and agreed.negatives != "on":
        raise BadEquation(
            phrase(
                "%(sign)s takes no negative numbers; got %(number)s",
                sign=sign,
                number=written(min(one, other)),
            )
        )
    if sign is Operator.AND:
        return one & other
    return one ^ other if sign is Operator.XOR else one | other


def written(value: Number) -> str:
    """Return a number in binary notation."""
    if isinstance(value, Fraction):
        return f"{value.numerator:b}/{value.denominator:b}"
    return f"{value:b}"
