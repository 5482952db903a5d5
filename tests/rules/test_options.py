"""Options: typed, validated, documented, frozen; the nearest valid name in every error."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadOption, BadSetUp
from companion.rules.card import options_table
from companion.rules.options import Option
from companion.rules.registry import entries, game
from tests.rules.playing import Table

NAMES = sorted(entries())


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(BadOption, match="no option 'flip_merge'; did you mean 'flip_merge_ms'"):
        Table("chew", flip_merge=100)


def test_a_value_that_is_none_of_the_choices_names_the_nearest() -> None:
    with pytest.raises(
        BadOption, match="'policy' must be one of strict, advise, off; got 'strikt'; did you mean 'strict'"
    ):
        Table("chew", policy="strikt")


@pytest.mark.parametrize(
    ("option", "given", "says"),
    [
        ("tie_ms", -1, "must be a whole number from 0 to 1000; got -1"),
        ("tie_ms", 5.5, "must be a whole number from 0 to 1000; got 5.5"),
        ("tie_ms", True, "must be a whole number from 0 to 1000; got True"),
        ("lookup", 1, "must be true or false; got 1"),
        ("handicaps", 10, "must be a list of whole numbers from 3 to 134; got 10"),
        ("handicaps", [10] * 101, "must be a list of whole numbers from 3 to 134"),
        ("policy", None, "must be one of strict, advise, off; got None"),
        ("policy", [], r"must be one of strict, advise, off; got \[\]"),
    ],
)
def test_a_value_of_the_wrong_type_or_out_of_bounds_is_told(option: str, given: Any, says: str) -> None:
    with pytest.raises(BadOption, match=f"option '{option}' {says}"):
        Table("chew", **{option: given})


def test_options_are_frozen_when_a_game_begins() -> None:
    state = Table("chew").state
    with pytest.raises(TypeError):
        state.options["policy"] = "off"


def test_every_option_stands_in_the_log_with_its_value() -> None:
    table = Table("chew", tie_ms=7)
    event = next(iter(table.log.rows("test")))
    assert '"tie_ms":7' in event.body
    assert '"flip_merge_ms":1500' in event.body


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_documented_and_takes_its_own_default(name: str) -> None:
    for option in game(name).options:
        assert isinstance(option, Option)
        assert option.doc
        assert option.source
        assert option.kind
        assert option.parse(option.default) == option.default


@pytest.mark.parametrize("name", NAMES)
def test_no_option_stands_twice(name: str) -> None:
    names = [option.name for option in game(name).options]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_options_names_every_one(name: str) -> None:
    table = options_table(game(name))
    assert all(f"| `{option.name}` |" in table for option in game(name).options)


@pytest.mark.parametrize(
    ("game_name", "switches"),
    [
        (
            "bananagrams",
            (
                "call_name duplicates tie peel_merge_ms freeze_endgame last_standing_wins strict_peel "
                "dump_short dump_order series"
            ),
        ),
        ("chew", "policy flip_merge_ms tie play_to_end cap_s dump_short long_words lookup handicaps"),
    ],
)
def test_every_switch_of_the_settled_points_is_there(game_name: str, switches: str) -> None:
    assert set(switches.split()) <= {option.name for option in game(game_name).options}


class TestSeats:
    @pytest.mark.parametrize("names", [["a", "a"], ["", "b"], ["a" * 41, "b"], ["a\n", "b"]])
    def test_names_must_be_printable_and_each_ones_own(self, names: list[str]) -> None:
        with pytest.raises(BadSetUp, match="name"):
            Table("chew", names)


class TestRegistry:
    def test_an_unknown_game_names_the_nearest(self) -> None:
        with pytest.raises(BadSetUp, match="no game 'banagrams'; did you mean 'bananagrams'"):
            game("banagrams")
