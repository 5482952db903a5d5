"""The log writer: a device thread never waits for it, and no queued input is lost."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Sequence

import pytest

from companion.errors import BadLog
from companion.events import codec
from companion.events.log import EventLog, Row
from companion.events.log_writer import LogWriter
from companion.events.match import Match
from companion.events.replay import history
from companion.model.calls import MILLISECOND, SECOND, Called, Order, Ordered
from companion.rules.event import Stamped, TimeUp
from companion.rules.registry import game
from companion.words.lexicon import Lexicon
from tests.rules.playing import memory_log

WORDS = Lexicon.of("test", ["aa"])


class SlowLog(EventLog):
    """A log on a card that stalls."""

    def __init__(self) -> None:
        super().__init__()
        weakref.finalize(self, self.connection.close)
        self.free = threading.Event()

    def insert(self, game: str, rows: Sequence[Row]) -> None:
        assert self.free.wait(10)
        super().insert(game, rows)


class FullLog(EventLog):
    """A log on a card that is full."""

    full = False

    def __init__(self) -> None:
        super().__init__()
        weakref.finalize(self, self.connection.close)

    def insert(self, game: str, rows: Sequence[Row]) -> None:
        if self.full:
            raise BadLog("database or disk is full")
        super().insert(game, rows)


def match_in(log: EventLog, **options: object) -> Match:
    return Match.begun(
        log, "one", game("bananagrams"), ["north", "east"], {"policy": "off", **options}, WORDS
    )


def test_telling_never_waits_for_the_disk() -> None:
    log = SlowLog()
    log.free.set()
    match = match_in(log)
    log.free.clear()
    with LogWriter(match, lambda: 100 * SECOND, lambda _: None) as writer:
        started = time.perf_counter()
        for n in range(1000):
            writer.submit(Ordered(n, Order.START))
        told_s = time.perf_counter() - started
        log.free.set()
    assert told_s < 0.5
    assert match.number == 1002  # the set-up, the start with its round, 999 refusals


def test_what_arrives_late_is_sorted_in() -> None:
    match = match_in(memory_log())
    now = [0]
    with LogWriter(match, lambda: now[0], lambda _: None) as writer:
        writer.submit(Called(2 * MILLISECOND, 1, "split"))
        writer.submit(Ordered(MILLISECOND, Order.START))
        now[0] = SECOND
    assert [seat.face_down for seat in match.state.seats] == [0, 0]


def test_the_listener_hears_of_events_only_when_they_are_in_the_log() -> None:
    log = memory_log()
    heard: list[bool] = []

    def listener(events: Sequence[Stamped]) -> None:
        heard.append(events[-1].number <= log.head("one")[0])

    with LogWriter(match_in(log), lambda: SECOND, listener) as writer:
        writer.submit(Ordered(0, Order.START))
    assert heard == [True]


def test_clocks_run_while_nothing_happens() -> None:
    log = memory_log()
    match = match_in(log, cap_s=5, warn_s=[])
    match.handle(Ordered(0, Order.START))
    match.handle(Called(0, 1, "split"))
    up = threading.Event()
    with LogWriter(match, lambda: 6 * SECOND, lambda _: up.set(), tick_ns=MILLISECOND):
        assert up.wait(10)
    assert TimeUp(None) in [one.event for one in history(log, "one")]


def test_a_log_that_cannot_be_written_stops_the_game_and_is_told() -> None:
    log = FullLog()
    match = match_in(log)
    before = codec.dump(match.state)
    log.full = True
    writer = LogWriter(match, lambda: SECOND, lambda _: None)
    with pytest.raises(BadLog, match="disk is full"), writer:
        writer.submit(Ordered(0, Order.START))
    assert codec.dump(match.state) == before


def test_a_fault_of_a_listener_is_told_when_the_keeper_is_closed() -> None:
    def listener(_events: Sequence[Stamped]) -> None:
        raise ZeroDivisionError

    writer = LogWriter(match_in(memory_log()), lambda: SECOND, listener)
    with pytest.raises(ZeroDivisionError), writer:
        writer.submit(Ordered(0, Order.START))
