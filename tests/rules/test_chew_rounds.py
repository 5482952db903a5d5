"""chew.txt from Done to the end of the series: places, points, handicaps, overturned Dones."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.chew.scores import standings
from tests.rules.playing import Table, all_flipped, places, scores, stairs, started


def finished(order: list[float | None], **options: Any) -> Table:
    """Return a table whose seats called Done at these seconds, people judging."""
    table = started(len(order), flips=10, **{"policy": "off", **options})
    for at, seat in sorted((at, seat) for seat, at in enumerate(order, 1) if at is not None):
        table.call(at, seat, "done")
    return table


def confirmed(order: list[float | None], **options: Any) -> dict[str, Any]:
    return finished(order, **options).host(90, "confirm")


def handicaps(line: dict[str, Any]) -> list[int]:
    return [seat["handicap"] for seat in line["seats"]]


def totals(line: dict[str, Any]) -> list[float]:
    return [seat["total"] for seat in line["seats"]]


class TestPoints:
    @pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
    def test_the_last_gets_one_point_the_second_last_two_and_so_on(self, players: int) -> None:
        order = [10.0 + seat for seat in range(players - 1)]
        assert totals(confirmed([*order, None])) == list(range(players, 0, -1))

    def test_points_stand_before_the_host_confirms_and_totals_after(self) -> None:
        table = finished([10, 11, None])
        before = table.host(80, "pause")
        assert (scores(before), totals(before)) == ([3, 2, 1], [0, 0, 0])

    def test_a_player_alone_has_a_time_trial_without_points_or_handicap_change(self) -> None:
        line = confirmed([61.5])
        assert (line["clock_s"], totals(line), handicaps(line), line["seats"][0]["place"]) == (
            61.5,
            [0],
            [10],
            1,
        )

    def test_most_points_after_the_agreed_number_of_rounds_win(self) -> None:
        line = confirmed([11, 10, None], rounds=1)
        assert (line["phase"], line["winner"]) == ("over", 2)

    def test_the_game_goes_on_until_the_agreed_number_of_rounds(self) -> None:
        table = finished([11, 10, None], rounds=2)
        assert table.host(90, "confirm")["phase"] == "judging"
        assert table.host(91, "next_round")["round"] == 2


class TestHandicaps:
    @pytest.mark.parametrize(
        ("players", "after"),
        [
            (2, [11, 9]),
            (3, [11, 10, 9]),
            (4, [12, 11, 9, 8]),
            (5, [12, 11, 10, 9, 8]),
            (6, [13, 12, 11, 9, 8, 7]),
        ],
    )
    def test_they_change_by_the_place_and_the_number_of_players(self, players: int, after: list[int]) -> None:
        order = [10.0 + seat for seat in range(players - 1)]
        assert handicaps(confirmed([*order, None])) == after

    def test_a_handicap_never_drops_below_three(self) -> None:
        assert handicaps(confirmed([10, 11, 12, None], handicaps=[3, 3, 3, 4])) == [5, 4, 3, 3]

    def test_the_next_round_is_dealt_by_the_new_handicaps(self) -> None:
        line = finished([10, None]).host(90, "confirm", "next_round")
        assert [seat["hand"] for seat in line["seats"]] == [21, 19]

    def test_a_shared_change_is_the_mean_rounded_toward_0(self) -> None:
        # places 1 and 2 of 4 share (+2 +1) / 2 = 1.5 -> 1; the others get -1 and -2
        assert handicaps(confirmed([10, 10.005, 11, None])) == [11, 11, 9, 8]

    def test_a_shared_loss_is_rounded_toward_0_too(self) -> None:
        # places 4 and 5 of 6 share (-1 -2) / 2 = -1.5 -> -1
        assert handicaps(confirmed([10, 11, 12, 13, 13.001, None])) == [13, 12, 11, 9, 9, 7]


class TestTies:
    def test_dones_inside_the_tie_window_share_the_mean_of_the_points(self) -> None:
        # three players: (3 + 2) / 2 each
        table = finished([10, 10.005, None])
        line = table.host(80, "pause")
        assert (places(line), scores(line), line["winner"]) == ([1, 1, 3], [2.5, 2.5, 1], None)

    def test_dones_one_nanosecond_outside_it_do_not(self) -> None:
        assert places(finished([10, 10.005000001, None]).host(80, "pause")) == [1, 2, 3]

    def test_the_last_player_may_share_too_although_the_round_has_just_ended(self) -> None:
        line = finished([10, 10.004]).host(80, "pause")
        assert (places(line), scores(line)) == ([1, 1], [1.5, 1.5])

    def test_the_window_counts_from_the_first_of_the_tie(self) -> None:
        # 10.004 shares with 10; 10.008 does not, although it is close to 10.004
        assert places(finished([10, 10.004, 10.008, None]).host(80, "pause")) == [1, 1, 3, 4]

    def test_the_window_is_the_hosts_to_set(self) -> None:
        assert places(finished([10, 10.1, None], tie_ms=100).host(80, "pause")) == [1, 1, 3]

    def test_the_edge_decides_where_the_host_says_so(self) -> None:
        assert places(finished([10.000000001, 10, None], tie="edge").host(80, "pause")) == [2, 1, 3]

    def test_the_referee_decides_where_the_host_says_so(self) -> None:
        table = finished([10, 10.004, None], tie="referee")
        assert (
            table.host(80, "confirm")["reason"] == "two were done at once: the referee must set their places"
        )
        line = table.rule(81, "set_place", seat=1, place=2, reason="seat 2 was heard first")
        assert (places(line), scores(line)) == ([2, 1, 3], [2, 3, 1])
        assert totals(table.host(82, "confirm")) == [2, 3, 1]

    def test_the_host_cannot_end_the_game_over_an_open_tie_either(self) -> None:
        line = finished([10, 10.004, None, None], tie="referee").host(80, "end")
        assert (line["accepted"], line["phase"]) == (False, "playing")

    def test_a_place_set_after_the_confirmation_books_the_round_anew(self) -> None:
        table = finished([10, None])
        table.host(80, "confirm")
        table.rule(81, "set_place", seat=1, place=2)
        line = table.rule(82, "set_place", seat=2, place=1)
        assert (totals(line), handicaps(line)) == ([1, 2], [9, 11])

    def test_points_taken_and_a_handicap_set_after_the_confirmation_stay_when_it_is_booked_anew(self) -> None:
        table = finished([10, 11, None], rounds=1)
        table.host(80, "confirm")
        table.rule(81, "penalize", seat=1, points=5)
        table.rule(82, "set_handicap", seat=3, handicap=30)
        line = table.rule(83, "set_place", seat=2, place=1)
        assert (totals(line), handicaps(line)) == ([2.5 - 5, 2.5, 1], [10, 10, 30])
        assert line["winner"] == 2

    def test_who_withdraws_after_the_confirmation_keeps_the_round_when_it_is_booked_anew(self) -> None:
        for ruling, details, booked in (
            ("set_place", {"place": 1}, [3.5, 3.5, 2, 1]),
            ("overturn_done", {}, [4, 1.5, 3, 1.5]),
        ):
            table = finished([10, 11, 12, None])
            table.host(80, "confirm")
            table.rule(81, "withdraw", seat=1)
            assert totals(table.rule(82, ruling, seat=2, **details)) == booked

    def test_a_place_that_the_referee_set_stands_when_others_finish(self) -> None:
        table = finished([10, 10.004, None, None], tie="referee")
        table.rule(20, "set_place", seat=1, place=2)
        assert places(table.call(21, 4, "done")) == [2, 1, 4, 3]


class TestUnfinished:
    def stuck(self, **options: Any) -> Table:
        table = started(4, flips=10, **options)
        table.sees(2, 1, *stairs(15))
        table.sees(2, 2, *stairs(18))
        table.sees(2, 3, *stairs(15))
        table.sees(2, 4, *stairs(20))
        table.call(3, 4, "done")
        return table

    def test_a_time_cap_ranks_them_by_fewest_unplaced_tiles(self) -> None:
        # unplaced: seat 1 has 5, seat 2 has 2, seat 3 has 5; places 3 and 4 share (2 + 1) / 2
        table = self.stuck(cap_s=60)
        line = table.host(61, "confirm")
        assert (places(line), totals(line)) == ([3, 2, 3, 1], [1.5, 3, 1.5, 4])

    def test_the_referee_settles_an_equal_rest(self) -> None:
        table = self.stuck(cap_s=60)
        table.host(61, "pause")
        line = table.rule(62, "set_place", seat=3, place=4, reason="its tiles lay scattered")
        assert scores(line) == [2, 3, 1, 4]

    def test_the_referee_ends_a_round_that_nobody_can_finish(self) -> None:
        line = self.stuck().rule(61, "end_round", reason="the last tiles cannot be placed")
        assert (places(line), line["phase"]) == ([3, 2, 3, 1], "judging")

    def test_ending_a_round_that_is_over_is_refused(self) -> None:
        table = self.stuck()
        table.rule(61, "end_round")
        assert table.rule(62, "end_round")["reason"] == "no round is being played"

    def test_the_hosts_end_ranks_the_round_and_closes_the_game(self) -> None:
        line = self.stuck().host(61, "end")
        assert (line["phase"], line["winner"], totals(line)) == ("over", 4, [1.5, 3, 1.5, 4])


class TestOverturnedDone:
    def test_play_resumes_and_those_who_finished_meanwhile_rank_ahead(self) -> None:
        table = finished([10, 20, None, None])
        line = table.rule(21, "overturn_done", seat=1, reason="CATT is no word")
        assert places(line) == [None, 1, None, None]
        line = table.call(30, 1, "done")
        assert places(line) == [2, 1, None, None]

    def test_a_round_that_had_ended_is_reopened(self) -> None:
        table = finished([10, 20, None])
        line = table.rule(21, "overturn_done", seat=1, reason="CATT is no word")
        assert (line["phase"], places(line), scores(line), line["winner"]) == (
            "playing",
            [None, 1, None],
            [0, 0, 0],
            None,
        )
        line = table.call(25, 3, "done")
        assert (places(line), line["phase"]) == ([3, 1, 2], "judging")

    def test_the_clock_runs_on_without_the_time_of_judging(self) -> None:
        table = finished([10, 20, None])
        table.rule(25, "overturn_done", seat=1)
        assert table.call(30, 3, "done")["clock_s"] == 25  # 20 s before, 5 s after

    def test_nobody_draws_three_once_the_round_has_ended(self) -> None:
        """Seat 1's Done ends a round of two; seat 2 is the last and not done."""
        table = started(policy="off", flips=10)
        assert table.call(1, 1, "done")["phase"] == "judging"
        told = table.call(2, 2, "draw_three")
        assert told["reason"] == "the round has ended and is being judged"

    def test_all_rights_return_also_to_draw_three(self) -> None:
        table = finished([10, 20, None])
        table.rule(21, "overturn_done", seat=1)
        assert table.call(22, 1, "draw_three")["accepted"] is True

    def test_a_player_may_take_back_a_done_of_ones_own(self) -> None:
        table = finished([10, 20, None])
        line = table.call(21, 1, "not_done")
        assert (line["accepted"], places(line)) == (True, [None, 1, None])

    def test_a_done_that_was_not_said_cannot_be_taken_back(self) -> None:
        assert finished([10, None, None]).call(21, 2, "not_done")["reason"] == "you have not said Done"

    def test_a_done_that_was_not_said_cannot_be_overturned(self) -> None:
        line = finished([10, None, None]).rule(21, "overturn_done", seat=2)
        assert line["reason"] == "seat 2 is not done"

    def test_after_the_confirmation_only_the_referee_overturns(self) -> None:
        table = finished([10, 20, None])
        table.host(30, "confirm")
        assert table.call(31, 1, "not_done")["reason"] == "the scores are confirmed; ask the referee"

    def test_after_the_confirmation_the_round_is_ranked_and_booked_anew(self) -> None:
        # seats 1 and 3 have 20 tiles unplaced each (nobody saw any): places 2 and 3 share (2 + 1) / 2
        table = finished([10, 20, None])
        table.host(30, "confirm")
        line = table.rule(31, "overturn_done", seat=1, reason="CATT is no word")
        assert (places(line), totals(line), handicaps(line)) == ([2, 1, 2], [1.5, 3, 1.5], [10, 11, 10])

    def test_a_game_that_was_over_gets_its_new_winner(self) -> None:
        table = finished([10, 20, None], rounds=1)
        assert table.host(30, "confirm")["winner"] == 1
        line = table.rule(31, "overturn_done", seat=1, reason="CATT is no word")
        assert (line["phase"], line["winner"]) == ("over", 2)


