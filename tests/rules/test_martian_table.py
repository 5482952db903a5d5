"""Martian Boggle's letters under the pieces, its rulings and its clocks."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall, BadScript
from tests.rules.martian import ROWS, WORDS, laid, move, passes, played, roll, seen, spells
from tests.rules.playing import Table, hands, places, scores

FIVE = ["crane", "house", "light", "plumb", "quiet"]
OTHERS = ["tiger", "bread", "mouse", "stone", "light"]


def warned(told: dict[str, Any]) -> list[str]:
    return [event["text"] for event in told["events"] if event["event"] == "Warned"]


def asked(told: dict[str, Any]) -> list[tuple[int, int, str, str]]:
    return [
        (event["row"], event["col"], event["known"], event["read"])
        for event in told["events"]
        if event["event"] == "LetterAsked"
    ]


class TestLetters:
    def test_letters_are_known_from_the_start_though_the_pieces_hide_them_later(self) -> None:
        table = laid()
        table.line(1, board=seen(".....", *ROWS[1:4], "....."))
        assert spells(table, 2, 1, "crane")["accepted"] is True

    def test_a_letter_that_was_never_seen_cannot_be_in_a_word(self) -> None:
        table = laid(*ROWS[:4], "CR.NE")
        assert spells(table, 1, 1, "crane")["reason"] == (
            "the letter at row 5 column 3 is not seen yet; show it to the camera or let the referee read it"
        )
        table.rule(2, "read_tile", cell=[4, 2], symbol="A")
        assert spells(table, 3, 1, "crane")["accepted"] is True

    def test_a_doubted_letter_waits_for_the_referee(self) -> None:
        table = Table("martian_boggle", words=WORDS)
        table.line(0, board=seen(*ROWS, doubts=[[4, 0]]))
        table.host(0, "start")
        assert "row 5 column 1 is not seen yet" in spells(table, 1, 1, "crane")["reason"]
        table.rule(2, "read_tile", cell=[4, 0], symbol="c")
        assert spells(table, 3, 1, "crane")["accepted"] is True

    def test_before_the_first_call_letters_may_change(self) -> None:
        table = laid()
        assert asked(table.line(1, board=seen(*ROWS[:4], "NACRX"))) == []
        table.line(2, board=seen(*ROWS[:4], "HOUSE"))
        assert spells(table, 3, 1, "house")["accepted"] is True

    def test_new_letters_under_a_word_are_those_of_the_next_sighting(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane", "house")
        passes(table, 2, 2)
        assert spells(table, 3, 1, "house")["accepted"] is True

    def test_tiles_seen_while_they_are_changed_are_read_again(self) -> None:
        """Until the next call the last sighting counts."""
        table = laid()
        spells(table, 1, 1, "crane")
        table.line(2, board=seen(*ROWS[:4], "HRANE"))
        table.line(3, board=seen(*ROWS[:4], "HOUSE"))
        passes(table, 4, 2)
        assert spells(table, 5, 1, "house")["accepted"] is True

    def test_new_letters_may_be_the_old_ones(self) -> None:
        table = laid(unique=False)
        spells(table, 1, 1, "crane")
        table.line(2, board=seen(*ROWS))
        passes(table, 3, 2)
        assert spells(table, 4, 1, "crane")["accepted"] is True

    def disputed(self, **options: Any) -> Table:
        table = laid(**options)
        passes(table, 1, 1)
        told = table.line(2, board=seen(*ROWS[:4], "GRANE"))
        assert asked(told) == [(4, 0, "c", "g")]
        passes(table, 3, 2)
        return table

    def test_a_letter_that_disagrees_asks_the_referee(self) -> None:
        assert spells(self.disputed(), 4, 1, "crane")["reason"] == (
            "the letter at row 5 column 1 was another before; the referee must read it"
        )

    def test_the_referee_reads_it_and_is_not_asked_again(self) -> None:
        table = self.disputed()
        table.rule(4, "read_tile", cell=[4, 0], symbol="C")
        assert asked(table.line(5, board=seen("XIGER", *ROWS[1:4], "GRANE"))) == [(0, 0, "t", "x")]
        assert spells(table, 6, 1, "crane")["accepted"] is True

    def test_it_is_settled_too_by_being_seen_as_it_was(self) -> None:
        table = self.disputed()
        assert asked(table.line(4, board=seen(*ROWS[:4], "GRANE", pieces={}))) == []
        table.line(5, board=seen(*ROWS))
        assert spells(table, 6, 1, "crane")["accepted"] is True

    def test_a_ruled_letter_is_gone_with_its_tile(self) -> None:
        table = self.disputed()
        table.rule(4, "read_tile", cell=[4, 0], symbol="C")
        spells(table, 5, 1, "crane", "house")
        passes(table, 6, 2)
        roll(table, 6, 1, 1, 1)
        assert asked(table.line(7, board=seen(*ROWS[:4], "MOUSE"))) == [(4, 0, "h", "m")]

    def test_advice_warns_of_a_disputed_letter_and_lets_the_word_stand(self) -> None:
        told = spells(self.disputed(policy="advise"), 4, 1, "crane")
        assert warned(told) == ["the letter at row 5 column 1 was another before; the referee must read it"]

    def test_advice_warns_of_a_word_that_is_none_and_lets_it_stand(self) -> None:
        told = spells(laid(policy="advise"), 1, 1, "house")
        assert warned(told) == ["HOUSE is not under your pieces: C R A N E"]
        assert scores(told) == [24, 0]

    def test_without_a_camera_people_judge(self) -> None:
        table = Table("martian_boggle", words=WORDS, policy="off")
        table.host(0, "start")
        told = spells(table, 1, 1, "nacre")
        assert (told["accepted"], scores(told), warned(told)) == (True, [21, 0], [])

    @pytest.mark.parametrize(
        ("rows", "pieces", "reason"),
        [
            ([*ROWS, "X"], {}, "the board has five rows of five letters; a tile is seen at row 6 column 1"),
            (["1IGER"], {}, "a tile shows one letter; '1' is seen at row 1 column 1"),
            (ROWS, {"3": []}, "two players have pieces; some of seat 3 are seen"),
            (ROWS, {"1": [[4, 0]]}, "each player has five pieces; 1 of seat 1 is seen"),
            (
                ROWS,
                {"1": [[4, 0], [4, 1], [4, 2], [4, 3], [4, 5]]},
                "a piece is seen beyond the board, at row 5 column 6",
            ),
            (ROWS, {"1": [[4, 0], [4, 0], [4, 2], [4, 3], [4, 4]]}, "two pieces are seen on one square"),
        ],
    )
    def test_what_is_no_board_of_this_game_starts_none_and_confirms_no_word(
        self, rows: list[str], pieces: dict[str, Any], reason: str
    ) -> None:
        table = Table("martian_boggle")
        table.line(0, board=seen(*rows, pieces=pieces))
        assert table.host(1, "start")["reason"] == reason
        table = laid()
        table.line(1, board=seen(*rows, pieces=pieces))
        assert spells(table, 2, 1, "crane")["reason"] == reason

    def test_a_word_is_refused_while_its_pieces_are_seen_where_no_moves_lead(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        away = {"1": [[4, 0], [4, 1], [4, 2], [4, 3], [1, 4]]}
        table.line(1, board=seen(*ROWS, pieces=away))
        assert spells(table, 2, 1, "crane")["reason"] == (
            "seat 1's pieces are seen at row 2 column 5, row 5 column 1, row 5 column 2, row 5 column 3, "
            "row 5 column 4; by the moves they stand at row 5 column 1, row 5 column 2, row 5 column 3, "
            "row 5 column 4, row 5 column 5; a roll of 1 and 1 does not lead there: put the pieces back, "
            "or let the referee set pieces or dice"
        )

    def test_the_same_board_seen_again_tells_nothing(self) -> None:
        assert laid().line(1, board=seen(*ROWS))["events"] == []


class TestRulings:
    def test_a_struck_word_loses_its_points_and_gives_its_tiles_back_to_the_bag(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane")
        told = table.rule(2, "strike_word", seat=1, word="crane")
        assert (scores(told), hands(told), told["pool"], told["turn"]) == ([0, 0], [0, 0], 75, 2)

    def test_a_struck_fifth_word_lets_play_go_on_with_the_other_player(self) -> None:
        table = laid()
        played(table, ["", "", "", "", ""], OTHERS)
        told = table.rule(20, "strike_word", seat=2, word="light")
        assert (told["phase"], told["turn"], told["winner"]) == ("playing", 1, None)
        assert (scores(told), places(told)) == ([0, 78], [None, None])

    def test_a_struck_word_of_the_other_player_leaves_the_end_as_it_is(self) -> None:
        """Seat 2 without LIGHT: 3 * 26."""
        table = laid()
        played(table, FIVE, OTHERS)
        told = table.rule(20, "strike_word", seat=2, word="light")
        assert (told["phase"], scores(told)) == ("judging", [152, 78])

    def test_with_the_starters_fifth_struck_the_bonus_is_the_others(self) -> None:
        """3 * 35; 3 * 35 + 5."""
        table = laid()
        played(table, FIVE, OTHERS)
        told = table.rule(20, "strike_word", seat=1, word="quiet")
        assert (scores(told), told["winner"]) == ([105, 110], 2)

    def test_only_a_word_that_was_spelled_can_be_struck(self) -> None:
        told = laid().rule(1, "strike_word", seat=1, word="crane")
        assert told["reason"] == "seat 1 has not spelled CRANE"

    def test_after_the_confirmation_only_scores_are_set(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane")
        table.host(2, "end")
        for ruling in (
            {"name": "strike_word", "word": "crane"},
            {"name": "disqualify"},
            {"name": "reinstate"},
        ):
            assert (
                table.rule(3, seat=1, **ruling)["reason"]
                == "the scores are confirmed; set them with set_score"
            )

    @pytest.mark.parametrize(
        "ruling", [{"name": "strike_word", "word": "crane"}, {"name": "set_pieces", "cells": []}]
    )
    def test_rulings_about_a_seat_name_it(self, ruling: dict[str, Any]) -> None:
        with pytest.raises(BadScript, match="needs a 'seat'"):
            laid().rule(1, **ruling)

    def test_tiles_are_read_on_the_board_only(self) -> None:
        table = laid()
        told = table.rule(1, "read_tile", seat=1, cell=[4, 0], symbol="c")
        assert told["reason"] == "all tiles in doubt lie on the board; rule without a seat"
        assert (
            table.rule(2, "read_tile", cell=[5, 0], symbol="c")["reason"] == "the board has no row 6 column 1"
        )
        with pytest.raises(BadCall, match="must be one letter"):
            table.rule(3, "read_tile", cell=[4, 0], symbol="QU")

    def test_a_blank_may_be_read(self) -> None:
        table = laid(*ROWS[:4], "XRANE")
        table.rule(1, "read_tile", cell=[4, 0], symbol="")
        assert scores(spells(table, 2, 1, "crane")) == [3 * 4, 0]

    def test_a_reading_taken_back_is_open_again_and_what_was_seen_since_stays(self) -> None:
        table = laid()
        passes(table, 1, 1)
        spells(table, 2, 2, "tiger")
        passes(table, 3, 1)
        table.line(4, board=seen(".....", *ROWS[1:4], "GRANE"))
        table.rule(5, "read_tile", cell=[4, 0], symbol="g")
        table.line(6, board=seen("BREAD", *ROWS[1:4], "GRANE"))
        table.rule(7, "undo")
        state = table.state
        assert [state.letter((0, col)) for col in range(5)] == ["b", "r", "e", "a", "d"]
        assert (state.letter((4, 0)), state.disputed) == ("c", ((4, 0),))

    def test_pieces_are_set_where_the_referee_finds_them(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        cells = [[3, 0], [4, 1], [4, 2], [4, 3], [4, 4]]
        assert table.rule(2, "set_pieces", seat=1, cells=cells)["accepted"] is True
        assert move(table, 3, 1, [3, 0], [2, 0])["accepted"] is True

    def test_a_move_that_the_referee_sets_back_gives_its_steps_back(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        move(table, 2, 1, [4, 0], [2, 0])
        table.rule(3, "set_pieces", seat=1, cells=[[4, col] for col in range(5)])
        assert move(table, 4, 1, [4, 4], [2, 4])["accepted"] is True

    @pytest.mark.parametrize(
        ("cells", "reason"),
        [
            ([[4, 0]], "each player has five pieces, each on a square of its own; got row 5 column 1"),
            (
                [[0, 0], [4, 1], [4, 2], [4, 3], [4, 4]],
                "another piece stands at row 1 column 1",
            ),
        ],
    )
    def test_pieces_cannot_be_set_anywhere(self, cells: list[list[int]], reason: str) -> None:
        assert laid().rule(1, "set_pieces", seat=1, cells=cells)["reason"] == reason

    def test_a_roll_is_set_as_the_referee_reads_it(self) -> None:
        table = laid()
        assert table.rule(1, "set_dice", dice=[4, 4])["reason"] == "nobody has rolled"
        roll(table, 2, 1, 1, 1)
        table.rule(3, "set_dice", dice=[4, 4])
        assert move(table, 4, 1, [4, 0], [1, 0])["accepted"] is True

    def test_a_disqualification_ends_the_game_and_the_other_player_wins(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane")
        told = table.rule(2, "disqualify", seat=1)
        assert (told["phase"], scores(told), places(told), told["winner"]) == (
            "judging",
            [0, 0],
            [None, 1],
            2,
        )
        told = table.host(3, "confirm")
        assert (told["phase"], told["winner"]) == ("over", 2)

    def test_a_reinstated_player_plays_on(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane")
        table.rule(2, "disqualify", seat=1)
        told = table.rule(3, "reinstate", seat=1)
        assert (told["phase"], told["turn"], scores(told), told["winner"]) == ("playing", 2, [21, 0], None)
        assert table.rule(4, "reinstate", seat=1)["reason"] == "seat 1 is neither disqualified nor withdrawn"

    def test_a_disqualification_after_the_end_changes_the_ranks_only(self) -> None:
        table = laid()
        played(table, FIVE, OTHERS)
        told = table.rule(20, "disqualify", seat=1)
        assert (told["phase"], scores(told), told["winner"]) == ("judging", [0, 105], 2)
        told = table.rule(21, "reinstate", seat=1)
        assert (told["phase"], scores(told), told["winner"]) == ("judging", [152, 105], 1)

    def test_there_is_no_done_to_overturn(self) -> None:
        told = laid().rule(1, "overturn_done", seat=1)
        assert told["reason"] == "Martian Boggle has no Done to overturn"

    def test_a_score_that_the_referee_sets_decides_the_game(self) -> None:
        table = laid()
        played(table, FIVE, OTHERS)
        table.rule(20, "set_score", seat=2, score=200)
        told = table.host(21, "confirm")
        assert (told["winner"], [seat["total"] for seat in told["seats"]]) == (2, [152, 200])


class TestClocks:
    def elapsed(self, table: Table, at: int) -> list[float]:
        return [clock.elapsed(at * 10**9) / 10**9 for clock in table.state.clocks]

    def test_each_players_clock_runs_in_that_players_turn(self) -> None:
        table = laid(player_s=600)
        spells(table, 10, 1, "crane")
        passes(table, 35, 2)
        assert self.elapsed(table, 40) == [15, 25]

    def test_a_turn_that_is_used_up_runs_on_until_it_is_ended_or_the_other_player_begins(self) -> None:
        table = laid(player_s=600)
        roll(table, 1, 1, 1, 1)
        move(table, 10, 1, [4, 0], [2, 0])
        roll(table, 12, 2, 1, 1)
        assert self.elapsed(table, 20) == [12, 8]

    def test_a_turn_lost_by_a_wrong_call_stops_the_clock(self) -> None:
        table = laid(player_s=600, bad_call="lose_turn")
        spells(table, 10, 1, "house")
        assert self.elapsed(table, 15) == [10, 5]

    def test_a_pause_stops_them(self) -> None:
        table = laid(player_s=600)
        table.host(10, "pause")
        table.host(50, "resume")
        assert self.elapsed(table, 60) == [20, 0]

    def test_each_minute_begun_beyond_the_clock_takes_points_off_at_the_end(self) -> None:
        """Seat 1 needs 60 + 61 seconds: two minutes begun, 21 - 2 * 10; seat 2 needs 30 seconds."""
        table = laid(player_s=60)
        told = spells(table, 121, 1, "crane")
        assert scores(told) == [21, 0]
        passes(table, 151, 2)
        told = table.host(151, "end")
        assert (scores(told), told["winner"]) == ([1, 0], 1)

    def test_the_house_sets_what_a_minute_costs(self) -> None:
        table = laid(player_s=60, overtime_points=25)
        spells(table, 121, 1, "crane")
        told = table.host(130, "end")
        assert (scores(told), told["winner"]) == ([-29, 0], 2)

    def test_overtime_is_off_the_tally_of_five_words_too(self) -> None:
        """Seat 2 has used 4 seconds when it thinks for 60 more: one minute begun."""
        table = laid(player_s=60, cap_s=0, warn_s=[])
        played(table, FIVE, OTHERS[:4])
        told = passes(table, 9 + 60, 2)
        assert (told["phase"], scores(told)) == ("judging", [152, 78 - 10])

    def test_the_warning_the_end_and_the_next_minute_come_at_their_very_seconds(self) -> None:
        table = laid(player_s=100, warn_s=[10])
        spells(table, 161, 1, "crane")
        rows = [
            (row.at_ns / 10**9, row.kind)
            for row in table.log.rows("test")
            if row.kind in {"TimeWarned", "TimeUp"}
        ]
        assert rows == [(90.0, "TimeWarned"), (100.0, "TimeUp"), (160.0, "TimeUp")]
