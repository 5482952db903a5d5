"""``companion rules``: the games, a card for the table, the options for readers."""

from __future__ import annotations

import pytest

from companion.cli import main


def test_it_lists_the_games_with_players_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    assert "bananagrams      Bananagrams: 1 to 13 players, from bananagrams.txt" in capsys.readouterr().out


def test_a_card_says_what_to_say_when(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "bananagrams"]) == 0
    assert "PEEL: all my tiles are placed: everybody takes one tile" in capsys.readouterr().out


def test_a_card_marks_the_options_that_were_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "bananagrams", "series=best_of_3", "strict_peel=true"]) == 0
    card = capsys.readouterr().out
    assert "* series              best_of_3" in card
    assert "* strict_peel         yes" in card
    assert "  tie                 most_words" in card


def test_an_option_without_a_value_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "bananagrams", "series"]) == 2
    assert "an option is given as NAME=VALUE; got 'series'" in capsys.readouterr().err


def test_an_unknown_game_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "cew"]) == 2
    assert "did you mean 'chew'" in capsys.readouterr().err


def test_options_are_printed_as_a_table_for_readers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "chew", "--markdown"]) == 0
    assert "| `flip_merge_ms` | 0 to 60000 | `1500` |" in capsys.readouterr().out


def test_the_table_of_all_games_has_one_row_where_they_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--markdown"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "| option | games | default | what it decides |"
    assert "| `tie_ms` | all | `5` | calls at most this far apart are simultaneous |" in rows
    assert [row.split(" | ")[1] for row in rows if row.startswith("| `duplicates`")] == [
        "bananagrams, chew, league_city"
    ]


def test_the_table_of_all_games_has_a_row_for_each_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--markdown"]) == 0
    rows = [line.split(" | ")[:3] for line in capsys.readouterr().out.splitlines()]
    assert [row[1:] for row in rows if row[0] == "| `scoring`"] == [
        ["league_city", "`daronian`"],
        ["martian_boggle", "`values`"],
    ]


@pytest.mark.parametrize("default", ["handicaps=[]", "lookup=true", "warn_s=[60, 10]", "tie=share"])
def test_a_default_is_written_in_the_tables_as_it_can_be_given(
    default: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, _, value = default.partition("=")
    assert main(["rules", "chew", "--markdown"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(f"| `{name}` "))
    assert row.split(" | ")[2] == f"`{value}`"
    assert main(["rules", "chew", default]) == 0
    assert f"* {name} " not in capsys.readouterr().out
