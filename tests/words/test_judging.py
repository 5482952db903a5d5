"""What is said of a play and of a tableau: valid, invalid, or left to the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.grid import Direction, Place, parse_grid
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.words import Lexicon, Rare, WordList, judge_play, judge_tableau

LEXICON = Lexicon(WordList.written("small", ["cat", "cot", "to", "top", "at"], rare=["tat"]))
places = st.tuples(st.integers(0, 4), st.integers(0, 4))
grids = st.dictionaries(places, st.sampled_from("CATOP"), min_size=1, max_size=12)


def judge(*lines: str, doubted: frozenset[Place] = frozenset(), rare: Rare = Rare.ACCEPT) -> TableauVerdict:
    return judge_tableau(parse_grid(lines), doubted, LEXICON, rare)


def validity(verdict: TableauVerdict) -> dict[str, bool | None]:
    return {word.text: word.valid for word in verdict.words}


def test_a_tableau_of_valid_words_in_one_group_is_valid() -> None:
    assert judge("CAT", "..O") == TableauVerdict(
        (JudgedWord("CAT", 0, 0, Direction.ACROSS, True), JudgedWord("TO", 0, 2, Direction.DOWN, True)),
        1,
        True,
    )


def test_one_phony_makes_a_tableau_invalid() -> None:
    verdict = judge("CAT", "..A", "..P")
    assert (validity(verdict), verdict.valid) == ({"CAT": True, "TAP": False}, False)


def test_two_groups_are_invalid_though_every_word_is_valid() -> None:
    verdict = judge("CAT", "...", "TO.")
    assert (verdict.islands, verdict.valid) == (2, False)
    assert validity(verdict) == {"CAT": True, "TO": True}


@pytest.mark.parametrize(("lines", "groups"), [((), 0), (("A",), 1)])
def test_a_tableau_without_a_word_is_invalid(lines: tuple[str, ...], groups: int) -> None:
    assert judge(*lines) == TableauVerdict((), groups, False)


def test_a_word_with_a_doubted_letter_is_left_to_the_table() -> None:
    verdict = judge("CAT", "..O", doubted=frozenset({(0, 0)}))
    assert (validity(verdict), verdict.valid) == ({"CAT": None, "TO": True}, None)


def test_a_phony_counts_even_where_another_word_is_in_doubt() -> None:
    assert judge("CAT", "..A", "..P", doubted=frozenset({(0, 0)})).valid is False


def test_a_doubted_tile_where_no_tile_is_doubts_nothing() -> None:
    assert judge("CAT", doubted=frozenset({(5, 5)})).valid is True


def test_a_rare_word_in_a_tableau_is_judged_as_the_host_decided() -> None:
    assert [judge("TAT", rare=rare).valid for rare in Rare] == [True, None, False]


def test_a_word_with_a_blank_is_left_to_the_table_where_a_letter_makes_a_word_of_it() -> None:
    verdict = judge("C?T", "..O")
    assert (validity(verdict), verdict.valid) == ({"C?T": None, "TO": True}, None)


def test_a_word_with_a_blank_is_invalid_where_no_letter_makes_a_word_of_it() -> None:
    assert validity(judge("P?T")) == {"P?T": False}


def test_a_doubted_blank_is_left_to_the_table_whatever_it_could_be() -> None:
    assert validity(judge("P?T", doubted=frozenset({(0, 1)}))) == {"P?T": None}


def test_words_over_fifteen_letters_are_left_to_the_referee_where_no_list_has_any() -> None:
    assert validity(judge("A" * 16)) == {"A" * 16: None}
    assert validity(judge("A" * 15 + "?")) == {"A" * 15 + "?": None}


def test_words_over_fifteen_letters_are_judged_by_the_second_list() -> None:
    lexicon = Lexicon(LEXICON.words, WordList.written("long", ["uncharacteristic"]))
    cells = {(0, n): letter for n, letter in enumerate("UNCHARACTERISTIC")}
    phony = {(0, n): letter for n, letter in enumerate("UNCHARACTERISTIX")}
    assert judge_tableau(cells, set(), lexicon).valid is True
    assert judge_tableau(phony, set(), lexicon).valid is False


@given(grids, st.frozensets(places, max_size=3))
def test_more_doubts_never_settle_a_tableau(grid: dict[Place, str], doubted: frozenset[Place]) -> None:
    sure, unsure = (judge_tableau(grid, cells, LEXICON) for cells in (frozenset[Place](), doubted))
    assert unsure.valid in {None, sure.valid}


@given(grids)
def test_a_valid_tableau_is_one_group_of_accepted_words(grid: dict[Place, str]) -> None:
    verdict = judge_tableau(grid, frozenset(), LEXICON)
    good = (
        verdict.islands == 1 and verdict.words and all(LEXICON.accepts(word.text) for word in verdict.words)
    )
    assert verdict.valid is bool(good)


@pytest.mark.parametrize(
    ("words", "rare", "valid"),
    [
        (["CAT", "TOP"], Rare.ACCEPT, True),
        (["CAT", "TAT"], Rare.ACCEPT, True),
        (["CAT", "TAT"], Rare.ASK, None),
        (["CAT", "TAT", "TOT"], Rare.ASK, False),
        (["TOT"], Rare.ACCEPT, False),
    ],
)
def test_a_play_is_judged_as_a_whole(words: list[str], rare: Rare, valid: bool | None) -> None:
    assert judge_play(words, LEXICON, rare) is valid
