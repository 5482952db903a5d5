"""Bots that play whole games by the table's own rules: told how the tables lie, not shown."""

from __future__ import annotations

from typing import Any

import pytest

from companion.bots.building import BananagramsPlayer, ChewPlayer, LeagueCityPlayer
from companion.bots.player import Behaviour, Player
from companion.rules import event as ev
from tests.bots.told import Told, seated

QUICK = Behaviour(think_s=0.5)
HASTY = Behaviour(think_s=0.5, hasty=0.3, careless=0.4, bold=0.2)


def played(
    name: str, bots: type[Player], players: int, behaviour: Behaviour = QUICK, seed: int = 3
) -> tuple[Told, Any]:
    told = seated(name, bots, players, behaviour=behaviour, seed=seed)
    return told, told.play(600, lambda state: state.phase in {"judging", "over"})


@pytest.mark.parametrize("players", [2, 4, 8])
def test_bananagrams_is_played_until_somebody_goes_bananas(players: int) -> None:
    told, state = played("bananagrams", BananagramsPlayer, players)
    assert state.winner is not None
    assert state.pool < players
    winner = told.players[state.winner - 1]
    assert state.seat(state.winner).valid
    assert (
        state.seat(state.winner).sighting.placed == len(winner.tiles.cells) == state.seat(state.winner).hand
    )


def test_of_two_who_go_bananas_in_the_same_moment_the_table_names_the_winner() -> None:
    told = seated("bananagrams", BananagramsPlayer, 3)
    done = [ev.SeatDone(2), ev.WinnerNamed(2), ev.SeatDone(3), ev.WinnerNamed(3)]
    for player in told.players:
        player.on_events(done, 0)
    assert [player.own_score() for player in told.players] == [0.0, 0.0, 1.0]


def test_chews_rules_give_points_in_the_order_of_done() -> None:
    told, state = played("chew", ChewPlayer, 2)
    assert [seat.score for seat in state.seats] == [player.own_score() for player in told.players]
    assert sorted(seat.score for seat in state.seats) == [1, 2]


def test_who_is_done_at_chew_in_the_same_moment_shares_the_points() -> None:
    told = seated("chew", ChewPlayer, 4)
    done = [ev.SeatDone(2), ev.SeatDone(3), ev.SeatDone(1), ev.PlacesGiven((2, 1, 2, 4))]
    for player in told.players:
        player.on_events(done, 0)
    assert [player.own_score() for player in told.players] == [2.5, 4.0, 2.5, 1.0]


def test_league_city_counts_as_its_players_do() -> None:
    told, state = played("league_city", LeagueCityPlayer, 2)
    assert [seat.score for seat in state.seats] == [player.own_score() for player in told.players]


def test_careless_bots_are_refused_with_a_reason_and_play_on() -> None:
    told, state = played("chew", ChewPlayer, 4, HASTY, seed=4)
    reasons = [event.reason for event in told.events if isinstance(event, ev.CallRefused)]
    assert any("not placed yet" in reason for reason in reasons)
    assert state.winner is not None


def test_bots_whose_word_was_refused_build_anew_without_it() -> None:
    told, state = played("chew", ChewPlayer, 3, Behaviour(think_s=0.5, bold=1.0), seed=2)
    reasons = [event.reason for event in told.events if isinstance(event, ev.CallRefused)]
    assert any("not valid" in reason for reason in reasons)
    assert state.phase == "judging"


def test_no_tile_is_lost_or_made_by_hands() -> None:
    told, state = played("bananagrams", BananagramsPlayer, 4)
    held = [tile for player in told.players for tile in player.tiles.all_tiles]
    assert len(set(held)) == len(held) == 144 - state.pool
    assert sorted([*held, *told.tabletop.pool]) == list(range(144))
