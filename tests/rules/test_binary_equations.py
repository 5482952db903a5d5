"""What binary_scrabble.txt and SETTLED.md say of equations, with every switch; values worked out by hand."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadEquation
from companion.rules.binary_scrabble.equation import (
    MAX_EQUATION_CHARS,
    Equation,
    Expression,
    Operand,
    Operator,
    parsed,
)
from companion.rules.binary_scrabble.value import EquationRules, equation_value


def value(text: str, **agreed: Any) -> int:
    return equation_value(text, EquationRules(**agreed))


def fault(text: str, **agreed: Any) -> str:
    with pytest.raises(BadEquation) as caught:
        equation_value(text, EquationRules(**agreed))
    return str(caught.value)


class TestRuleText:
    """Examples and sentences of binary_scrabble.txt."""

    @pytest.mark.parametrize(
        ("text", "worth"),
        [
            ("1+1=10", 2),
            ("100 OR 1 = 101", 5),
            ("11+1=100", 4),
            ("10x10=100=11+1", 4),
            ("1-1+1-1=0=0+0", 0),
            ("101 AND 1 = 1", 1),
            ("110 = NOT 001", 6),
            ("1000x11=11000", 24),
            ("11x11=1001", 9),
        ],
    )
    def test_each_example_is_true(self, text: str, worth: int) -> None:
        assert value(text) == worth

    def test_the_low_value_example_has_four_ones_which_are_100_and_not_10(self) -> None:
        assert fault("1+1+1+1=10") == "1+1+1+1 is 100 and 10 is 10: not equal"
        assert value("1+1+1+1=100") == 4

    def test_multiply_and_divide_may_be_written_as_the_tiles_print_them(self) -> None:
        assert value("110÷10=11×1") == 3

    def test_arbitrary_symbols_may_not_be_strung_together(self) -> None:
        assert fault("1+xx1==10") == "no number follows +: x does"

    def test_equations_can_have_multiple_equal_parts_and_all_must_be_equal(self) -> None:
        assert value("1=1=1") == 1
        assert fault("1=1=10") == "1 is 1 and 10 is 10: not equal"

    def test_redundant_equations_are_valid(self) -> None:
        assert value("1=1") == 1
        assert value("0=0") == 0

    def test_not_applies_only_to_the_immediately_following_number(self) -> None:
        assert value("NOT 0+1=10") == 2
        assert value("NOT 0 AND 1=1") == 1

    def test_there_is_no_implied_multiplication(self) -> None:
        assert fault("1 0=10") == "no operator stands between 1 and 0"
        assert fault("1 NOT 0=1") == "no operator stands between 1 and NOT"

    def test_negative_numbers_are_prohibited(self) -> None:
        assert fault("-1+10=1") == "-1 has a leading -: negative numbers may not be written"
        assert fault("0-1=0-1") == "0-1 is -1, and negative numbers are prohibited"

    def test_leading_plus_signs_are_refused(self) -> None:
        assert fault("+1=1") == "no number stands before +"
        assert fault("1=+1") == "no number stands before +"
        assert fault("1++1=10") == "no number follows +: + does"

    def test_leading_zeros_are_assumed_on_the_shorter_number_of_and_and_or(self) -> None:
        assert value("1110 AND 11=10") == 2
        assert value("1000 OR 1=1001") == 9

    def test_leading_zeros_are_not_assumed_for_not(self) -> None:
        assert value("NOT 1=0") == 0
        assert fault("110=NOT 1") == "110 is 110 and NOT 1 is 0: not equal"

    def test_leading_zeros_are_refused_but_after_a_not(self) -> None:
        assert fault("01=1") == "01 has leading zeros, and only the number after a NOT may"
        assert fault("1+00=1") == "00 has leading zeros, and only the number after a NOT may"
        assert value("NOT 001=110") == 6
        assert value("NOT 00=11") == 3

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "there is no = in it"),
            ("10", "there is no = in it"),
            ("=", "nothing stands beside an ="),
            ("1=", "nothing stands beside an ="),
            ("=1", "nothing stands beside an ="),
            ("1==1", "nothing stands beside an ="),
            ("1+=1", "no number follows +"),
            ("1=x1", "no number stands before x"),
            ("NOT=1", "no number follows NOT"),
            ("NOT+1=1", "no number follows NOT: + does"),
            ("1 AND OR 1=1", "no number follows AND: OR does"),
            ("-=0", "no number follows -"),
            ("2=2", "'2' is no digit and no sign"),
            ("1 X 1=1", "'X' is no digit and no sign"),
            (
                "1=1" * MAX_EQUATION_CHARS,
                f"an equation has at most 400 characters; got {3 * MAX_EQUATION_CHARS}",
            ),
        ],
    )
    def test_what_is_no_equation_is_refused_with_the_reason(self, text: str, why: str) -> None:
        assert fault(text) == why


class TestOrder:
    """Order of operation, agreed beforehand."""

    def test_left_to_right_is_preselected(self) -> None:
        assert value("1+1x10=100") == 4
        assert fault("1+1x10=11").endswith("not equal")

    @pytest.mark.parametrize(
        ("text", "worth"),
        [
            ("1+1x10=11", 3),  # x before +
            ("111-100/10=101", 5),  # / before -
            ("110/11x10=100", 4),  # x and / as written
            ("10-1+1=10", 2),  # + and - as written
            ("1+1 AND 11=10", 2),  # + before AND: 10 AND 11; left to right as well
            ("11 AND 1+1=10", 2),  # + before AND: 11 AND 10
            ("1 OR 1 AND 0=1", 1),  # AND before OR: 1 OR 0
            ("NOT 0x10=10", 2),  # NOT before x: 1 x 10
        ],
    )
    def test_standard_is_not_then_times_and_over_then_plus_and_minus_then_and_then_or(
        self, text: str, worth: int
    ) -> None:
        assert value(text, order="standard") == worth

    @pytest.mark.parametrize(
        ("text", "worth"),
        [
            ("111-101/10=1", 1),  # 10 / 10
            ("11 AND 1+1=10", 2),  # 1 + 1
            ("1 OR 1 AND 0=0", 0),  # 1 AND 0
        ],
    )
    def test_left_to_right_takes_every_operator_as_written(self, text: str, worth: int) -> None:
        assert value(text) == worth


class TestNegatives:
    def test_an_intermediate_of_plus_minus_and_times_may_be_negative(self) -> None:
        assert value("1-10+1=0") == 0
        assert value("1-10x11+11=0") == 0
        assert value("1-11/10+1=0") == 0

    @pytest.mark.parametrize("sign", ["AND", "OR", "XOR"])
    def test_a_negative_intermediate_is_no_operand_of_and_or_or(self, sign: str) -> None:
        assert fault(f"1-10 {sign} 1=1", xor=True) == f"{sign} takes no negative numbers; got -1"

    def test_off_no_step_may_be_negative(self) -> None:
        assert fault("1-10+1=0", negatives="off") == "a step gives -1, and negative numbers are prohibited"
        assert value("10-1+1=10", negatives="off") == 2

    def test_on_negative_numbers_may_be_written_and_be_values(self) -> None:
        assert value("-1+10=1", negatives="on") == 1
        assert value("0-1=-1", negatives="on") == -1
        assert value("-NOT 01=-10", negatives="on") == -2

    def test_on_and_and_or_take_them_in_twos_complement(self) -> None:
        assert value("1-10 AND 101=101", negatives="on") == 5
        assert value("0-10 OR 1=-1", negatives="on") == -1

    def test_a_minus_inside_an_expression_is_never_a_sign(self) -> None:
        assert fault("1+-1=0", negatives="on") == "no number follows +: - does"


class TestDivision:
    def test_it_is_exact_at_every_step(self) -> None:
        assert value("110/11=10") == 2
        assert fault("11/10x10=11") == "11/10 is no whole number"

    @pytest.mark.parametrize("division", ["exact", "floor", "fraction"])
    def test_by_zero_it_is_invalid(self, division: str) -> None:
        assert fault("1/0=0", division=division) == "1/0: nothing can be divided by zero"
        assert fault("0/0=0", division=division) == "0/0: nothing can be divided by zero"

    def test_floor_rounds_down(self) -> None:
        assert value("11/10=1", division="floor") == 1
        assert value("0-11/10+10=0", division="floor") == 0  # -3 / 2 is -2

    def test_fraction_is_exact_only_in_the_end(self) -> None:
        assert value("11/10x10=11", division="fraction") == 3
        assert fault("11/10=1", division="fraction") == "11/10 is no whole number"
        assert fault("11/10 AND 1=1", division="fraction") == "AND takes whole numbers, not 11/10 and 1"
        assert fault("1-11/100+1=1", division="fraction") == "1-11/100+1 is no whole number"  # -2/4 + 1

    def test_a_fraction_below_zero_is_a_negative_step(self) -> None:
        why = fault("1/10-1+1=0", division="fraction", negatives="off")
        assert why == "a step gives -1/10, and negative numbers are prohibited"


class TestNot:
    @pytest.mark.parametrize(
        ("text", "worth"), [("NOT 001=110", 6), ("NOT 1=0", 0), ("NOT 0=1", 1), ("NOT 11=0", 0)]
    )
    def test_the_width_is_that_of_the_number_as_written(self, text: str, worth: int) -> None:
        assert value(text) == worth

    def test_not_not_is_refused(self) -> None:
        assert fault("NOT NOT 1=1") == "NOT NOT 1: NOT applies to a number, not to a NOT"

    def test_double_not_allows_it_and_keeps_the_width(self) -> None:
        assert value("NOT NOT 001=1", double_not=True) == 1
        assert value("NOT NOT NOT 001=110", double_not=True) == 6


class TestIdentity:
    FRAGMENTS = ("1+1=10x1", "1+1=10+0", "1+1=10-0")
    LOGIC = ("1=1 AND 1", "1=1 OR 0")

    @pytest.mark.parametrize("text", [*FRAGMENTS, *LOGIC])
    def test_identity_fragments_are_allowed_unless_switched_off(self, text: str) -> None:
        assert value(text) in {1, 2}

    @pytest.mark.parametrize("text", FRAGMENTS)
    def test_tournament_bans_x1_plus_0_and_minus_0(self, text: str) -> None:
        sign, digit = text[-2], text[-1]
        why = f"{sign} {digit} changes nothing, and is banned in this game"
        assert fault(text, identity="tournament") == why

    @pytest.mark.parametrize("text", LOGIC)
    def test_tournament_leaves_and_1_and_or_0(self, text: str) -> None:
        assert value(text, identity="tournament") == 1

    @pytest.mark.parametrize("text", [*FRAGMENTS, *LOGIC])
    def test_optionally_and_1_and_or_0_as_well(self, text: str) -> None:
        assert "is banned" in fault(text, identity="tournament_and_or")

    @pytest.mark.parametrize("text", ["1x10=10", "1x11=11", "1+1=10", "1xNOT 0=1", "0+1=1", "1/1=1"])
    def test_only_the_whole_number_after_the_sign_is_meant(self, text: str) -> None:
        assert value(text, identity="tournament_and_or") in {1, 2, 3}


class TestXor:
    def test_it_is_off(self) -> None:
        assert fault("1 XOR 0=1") == "XOR is not played in this game"

    def test_on_it_leaves_the_bits_that_differ(self) -> None:
        assert value("110 XOR 11=101", xor=True) == 5

    def test_it_stands_between_and_and_or(self) -> None:
        agreed = {"xor": True, "order": "standard"}
        assert value("1 XOR 1 AND 0=1", **agreed) == 1  # AND first: 1 XOR 0
        assert value("1 OR 1 XOR 1=1", **agreed) == 1  # XOR first: 1 OR 0
        assert value("1 OR 1 XOR 1=0", xor=True) == 0  # as written: 1 XOR 1


class TestWriting:
    def test_words_are_written_with_spaces_and_signs_without(self) -> None:
        assert str(parsed("110=NOT001")) == "110=NOT 001"
        assert str(parsed("1AND0 OR 1x1 + 1 = 10")) == "1 AND 0 OR 1x1+1=10"

    def test_x_before_or_is_not_xor(self) -> None:
        assert fault("1xOR1=1") == "no number follows x: OR does"


numerals = st.integers(0, 255).map(lambda number: f"{number:b}")
widths = st.text("01", min_size=1, max_size=8)
operands = st.one_of(
    st.builds(Operand, numerals), st.builds(Operand, widths, st.integers(1, 3)), st.builds(Operand, numerals)
)
signed = st.one_of(operands, st.builds(Operand, numerals, st.just(0), st.just(True)))
expressions = st.builds(
    Expression,
    signed,
    st.lists(st.tuples(st.sampled_from(Operator), operands), max_size=4).map(tuple),
)
equations = st.lists(expressions, min_size=2, max_size=3).map(tuple).map(Equation)

SIGNS = {"+": "+", "-": "-", "x": "*", "AND": "&", "OR": "|", "XOR": "^"}
"""How Python writes the operators, in whose order of operations they stand as in ``standard``."""


def in_python(side: Expression) -> str:
    """Return an expression as Python writes it: NOT of n digits is a subtraction from n ones."""

    def number(operand: Operand) -> str:
        ones = 2 ** len(operand.digits) - 1
        turned = ones - int(operand.digits, 2) if operand.nots % 2 else int(operand.digits, 2)
        return f"({'-' * operand.negative}{turned})"

    return number(side.first) + "".join(f"{SIGNS[sign]}{number(after)}" for sign, after in side.rest)


def from_left(side: Expression) -> str:
    """Return an expression as Python writes it, bracketed from the left."""
    flat = in_python(Expression(side.first))
    for sign, after in side.rest:
        flat = f"({flat}{SIGNS[sign]}{in_python(Expression(after))})"
    return flat


undivided = st.builds(
    Expression,
    signed,
    st.lists(
        st.tuples(st.sampled_from([sign for sign in Operator if sign in SIGNS]), operands), max_size=4
    ).map(tuple),
)
EVERYTHING: dict[str, Any] = {"negatives": "on", "double_not": True, "xor": True}


def python_value(text: str) -> int:
    return int(eval(text, {"__builtins__": {}}))  # noqa: S307  digits and operators made above


@given(equations)
def test_what_is_printed_parses_to_the_same(equation: Equation) -> None:
    assert parsed(str(equation)) == equation


@given(undivided)
def test_standard_order_is_that_of_pythons_integers(side: Expression) -> None:
    expected = python_value(in_python(side))
    assert value(f"{side}={side}", order="standard", **EVERYTHING) == expected


@given(undivided)
def test_left_to_right_is_that_of_pythons_integers_with_brackets(side: Expression) -> None:
    assert value(f"{side}={side}", **EVERYTHING) == python_value(from_left(side))


@given(st.integers(0, 10**6), st.integers(1, 1000))
def test_a_product_divided_by_a_factor_is_the_other_one(one: int, other: int) -> None:
    assert value(f"{one:b}x{other:b}/{other:b}={one:b}") == one


@given(st.text("01=+-x/ANDORTX ", max_size=30))
def test_any_row_of_symbols_is_an_equation_or_refused_with_a_reason(text: str) -> None:
    with suppress(BadEquation):
        assert value(text) >= 0
        assert "=" in text
