"""The referee's rulings: words, doubts, out and in, score, place, undo; nothing is erased."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall, BadScript
from tests.rules.playing import Table, all_flipped, endgame, hands, places, scores, splitted, stairs, started
from tests.rules.playing_binary import ending


def names(line: dict[str, Any]) -> list[str]:
    return [event["event"] for event in line["events"]]


def test_every_ruling_needs_a_reason() -> None:
    with pytest.raises(BadCall, match="disqualify needs a 'reason'"):
        splitted().line(2, referee="disqualify", seat=1)


def test_an_empty_reason_is_none() -> None:
    with pytest.raises(BadCall, match="'reason' must be a text of 1 to 200 characters"):
        splitted().rule(2, "disqualify", seat=1, reason="  ")


def test_a_ruling_stands_in_the_log_with_its_reason() -> None:
    event = splitted().rule(2, "disqualify", seat=2, reason="took four tiles")["events"][0]
    assert (event["event"], event["ruling"], event["seat"], event["reason"]) == (
        "Ruled",
        "disqualify",
        2,
        "took four tiles",
    )


def test_an_unknown_ruling_names_the_nearest() -> None:
    with pytest.raises(BadCall, match="no ruling 'overturn'; did you mean 'overturn_done'"):
        splitted().rule(2, "overturn", seat=1)


def test_a_ruling_about_a_seat_needs_one() -> None:
    with pytest.raises(BadScript, match="set_score needs a 'seat'"):
        splitted().rule(2, "set_score", score=3)


def test_rulings_before_the_start_are_refused() -> None:
    assert Table("chew").rule(0, "disqualify", seat=1)["reason"] == "the host has not started the game yet"


class TestWords:
    def test_a_ruled_word_is_good_in_every_tableau_at_once(self) -> None:
        table = splitted()
        table.sees(2, 1, "CATO")
        table.sees(2, 2, "CATO")
        line = table.rule(3, "rule_word", word="cato", valid=True, reason="a Roman")
        assert [seat["verdict"]["invalid_words"] for seat in line["seats"]] == [[], []]

    def test_a_word_ruled_out_is_a_phony_from_now_on(self) -> None:
        table = splitted()
        table.rule(2, "rule_word", word="CAT", valid=False, reason="no pets")
        assert table.sees(3, 1, "CAT")["seats"][0]["verdict"]["invalid_words"] == ["CAT"]

    def test_a_word_may_be_ruled_on_before_the_start(self) -> None:
        table = Table("bananagrams")
        table.rule(0, "rule_word", word="qi", valid=True)
        table.host(1, "start")
        assert table.sees(2, 1, "QI")["seats"][0]["verdict"]["invalid_words"] == []

    def test_the_word_and_the_ruling_on_it_are_needed(self) -> None:
        with pytest.raises(BadCall, match="rule_word needs 'valid', 'word'"):
            splitted().rule(2, "rule_word")


class TestDoubts:
    def test_a_tile_read_by_the_referee_is_no_doubt_any_more(self) -> None:
        table = splitted()
        table.sees(2, 1, "C.T".replace(".", "O"), doubts=[[0, 1]])
        line = table.rule(3, "read_tile", seat=1, cell=[0, 1], symbol="A", reason="it is an A")
        assert (line["seats"][0]["verdict"]["doubts"], table.state.seat(1).sighting.grid) == (0, ("CAT",))

    def test_it_stays_read_while_the_camera_goes_on_doubting_that_cell(self) -> None:
        table = splitted()
        table.sees(2, 1, "COT", doubts=[[0, 1]])
        table.rule(3, "read_tile", seat=1, cell=[0, 1], symbol="A")
        table.sees(4, 1, "COT", "..O", doubts=[[0, 1]])
        assert table.state.seat(1).sighting.grid == ("CAT", "..O")

    def test_it_is_forgotten_when_the_camera_is_sure(self) -> None:
        table = splitted()
        table.sees(2, 1, "COT", doubts=[[0, 1]])
        table.rule(3, "read_tile", seat=1, cell=[0, 1], symbol="A")
        table.sees(4, 1, "COT")
        assert table.state.seat(1).sighting.grid == ("COT",)

    def test_it_stays_with_its_tile_where_the_tableau_grows_upwards_and_to_the_left(self) -> None:
        table = splitted()
        table.sees(2, 1, "WAR", doubts=[[0, 2]])
        table.rule(3, "read_tile", seat=1, cell=[0, 2], symbol="X")
        table.sees(4, 1, ".S..", ".O..", ".WAR", "..WE", doubts=[[2, 3], [0, 1]])
        seen = table.state.seat(1).sighting
        assert (seen.grid, seen.doubts) == ((".S..", ".O..", ".WAX", "..WE"), ((0, 1),))

    def test_it_never_passes_to_another_tile_that_comes_to_lie_in_its_cell(self) -> None:
        table = splitted()
        table.sees(2, 1, "WAR", doubts=[[0, 0]])
        table.rule(3, "read_tile", seat=1, cell=[0, 0], symbol="M")
        table.sees(4, 1, "SWAR", doubts=[[0, 0]])
        assert table.state.seat(1).sighting.grid == ("SWAR",)

    @pytest.mark.parametrize(
        ("first", "then"),
        [
            (("COT",), ("C.T",)),
            (("COT",), ("CAT",)),
            (("COT", "A.O"), ("RUN", "..O", "..W")),
        ],
        ids=["lifted", "replaced", "laid anew"],
    )
    def test_it_ends_with_its_tile(self, first: tuple[str, ...], then: tuple[str, ...]) -> None:
        table = splitted()
        table.sees(2, 1, *first, doubts=[[0, 1]])
        table.rule(3, "read_tile", seat=1, cell=[0, 1], symbol="U")
        table.sees(4, 1, *then, doubts=[[0, 1]] if then[0][1] != "." else [])
        table.sees(5, 1, *first, doubts=[[0, 1]])
        assert table.state.seat(1).sighting.grid == first

    def test_it_is_taken_back_where_its_tile_lies_now(self) -> None:
        table = splitted()
        table.sees(2, 1, "WAR", doubts=[[0, 1]])
        table.rule(3, "read_tile", seat=1, cell=[0, 1], symbol="E")
        table.rule(4, "read_tile", seat=1, cell=[0, 2], symbol="T")
        table.sees(5, 1, "SWAR", doubts=[[0, 2], [0, 3]])
        table.rule(6, "undo")
        table.sees(7, 1, "SWAR", "...E", doubts=[[0, 2], [0, 3]])
        assert table.state.seat(1).sighting.grid == ("SWER", "...E")

    def test_a_tile_that_is_no_longer_the_one_that_was_shown_is_not_ruled_on(self) -> None:
        table = splitted()
        table.sees(2, 1, "WAR", doubts=[[0, 0]])
        table.sees(3, 1, "SWAR", doubts=[[0, 1]])
        line = table.rule(4, "read_tile", seat=1, cell=[0, 0], symbol="M", shown="W")
        assert (line["accepted"], line["reason"]) == (
            False,
            "at row 1, column 1 lies S now, no longer W; look at the tile again",
        )
        assert table.rule(5, "read_tile", seat=1, cell=[0, 1], symbol="M", shown="W")["accepted"]
        assert table.state.seat(1).sighting.grid == ("SMAR",)

    def test_a_blank_is_read_as_such_however_it_is_written(self) -> None:
        for symbol in ("", "?"):
            table = splitted()
            table.sees(2, 1, "COT", doubts=[[0, 1]])
            table.rule(3, "read_tile", seat=1, cell=[0, 1], symbol=symbol)
            assert table.state.seat(1).sighting.grid == ("C?T",)

    def test_a_blank_is_asked_about_and_stays_the_letter_that_the_referee_reads(self) -> None:
        table = endgame(pool=1)
        rows = [*stairs(21)[:-1], stairs(21)[-1][:-1] + "?"]
        table.sees(3, 1, *rows)
        refused = table.call(4, 1, "bananas")
        assert "the referee must read it" in refused["reason"]
        assert names(refused) == ["CallRefused"]
        table.rule(5, "read_tile", seat=1, cell=[10, 10], symbol="A")
        table.sees(6, 1, *rows)
        assert table.call(7, 1, "bananas")["winner"] == 1

    def test_a_doubted_letter_makes_its_words_neither_good_nor_bad(self) -> None:
        line = splitted().sees(2, 1, "CXT", doubts=[[0, 1]])
        assert (line["seats"][0]["verdict"]["invalid_words"], line["seats"][0]["verdict"]["valid"]) == (
            [],
            False,
        )

    def test_a_cell_without_a_tile_cannot_be_read(self) -> None:
        table = splitted()
        table.sees(2, 1, "COT")
        line = table.rule(3, "read_tile", seat=1, cell=[4, 4], symbol="A")
        assert line["reason"] == "no tile is seen at row 5, column 5 before seat 1"

    def test_a_seat_that_nobody_has_seen_cannot_be_read(self) -> None:
        assert splitted().rule(3, "read_tile", seat=1, cell=[0, 0], symbol="A")["accepted"] is False

    def test_a_cell_of_a_tableau_holds_one_letter(self) -> None:
        table = splitted()
        table.sees(2, 1, "COT")
        with pytest.raises(BadCall, match="'symbol' must be one letter, or '' for a blank; got 'AND'"):
            table.rule(3, "read_tile", seat=1, cell=[0, 0], symbol="AND")

    def test_without_a_seat_the_shared_board_is_meant(self) -> None:
        table = started()
        table.line(2, board={"cells": [[7, 7, "1"], [7, 8, "-"]], "doubts": [[7, 8]]})
        table.rule(3, "read_tile", cell=[7, 8], symbol="=")
        assert table.state.board.symbols() == {(7, 7): "1", (7, 8): "="}
        assert table.state.board.doubts == ()

    def test_the_board_stays_read_while_the_camera_goes_on_doubting_that_cell(self) -> None:
        table = started()
        table.line(2, board={"cells": [[7, 7, "1"], [7, 8, "-"]], "doubts": [[7, 8]]})
        table.rule(3, "read_tile", cell=[7, 8], symbol="=")
        table.line(4, board={"cells": [[7, 7, "1"], [7, 8, "-"], [7, 9, "1"]], "doubts": [[7, 8]]})
        assert table.state.board.symbols() == {(7, 7): "1", (7, 8): "=", (7, 9): "1"}

    def test_an_empty_cell_of_the_board_cannot_be_read(self) -> None:
        line = started().rule(3, "read_tile", cell=[7, 8], symbol="=")
        assert line["reason"] == "no tile is seen at row 8, column 9 of the board"


class TestScoresAndPlaces:
    def test_a_score_is_set(self) -> None:
        assert scores(started().rule(2, "set_score", seat=2, score=2.5)) == [0, 2.5]

    def test_a_score_set_after_the_confirmation_moves_the_total_by_the_difference(self) -> None:
        table = started(policy="off", flips=10)
        table.call(2, 1, "done")
        table.host(3, "confirm")
        line = table.rule(4, "set_score", seat=1, score=5)
        assert [seat["total"] for seat in line["seats"]] == [5, 1]

    @pytest.mark.parametrize("score", [0.3, True, "5", 2_000_000])
    def test_a_score_is_whole_or_half(self, score: Any) -> None:
        with pytest.raises(BadCall, match="'score' must be a whole or half number of points"):
            started().rule(2, "set_score", seat=2, score=score)

    def test_a_score_set_while_a_game_of_one_round_is_judged_places_the_players_anew(self) -> None:
        line = ending().rule(60, "set_score", seat=2, score=90)
        assert (scores(line), places(line), line["winner"]) == ([16, 90], [2, 1], 2)

    def test_a_score_set_in_a_game_that_is_over_names_its_new_winner(self) -> None:
        table = started(flips=10, policy="off", rounds=1)
        table.call(2, 1, "done")
        assert table.host(3, "confirm")["winner"] == 1
        line = table.rule(4, "set_score", seat=2, score=5)
        assert ([seat["total"] for seat in line["seats"]], line["winner"]) == ([2, 5], 2)
        assert table.rule(5, "undo")["winner"] == 1

    def test_a_place_set_by_the_referee_changes_the_points(self) -> None:
        table = started(policy="off", flips=10)
        table.call(2, 1, "done")
        table.rule(3, "set_place", seat=1, place=2)
        line = table.rule(3, "set_place", seat=2, place=1)
        assert (places(line), scores(line)) == ([2, 1], [1, 2])

    def test_a_place_set_while_play_goes_on_gives_no_points_yet(self) -> None:
        line = started().rule(2, "set_place", seat=2, place=1)
        assert (places(line), scores(line)) == ([None, 1], [0, 0])


class TestOutAndIn:
    def test_a_disqualified_seat_may_not_call(self) -> None:
        table = splitted()
        table.rule(2, "disqualify", seat=2)
        assert table.call(3, 2, "dump")["reason"] == "seat 2 is out of this round"

    def test_nobody_is_disqualified_twice(self) -> None:
        table = splitted(3)
        table.rule(2, "disqualify", seat=2)
        assert table.rule(2, "disqualify", seat=2)["reason"] == "seat 2 is out of this round already"

    def test_a_reinstated_seat_takes_its_tiles_back(self) -> None:
        table = splitted(3)
        assert hands(table.rule(2, "disqualify", seat=2)) == [21, 0, 21]
        line = table.rule(3, "reinstate", seat=2, reason="a mistake of the referee's")
        assert (hands(line), line["pool"], table.call(4, 2, "dump")["accepted"]) == ([21, 21, 21], 81, True)

    def test_it_takes_what_is_left_where_the_middle_has_less(self) -> None:
        table = splitted(3)
        table.rule(2, "disqualify", seat=2)
        table.set_pool(5)
        assert hands(table.rule(3, "reinstate", seat=2)) == [21, 5, 21]

    def test_who_is_in_cannot_be_reinstated(self) -> None:
        assert (
            splitted().rule(3, "reinstate", seat=2)["reason"]
            == "seat 2 is neither disqualified nor withdrawn"
        )


class TestUndo:
    def test_the_last_ruling_is_taken_back_and_both_stand_in_the_log(self) -> None:
        table = splitted(3)
        table.rule(2, "disqualify", seat=2)
        line = table.rule(3, "undo", reason="it was seat 3")
        assert (hands(line), line["pool"], names(line)) == ([21, 21, 21], 81, ["RulingUndone"])
        kinds = [row.kind for row in table.log.rows("test")]
        assert kinds[-3:] == ["Ruled", "Disqualified", "RulingUndone"]

    def test_the_ruling_before_it_can_be_undone_next(self) -> None:
        table = started()
        table.rule(2, "set_score", seat=1, score=3)
        table.rule(3, "set_score", seat=1, score=7)
        assert scores(table.rule(4, "undo")) == [3, 0]
        assert scores(table.rule(5, "undo")) == [0, 0]
        assert table.rule(6, "undo")["reason"] == "there is no ruling to undo"

    def test_a_word_is_judged_again_without_the_undone_ruling(self) -> None:
        table = splitted()
        table.rule(2, "rule_word", word="cato", valid=True)
        table.sees(3, 1, "CATO")
        line = table.rule(4, "undo")
        assert line["seats"][0]["verdict"]["invalid_words"] == ["CATO"]

    def test_time_that_has_passed_stays_passed(self) -> None:
        table = splitted()
        table.rule(11, "set_score", seat=1, score=3)
        assert table.rule(21, "undo")["clock_s"] == 20

    def test_a_round_that_a_ruling_had_reopened_is_over_again_and_its_clock_stands(self) -> None:
        table = started(3, flips=10, policy="off")
        table.call(10, 1, "done")
        table.call(20, 2, "done")
        table.rule(30, "overturn_done", seat=1)
        line = table.rule(40, "undo")
        assert (line["phase"], places(line)) == ("judging", [1, 2, 3])
        assert table.host(90, "confirm")["clock_s"] == 30  # 20 s, and 10 s while it was reopened

    def test_a_ruling_that_the_game_has_built_on_cannot_be_undone(self) -> None:
        table = splitted(3)
        table.rule(2, "disqualify", seat=2)
        table.call(3, 1, "dump")
        line = table.rule(4, "undo")
        assert line["reason"] == "the game has gone on since the last ruling; rule the other way instead"

    def test_a_refused_call_since_then_does_not_matter(self) -> None:
        table = splitted(3)
        table.rule(2, "disqualify", seat=2)
        table.call(3, 1, "peel")
        assert table.rule(4, "undo")["accepted"] is True

    def test_a_sighting_since_then_is_kept(self) -> None:
        table = started()
        table.rule(2, "set_score", seat=1, score=3)
        table.sees(3, 1, *stairs(5))
        assert table.rule(4, "undo")["seats"][0]["placed"] == 5


def test_a_place_set_in_a_reopened_round_is_forgotten_with_the_done() -> None:
    table = started(3, policy="off")
    all_flipped(table)
    table.call(10, 1, "done")
    table.rule(11, "set_place", seat=1, place=2)
    line = table.rule(12, "overturn_done", seat=1)
    assert places(line) == [None, None, None]


class TestWhilePaused:
    def test_an_overturned_done_reopens_play_only_when_it_is_resumed(self) -> None:
        table = started(2, flips=10, policy="off")
        table.call(10, 1, "done")
        table.host(20, "pause")
        assert table.rule(30, "overturn_done", seat=1)["phase"] == "paused"
        line = table.host(40, "resume")
        assert (line["phase"], line["clock_s"]) == ("playing", 10)

    def test_a_disqualification_that_ends_the_round_is_judged_when_it_is_resumed(self) -> None:
        table = started(2, policy="off")
        table.host(20, "pause")
        assert table.rule(30, "disqualify", seat=1)["phase"] == "paused"
        assert table.host(40, "resume")["phase"] == "judging"