class TestDisqualification:
    def test_who_is_out_gets_neither_place_nor_points_and_the_others_are_ranked_without(self) -> None:
        table = finished([10, 20, None, None])
        line = table.rule(21, "disqualify", seat=1, reason="looked into the pool")
        assert places(line) == [None, 1, None, None]
        line = table.call(22, 3, "done")
        assert (places(line), scores(line), line["phase"]) == ([None, 1, 2, 3], [0, 3, 2, 1], "judging")

    def test_the_round_ends_when_only_one_is_left_to_finish(self) -> None:
        table = finished([10, None, None])
        assert table.rule(21, "disqualify", seat=3)["phase"] == "judging"


class TestSeries:
    def played(self, rounds: list[list[float | None]], **options: Any) -> dict[str, Any]:
        table = finished(rounds[0], **options)
        for number, order in enumerate(rounds[1:], 1):
            at = 100 * number
            table.host(at, "confirm", "next_round")
            all_flipped(table)
            for seat, done in enumerate(order, 1):
                if done is not None:
                    table.call(at + done, seat, "done")
        return table.host(1000, "end")

    def test_the_totals_of_all_rounds_count(self) -> None:
        assert totals(self.played([[1, 2, None], [1, None, 2]])) == [6, 3, 3]

    def test_the_host_ends_the_series_and_who_leads_wins(self) -> None:
        line = self.played([[1, 2, None], [1, None, 2]])
        assert (line["phase"], line["winner"]) == ("over", 1)

    def test_a_tie_goes_to_who_was_first_more_often(self) -> None:
        # 3 + 1 + 3 = 7 and 2 + 3 + 2 = 7 points; seat 1 won two rounds, seat 2 one
        line = self.played([[1, 2, None], [None, 1, 2], [1, 2, None]])
        assert (totals(line), line["winner"]) == ([7, 7, 4], 1)

    def test_then_it_goes_head_to_head(self) -> None:
        # one round won each; of the four rounds seat 1 was before seat 2 in three
        assert standings([6, 6], [[1, 2], [2, 1], [3, 4], [3, 4]]) == [[1], [2]]

    def test_then_the_win_is_shared(self) -> None:
        line = self.played([[1, 2, None], [2, 1, None]])
        assert (totals(line), line["winner"]) == ([5, 5, 2], None)

    def test_who_is_out_counts_as_behind_all_others_head_to_head(self) -> None:
        assert standings([2, 2], [[None, 2], [2, 3]]) == [[1, 2]]
