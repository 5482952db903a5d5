"""league_city.txt sentence by sentence: The Finish, with what SETTLED.md settles of it, and other ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.playing import Table, gone, scores, stairs, texts


class TestFinish:
    def final(self, *grid: str, **options: Any) -> tuple[Table, dict[str, Any]]:
        table = gone(3, start_tiles=4, pool=0, words=("cat", "at", "cot"), **options)
        table.sees(2, 2, *grid)
        return table, table.call(3, 2, "done")

    def test_play_ends_when_a_player_has_used_all_tiles_and_no_tiles_remain(self) -> None:
        _, line = self.final("CAT", ".T.")
        assert (line["phase"], line["winner"], line["pool"]) == ("judging", 2, 0)

    def test_with_tiles_in_the_middle_the_round_is_not_over(self) -> None:
        table = gone(3, start_tiles=4, pool=1)
        table.sees(2, 2, *stairs(4))
        assert table.call(3, 2, "done")["phase"] == "playing"

    def test_not_all_tiles_used_is_no_finish(self) -> None:
        _, line = self.final("CAT")
        assert (line["phase"], line["reason"]) == (
            "playing",
            "seat 2 has 4 face-up tiles by count; 3 are seen in the tableau",
        )

    def test_if_any_word_is_found_to_be_invalid_play_resumes(self) -> None:
        _, line = self.final("CAT", "O..")
        assert (line["phase"], line["reason"]) == ("playing", "not valid: CO")

    def test_under_advise_the_round_ends_with_a_warning_for_the_group_to_check(self) -> None:
        _, line = self.final("CAT", "O..", policy="advise")
        assert (line["phase"], texts(line)) == ("judging", ["not valid: CO"])

    @pytest.mark.parametrize("policy", ["advise", "off"])
    def test_the_words_are_checked_by_the_group_and_the_referee_lets_play_resume(self, policy: str) -> None:
        table, _ = self.final("CAT", "O..", policy=policy)
        line = table.rule(4, "overturn_done", seat=2, reason="CO is no word")
        assert (line["phase"], line["winner"], scores(line)) == ("playing", None, [0, 0, 0])

    def test_a_player_may_own_up_to_an_invalid_word_and_play_resumes(self) -> None:
        table, _ = self.final("CAT", "O..", policy="off")
        assert table.call(4, 2, "not_done")["phase"] == "playing"

    def test_only_who_has_finished_can_own_up(self) -> None:
        table, _ = self.final("CAT", "O..", policy="off")
        assert table.call(4, 1, "not_done")["reason"] == "you have not finished"

    def test_only_a_finish_can_be_overturned(self) -> None:
        table, _ = self.final("CAT", ".T.")
        assert table.rule(4, "overturn_done", seat=1)["reason"] == "seat 1 has not finished"

    def test_after_the_confirmation_scores_are_set_and_no_finish_is_taken_back(self) -> None:
        table, _ = self.final("CAT", ".T.")
        table.host(4, "confirm")
        line = table.rule(5, "overturn_done", seat=2)
        assert line["reason"] == "the scores are confirmed; set them with set_score"
        assert table.call(6, 2, "not_done")["reason"] == "the scores are confirmed; ask the referee"

    def test_play_that_resumed_ends_with_the_next_final_done(self) -> None:
        table, _ = self.final("CAT", "O..", policy="advise")
        table.rule(4, "overturn_done", seat=2)
        table.sees(5, 3, "CAT", ".T.")
        line = table.call(6, 3, "done")
        assert (line["phase"], line["winner"]) == ("judging", 3)

    def test_a_done_after_the_finish_is_refused_and_names_the_first(self) -> None:
        table, _ = self.final("CAT", ".T.")
        table.sees(3.5, 3, "CAT", ".T.")
        assert table.call(4, 3, "done")["reason"] == "seat 2 was first and is being judged"

    def test_finishing_twice_is_refused(self) -> None:
        table, _ = self.final("CAT", ".T.")
        assert table.call(3, 2, "done")["reason"] == "seat 2 was first and is being judged"


class TestFalseDone:
    def finished(self, policy: str, penalty: int) -> dict[str, Any]:
        """Return the end of a round in which seat 1 said a false final DONE before a true one."""
        table = gone(2, start_tiles=4, pool=0, words=("cat", "at"), policy=policy, false_done_penalty=penalty)
        table.sees(2, 1, "CAT", "O..")
        table.call(3, 1, "done")
        if policy != "strict":
            table.rule(4, "overturn_done", seat=1)
        table.sees(5, 1, "CAT", ".T.")
        return table.call(6, 1, "done")

    @pytest.mark.parametrize("policy", ["strict", "advise", "off"])
    def test_it_costs_nothing(self, policy: str) -> None:
        assert scores(self.finished(policy, 0)) == [9, 0]

    @pytest.mark.parametrize("policy", ["strict", "advise", "off"])
    def test_the_house_may_take_points_for_it(self, policy: str) -> None:
        assert scores(self.finished(policy, 3)) == [6, 0]

    def test_every_one_costs(self) -> None:
        table = gone(2, start_tiles=4, pool=0, policy="strict", false_done_penalty=3, words=("cat", "at"))
        table.sees(2, 1, "CAT", "O..")
        table.call(3, 1, "done")
        table.call(4, 1, "done")
        table.sees(5, 2, "CAT", ".T.")
        assert scores(table.call(6, 2, "done")) == [2 - 6, 9]

    def test_tiles_not_used_yet_cost_nothing(self) -> None:
        table = gone(2, start_tiles=4, pool=0, false_done_penalty=3, words=("cat", "at"))
        table.sees(2, 1, "CAT")
        line = table.call(3, 1, "done")
        assert [event["event"] for event in line["events"]] == ["CallRefused"]

    def test_a_bad_grid_with_tiles_left_in_the_middle_costs_nothing(self) -> None:
        table = gone(2, start_tiles=4, pool=9, false_done_penalty=3, words=("cat", "at"))
        table.sees(2, 1, "CAT", "O..")
        assert [event["event"] for event in table.call(3, 1, "done")["events"]] == ["CallRefused"]


class TestFinishesAtOnce:
    def both(self, apart_s: float, **options: Any) -> tuple[Table, dict[str, Any]]:
        table = gone(3, start_tiles=4, pool=0, words=("cat", "at"), **options)
        table.sees(2, 1, "CAT", ".T.")
        table.sees(2, 3, "CAT", ".T.")
        table.call(3, 3, "done")
        return table, table.call(3 + apart_s, 1, "done")

    @pytest.mark.parametrize("apart_s", [0, 0.005])
    def test_inside_the_tie_window_each_has_finished_first(self, apart_s: float) -> None:
        _, line = self.both(apart_s)
        assert (scores(line), line["winner"]) == ([9, 0, 9], None)

    def test_after_it_only_the_first(self) -> None:
        _, line = self.both(0.005000001)
        assert (line["accepted"], scores(line), line["winner"]) == (False, [4, 0, 9], 3)

    def test_the_house_may_let_the_earliest_edge_decide(self) -> None:
        _, line = self.both(0.001, tie="edge")
        assert (line["accepted"], scores(line), line["winner"]) == (False, [4, 0, 9], 3)

    def test_one_found_invalid_leaves_the_other_first(self) -> None:
        table, _ = self.both(0.001)
        line = table.rule(4, "overturn_done", seat=3)
        assert (line["phase"], scores(line), line["winner"]) == ("judging", [9, 0, 4], 1)

    def test_both_found_invalid_let_play_resume(self) -> None:
        table, _ = self.both(0.001)
        table.rule(4, "overturn_done", seat=3)
        assert table.rule(5, "overturn_done", seat=1)["phase"] == "playing"


class TestOtherEnds:
    def test_at_the_cap_the_round_is_scored_as_it_stands_without_a_bonus(self) -> None:
        table = gone(2, start_tiles=4, words=("cat", "at"), cap_s=100)
        table.sees(2, 1, "CAT", ".T.")
        line = table.sees(101, 2, "CAT")
        assert (line["phase"], scores(line), line["winner"]) == ("judging", [4, 2], None)

    def test_scores_of_a_round_that_the_clock_ended_are_there_when_the_host_confirms(self) -> None:
        table = gone(2, start_tiles=4, words=("cat", "at"), cap_s=100)
        table.sees(2, 1, "CAT", ".T.")
        assert [seat["total"] for seat in table.host(200, "confirm")["seats"]] == [4, 0]

    def test_a_done_after_the_cap_is_refused(self) -> None:
        table = gone(2, cap_s=100)
        assert table.call(102, 1, "done")["reason"] == "the round has ended and is being judged"

    def test_the_referee_may_end_a_round_that_nobody_can_finish(self) -> None:
        table = gone(2, start_tiles=4, words=("cat", "at"))
        table.sees(2, 1, "CAT", ".T.")
        line = table.rule(3, "end_round", reason="all are stuck")
        assert (line["phase"], scores(line), line["winner"]) == ("judging", [4, 0], None)

    def test_a_round_that_is_not_played_cannot_be_ended(self) -> None:
        table = Table("league_city")
        table.host(0, "start")
        assert table.rule(1, "end_round")["reason"] == "no round is being played"

    def test_the_only_finisher_disqualified_lets_play_resume(self) -> None:
        table = gone(2, pool=0, policy="off")
        table.call(3, 1, "done")
        line = table.rule(4, "disqualify", seat=1)
        assert (line["phase"], line["winner"]) == ("playing", None)

    def test_another_player_disqualified_leaves_the_finish_as_it_is(self) -> None:
        table = gone(3, start_tiles=4, pool=0, words=("cat", "at"))
        table.sees(2, 1, "CAT", ".T.")
        table.sees(2, 2, "CAT")
        table.call(3, 1, "done")
        line = table.rule(4, "disqualify", seat=2)
        assert (line["phase"], scores(line)) == ("judging", [9, 0, 0])
        assert [seat["place"] for seat in line["seats"]] == [1, None, 2]

    def test_a_player_disqualified_in_play_leaves_the_others_playing(self) -> None:
        table = gone(3)
        assert table.rule(2, "disqualify", seat=2)["phase"] == "playing"

    def test_nobody_left_makes_the_round_void(self) -> None:
        table = gone(1)
        line = table.rule(2, "disqualify", seat=1)
        assert (line["phase"], scores(line)) == ("judging", [0])

    def test_a_game_that_the_host_ends_in_play_does_not_count_the_round(self) -> None:
        table = gone(2, start_tiles=4, words=("cat", "at"))
        table.sees(2, 1, "CAT", ".T.")
        line = table.host(3, "end")
        assert (line["phase"], scores(line), line["winner"]) == ("over", [0, 0], None)

    def test_a_game_that_the_host_ends_while_it_is_judged_counts_the_round(self) -> None:
        table = gone(2, start_tiles=4, pool=0, words=("cat", "at"))
        table.sees(2, 1, "CAT", ".T.")
        table.call(3, 1, "done")
        line = table.host(4, "end")
        assert (line["phase"], [seat["total"] for seat in line["seats"]], line["winner"]) == (
            "over",
            [9, 0],
            1,
        )
