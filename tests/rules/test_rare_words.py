"""The option on rare words: they are valid, left to the referee, or not valid."""

from __future__ import annotations

from typing import Any

import pytest

from companion.model.verdicts import Verdict
from tests.rules.martian import laid, spells
from tests.rules.playing import Table, started


def judged(name: str, **options: Any) -> Verdict:
    """Return the verdict on a tableau whose only word, zax, is rare."""
    table = Table(name, 2, uncommon=("zax",), **options)
    table.sees(0, 1, "ZAX")
    verdict: Verdict = table.state.seat(1).verdict
    return verdict


@pytest.mark.parametrize("name", ["bananagrams", "chew", "league_city"])
@pytest.mark.parametrize(
    ("rare", "invalid", "undecided"),
    [("accept", (), ()), ("ask", (), ("ZAX",)), ("refuse", ("ZAX",), ())],
)
def test_a_rare_word_in_a_tableau_is_judged_as_the_host_chose(
    name: str, rare: str, invalid: tuple[str, ...], undecided: tuple[str, ...]
) -> None:
    verdict = judged(name, rare=rare)
    assert (verdict.invalid_words, verdict.undecided_words) == (invalid, undecided)


def test_rare_words_are_valid_where_the_host_chose_nothing() -> None:
    assert judged("chew").invalid_words == ()


def test_a_call_waits_for_the_referee_s_ruling_on_a_rare_word() -> None:
    table = started(2, handicaps=[3, 4], uncommon=("zax",), rare="ask", flips=10)
    table.sees(2, 1, "ZAX", face_down=0)
    table.rule(3, "rule_word", word="zax", valid=True)
    assert table.state.seat(1).verdict.undecided_words == ()


def test_a_looked_up_rare_word_has_no_answer_where_the_referee_is_asked() -> None:
    table = started(2, uncommon=("zax",), rare="ask")
    assert table.call(1, 1, "lookup", word="zax")["events"][-1]["valid"] is None


def test_a_rare_word_under_martian_pieces_waits_for_the_referee() -> None:
    table = laid(uncommon=("nacre",), rare="ask")
    assert spells(table, 1, 1, "nacre")["reason"] == "the list leaves NACRE open; the referee must rule"
    table.rule(2, "rule_word", word="nacre", valid=True)
    assert spells(table, 3, 1, "nacre")["accepted"] is True


def test_a_word_that_waits_for_the_referee_does_not_cost_the_turn() -> None:
    table = laid(uncommon=("nacre",), rare="ask", bad_call="lose_turn")
    spells(table, 1, 1, "nacre")
    assert table.state.turn == 1


def test_a_rare_word_under_martian_pieces_is_no_word_where_the_host_refuses_rare_ones() -> None:
    table = laid(uncommon=("nacre",), rare="refuse")
    assert spells(table, 1, 1, "nacre")["reason"] == "not valid: NACRE"


def test_the_choice_is_frozen_in_the_log() -> None:
    assert Table("chew", 2, rare="refuse").state.options["rare"] == "refuse"


def test_binary_scrabble_has_no_words_and_no_such_option() -> None:
    assert "rare" not in Table("binary_scrabble", 2).state.options
