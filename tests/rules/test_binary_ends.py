"""Binary Number Scrabble as in Scrabble: exchange, pass, challenge, going out, and how the game ends."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall
from tests.rules.playing import hands, places, scores, texts
from tests.rules.playing_binary import FIRST, Equations, begun, ending

FALSE = (7, 5, "across", "1 + 1 = 1 1")
"""1+1=11 over the middle square: 6 tiles x 2 = 12 points, no bonus."""


class TestExchange:
    def test_tiles_go_back_and_as_many_are_drawn(self) -> None:
        line = Equations().says(1, "exchange", tiles=3)
        assert (hands(line), line["pool"], line["turn"]) == ([9, 9], 82, 2)
        drawn = [event["counts"] for event in line["events"] if event["event"] == "TilesDrawn"]
        assert drawn == [[3, 0], [-3, 0]]

    def test_it_needs_a_full_hands_number_of_tiles_left(self) -> None:
        table = Equations()
        table.short(8, 9, 9)
        assert table.says(1, "exchange", tiles=3)["reason"] == "8 tiles are left; an exchange of 3 needs 9"

    def test_exchange_least_is_another_number_of_tiles_but_never_fewer_than_are_exchanged(self) -> None:
        table = Equations(exchange_least=1)
        table.short(3, 9, 9)
        assert table.says(1, "exchange", tiles=4)["reason"] == "3 tiles are left; an exchange of 4 needs 4"
        assert table.says(1, "exchange", tiles=3)["accepted"]

    def test_nobody_exchanges_more_than_the_hand_holds(self) -> None:
        table = Equations()
        table.short(20, 2, 9)
        assert table.says(1, "exchange", tiles=3)["reason"] == "you hold 2 tiles"

    @pytest.mark.parametrize("tiles", [0, 10, "three", None])
    def test_one_to_nine_tiles_are_exchanged(self, tiles: Any) -> None:
        with pytest.raises(BadCall, match="1 to 9"):
            Equations().says(1, "exchange", tiles=tiles)


class TestChallenge:
    @pytest.mark.parametrize("policy", ["advise", "off"])
    def test_a_play_that_is_not_valid_is_taken_back_with_its_points_and_tiles(self, policy: str) -> None:
        table = Equations(policy=policy)
        assert scores(table.plays(1, FALSE)) == [12, 0]
        line = table.says(2, "challenge")
        assert (scores(line), hands(line), line["pool"], line["turn"]) == ([0, 0], [9, 9], 82, 2)
        assert table.state.board_tiles == ()
        assert texts(line) == [
            "the challenge succeeds: 1+1=11 is no valid equation: 1+1 is 10 and 11 is 11: not equal"
        ]

    def test_under_advise_the_table_warns_of_it_before(self) -> None:
        warned = texts(Equations(policy="advise").plays(1, FALSE))[0]
        assert warned == "1+1=11 is no valid equation: 1+1 is 10 and 11 is 11: not equal"

    def test_a_challenger_on_turn_who_is_wrong_misses_the_turn(self) -> None:
        line = begun(3, policy="off").says(2, "challenge")
        assert (texts(line), line["turn"], scores(line)) == (["the play stands"], 3, [16, 0, 0])

    def test_a_challenger_not_on_turn_who_is_wrong_misses_the_next_turn(self) -> None:
        table = begun(3)
        assert table.says(3, "challenge")["turn"] == 2
        assert table.says(2, "pass")["turn"] == 1
        assert table.says(1, "pass")["turn"] == 2
        assert table.says(2, "pass")["turn"] == 3

    def test_a_play_is_challenged_once(self) -> None:
        table = begun(3)
        table.says(3, "challenge")
        assert table.says(2, "challenge")["reason"] == "there is no play to challenge"

    def test_nobody_challenges_their_own_play(self) -> None:
        assert begun().says(1, "challenge")["reason"] == "you cannot challenge your own play"

    @pytest.mark.parametrize("call", ["pass", "exchange"])
    def test_it_is_too_late_when_the_next_player_has_had_the_turn(self, call: str) -> None:
        table = begun(policy="off")
        table.says(2, call, **({"tiles": 1} if call == "exchange" else {}))
        assert table.says(2, "challenge")["reason"] == "there is no play to challenge"

    def test_the_next_play_is_the_one_to_challenge_then(self) -> None:
        table = begun(policy="off")
        table.plays(2, (7, 11, "across", "1"))
        line = table.says(1, "challenge")
        assert (scores(line), len(table.state.board_tiles), line["turn"]) == ([16, 0], 6, 1)

    def test_the_last_play_of_all_can_be_challenged_and_play_goes_on(self) -> None:
        table = Equations(policy="off")
        table.short(0, 6, 3)
        assert table.plays(1, FALSE)["phase"] == "judging"
        line = table.says(2, "challenge")
        assert (line["phase"], line["turn"], scores(line), hands(line)) == ("playing", 2, [0, 0], [6, 3])
        assert (places(line), line["winner"]) == ([None, None], None)

    def test_a_wrong_challenge_of_the_last_play_of_all_costs_no_turn(self) -> None:
        line = ending().says(2, "challenge")
        assert (line["accepted"], line["phase"], scores(line)) == (True, "judging", [16, 0])

    def test_a_challenge_after_time_was_up_ranks_anew(self) -> None:
        table = Equations(policy="off", cap_s=10)
        table.plays(1, FALSE)
        line = table.call(11, 2, "challenge")
        assert (line["phase"], scores(line), places(line)) == ("judging", [0, 0], [1, 1])

    def test_nothing_is_challenged_once_the_scores_are_confirmed(self) -> None:
        table = begun()
        table.host(table.next(), "end")
        assert table.says(2, "challenge")["reason"] == "the game is over"


class TestTakeBack:
    def test_the_referee_may_take_the_last_play_back(self) -> None:
        table = begun()
        line = table.rule(table.next(), "take_back")
        assert (scores(line), table.state.board_tiles, line["pool"]) == ([0, 0], (), 82)
        table.rule(table.next(), "undo")
        assert (table.state.seat(1).score, len(table.state.board_tiles)) == (16, 6)

    def test_there_must_be_a_play(self) -> None:
        table = Equations()
        assert table.rule(1, "take_back")["reason"] == "there is no play to take back"


class TestGoingOut:
    def test_who_has_no_tiles_left_goes_out_and_the_round_ends(self) -> None:
        table = ending()
        assert table.state.out == 1
        assert table.state.stage == "judging"

    def test_the_sum_of_the_unplayed_number_tiles_is_added_to_the_score(self) -> None:
        line = ending().says(1, "out", unplayed={"2": ["1", "0", "AND"]})
        assert (scores(line), places(line), line["winner"]) == ([16 + 2, 0], [1, 2], 1)

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("numbers", [16 + 1, 0]),  # 1
            ("all", [16 + 7, 0]),  # 1 + 2 + 4
            ("scrabble", [16 + 7, -7]),
            ("none", [16, 0]),
        ],
    )
    def test_going_out_counts_what_the_house_wants(self, kind: str, expected: list[int]) -> None:
        line = ending(going_out=kind).says(1, "out", unplayed={"2": ["1", "x", "/"]})
        assert scores(line) == expected

    def test_a_blank_is_no_number_tile(self) -> None:
        assert scores(ending().says(1, "out", unplayed={"2": ["", "0", "="]})) == [17, 0]

    def test_the_tiles_of_all_others_count(self) -> None:
        line = ending(others=(2, 1)).says(1, "out", unplayed={"2": ["1", "1"], "3": ["0"]})
        assert scores(line) == [19, 0, 0]

    @pytest.mark.parametrize(
        ("unplayed", "why"),
        [
            ({"2": ["1"]}, "seat 2 holds 3 tiles by count; got 1"),
            ({}, "seat 2 holds 3 tiles by count; got 0"),
            ({"1": ["1"], "2": ["1", "1", "1"]}, "seat 1 holds 0 tiles by count; got 1"),
            ({"3": ["1"]}, "nobody sits at seat 3"),
            ({"2": ["/", "/", "/"]}, "3 / tiles are too many: the box has 2"),
        ],
    )
    def test_tiles_that_the_others_cannot_hold_are_refused(
        self, unplayed: dict[str, list[str]], why: str
    ) -> None:
        assert ending().says(1, "out", unplayed=unplayed)["reason"] == why

    @pytest.mark.parametrize("unplayed", [None, {"two": ["1"]}, {"2": "1"}, {"2": ["Q"]}, {"2": ["1"] * 10}])
    def test_what_is_no_list_of_tiles_by_seat_is_an_error(self, unplayed: Any) -> None:
        with pytest.raises(BadCall, match="out: 'unplayed'"):
            ending().says(1, "out", unplayed=unplayed)

    def test_who_holds_tiles_is_not_out(self) -> None:
        line = begun().says(1, "out", unplayed={})
        assert line["reason"] == "you hold 9 tiles, and 76 are left to draw"
        assert ending().says(2, "out", unplayed={})["reason"] == "seat 1 has gone out"

    def test_the_tiles_are_counted_once(self) -> None:
        table = ending()
        table.says(1, "out", unplayed={"2": ["1", "1", "1"]})
        line = table.says(1, "out", unplayed={"2": ["1", "1", "1"]})
        assert line["reason"] == "the unplayed tiles are counted already"

    def test_the_scores_are_confirmed_only_with_them(self) -> None:
        table = ending()
        line = table.host(table.next(), "confirm")
        assert line["reason"] == "seat 1 has to say out, with the tiles that the others hold"
        table.says(1, "out", unplayed={"2": ["1", "0", "AND"]})
        line = table.host(table.next(), "confirm")
        assert (line["phase"], line["winner"], table.state.seat(1).total) == ("over", 1, 18)

    def test_where_they_count_nothing_the_scores_are_confirmed_at_once(self) -> None:
        table = ending(going_out="none")
        assert table.host(table.next(), "confirm")["phase"] == "over"


class TestEnd:
    def test_three_scoreless_rounds_end_it(self) -> None:
        table = begun()
        turns = [table.says(seat, "pass") for seat in (2, 1, 2, 1, 2)]
        assert turns[-1]["phase"] == "playing"
        line = table.says(1, "exchange", tiles=1)
        assert (line["phase"], scores(line), line["winner"]) == ("judging", [16, 0], 1)

    def test_points_begin_the_count_of_scoreless_rounds_anew(self) -> None:
        table = begun()
        for seat in (2, 1, 2, 1, 2):
            table.says(seat, "pass")
        table.plays(1, (7, 11, "across", "OR 0"))
        assert table.says(2, "pass")["phase"] == "playing"

    def test_a_play_taken_back_and_a_turn_missed_are_scoreless(self) -> None:
        table = Equations(policy="off")
        for seat in (1, 2, 1, 2):
            table.says(seat, "pass")
        table.plays(1, FALSE)
        table.says(2, "challenge")
        assert table.state.scoreless == 5
        assert table.says(2, "pass")["phase"] == "judging"
        table = begun(3)
        table.says(2, "challenge")
        assert table.state.scoreless == 1

    def test_a_play_taken_back_as_the_last_scoreless_turn_ends_it_at_once(self) -> None:
        table = Equations(policy="off")
        for seat in (1, 2, 1, 2, 1):
            table.says(seat, "pass")
        table.plays(2, FALSE)
        line = table.says(1, "challenge")
        assert (line["phase"], scores(line), table.state.scoreless) == ("judging", [0, 0], 6)

    def test_a_turn_missed_before_a_play_is_taken_back_counts_with_it(self) -> None:
        table = begun(3, policy="off")
        table.says(3, "challenge")
        table.plays(2, (7, 11, "across", "1"))  # 1+1=101; then seat 3 misses its turn
        table.says(3, "challenge")
        assert (table.state.turn, table.state.scoreless) == (1, 2)

    def test_equal_points_share_the_place_and_nobody_wins(self) -> None:
        line = Equations().host(1, "end")
        assert (places(line), line["phase"], line["winner"]) == ([1, 1], "over", None)

    def test_a_time_cap_ends_it_as_it_stands(self) -> None:
        table = Equations(cap_s=10)
        table.plays(1, FIRST)
        line = table.line(11, board={"cells": []})
        assert (line["phase"], scores(line), places(line)) == ("judging", [16, 0], [1, 2])

    def test_a_game_is_one_round(self) -> None:
        table = begun()
        table.line(5, seat=2, call="pass")
        line = table.host(6, "end", "next_round")
        assert line["reason"] == "the game is over"


class TestReferee:
    def test_a_score_that_the_referee_sets_stays_set_and_grows(self) -> None:
        table = begun()
        table.rule(table.next(), "set_score", seat=1, score=10)
        table.plays(2, (7, 11, "across", "OR 0"))  # OR on a double letter 2, 0, bonus 2
        assert [seat.score for seat in table.state.seats] == [10, 5]

    def test_a_score_set_at_the_end_has_the_overtime_off_already(self) -> None:
        table = Equations(player_s=60, cap_s=200)
        table.plays(1, FIRST)
        table.line(201, board={"cells": []})  # seat 2: 198 - 60 s over, three minutes begun
        assert table.state.seat(2).score == -30
        table.rule(202, "set_score", seat=2, score=5)
        line = table.rule(203, "take_back")
        assert scores(line) == [0, 5]

    def test_a_disqualified_players_tiles_go_back_and_the_turn_goes_on(self) -> None:
        table = begun(3)
        line = table.rule(table.next(), "disqualify", seat=2)
        assert (hands(line), line["pool"], line["turn"]) == ([9, 0, 9], 67 + 9, 3)
        assert table.rule(table.next(), "reinstate", seat=2)["pool"] == 67

    def test_another_players_disqualification_leaves_the_turn(self) -> None:
        table = begun(3)
        assert table.rule(table.next(), "disqualify", seat=1)["turn"] == 2
        assert table.says(2, "challenge")["reason"] == "there is no play to challenge"

    def test_the_one_who_is_left_wins(self) -> None:
        table = begun()
        line = table.rule(table.next(), "disqualify", seat=1)
        assert (line["phase"], line["winner"], places(line)) == ("judging", 2, [None, 1])
        table.host(table.next(), "confirm")
        assert table.match.game.standings(table.state) == [[2], [1]]

    def test_a_disqualification_at_the_end_ranks_anew(self) -> None:
        table = ending()
        line = table.rule(table.next(), "disqualify", seat=1)
        assert (places(line), line["winner"]) == ([None, 1], 2)
        assert table.host(table.next(), "confirm")["phase"] == "over"

    def test_after_the_confirmation_nobody_is_disqualified(self) -> None:
        table = begun()
        table.host(table.next(), "end")
        line = table.rule(table.next(), "disqualify", seat=1)
        assert line["reason"] == "the scores are confirmed; set them instead"
