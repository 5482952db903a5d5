"""bananagrams.txt sentence by sentence, and what SETTLED.md settles of it."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadSetUp
from companion.model.tiles import tile_set
from tests.rules.playing import Table, endgame, hands, splitted, stairs


class TestSetUp:
    def test_the_box_holds_144_tiles_and_all_lie_in_the_bunch(self) -> None:
        assert Table("bananagrams").state.pool == 144

    @pytest.mark.parametrize(
        ("players", "tiles", "bunch"),
        [
            (2, 21, 102),
            (3, 21, 81),
            (4, 21, 60),
            (5, 15, 69),
            (6, 15, 54),
            (7, 11, 67),
            (8, 11, 56),
            (13, 11, 1),
        ],
    )
    def test_players_draw_21_or_15_or_11_tiles_by_their_number(
        self, players: int, tiles: int, bunch: int
    ) -> None:
        line = Table("bananagrams", players).host(0, "start")
        assert (hands(line), line["pool"]) == ([tiles] * players, bunch)

    def test_solitaire_starts_with_21_tiles(self) -> None:
        assert hands(Table("bananagrams", 1).host(0, "start")) == [21]

    def test_fourteen_players_are_refused_with_the_numbers(self) -> None:
        with pytest.raises(BadSetUp, match="1 to 13 players; got 14"):
            Table("bananagrams", 14)

    def test_tiles_stay_hidden_until_split_is_called(self) -> None:
        line = Table("bananagrams").host(0, "start")
        assert [seat["face_down"] for seat in line["seats"]] == [21, 21]
        assert line["phase"] == "setup"

    def test_the_letters_of_the_box_are_those_of_the_settled_list(self) -> None:
        settled = "A13 B3 C3 D6 E18 F3 G4 H3 I12 J2 K2 L5 M3 N8 O11 P3 Q2 R9 S6 T9 U6 V3 W3 X2 Y3 Z2"
        counts = tile_set("bananagrams-en").counts
        assert counts == {entry[0]: int(entry[1:]) for entry in settled.split()}
        assert sum(counts.values()) == Table("bananagrams").state.pool


class TestSplit:
    def test_one_player_says_split_and_all_turn_their_tiles_up(self) -> None:
        table = Table("bananagrams")
        table.host(0, "start")
        line = table.call(1, 2, "split")
        assert [seat["face_down"] for seat in line["seats"]] == [0, 0]
        assert line["phase"] == "playing"

    def test_split_before_the_hosts_start_is_refused(self) -> None:
        line = Table("bananagrams").call(0, 1, "split")
        assert (line["accepted"], line["reason"]) == (False, "the host has not started the game yet")

    def test_a_second_split_is_refused(self) -> None:
        assert splitted().call(2, 2, "split")["reason"] == "play has begun already"

    def test_peel_before_split_is_refused(self) -> None:
        table = Table("bananagrams")
        table.host(0, "start")
        assert table.call(1, 1, "peel")["reason"] == "play has not begun yet"


class TestGrid:
    def test_words_read_left_to_right_and_top_to_bottom_only(self) -> None:
        line = splitted().sees(2, 1, "TAC", "O..")
        assert line["seats"][0]["verdict"]["invalid_words"] == ["TAC"]

    def test_a_word_upwards_is_no_word(self) -> None:
        assert splitted().sees(2, 1, "T", "A", "C")["seats"][0]["verdict"]["invalid_words"] == ["TAC"]

    def test_all_words_must_interconnect_in_one_grid(self) -> None:
        line = splitted().sees(2, 1, "AT..", "..TO")
        assert line["seats"][0]["verdict"]["islands"] == 2
        assert line["seats"][0]["verdict"]["valid"] is False

    def test_all_words_must_be_dictionary_words(self) -> None:
        assert splitted().sees(2, 1, "CATO")["seats"][0]["verdict"]["invalid_words"] == ["CATO"]

    def test_the_same_word_twice_is_fine_unless_switched_off(self) -> None:
        line = splitted().sees(2, 1, *stairs(21))
        assert line["seats"][0]["verdict"]["valid"] is True

    def test_the_same_word_twice_is_invalid_where_the_house_forbids_it(self) -> None:
        line = splitted(duplicates=False).sees(2, 1, *stairs(21))
        assert line["seats"][0]["verdict"]["invalid_words"] == ["AA"]

    def test_players_do_not_share_grids(self) -> None:
        line = splitted().sees(2, 1, "CAT")
        assert (line["seats"][0]["placed"], line["seats"][1]["verdict"]) == (3, None)

    def test_all_play_at_the_same_time_without_turns(self) -> None:
        table = splitted(3)
        assert [table.call(2, seat, "dump")["accepted"] for seat in (2, 2, 1, 3)] == [True] * 4
        assert table.state.turn is None

    def test_players_may_rearrange_their_grid_at_any_time(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.call(2, 1, "peel")
        assert table.sees(3, 1, "AT", loose="A" * 20)["seats"][0]["placed"] == 2
        assert table.sees(4, 1, *stairs(22))["seats"][0]["verdict"]["valid"] is True


class TestPeel:
    def test_everybody_takes_one_tile(self) -> None:
        table = splitted(3)
        table.sees(2, 2, *stairs(21))
        line = table.call(3, 2, "peel")
        assert (line["accepted"], hands(line), line["pool"]) == (True, [22, 22, 22], 78)

    def test_peel_with_loose_tiles_is_refused_and_says_how_many(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(19), loose="QZ")
        line = table.call(3, 1, "peel")
        assert (line["accepted"], line["reason"], hands(line)) == (
            False,
            "2 tiles are not placed yet: Q Z",
            [21, 21],
        )

    def test_a_refusal_counts_one_tile_in_the_singular(self) -> None:
        table = splitted()
        table.sees(2, 1, "A")
        reason = table.call(3, 1, "peel")["reason"]
        assert reason == "seat 1 has 21 face-up tiles by count; 1 is seen in the tableau"

    def test_peel_with_a_tile_that_nobody_sees_is_refused_with_the_counts(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(20))
        assert (
            table.call(3, 1, "peel")["reason"]
            == "seat 1 has 21 face-up tiles by count; 20 are seen in the tableau"
        )

    def test_peel_with_a_grid_in_two_parts_is_refused(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(19), "." * 15 + "AA")
        assert table.call(3, 1, "peel")["reason"] == "the tableau is in 2 parts"

    def test_peel_without_a_sighting_is_refused_under_strict(self) -> None:
        assert splitted().call(3, 1, "peel")["reason"] == "the camera has not seen seat 1's tiles yet"

    def test_peel_without_a_sighting_stands_with_a_warning_under_advise(self) -> None:
        line = splitted(policy="advise").call(3, 1, "peel")
        assert line["accepted"] is True
        assert {
            "event": "Warned",
            "seat": 1,
            "text": "the camera has not seen seat 1's tiles yet",
        }.items() <= line["events"][1].items()

    def test_people_judge_a_peel_where_the_policy_is_off(self) -> None:
        line = splitted(policy="off").call(3, 1, "peel")
        assert line["accepted"] is True
        assert "Warned" not in [event["event"] for event in line["events"]]

    def test_words_are_judged_at_the_end_only(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21, last="Z"))
        assert table.call(3, 1, "peel")["accepted"] is True

    def test_strict_peel_judges_the_words_of_every_peel(self) -> None:
        table = splitted(strict_peel=True)
        table.sees(2, 1, *stairs(21, last="Z"))
        assert table.call(3, 1, "peel")["reason"] == "not valid: AZ"

    @pytest.mark.parametrize(("bunch", "accepted"), [(3, True), (2, False), (0, False)])
    def test_peel_needs_a_tile_in_the_bunch_for_every_active_player(self, bunch: int, accepted: bool) -> None:
        assert endgame(3, bunch).call(3, 1, "peel")["accepted"] is accepted

    def test_peel_with_too_few_tiles_says_so(self) -> None:
        reason = endgame(3, 2).call(3, 1, "peel")["reason"]
        assert reason == "2 tiles are left in the bunch for 3 players: no more PEELs, BANANAS wins"

    def test_a_solitaire_peel_draws_to_the_last_tile(self) -> None:
        line = endgame(1, 1).call(3, 1, "peel")
        assert (hands(line), line["pool"]) == ([22], 0)


class TestPeelsAtOnce:
    def both(self, apart_s: float, **options: Any) -> dict[str, Any]:
        table = splitted(**options)
        table.sees(2, 1, *stairs(21))
        table.sees(2, 2, *stairs(21))
        table.call(3, 1, "peel")
        return table.call(3 + apart_s, 2, "peel")

    @pytest.mark.parametrize("apart_s", [0, 0.000000001, 1.5])
    def test_two_peels_within_the_window_draw_one_tile_each_once(self, apart_s: float) -> None:
        line = self.both(apart_s)
        assert (line["accepted"], hands(line)) == (True, [22, 22])

    def test_a_peel_one_nanosecond_after_the_window_is_one_of_its_own(self) -> None:
        line = self.both(1.500000001)
        assert line["reason"] == "seat 2 has 22 face-up tiles by count; 21 are seen in the tableau"

    def test_the_window_is_the_hosts_to_set(self) -> None:
        assert self.both(1.0, peel_merge_ms=999)["accepted"] is False
        assert self.both(1.0, peel_merge_ms=1000)["accepted"] is True

    def test_the_window_ends_when_the_caller_has_placed_the_new_tile(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.call(3, 1, "peel")
        table.sees(3.5, 2, *stairs(22))
        line = table.call(3.6, 2, "peel")
        assert (line["accepted"], hands(line)) == (True, [23, 23])

    def test_a_peel_in_the_window_from_an_unfinished_grid_is_still_refused(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.sees(2, 2, *stairs(19), loose="QZ")
        table.call(3, 1, "peel")
        assert table.call(3.5, 2, "peel")["reason"] == "2 tiles are not placed yet: Q Z"

    def test_strict_peel_judges_the_words_of_a_merged_peel_too(self) -> None:
        table = splitted(strict_peel=True)
        table.sees(2, 1, *stairs(21))
        table.sees(2, 2, *stairs(21, last="Z"))
        table.call(3, 1, "peel")
        assert table.call(3.5, 2, "peel")["reason"] == "not valid: AZ"

    def test_the_new_tile_may_lie_loose_already(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.call(3, 1, "peel")
        table.sees(3.5, 2, *stairs(21), loose="Q")
        assert hands(table.call(3.6, 2, "peel")) == [22, 22]

    def test_without_a_camera_the_window_alone_decides(self) -> None:
        assert hands(self.both(1.5, policy="off")) == [22, 22]
        assert hands(self.both(1.6, policy="off")) == [23, 23]


class TestDump:
    def test_one_tile_goes_back_and_three_are_drawn_at_any_time(self) -> None:
        line = splitted().call(2, 2, "dump")
        assert (line["accepted"], hands(line), line["pool"]) == (True, [21, 23], 100)

    def test_a_player_may_dump_any_number_of_times(self) -> None:
        table = splitted()
        lines = [table.call(second, 1, "dump") for second in range(2, 7)]
        assert (hands(lines[-1]), lines[-1]["pool"]) == ([31, 21], 92)

    @pytest.mark.parametrize("bunch", [0, 1, 2])
    def test_dump_with_fewer_than_three_in_the_bunch_is_refused(self, bunch: int) -> None:
        line = endgame(2, bunch).call(3, 1, "dump")
        assert (line["accepted"], line["pool"]) == (False, bunch)

    def test_dump_with_exactly_three_is_fine(self) -> None:
        assert endgame(2, 3).call(3, 1, "dump")["pool"] == 1

    def test_the_refusal_says_how_many_are_left(self) -> None:
        assert (
            endgame(2, 1).call(3, 1, "dump")["reason"]
            == "DUMP takes three tiles, and 1 tile is left in the bunch"
        )

    def test_the_host_may_let_a_dump_take_the_rest_with_the_returned_tile_among_it(self) -> None:
        line = endgame(2, 1, dump_short="take_rest").call(3, 1, "dump")
        assert (hands(line), line["pool"]) == ([22, 21], 0)

    def test_drawn_first_the_returned_tile_stays_in_the_bunch(self) -> None:
        line = endgame(2, 1, dump_short="take_rest", dump_order="draw_first").call(3, 1, "dump")
        assert (hands(line), line["pool"]) == ([21, 21], 1)

    def test_taking_the_rest_of_an_empty_bunch_is_refused(self) -> None:
        assert endgame(2, 0, dump_short="take_rest").call(3, 1, "dump")["accepted"] is False

    def test_the_tile_is_returned_first_as_the_log_shows(self) -> None:
        counts = [event["counts"] for event in splitted().call(2, 1, "dump")["events"] if "counts" in event]
        assert counts == [[-1, 0], [3, 0]]

    def test_the_host_may_have_three_drawn_first(self) -> None:
        events = splitted(dump_order="draw_first").call(2, 1, "dump")["events"]
        assert [event["counts"] for event in events if "counts" in event] == [[3, 0], [-1, 0]]
