"""The referee's rulings about players and clocks: penalties, warnings, who leaves and comes, incidents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.errors import BadCall, BadScript
from companion.rules import event as ev
from tests.rules.martian import laid, passes, spells
from tests.rules.playing import Table, gone, hands, places, scores, splitted, started


def totals(line: dict[str, Any]) -> list[float]:
    return [seat["total"] for seat in line["seats"]]


def timed(**options: Any) -> Table:
    """Return a game of Martian Boggle in which each player has 60 seconds."""
    return laid(player_s=60, warn_s=[10], **options)


def kinds(line: dict[str, Any]) -> list[str]:
    return [event["event"] for event in line["events"]]


class TestPenalties:
    def test_points_are_taken_off_the_total_at_once_and_the_round_stays_as_played(self) -> None:
        table = started(flips=10, policy="off")
        table.call(1, 1, "done")
        told = table.rule(2, "penalize", seat=1, points=0.5, reason="touched another tableau")
        assert (scores(told), totals(told)) == ([2, 1], [-0.5, 0])
        assert totals(table.host(3, "confirm")) == [1.5, 1]

    def test_points_taken_stay_taken_in_the_rounds_that_follow(self) -> None:
        table = started(flips=10, policy="off")
        table.rule(0, "penalize", seat=2, points=3)
        table.call(1, 1, "done")
        table.host(2, "confirm")
        assert totals(table.host(3, "next_round")) == [2, 1 - 3]

    def test_points_taken_before_the_end_count_in_the_places_of_a_game_of_one_round(self) -> None:
        """CRANE 3 * 7 - 22 against 0."""
        table = laid(cap_s=10)
        spells(table, 1, 1, "crane")
        table.rule(2, "penalize", seat=1, points=22)
        told = passes(table, 11, 2)
        assert (scores(told), places(told), told["winner"]) == ([21, 0], [2, 1], 2)

    def test_points_taken_while_a_game_of_one_round_is_judged_place_the_players_anew(self) -> None:
        table = laid(cap_s=10)
        spells(table, 1, 1, "crane")
        assert passes(table, 11, 2)["winner"] == 1
        told = table.rule(12, "penalize", seat=1, points=22)
        assert (told["phase"], places(told), told["winner"]) == ("judging", [2, 1], 2)

    def test_a_game_that_is_over_names_its_new_winner(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane")
        assert table.host(3, "end")["winner"] == 1
        told = table.rule(4, "penalize", seat=1, points=22)
        assert (told["winner"], totals(told)) == (2, [-1, 0])

    def test_a_series_counts_the_points_taken(self) -> None:
        """Chew: 2 - 1.5 against 1."""
        table = started(flips=10, policy="off", rounds=1)
        table.rule(0, "penalize", seat=1, points=1.5)
        table.call(1, 1, "done")
        assert table.host(2, "confirm")["winner"] == 2

    @pytest.mark.parametrize("points", [0, -3, "many", 0.3])
    def test_a_penalty_takes_more_than_nothing(self, points: object) -> None:
        with pytest.raises(BadCall, match="penalize: 'points' must be"):
            splitted().rule(2, "penalize", seat=1, points=points)

    def test_a_penalty_is_undone(self) -> None:
        table = splitted()
        table.rule(2, "penalize", seat=1, points=5)
        assert totals(table.rule(3, "undo")) == [0, 0]
        assert table.state.seat(1).penalty == 0


class TestWarnings:
    def test_warnings_are_counted_from_round_to_round(self) -> None:
        table = started(flips=10, policy="off")
        table.rule(0, "warn", seat=1, reason="looked at a phone")
        table.call(1, 1, "done")
        table.host(2, "confirm", "next_round")
        table.rule(3, "warn", seat=1)
        assert [seat.warnings for seat in table.state.seats] == [2, 0]

    def test_a_warning_is_undone(self) -> None:
        table = splitted()
        table.rule(2, "warn", seat=1)
        table.rule(3, "undo")
        assert table.state.seat(1).warnings == 0

    def test_a_player_may_be_warned_before_the_start(self) -> None:
        assert Table("chew").rule(0, "warn", seat=1)["accepted"] is True

    def test_a_warning_is_about_somebody(self) -> None:
        with pytest.raises(BadScript, match="warn needs a 'seat'"):
            splitted().rule(2, "warn")


class TestWithdrawal:
    def test_the_tiles_go_where_a_disqualified_players_go(self) -> None:
        """bananagrams.txt 6: back to the bunch; 144 - 2 * 21."""
        told = splitted(3).rule(2, "withdraw", seat=3, reason="has a train to catch")
        assert (hands(told), told["pool"]) == ([21, 21, 0], 144 - 2 * 21)

    def test_who_has_withdrawn_is_listed_so_and_calls_no_more(self) -> None:
        table = splitted(3)
        table.rule(2, "withdraw", seat=3)
        assert table.state.seat(3).withdrawn
        assert table.call(3, 3, "dump")["reason"] == "seat 3 has withdrawn from the game"

    def test_who_has_withdrawn_has_no_tiles_in_the_next_round(self) -> None:
        """Two of three play on: 10 + 10 + 1 and 10 + 10 - 1 tiles after a first and a second place."""
        table = started(3, flips=10, policy="off")
        table.rule(0, "withdraw", seat=3)
        table.call(1, 1, "done")
        told = table.host(2, "confirm", "next_round")
        assert hands(told) == [21, 19, 0]

    @pytest.mark.parametrize("table", [splitted(5), gone(5)])
    def test_the_others_draw_as_many_tiles_as_so_many_players_do(self, table: Table) -> None:
        """Four players have 21 tiles each, five would have 15."""
        table.rule(2, "withdraw", seat=5)
        (begun, *_) = table.match.game.start(table.state, 2)
        assert isinstance(begun, ev.RoundStarted)
        assert begun.hands == (21, 21, 21, 21, 0)

    @pytest.mark.parametrize("name", ["chew", "bananagrams"])
    def test_who_has_withdrawn_wins_no_game(self, name: str) -> None:
        table = Table(name, 3, policy="off")
        table.host(0, "start")
        seats = (replace(table.state.seat(1), total=9), *table.state.seats[1:])
        table.match.state = replace(table.state, seats=seats)
        table.rule(1, "withdraw", seat=1)
        assert table.match.game.standings(table.state)[-1] == [1]

    def test_a_total_of_who_has_withdrawn_ends_no_game_of_league_citys(self) -> None:
        table = gone(3, pool=0, policy="off")
        seats = (replace(table.state.seat(1), total=500), *table.state.seats[1:])
        table.match.state = replace(table.state, seats=seats)
        table.rule(2, "withdraw", seat=1)
        table.call(3, 2, "done")
        assert table.host(4, "confirm")["phase"] == "judging"

    def test_a_player_may_withdraw_between_rounds(self) -> None:
        table = started(3, flips=10, policy="off")
        table.call(1, 1, "done")
        table.call(2, 2, "done")
        told = table.host(3, "confirm")
        table.rule(4, "withdraw", seat=1)
        assert scores(told) == [3, 2, 1]
        assert hands(table.host(5, "next_round")) == [0, 20, 19]

    def test_without_players_there_is_no_next_round(self) -> None:
        table = started(flips=10, policy="off")
        table.call(1, 1, "done")
        table.host(2, "confirm")
        table.rule(3, "withdraw", seat=1)
        table.rule(3, "withdraw", seat=2)
        assert table.host(4, "next_round")["reason"] == "all players have withdrawn; say end"

    def test_a_disqualified_player_may_withdraw_too_and_gives_no_tiles_twice(self) -> None:
        table = splitted(3)
        table.rule(2, "disqualify", seat=3)
        told = table.rule(3, "withdraw", seat=3)
        assert (told["pool"], table.state.seat(3).withdrawn) == (144 - 2 * 21, True)
        assert table.rule(4, "withdraw", seat=3)["reason"] == "seat 3 has withdrawn already"

    def test_who_comes_back_takes_the_tiles_again(self) -> None:
        table = splitted(3)
        table.rule(2, "withdraw", seat=3)
        told = table.rule(3, "reinstate", seat=3)
        assert (hands(told), table.state.seat(3).withdrawn) == ([21, 21, 21], False)

    def test_a_withdrawal_is_undone(self) -> None:
        table = splitted(3)
        table.rule(2, "withdraw", seat=3)
        assert hands(table.rule(3, "undo")) == [21, 21, 21]

    def test_nobody_withdraws_from_a_game_that_is_over(self) -> None:
        table = splitted(3)
        table.host(2, "end")
        assert table.rule(3, "withdraw", seat=3)["reason"] == "the game is over"


class TestSubstitution:
    def test_another_player_goes_on_with_the_tiles_and_points_of_the_seat(self) -> None:
        table = started(flips=10, policy="off")
        table.call(1, 1, "done")
        table.host(2, "confirm", "next_round")
        told = table.rule(3, "substitute", seat=1, player=" Bea ")
        assert [(s["name"], s["hand"], s["total"]) for s in told["seats"]] == [
            ("Bea", 21, 2),
            ("seat 2", 19, 1),
        ]
        assert table.state.seat(1).former == ("seat 1",)

    def test_who_sits_at_the_table_cannot_come_twice(self) -> None:
        told = splitted().rule(2, "substitute", seat=1, player="SEAT 2")
        assert told["reason"] == "SEAT 2 sits at the table already"

    @pytest.mark.parametrize("name", ["", "x" * 41, "a\nb", 7])
    def test_a_substitute_has_a_name(self, name: object) -> None:
        with pytest.raises(BadCall, match="substitute: 'player' must be a name of 1 to 40 characters"):
            splitted().rule(2, "substitute", seat=1, player=name)

    def test_a_substitution_is_undone(self) -> None:
        table = splitted()
        table.rule(2, "substitute", seat=1, player="Bea")
        assert table.rule(3, "undo")["seats"][0]["name"] == "seat 1"


class TestClocks:
    def left_s(self, table: Table, at: float, seat: int) -> float:
        return 60 - float(table.state.clocks[seat - 1].elapsed(int(at * 10**9))) / 10**9

    def test_a_players_clock_shows_what_the_referee_says_and_runs_on(self) -> None:
        table = timed()
        table.rule(20, "set_clock", seat=1, seconds=50, reason="the clock was started late")
        assert (self.left_s(table, 20, 1), self.left_s(table, 25, 1)) == (50, 45)

    def test_minutes_and_seconds_are_understood(self) -> None:
        table = timed()
        table.rule(20, "set_clock", seat=1, seconds="0:50")
        assert self.left_s(table, 20, 1) == 50

    def test_a_clock_set_back_warns_again_at_its_second(self) -> None:
        table = timed()
        table.rule(55, "set_clock", seat=1, seconds=30)
        told = passes(table, 56 + 20, 1)
        rows = [row.at_ns / 10**9 for row in table.log.rows("test") if row.kind == "TimeWarned"]
        assert (rows, told["accepted"]) == ([50, 75], True)

    def test_overtime_that_a_correction_takes_back_costs_nothing(self) -> None:
        table = timed()
        roll_late = passes(table, 70, 1)
        assert roll_late["accepted"] is True
        assert table.state.seat(1).overtime == 1
        table.rule(71, "set_clock", seat=1, seconds=5)
        assert table.state.seat(1).overtime == 0

    def test_overtime_that_a_correction_finds_counts(self) -> None:
        table = timed()
        table.rule(20, "set_clock", seat=2, seconds="-1:30")
        assert table.state.seat(2).overtime == 2

    def test_the_rounds_clock_is_set_too(self) -> None:
        table = started(cap_s=100, clock="down")
        told = table.rule(40, "set_clock", seconds=90)
        assert (told["clock_s"], told["clock_shown_s"]) == (10, 90)

    def test_the_rounds_clock_is_not_set_beyond_its_cap(self) -> None:
        told = started(cap_s=100).rule(40, "set_clock", seconds=100)
        assert told["reason"] == "the round's clock shows 0:00 to 1:39"

    def test_a_corrected_clock_undone_runs_as_if_it_had_never_been_set(self) -> None:
        table = timed()
        table.rule(20, "set_clock", seat=1, seconds=50)
        table.rule(25, "undo")
        assert self.left_s(table, 30, 1) == 30

    def test_games_without_such_clocks_say_so(self) -> None:
        told = splitted().rule(2, "set_clock", seat=1, seconds=5)
        assert told["reason"] == "players have no clocks of their own in this game"

    @pytest.mark.parametrize("seconds", ["5:70", "soon", 10**6, True])
    def test_what_is_no_time_is_refused(self, seconds: object) -> None:
        with pytest.raises(BadCall, match="set_clock: 'seconds' must be minutes and seconds"):
            timed().rule(2, "set_clock", seat=1, seconds=seconds)


class TestIncidents:
    def test_an_incident_stands_in_the_log_and_changes_nothing(self) -> None:
        table = splitted()
        before = table.state.seats
        told = table.rule(2, "note_incident", reason="a glass was knocked over")
        assert kinds(told) == ["Ruled"]
        assert (table.state.seats, told["phase"]) == (before, "playing")

    def test_an_incident_may_be_about_a_player(self) -> None:
        assert splitted().rule(2, "note_incident", seat=2)["events"][0]["seat"] == 2


class TestHandicaps:
    def test_a_handicap_is_set_before_the_start_and_dealt(self) -> None:
        table = Table("chew", 2)
        table.rule(0, "set_handicap", seat=2, handicap=14, reason="an expert")
        assert hands(table.host(1, "start")) == [20, 24]

    def test_a_handicap_set_between_rounds_counts_in_the_next(self) -> None:
        table = started(flips=10, policy="off")
        table.call(1, 1, "done")
        table.host(2, "confirm")
        table.rule(3, "set_handicap", seat=1, handicap=3)
        assert hands(table.host(4, "next_round")) == [13, 19]

    def test_handicaps_beyond_the_box_are_refused_with_the_numbers(self) -> None:
        table = Table("chew", 2)
        table.rule(0, "set_handicap", seat=2, handicap=134)
        told = table.host(1, "start")
        assert told["reason"] == "the sets take (10 + 10) + (10 + 134) = 164 tiles, and the box holds 144"
