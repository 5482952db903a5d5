"""chew.txt sentence by sentence, up to the end of a round, with what SETTLED.md settles of it."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall, BadOption, BadSetUp
from tests.rules.playing import Table, hands, places, stairs, started


class TestSetUp:
    @pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 6])
    def test_one_to_six_players_may_play(self, players: int) -> None:
        assert Table("chew", players).host(0, "start")["phase"] == "playing"

    def test_seven_players_are_too_many(self) -> None:
        with pytest.raises(BadSetUp, match="1 to 6 players; got 7"):
            Table("chew", 7)

    def test_the_pool_is_all_144_tiles(self) -> None:
        assert Table("chew").state.pool == 144

    def test_each_player_takes_ten_tiles_in_reserve_and_the_handicap_set(self) -> None:
        line = Table("chew", 3, handicaps=[10, 10, 12]).host(0, "start")
        assert (hands(line), line["pool"]) == ([20, 20, 22], 82)

    def test_a_newcomer_takes_ten_tiles_in_the_handicap_set(self) -> None:
        assert [seat["handicap"] for seat in Table("chew", 2).host(0, "start")["seats"]] == [10, 10]

    def test_the_handicap_set_is_turned_up_at_the_hosts_start_and_the_reserve_stays_face_down(self) -> None:
        line = Table("chew", 2, handicaps=[3, 12]).host(0, "start")
        assert [seat["face_down"] for seat in line["seats"]] == [10, 10]

    def test_too_few_tiles_for_all_sets_are_refused_with_the_numbers(self) -> None:
        with pytest.raises(
            BadSetUp, match=r"\(10 \+ 63\) \+ \(10 \+ 62\) = 145 tiles, and the box holds 144"
        ):
            Table("chew", 2, handicaps=[63, 62])

    def test_sets_that_take_all_tiles_are_fine(self) -> None:
        assert Table("chew", 2, handicaps=[62, 62]).host(0, "start")["pool"] == 0

    def test_a_handicap_for_each_seat_is_needed(self) -> None:
        with pytest.raises(BadSetUp, match="3 handicaps for 2 seats"):
            Table("chew", 2, handicaps=[10, 10, 10])

    def test_a_handicap_below_three_is_refused(self) -> None:
        with pytest.raises(BadOption, match="'handicaps' must be a whole number from 3 to 134; got 2"):
            Table("chew", 2, handicaps=[2, 10])

    def test_sets_grown_too_large_refuse_the_next_round_with_the_numbers(self) -> None:
        table = started(2, handicaps=[121, 3], flips=10, policy="off")
        table.call(3, 1, "done")
        line = table.host(4, "confirm", "next_round")
        assert line["reason"] == "the sets take (10 + 122) + (10 + 3) = 145 tiles, and the box holds 144"


class TestTableau:
    def test_all_face_up_tiles_must_be_connected(self) -> None:
        table = started(2, handicaps=[4, 4])
        table.sees(2, 1, "AA..", "..AA", face_down=10)
        assert table.call(3, 1, "flip")["reason"] == "the tableau is in 2 parts"

    def test_every_face_up_tile_must_be_in_it(self) -> None:
        table = started(2, handicaps=[4, 4])
        table.sees(2, 1, "AA", loose="QZ", face_down=10)
        assert table.call(3, 1, "flip")["reason"] == "2 tiles are not placed yet: Q Z"

    def test_its_words_must_be_acceptable(self) -> None:
        table = started(2, handicaps=[4, 4])
        table.sees(2, 1, *stairs(4, last="Z"), face_down=10)
        assert table.call(3, 1, "flip")["reason"] == "not valid: AZ"

    @pytest.mark.parametrize("seen", [0, 9, 11])
    def test_face_down_tiles_that_the_camera_counts_otherwise_do_not_matter(self, seen: int) -> None:
        table = started(2, handicaps=[4, 4])
        table.sees(2, 1, *stairs(4), face_down=seen)
        assert table.call(3, 1, "flip")["accepted"] is True

    def test_words_up_to_15_letters_are_judged_by_the_first_list(self) -> None:
        table = started(2, handicaps=[15, 4])
        assert table.sees(2, 1, "A" * 15)["seats"][0]["verdict"]["invalid_words"] == ["A" * 15]


class TestLongWords:
    def seen(self, long: tuple[str, ...] = (), **options: Any) -> tuple[Table, dict[str, Any]]:
        table = started(2, handicaps=[16, 4], long=long, flips=10, **options)
        table.sees(2, 1, "B" * 16, *["B"] * 10)
        return table, table.call(3, 1, "done")

    def test_without_a_second_list_the_referee_decides(self) -> None:
        _, line = self.seen()
        assert line["reason"] == f"the list leaves {'B' * 16} open; the referee must rule"

    def test_the_referees_ruling_lets_the_word_stand(self) -> None:
        table, _ = self.seen(words=("b" * 11,))
        table.rule(4, "rule_word", word="b" * 16, valid=True, reason="it is in the dictionary")
        assert table.call(5, 1, "done")["accepted"] is True

    def test_the_second_list_judges_words_over_15_letters(self) -> None:
        assert self.seen(words=("b" * 11,), long=("b" * 16,))[1]["accepted"] is True

    def test_a_long_word_that_the_second_list_lacks_is_a_phony(self) -> None:
        assert self.seen(words=("b" * 11,), long=("c" * 16,))[1]["reason"] == f"not valid: {'B' * 16}"

    def test_the_host_may_let_the_first_list_judge_all_words(self) -> None:
        line = self.seen(words=("b" * 11,), long_words="first_list")[1]
        assert line["reason"] == f"not valid: {'B' * 16}"

    def test_the_host_may_leave_all_long_words_to_the_referee(self) -> None:
        line = self.seen(words=("b" * 11,), long=("b" * 16,), long_words="referee")[1]
        assert line["reason"] == f"the list leaves {'B' * 16} open; the referee must rule"


class TestLookup:
    @pytest.mark.parametrize(("word", "valid"), [("cat", True), ("CAT", True), ("catt", False)])
    def test_a_player_may_ask_about_one_word_and_it_is_logged(self, word: str, valid: bool) -> None:
        event = started().call(2, 1, "lookup", word=word)["events"][-1]
        assert (event["event"], event["word"], event["valid"]) == ("WordLookedUp", word.lower(), valid)

    def test_a_list_of_words_may_not_be_asked_for(self) -> None:
        with pytest.raises(BadCall, match="must be one word of letters; got 'ca\\*'"):
            started().call(2, 1, "lookup", word="ca*")

    def test_a_long_word_that_no_list_covers_is_left_to_the_referee(self) -> None:
        assert started().call(2, 1, "lookup", word="b" * 16)["events"][-1]["valid"] is None

    def test_a_word_may_be_looked_up_while_play_is_paused_too(self) -> None:
        """chew.txt: "You may consult a word reference at any time"."""
        table = started()
        table.host(1, "pause")
        assert table.call(2, 1, "lookup", word="cat")["accepted"] is True

    def test_the_house_may_forbid_it(self) -> None:
        line = started(lookup=False).call(2, 1, "lookup", word="cat")
        assert line["reason"] == "words may not be looked up in this game"


class TestDrawThree:
    def test_three_are_drawn_first_and_then_one_is_returned(self) -> None:
        line = started().call(2, 1, "draw_three")
        assert [event["counts"] for event in line["events"] if "counts" in event] == [[3, 0], [-1, 0]]

    def test_two_tiles_more_lie_face_up_and_two_fewer_in_the_pool(self) -> None:
        line = started().call(2, 1, "draw_three")
        assert (hands(line), line["seats"][0]["face_down"], line["pool"]) == ([22, 20], 10, 102)

    def test_it_may_be_done_at_any_time_and_again(self) -> None:
        table = started()
        table.call(2, 1, "draw_three")
        assert hands(table.call(2, 1, "draw_three")) == [24, 20]

    @pytest.mark.parametrize(("pool", "accepted"), [(3, True), (2, False), (0, False)])
    def test_fewer_than_three_in_the_pool_refuse_it(self, pool: int, accepted: bool) -> None:
        table = started()
        table.set_pool(pool)
        assert table.call(2, 1, "draw_three")["accepted"] is accepted

    def test_the_host_may_let_it_take_the_rest_without_the_returned_tile(self) -> None:
        table = started(dump_short="take_rest")
        table.set_pool(2)
        line = table.call(2, 1, "draw_three")
        assert (hands(line), line["pool"]) == ([21, 20], 1)

    def test_taking_the_rest_of_an_empty_pool_is_refused(self) -> None:
        table = started(dump_short="take_rest")
        table.set_pool(0)
        assert table.call(2, 1, "draw_three")["accepted"] is False

    def test_not_after_done(self) -> None:
        table = started(3, flips=10)
        table.sees(2, 1, *stairs(20))
        table.call(3, 1, "done")
        assert table.call(4, 1, "draw_three")["reason"] == "you are done; you may not draw"


class TestFlip:
    def flipped(self, **options: Any) -> tuple[Table, dict[str, Any]]:
        table = started(3, **options)
        table.sees(2, 2, *stairs(10), face_down=10)
        return table, table.call(3, 2, "flip")

    def test_all_players_turn_one_face_down_tile_over(self) -> None:
        _, line = self.flipped()
        assert [seat["face_down"] for seat in line["seats"]] == [9, 9, 9]
        assert hands(line) == [20, 20, 20]

    def test_the_table_announces_how_many_everyone_has_left(self) -> None:
        _, line = self.flipped()
        assert line["events"][-1]["text"] == "Flip, 9 left."

    def test_flip_with_an_unplaced_tile_is_refused(self) -> None:
        table = started()
        table.sees(2, 1, *stairs(9), loose="Q", face_down=10)
        assert table.call(3, 1, "flip")["reason"] == "1 tile is not placed yet: Q"

    def test_flip_with_an_invalid_tableau_stands_under_advise_with_a_warning(self) -> None:
        table = started(policy="advise")
        table.sees(2, 1, *stairs(10, last="Z"), face_down=10)
        line = table.call(3, 1, "flip")
        assert line["accepted"] is True
        assert "not valid: AZ" in [event.get("text") for event in line["events"]]

    def test_people_judge_where_the_policy_is_off(self) -> None:
        assert started(policy="off").call(3, 1, "flip")["accepted"] is True

    def test_flip_with_a_doubted_tile_is_refused_until_it_is_read(self) -> None:
        table = started(handicaps=[4, 4])
        table.sees(2, 1, *stairs(4), face_down=10, doubts=[[0, 0]])
        assert "not sure of the tile at row 1 column 1" in table.call(3, 1, "flip")["reason"]
        table.rule(4, "read_tile", seat=1, cell=[0, 0], symbol="A", reason="it is an A")
        assert table.call(5, 1, "flip")["accepted"] is True

    def test_flip_without_face_down_tiles_is_refused(self) -> None:
        assert started(flips=10).call(3, 1, "flip")["reason"] == "no face-down tiles are left: say Done"


class TestFlipsAtOnce:
    def both(self, apart_s: float, **options: Any) -> dict[str, Any]:
        table = started(**options)
        table.sees(2, 1, *stairs(10), face_down=10)
        table.sees(2, 2, *stairs(10), face_down=10)
        table.call(3, 1, "flip")
        return table.call(3 + apart_s, 2, "flip")

    @pytest.mark.parametrize("apart_s", [0, 0.000000001, 1.5])
    def test_everyone_turns_over_just_one_tile(self, apart_s: float) -> None:
        line = self.both(apart_s)
        assert (line["accepted"], [seat["face_down"] for seat in line["seats"]]) == (True, [9, 9])

    def test_after_the_window_the_new_tile_must_be_placed(self) -> None:
        line = self.both(1.500000001)
        assert line["reason"] == "seat 2 has 11 face-up tiles by count; 10 are seen in the tableau"

    def test_the_window_is_the_hosts_to_set(self) -> None:
        assert self.both(1.0, flip_merge_ms=999)["accepted"] is False

    def test_the_window_ends_when_the_caller_has_placed_the_new_tile(self) -> None:
        table = started()
        table.sees(2, 1, *stairs(10), face_down=10)
        table.call(3, 1, "flip")
        table.sees(3.4, 2, *stairs(11), face_down=9)
        assert [seat["face_down"] for seat in table.call(3.5, 2, "flip")["seats"]] == [8, 8]

    def test_without_a_camera_the_window_alone_decides(self) -> None:
        assert self.both(1.5, policy="off")["seats"][0]["face_down"] == 9
        assert self.both(1.6, policy="off")["seats"][0]["face_down"] == 8

    def test_in_the_window_an_invalid_tableau_is_still_refused(self) -> None:
        table = started()
        table.sees(2, 1, *stairs(10), face_down=10)
        table.sees(2, 2, *stairs(10, last="Z"), face_down=10)
        table.call(3, 1, "flip")
        assert table.call(3.5, 2, "flip")["reason"] == "not valid: AZ"


class TestDone:
    def test_done_with_face_down_tiles_left_is_refused(self) -> None:
        table = started()
        table.sees(2, 1, *stairs(10), face_down=10)
        assert table.call(3, 1, "done")["reason"] == "10 of your tiles are face down: say Flip"

    def test_done_ends_the_players_own_round(self) -> None:
        table = started(3, flips=10)
        table.sees(2, 1, *stairs(20))
        line = table.call(3, 1, "done")
        assert (places(line), line["phase"]) == ([1, None, None], "playing")

    def test_done_with_an_invalid_tableau_is_refused_under_strict(self) -> None:
        table = started(3, flips=10)
        table.sees(2, 1, *stairs(20, last="Z"))
        assert table.call(3, 1, "done")["reason"] == "not valid: AZ"

    def test_done_twice_is_refused(self) -> None:
        table = started(3, flips=10, policy="off")
        table.call(3, 1, "done")
        assert table.call(4, 1, "done")["reason"] == "you are done already"

    def test_the_round_ends_when_all_but_one_are_done(self) -> None:
        table = started(3, flips=10, policy="off")
        table.call(3, 1, "done")
        line = table.call(4, 3, "done")
        assert (places(line), line["phase"], line["winner"]) == ([1, 3, 2], "judging", 1)

    def test_the_host_may_have_it_played_to_the_end(self) -> None:
        table = started(2, flips=10, policy="off", play_to_end=True)
        assert table.call(3, 1, "done")["phase"] == "playing"
        line = table.call(4, 2, "done")
        assert (places(line), line["phase"]) == ([1, 2], "judging")

    def test_a_done_after_the_round_has_ended_is_refused(self) -> None:
        table = started(2, flips=10, policy="off")
        table.call(3, 1, "done")
        assert table.call(4, 2, "done")["reason"] == "the round has ended and is being judged"

    def test_tiles_may_be_moved_until_done_and_not_after(self) -> None:
        table = started(3, flips=10)
        assert len(table.sees(2, 1, "AA", loose="A" * 18)["events"]) == 1
        assert len(table.sees(3, 1, *stairs(20))["events"]) == 1
        table.call(4, 1, "done")
        event = table.sees(5, 1, "AA", loose="A" * 18)["events"][-1]
        assert (event["event"], event["text"]) == ("Warned", "the tableau was changed after Done")

    def test_a_tableau_that_lies_as_it_did_brings_no_warning(self) -> None:
        table = started(3, flips=10)
        table.sees(3, 1, *stairs(20))
        table.call(4, 1, "done")
        assert [e["event"] for e in table.sees(5, 1, *stairs(20), face_down=0)["events"]] == ["TilesSeen"]

    def test_people_watch_each_other_where_the_policy_is_off(self) -> None:
        table = started(3, flips=10, policy="off")
        table.sees(3, 1, *stairs(20))
        table.call(4, 1, "done")
        assert len(table.sees(5, 1, "AA")["events"]) == 1
