"""What people see: results of rounds, standings with the game's own tie-breaks."""

from __future__ import annotations

from companion.events.projections import Result, Standing, results, standings
from companion.events.replay import history
from companion.rules.registry import game
from tests.rules.playing import Table, all_flipped, started


def chew(rounds: list[list[int]]) -> Table:
    """Return a table after rounds whose seats were done in these orders."""
    table = started(len(rounds[0]), policy="off")
    for number, order in enumerate(rounds):
        all_flipped(table)
        for at, seat in enumerate(order[:-1]):
            table.call(100 * number + at + 1, seat, "done")
        table.host(100 * number + 90, "confirm", "next_round")
    return table


def test_results_of_every_confirmed_round_are_listed_by_seat() -> None:
    table = chew([[2, 1]])
    assert results(game("chew"), history(table.log, "test")) == [
        Result(1, 1, "seat 1", 2, 1, 1, 9),
        Result(1, 2, "seat 2", 1, 2, 2, 11),
    ]


def test_a_score_set_after_the_confirmation_is_the_one_listed() -> None:
    table = started(policy="off", flips=10)
    table.call(1, 1, "done")
    table.host(2, "confirm")
    table.rule(3, "set_score", seat=1, score=5)
    assert results(game("chew"), history(table.log, "test"))[0].total == 5


def test_who_leads_stands_first() -> None:
    table = chew([[2, 1, 3]])
    assert standings(game("chew"), table.state) == [
        Standing(1, 2, "seat 2", 3),
        Standing(2, 1, "seat 1", 2),
        Standing(3, 3, "seat 3", 1),
    ]


def test_equal_seats_share_the_rank_and_the_next_rank_is_left_out() -> None:
    table = chew([[1, 2, 3], [2, 1, 3]])
    assert [(one.rank, one.seat) for one in standings(game("chew"), table.state)] == [(1, 1), (1, 2), (3, 3)]


def test_a_game_without_tie_breaks_of_its_own_ranks_by_points_alone() -> None:
    table = Table("bananagrams", 3)
    assert [one.rank for one in standings(game("bananagrams"), table.state)] == [1, 1, 1]
