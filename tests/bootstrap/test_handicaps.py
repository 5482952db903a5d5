"""Games begun one after the other: handicaps go with the players, by name."""

from __future__ import annotations

import pytest

from companion.bootstrap.games import new_match
from companion.config.table import TableConfig
from companion.errors import BadSetUp
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered, Ruling
from tests.rules.playing import memory_log


def begin(log: EventLog, *names: str, **options: object) -> Match:
    return new_match(TableConfig("chew", names, policy="off", options=options), log)


def played(log: EventLog, *names: str) -> Match:
    """Return a confirmed round of Chew's, which the first player has won: +1, and the last -1."""
    match = begin(log, *names)
    match.handle(Ordered(0, Order.START))
    for flips in range(10):
        match.handle(Called((5 + 5 * flips) * SECOND, 1, "flip"))
    match.handle(Called(90 * SECOND, 1, "done"))
    match.handle(Ordered(91 * SECOND, Order.CONFIRM))
    return match


def handicaps(match: Match) -> list[int | None]:
    return [seat.handicap for seat in match.state.seats]


def test_a_player_brings_the_handicap_of_the_last_game_and_a_newcomer_has_ten() -> None:
    log = memory_log()
    played(log, "Ann", "Bo")
    assert handicaps(begin(log, "Cy", " bo", "ANN")) == [10, 9, 11]


def test_the_newest_game_counts() -> None:
    log = memory_log()
    played(log, "Ann", "Bo")
    played(log, "Ann", "Bo")
    assert handicaps(begin(log, "Ann", "Bo")) == [12, 8]


def test_handicaps_that_the_host_has_chosen_stand() -> None:
    log = memory_log()
    played(log, "Ann", "Bo")
    assert handicaps(begin(log, "Ann", "Bo", handicaps=[3, 4])) == [3, 4]


def test_a_handicap_that_a_ruling_undone_had_set_is_not_kept() -> None:
    log = memory_log()
    match = begin(log, "Ann", "Bo")
    match.handle(Ruling(0, "set_handicap", "an expert", 1, {"handicap": 30}))
    match.handle(Ruling(0, "undo", "the wrong seat"))
    assert handicaps(begin(log, "Ann", "Bo")) == [10, 10]


def test_a_substitute_brings_the_handicap_with_which_the_seat_was_left() -> None:
    log = memory_log()
    match = played(log, "Ann", "Bo")
    match.handle(Ruling(92 * SECOND, "substitute", "Ann had to go", 1, {"player": "Dee"}))
    assert handicaps(begin(log, "Dee", "Ann")) == [11, 10]


def test_games_by_other_rules_leave_no_handicap() -> None:
    log = memory_log()
    new_match(TableConfig("bananagrams", ("Ann", "Bo"), policy="off"), log)
    assert handicaps(begin(log, "Ann", "Bo")) == [10, 10]


def test_a_damaged_game_leaves_no_handicap_and_keeps_nobody_from_playing() -> None:
    log = memory_log()
    played(log, "Ann", "Bo")
    log.connection.execute("DROP TRIGGER no_update")
    log.connection.execute("UPDATE events SET at_ns = 1 WHERE kind = 'SeatDone'")
    assert handicaps(begin(log, "Ann", "Bo")) == [10, 10]


def test_handicaps_that_take_more_than_the_box_are_refused_with_the_numbers() -> None:
    with pytest.raises(BadSetUp, match="164 tiles, and the box holds 144"):
        begin(memory_log(), "Ann", "Bo", handicaps=[10, 134])
