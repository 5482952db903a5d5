"""league_city.txt sentence by sentence: The Score and The Win, with what SETTLED.md settles of them."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadOption
from companion.model.seats import Seat
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules.league_city.rounds import tableau_points
from tests.rules.playing import Table, gone, places, scores, texts

WORDS = ("it", "pit", "spit", "spite", "zoo", "quiz", "cat", "at", "jazz", "ox", "box", "to", "aa")

ZOO_AND_QUIZ = ("QUIZ", "...O", "...O")
"""QUIZ formed off the Z of ZOO: six tiles."""


def totals(line: dict[str, Any]) -> list[float]:
    return [seat["total"] for seat in line["seats"]]


def finished(*grid: str, seats: int = 2, **options: Any) -> tuple[Table, dict[str, Any]]:
    """Return a round that seat 1 has finished with a tableau, the others unseen, nothing in the middle."""
    tiles = sum(len(row) - row.count(".") for row in grid)
    table = gone(seats, pool=0, start_tiles=tiles, words=WORDS, **options)
    table.sees(2, 1, *grid)
    return table, table.call(3, 1, "done")


def unfinished(*grid: str, tiles: int = 12, **rest: Any) -> dict[str, Any]:
    """Return a stopped round in which seat 1 has a tableau and did not finish."""
    table = gone(start_tiles=tiles, words=WORDS, **rest.pop("options", {}))
    table.sees(2, 1, *grid, **rest)
    return table.rule(3, "end_round")


class TestWords:
    @pytest.mark.parametrize(("word", "points"), [("IT", 2), ("PIT", 2), ("SPIT", 3), ("SPITE", 4)])
    def test_it_is_worth_2_pit_2_spit_3_and_spite_4(self, word: str, points: int) -> None:
        assert scores(unfinished(word)) == [points, 0]

    def test_a_longer_word_is_worth_one_less_than_its_letters(self) -> None:
        table = gone(start_tiles=12, words=("pterodactyls",))
        table.sees(2, 1, "PTERODACTYLS")
        assert scores(table.rule(3, "end_round")) == [11, 0]

    def test_each_player_totals_the_points_of_all_words_at_the_end_of_the_round(self) -> None:
        """SPIT 3 across; down from its P: PIT 2; from its T: TO 2."""
        table = gone(start_tiles=12, words=(*WORDS, "ti"))
        table.sees(2, 1, "SPIT", ".I.O", ".T..")
        assert scores(table.rule(3, "end_round")) == [7, 0]

    def test_the_player_who_finished_first_receives_five_bonus_points(self) -> None:
        table = gone(pool=0, start_tiles=4, words=WORDS)
        table.sees(2, 1, "SPIT")
        table.sees(2, 2, "PIT")
        assert scores(table.call(3, 1, "done")) == [8, 2]

    def test_during_play_nobody_has_points(self) -> None:
        table = gone(words=WORDS)
        assert scores(table.sees(2, 1, "SPIT")) == [0, 0]


class TestDifficultLetters:
    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 10), ("daronian", 11)])
    def test_zoo_and_quiz_are_10_by_james_and_11_by_daron(self, scoring: str, points: int) -> None:
        assert scores(unfinished(*ZOO_AND_QUIZ, options={"scoring": scoring})) == [points, 0]

    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 15), ("daronian", 16)])
    def test_the_bonus_is_never_doubled(self, scoring: str, points: int) -> None:
        assert scores(finished(*ZOO_AND_QUIZ, scoring=scoring)[1])[0] == points

    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 4), ("daronian", 5)])
    def test_zoo_would_be_worth_4_instead_of_2_by_james(self, scoring: str, points: int) -> None:
        assert scores(unfinished("ZOO", options={"scoring": scoring})) == [points, 0]

    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 6), ("daronian", 12)])
    def test_a_word_of_three_difficult_letters_is_doubled_once_and_has_three_points_for_each_tile(
        self, scoring: str, points: int
    ) -> None:
        """JAZZ is 3: doubled 6; with J, Z and Z 3 + 9."""
        assert scores(unfinished("JAZZ", options={"scoring": scoring})) == [points, 0]

    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 4), ("daronian", 5)])
    def test_a_word_of_two_letters_is_doubled_too(self, scoring: str, points: int) -> None:
        assert scores(unfinished("OX", options={"scoring": scoring})) == [points, 0]

    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 8), ("daronian", 7)])
    def test_a_tile_in_two_words_doubles_both_by_james_and_counts_once_by_daron(
        self, scoring: str, points: int
    ) -> None:
        """BOX 2 across and OX 2 down on the one X: (2 + 2) doubled is 8; 2 + 2 + 3 is 7."""
        line = unfinished("..O", "BOX", options={"scoring": scoring})
        assert scores(line) == [points, 0]

    @pytest.mark.parametrize(("scoring", "points"), [("jamesian", 6), ("daronian", 7)])
    def test_words_without_a_difficult_letter_are_never_doubled(self, scoring: str, points: int) -> None:
        """ZOO 2 across, TO 2 down on its second O: by James 4 + 2, by Daron 2 + 2 + 3."""
        line = unfinished(".T.", "ZOO", options={"scoring": scoring})
        assert scores(line) == [points, 0]

    @pytest.mark.parametrize("letter", "JQXZ")
    def test_j_q_x_and_z_are_the_difficult_letters(self, letter: str) -> None:
        table = gone(start_tiles=12, words=(f"a{letter}",))
        table.sees(2, 1, f"A{letter}")
        assert scores(table.rule(3, "end_round")) == [5, 0]

    @pytest.mark.parametrize("letter", "ABCDEFGHIKLMNOPRSTUVWY")
    def test_no_other_letter_is(self, letter: str) -> None:
        table = gone(start_tiles=12, words=(f"a{letter}",))
        table.sees(2, 1, f"A{letter}")
        assert scores(table.rule(3, "end_round")) == [2, 0]

    def test_daronian_scoring_is_preselected(self) -> None:
        assert scores(unfinished(*ZOO_AND_QUIZ)) == [11, 0]

    @pytest.mark.parametrize("both", ["both", "jamesian daronian", ["jamesian", "daronian"]])
    def test_there_shall_be_no_commingling(self, both: Any) -> None:
        with pytest.raises(BadOption, match="'scoring' must be one of daronian, jamesian"):
            Table("league_city", scoring=both)


@given(st.lists(st.text("AEJQXZ", min_size=1, max_size=6), min_size=2, max_size=6))
def test_a_second_formula_finds_the_same_points_in_any_comb_of_good_words(columns: list[str]) -> None:
    """The columns hang from one row of two tiles or more, so that every tile is in a word."""
    rows = ["".join(row) for row in zip_longest(*columns, fillvalue=".")]
    words = [word for line in [*rows, *columns] for word in re.findall("[A-Z]{2,}", line)]
    plain = [max(2, len(word) - 1) for word in words]
    doubled = [points * 2 for word, points in zip(words, plain, strict=True) if re.search("[JQXZ]", word)]
    single = [points for word, points in zip(words, plain, strict=True) if not re.search("[JQXZ]", word)]
    seat = Seat("one", sighting=Sighting(tuple(rows)), verdict=Verdict(tuple(words)))
    assert tableau_points(seat, "jamesian") == sum(doubled) + sum(single)
    assert tableau_points(seat, "daronian") == sum(plain) + 3 * len(re.findall("[JQXZ]", "".join(columns)))


class TestPlayersWhoDidNotFinish:
    def test_their_valid_words_score(self) -> None:
        assert scores(unfinished("SPIT", "...O")) == [5, 0]

    def test_their_invalid_words_score_nothing(self) -> None:
        """SPIT 3; SO down is no word of this list."""
        assert scores(unfinished("SPIT", "O...")) == [3, 0]

    def test_a_difficult_letter_that_is_in_no_valid_word_is_not_used(self) -> None:
        assert scores(unfinished("SPIT", "Z...")) == [3, 0]

    def test_a_word_that_stands_twice_scores_twice_unless_the_house_forbids_it(self) -> None:
        assert scores(unfinished("AA", "A.")) == [4, 0]
        assert scores(unfinished("AA", "A.", options={"duplicates": False})) == [0, 0]

    def test_loose_tiles_score_nothing(self) -> None:
        assert scores(unfinished("SPIT", loose="QZ")) == [3, 0]

    def test_only_words_of_the_largest_group_score(self) -> None:
        """SPIT 3, of four tiles; the ZOO beside it has three."""
        assert scores(unfinished("SPIT.ZOO")) == [3, 0]

    def test_of_two_largest_groups_the_better_counts(self) -> None:
        """SPIT 3 and JAZZ 12 have four tiles each."""
        assert scores(unfinished("SPIT.JAZZ")) == [12, 0]

    def test_a_player_without_tiles_on_the_table_scores_nothing(self) -> None:
        assert scores(unfinished(loose="QZ")) == [0, 0]

    def test_the_house_may_let_them_score_nothing(self) -> None:
        assert scores(unfinished("SPIT", options={"losers_score": "nothing"})) == [0, 0]

    def test_then_the_finisher_scores_all_the_same(self) -> None:
        assert scores(finished("SPIT", losers_score="nothing")[1]) == [8, 0]

    def test_the_house_may_take_points_for_every_leftover_tile(self) -> None:
        """Seven tiles, four in SPIT: three are left over, two points each; 3 - 6."""
        line = unfinished("SPIT", loose="QZA", tiles=7, options={"leftover_penalty": 2})
        assert scores(line) == [-3, 0]

    def test_tiles_of_a_smaller_group_are_left_over(self) -> None:
        """SPIT 3, and the three tiles of ZOO off: 0."""
        assert scores(unfinished("SPIT.ZOO", tiles=7, options={"leftover_penalty": 1})) == [0, 0]

    def test_a_finisher_has_nothing_left_over(self) -> None:
        assert scores(finished("SPIT", leftover_penalty=9)[1])[0] == 8

    def test_places_are_by_points_and_equal_ones_share(self) -> None:
        table = gone(3, pool=0, start_tiles=4, words=WORDS)
        table.sees(2, 1, "SPIT")
        table.sees(2, 2, "PIT")
        table.sees(2, 3, "IT")
        assert places(table.call(3, 1, "done")) == [1, 2, 2]


class TestCounting:
    def counted(self, *grid: str, policy: str = "strict", **sees: Any) -> tuple[Table, dict[str, Any]]:
        """Return a round that seat 1 has finished, with what seat 2 has laid by then."""
        table = gone(pool=0, start_tiles=4, words=WORDS, policy=policy)
        table.sees(2, 1, "SPIT")
        table.sees(2, 2, *grid, **sees)
        return table, table.call(3, 1, "done")

    def test_a_word_ruled_good_while_it_is_judged_counts_at_once(self) -> None:
        table, line = self.counted("PITS")
        assert scores(line) == [8, 0]
        assert scores(table.rule(4, "rule_word", word="pits", valid=True)) == [8, 3]

    def test_a_word_ruled_out_does_not(self) -> None:
        table, _ = self.counted("PIT")
        assert scores(table.rule(4, "rule_word", word="pit", valid=False)) == [8, 0]

    def test_an_undone_ruling_brings_the_score_back(self) -> None:
        table, _ = self.counted("PIT")
        table.rule(4, "rule_word", word="pit", valid=False)
        assert scores(table.rule(5, "undo")) == [8, 2]

    def test_a_doubted_word_counts_when_the_referee_has_read_its_tile(self) -> None:
        table, line = self.counted("PIT", doubts=[[0, 0]])
        assert scores(line) == [8, 0]
        assert scores(table.rule(4, "read_tile", seat=2, cell=[0, 0], symbol="P")) == [8, 2]

    def test_scores_with_an_open_doubt_cannot_be_confirmed_under_strict(self) -> None:
        table, _ = self.counted("PIT", doubts=[[0, 0]])
        line = table.host(4, "confirm")
        assert line["reason"] == (
            "seat 2: the table is not sure of the tile at row 1 column 1; the referee must read it"
        )
        assert totals(line) == [0, 0]

    def test_nor_can_the_host_end_the_game_then(self) -> None:
        table, _ = self.counted("PIT", doubts=[[0, 0]])
        assert table.host(4, "end")["phase"] == "judging"

    def test_a_score_that_the_referee_sets_needs_no_reading(self) -> None:
        table, _ = self.counted("PIT", doubts=[[0, 0]])
        table.rule(4, "set_score", seat=2, score=2)
        assert totals(table.host(5, "confirm")) == [8, 2]

    def test_under_advise_they_are_confirmed_with_a_warning(self) -> None:
        table, _ = self.counted("PIT", policy="advise", doubts=[[0, 0]])
        line = table.host(4, "confirm")
        assert (totals(line), line["accepted"]) == ([8, 0], True)
        assert "not sure of the tile" in texts(line)[0]

    def test_people_judge_where_the_policy_is_off(self) -> None:
        table, _ = self.counted("PIT", policy="off", doubts=[[0, 0]])
        assert texts(table.host(4, "confirm")) == []

    def test_a_player_whom_the_camera_never_saw_is_confirmed_with_a_warning(self) -> None:
        table, _ = finished("SPIT")
        assert texts(table.host(4, "confirm")) == [
            "the camera has not seen seat 2's tiles: set the score",
        ]

    def test_a_long_word_that_no_list_covers_waits_for_the_referee(self) -> None:
        table = gone(pool=0, start_tiles=16, words=WORDS)
        table.sees(2, 1, "P" * 16)
        assert table.call(3, 1, "done")["reason"] == f"the list leaves {'P' * 16} open; the referee must rule"
        table.rule(4, "rule_word", word="p" * 16, valid=True)
        assert scores(table.call(5, 1, "done")) == [20, 0]

    def test_a_tableau_seen_better_after_the_end_counts_with_a_warning(self) -> None:
        table, _ = self.counted("IT")
        line = table.sees(4, 2, "SPIT")
        assert scores(line) == [8, 3]
        assert texts(line) == ["the tableau was changed after the round's end; it counts as it lies now"]

    def test_a_tableau_seen_for_the_first_time_after_the_end_counts_without_one(self) -> None:
        table, _ = finished("SPIT")
        line = table.sees(4, 2, "PIT")
        assert (scores(line), texts(line)) == ([8, 2], [])

    def test_people_watch_each_other_where_the_policy_is_off(self) -> None:
        table, _ = self.counted("IT", policy="off")
        assert texts(table.sees(4, 2, "SPIT")) == []

    def test_once_confirmed_a_tableau_may_be_taken_apart(self) -> None:
        table, _ = self.counted("PIT")
        table.host(4, "confirm")
        line = table.sees(5, 2, loose="PIT")
        assert (scores(line), totals(line), texts(line)) == ([8, 2], [8, 2], [])

    def test_a_score_that_the_referee_has_set_stands_whatever_is_seen_later(self) -> None:
        table, _ = self.counted("IT")
        table.rule(4, "set_score", seat=2, score=30)
        assert scores(table.sees(5, 2, "SPIT")) == [8, 30]

    def test_a_place_that_the_referee_has_set_stands(self) -> None:
        table, _ = self.counted("IT")
        table.rule(4, "set_place", seat=2, place=1)
        assert places(table.sees(5, 2, "SPIT")) == [1, 1]

    def test_when_play_resumes_what_the_referee_set_is_counted_anew(self) -> None:
        table, _ = self.counted("IT")
        table.rule(4, "set_score", seat=2, score=30)
        line = table.rule(5, "overturn_done", seat=1)
        assert (scores(line), places(line)) == ([0, 0], [None, None])

    def test_a_reinstated_player_counts_again(self) -> None:
        table, _ = self.counted("PIT")
        assert scores(table.rule(4, "disqualify", seat=2)) == [8, 0]
        assert scores(table.rule(5, "reinstate", seat=2)) == [8, 2]


class TestTheWin:
    def after(self, *given: float, rounds: int = 1, **options: Any) -> dict[str, Any]:
        """Return the line of the last confirmation; the referee has set every round's points."""
        table = gone(len(given), policy="off", **options)
        line = self.scored(table, 10, given)
        for number in range(2, rounds + 1):
            table.host(10 * number, "next_round")
            table.call(10 * number, 1, "go")
            line = self.scored(table, 10 * number, given)
        return line

    def scored(self, table: Table, at: int, given: tuple[float, ...]) -> dict[str, Any]:
        table.set_pool(0)
        table.call(at + 1, 1, "done")
        for seat, score in enumerate(given, 1):
            table.rule(at + 2, "set_score", seat=seat, score=score)
        return table.host(at + 3, "confirm")

    def test_who_withdraws_after_the_round_keeps_the_place_and_so_do_the_others(self) -> None:
        table = gone(3, policy="off")
        self.scored(table, 0, (30, 20, 10))
        assert places(table.rule(4, "withdraw", seat=1)) == [1, 2, 3]
        assert places(table.rule(5, "set_score", seat=3, score=25)) == [1, 3, 2]

    @pytest.mark.parametrize(("points", "phase"), [(299, "judging"), (300, "judging"), (301, "over")])
    def test_games_are_played_until_a_player_goes_over_300(self, points: int, phase: str) -> None:
        assert self.after(points, 7)["phase"] == phase

    def test_once_over_300_the_player_with_the_highest_total_wins(self) -> None:
        line = self.after(302, 301, 310)
        assert (line["phase"], line["winner"]) == ("over", 3)

    def test_totals_grow_from_round_to_round(self) -> None:
        line = self.after(101, 20, rounds=3)
        assert (totals(line), line["phase"], line["winner"]) == ([303, 60], "over", 1)

    def test_a_tie_means_another_round(self) -> None:
        line = self.after(310, 310, 5)
        assert (line["phase"], line["winner"]) == ("judging", 1)
        assert texts(line) == ["tied over the target: another round decides"]

    def test_a_tie_below_the_highest_does_not(self) -> None:
        assert self.after(305, 305, 310)["winner"] == 3

    def test_the_objective_score_is_up_to_the_host(self) -> None:
        assert self.after(51, 20, target=50)["phase"] == "over"
        assert self.after(301, 20, target=500)["phase"] == "judging"

    def test_it_shall_be_decided_prior_to_the_beginning_of_the_game(self) -> None:
        with pytest.raises(TypeError):
            gone(target=50).state.options["target"] = 60

    def test_a_score_set_after_the_confirmation_may_decide_the_game(self) -> None:
        table, _ = finished("SPIT", target=50)
        table.host(4, "confirm")
        line = table.rule(5, "set_score", seat=2, score=51)
        assert (line["phase"], line["winner"], totals(line)) == ("over", 2, [8, 51])
        assert places(line) == [2, 1]

    def test_a_score_set_after_the_end_may_change_the_winner(self) -> None:
        table, _ = finished("SPIT", target=7)
        assert table.host(4, "confirm")["winner"] == 1
        line = table.rule(5, "set_score", seat=2, score=9)
        assert (line["phase"], line["winner"]) == ("over", 2)

    def test_after_the_game_no_round_follows(self) -> None:
        table, _ = finished("SPIT", target=7)
        table.host(4, "confirm")
        assert table.host(5, "next_round")["reason"] == "the game is over"

    def test_the_next_round_is_dealt_from_a_full_middle_and_waits_for_go(self) -> None:
        table, _ = finished("SPIT")
        table.host(4, "confirm")
        line = table.host(5, "next_round")
        assert ([seat["hand"] for seat in line["seats"]], line["phase"]) == ([4, 4], "setup")
        assert (scores(line), totals(line), places(line)) == ([0, 0], [8, 0], [None, None])

    def test_penalties_and_set_scores_end_with_their_round(self) -> None:
        table = gone(pool=0, start_tiles=4, words=WORDS, false_done_penalty=5)
        table.sees(2, 1, "SPTI")
        table.call(3, 1, "done")
        table.sees(4, 1, "SPIT")
        assert scores(table.call(5, 1, "done")) == [3, 0]
        table.rule(6, "set_score", seat=2, score=30)
        table.host(7, "confirm", "next_round")
        table.call(8, 1, "go")
        table.set_pool(0)
        table.sees(9, 1, "SPIT")
        assert scores(table.call(10, 1, "done")) == [8, 0]
