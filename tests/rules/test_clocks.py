"""Clocks from stamped ticks: up, down, caps, pauses, warnings, players' own clocks, overtime."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from companion.model.calls import SECOND, Called, Order, Ordered, Tick
from companion.rules import event as ev
from companion.rules.clock import Clock, marks
from companion.rules.interface import CallKind, Game, Words
from companion.rules.options import COMMON_OPTIONS, TURN_OPTIONS, Option
from companion.rules.play import begin, fold, step
from companion.rules.state import State
from companion.words.lexicon import Lexicon
from tests.rules.playing import Table, splitted, started

WORDS = Lexicon.of("test", ["aa"])


def passed(_state: State, called: Called, _words: Words) -> list[ev.Event]:
    return [ev.TurnPassed(3 - called.seat)]


class Turns(Game[State]):
    """Two players in turn, each with a clock of their own."""

    name = "turns"
    title = "Turns"
    options: ClassVar[tuple[Option, ...]] = (*COMMON_OPTIONS, *TURN_OPTIONS)
    calls: ClassVar[Mapping[str, CallKind]] = {"pass": CallKind("your turn", passed)}

    def start(self, state: State, number: int) -> list[ev.Event]:
        return [ev.RoundStarted(number, (0, 0), (0, 0), turn=1)]


def stamped(table: Table, kinds: tuple[str, ...]) -> list[tuple[float, str]]:
    return [(row.at_ns / SECOND, row.kind) for row in table.log.rows("test") if row.kind in kinds]


class Play:
    """A game of turns without a log."""

    def __init__(self, **options: Any) -> None:
        self.game = Turns()
        events = begin(self.game, ["north", "south"], options, "test")
        self.state = fold(self.game, [ev.Stamped(n, 0, event) for n, event in enumerate(events, 1)])
        self.happened: list[tuple[int, ev.Event]] = []

    def hear(self, heard: Any) -> None:
        self.state, happened = step(self.game, self.state, heard, WORDS)
        self.happened += happened

    def due(self) -> list[tuple[float, ev.Event]]:
        return [(at / SECOND, e) for at, e in self.happened if isinstance(e, ev.TimeWarned | ev.TimeUp)]


class TestRoundClock:
    def test_it_runs_from_the_start_of_play(self) -> None:
        assert splitted().call(61.5, 1, "dump")["clock_s"] == 60.5

    def test_it_does_not_run_before_play_has_begun(self) -> None:
        table = Table("bananagrams")
        table.host(0, "start")
        assert table.call(10, 1, "split")["clock_s"] == 0

    def test_it_stands_while_play_is_paused(self) -> None:
        table = splitted()
        table.host(11, "pause")
        table.host(111, "resume")
        assert table.call(121, 1, "dump")["clock_s"] == 20

    def test_calls_are_refused_while_play_is_paused(self) -> None:
        table = splitted()
        table.host(2, "pause")
        assert table.call(3, 1, "dump")["reason"] == "play is paused"

    def test_pausing_and_resuming_a_thousand_times_loses_no_nanosecond(self) -> None:
        clock, at, ran = Clock(), 0, 0
        chance = random.Random(7)
        for _ in range(1000):
            clock = clock.started(at)
            lasted = chance.randrange(1, 10**9)
            at, ran = at + lasted, ran + lasted
            clock = clock.stopped(at)
            at += chance.randrange(1, 10**9)
        assert clock.elapsed(at) == ran

    def test_starting_a_running_clock_changes_nothing(self) -> None:
        assert Clock().started(5).started(9).elapsed(10) == 5

    def test_a_standing_clock_reaches_nothing(self) -> None:
        assert Clock().reaches(10) is None

    def test_it_stops_when_the_round_ends(self) -> None:
        table = started(2, flips=10, policy="off")
        table.call(20, 1, "done")
        assert table.host(99, "confirm")["clock_s"] == 20

    @pytest.mark.parametrize(("clock", "shown"), [("up", 45.0), ("down", 15.0)])
    def test_it_is_shown_up_or_down_from_the_cap(self, clock: str, shown: float) -> None:
        assert started(clock=clock, cap_s=60).call(45, 1, "draw_three")["clock_shown_s"] == shown


class TestCap:
    def test_it_falls_on_its_very_nanosecond_whenever_it_is_looked_at(self) -> None:
        table = started(cap_s=60, warn_s=[])
        table.host(75, "confirm")
        assert stamped(table, ("TimeUp", "RoundEnded")) == [(60.0, "TimeUp"), (60.0, "RoundEnded")]

    def test_a_pause_moves_it(self) -> None:
        table = started(cap_s=60, warn_s=[])
        table.host(20, "pause")
        table.host(50, "resume")
        assert table.call(89, 1, "draw_three")["accepted"] is True
        table.host(95, "confirm")
        assert stamped(table, ("TimeUp",)) == [(90.0, "TimeUp")]

    def test_a_call_at_the_very_cap_comes_too_late(self) -> None:
        table = started(cap_s=60)
        assert table.call(60, 1, "flip")["reason"] == "the round has ended and is being judged"

    def test_a_call_one_nanosecond_before_is_in_time(self) -> None:
        assert started(cap_s=60, policy="off").call(59.999999999, 1, "flip")["accepted"] is True

    def test_warnings_come_before_it(self) -> None:
        table = started(cap_s=100, warn_s=[10, 60])
        table.host(99, "pause")
        assert stamped(table, ("TimeWarned",)) == [(40.0, "TimeWarned"), (90.0, "TimeWarned")]

    def test_a_warning_longer_than_the_cap_is_left_out(self) -> None:
        assert marks(30, [60, 10, 10]) == [10, 0]

    def test_bananagrams_is_void_at_the_cap(self) -> None:
        table = splitted(cap_s=60)
        assert table.call(70, 1, "dump")["phase"] == "judging"
        assert stamped(table, ("RoundVoided",)) == [(61.0, "RoundVoided")]

    def test_many_small_ticks_bring_the_same_events_as_one_late_one(self) -> None:
        tables = [started(cap_s=60), started(cap_s=60)]
        for n in range(1, 700):
            tables[0].match.handle(Tick(n * SECOND // 10))
        tables[1].match.handle(Tick(70 * SECOND))
        rows = [list(table.log.rows("test")) for table in tables]
        assert rows[0] == rows[1]


class TestPlayersClocks:
    def test_only_the_clock_of_the_seat_on_turn_runs(self) -> None:
        play = Play(player_s=600)
        play.hear(Ordered(0, Order.START))
        play.hear(Called(10 * SECOND, 1, "pass"))
        play.hear(Called(25 * SECOND, 2, "pass"))
        play.hear(Tick(30 * SECOND))
        assert [clock.elapsed(30 * SECOND) for clock in play.state.clocks] == [15 * SECOND, 15 * SECOND]

    def test_a_pause_stops_it_and_goes_on_with_the_same_seat(self) -> None:
        play = Play(player_s=600)
        play.hear(Ordered(0, Order.START))
        play.hear(Called(10 * SECOND, 1, "pass"))
        play.hear(Ordered(15 * SECOND, Order.PAUSE))
        play.hear(Ordered(95 * SECOND, Order.RESUME))
        assert [clock.elapsed(100 * SECOND) for clock in play.state.clocks] == [10 * SECOND, 10 * SECOND]

    def test_it_warns_runs_out_and_counts_each_minute_begun_as_overtime(self) -> None:
        play = Play(player_s=100, warn_s=[60, 10])
        play.hear(Ordered(0, Order.START))
        play.hear(Called(221 * SECOND, 1, "pass"))
        assert play.due() == [
            (40.0, ev.TimeWarned(1, 60)),
            (90.0, ev.TimeWarned(1, 10)),
            (100.0, ev.TimeUp(1, 1)),
            (160.0, ev.TimeUp(1, 2)),
            (220.0, ev.TimeUp(1, 3)),
        ]
        assert [seat.overtime for seat in play.state.seats] == [3, 0]

    def test_without_such_clocks_nothing_is_due(self) -> None:
        play = Play()
        play.hear(Ordered(0, Order.START))
        play.hear(Tick(10_000 * SECOND))
        assert play.due() == []
