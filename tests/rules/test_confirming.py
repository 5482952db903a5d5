"""A call over moving tiles is refused for what was seen after it, never for an older picture."""

from __future__ import annotations

from typing import Any

import pytest

from companion.model.calls import SECOND, Called, Seen
from companion.model.sightings import Board, Sighting
from companion.rules import event as ev
from tests.rules.playing import Table

WHOLE = Sighting(("CATCATCATCATCATCATCAT",))
SHORT = Sighting(("CATCATCATCATCATCATCA",), "T")
PARTED = Sighting(("CATCATCATCATCATCATC", "", ".......................AT"))
DRAWN = Sighting(("CATCATCATCATCATCATCAT",), "E")


def game(before: Sighting | None, **options: Any) -> Table:
    """Return a game of Bananagrams, 21 tiles a hand, in which something was seen before seat 1."""
    made = Table("bananagrams", 2, **options)
    made.host(0, "start")
    made.call(1, 1, "split")
    if before is not None:
        made.match.handle(Seen(2 * SECOND, 1, before))
    return made


def peel(made: Table, after: Sighting | None = None) -> list[ev.Event]:
    """Return what a PEEL leads to that is called while tiles move."""
    seen = None if after is None else (Seen(3 * SECOND, 1, after),)
    called = Called(3 * SECOND, 1, "peel", at_rest=False, after=seen)
    return [one.event for one in made.match.handle(called)]


def warned(events: list[ev.Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, ev.Warned)]


@pytest.mark.parametrize("before", [SHORT, None])
def test_what_was_seen_before_a_call_does_not_refuse_it(before: Sighting | None) -> None:
    events = peel(game(before))
    assert isinstance(events[0], ev.CallAccepted)
    assert warned(events)[0].startswith("not confirmed")


def test_what_was_seen_after_a_call_refuses_it() -> None:
    events = peel(game(None), SHORT)
    assert [event.reason for event in events if isinstance(event, ev.CallRefused)] == [
        "1 tile is not placed yet: T"
    ]


def test_a_tableau_that_was_whole_before_a_call_and_not_after_it_stands_for_the_referee() -> None:
    events = peel(game(WHOLE), PARTED)
    assert ev.TilesDrawn((1, 1)) in events
    assert warned(events) == ["not confirmed: after the call the table saw: the tableau is in 2 parts"]


def test_a_tableau_that_is_whole_only_after_a_call_stands_for_the_referee() -> None:
    events = peel(game(SHORT), WHOLE)
    assert ev.TilesDrawn((1, 1)) in events
    assert "all was in place only after it" in warned(events)[0]


@pytest.mark.parametrize("before", [WHOLE, SHORT, None])
def test_a_tile_drawn_after_a_call_is_not_held_against_it(before: Sighting | None) -> None:
    events = peel(game(before), DRAWN)
    assert ev.TilesDrawn((1, 1)) in events


def test_a_tableau_taken_apart_with_a_new_tile_refuses_nothing() -> None:
    events = peel(game(WHOLE), Sighting(("CATCATCATCAT",), "CATCATCATE"))
    assert (ev.TilesDrawn((1, 1)) in events, warned(events)) == (True, [])


@pytest.mark.parametrize("before", [SHORT, WHOLE, None])
def test_a_tile_that_surely_lay_loose_refuses_a_call_whatever_a_hand_hides(
    before: Sighting | None,
) -> None:
    called = Called(3 * SECOND, 1, "peel", at_rest=False, loose="T")
    events = [one.event for one in game(before).match.handle(called)]
    assert [event.reason for event in events if isinstance(event, ev.CallRefused)] == [
        "1 tile is not placed yet: T"
    ]


def test_a_tile_that_the_rules_allow_to_lie_loose_refuses_nothing() -> None:
    made = game(WHOLE)
    assert made.call(3, 1, "peel")["accepted"]
    called = Called(3 * SECOND + SECOND, 1, "peel", at_rest=False, loose="E", loose_ns=(3 * SECOND + 1,))
    assert isinstance(made.match.handle(called)[0].event, ev.CallAccepted)


def test_a_tile_that_lay_loose_before_a_peel_is_not_the_new_one_of_the_same_peel() -> None:
    made = game(WHOLE)
    assert made.call(3, 1, "peel")["accepted"]
    called = Called(3 * SECOND + SECOND, 1, "peel", at_rest=False, loose="E", loose_ns=(2 * SECOND,))
    events = [one.event for one in made.match.handle(called)]
    assert [one.reason for one in events if isinstance(one, ev.CallRefused)] == [
        "1 tile is not placed yet: E"
    ]


@pytest.mark.parametrize("call", ["dump", "bananas"])
def test_a_loose_tile_changes_nothing_where_tiles_are_not_asked_for(call: str) -> None:
    plain, loose = (
        [
            one.event
            for one in game(SHORT).match.handle(Called(3 * SECOND, 1, call, at_rest=False, loose=tile))
        ]
        for tile in ("", "T")
    )
    assert plain == loose


def test_a_refusal_that_needs_no_sight_stays_one() -> None:
    made = game(SHORT)
    called = Called(3 * SECOND, 1, "bananas", at_rest=False)
    events = [one.event for one in made.match.handle(called)]
    assert [event.reason for event in events if isinstance(event, ev.CallRefused)] == [
        "102 tiles are left in the bunch for 2 players: say PEEL"
    ]


def test_a_call_that_needs_no_sight_is_not_noted() -> None:
    made = game(SHORT)
    events = [one.event for one in made.match.handle(Called(3 * SECOND, 1, "dump", at_rest=False))]
    assert (isinstance(events[0], ev.CallAccepted), warned(events)) == (True, [])


@pytest.mark.parametrize(("call", "needs"), [("peel", {1}), ("dump", set()), ("bananas", set())])
def test_which_calls_need_a_sight_is_told_by_what_they_lead_to(call: str, needs: set[int]) -> None:
    assert game(SHORT).match.preview(Called(3 * SECOND, 1, call)).depends_on == needs


def test_a_tile_seen_in_two_places_leaves_a_call_unconfirmed_until_more_is_seen() -> None:
    made, twice = game(SHORT), Sighting(SHORT.grid, "AT")
    called = Called(3 * SECOND, 1, "peel", at_rest=False, after=(Seen(3 * SECOND, 1, twice),))
    preview = made.match.preview(called)
    assert (preview.refused, preview.unseen) == (False, True)
    once = Seen(4 * SECOND, 1, Sighting(SHORT.grid, "T"))
    assert made.match.preview(Called(3 * SECOND, 1, "peel", at_rest=False, after=(once,))).refused


def test_face_down_tiles_beyond_the_count_are_the_pools_and_refuse_nothing() -> None:
    made = game(Sighting(WHOLE.grid, face_down=23))
    assert made.call(3, 1, "peel")["accepted"]


def test_a_go_depends_on_the_tiles_of_all_who_draw() -> None:
    made = Table("league_city", 2)
    made.host(0, "start")
    for seat in (1, 2):
        made.match.handle(Seen(SECOND, seat, Sighting(face_down=15)))
    assert made.match.preview(Called(2 * SECOND, 1, "go")).depends_on == {1, 2}


def test_a_go_is_judged_by_the_tiles_of_another_seat_as_they_lie_after_it() -> None:
    made = Table("league_city", 2)
    made.host(0, "start")
    made.match.handle(Seen(SECOND, 2, Sighting(face_down=15)))
    drawn = Seen(3 * SECOND, 2, Sighting(face_down=21))
    events = made.match.handle(Called(2 * SECOND, 1, "go", at_rest=False, after=(drawn,)))
    assert any(isinstance(one.event, ev.PlayBegun) for one in events)


def board_game() -> Table:
    """Return a game of Binary Number Scrabble on whose board nothing was laid yet."""
    made = Table("binary_scrabble", 2)
    made.host(0, "start")
    made.match.handle(Seen(SECOND, None, Board()))
    return made


def test_a_play_on_a_board_that_is_not_seen_at_rest_is_to_be_called_again() -> None:
    called = Called(2 * SECOND, 1, "play", at_rest=False)
    refused = board_game().match.handle(called)[0].event
    assert isinstance(refused, ev.CallRefused)
    assert "take all hands away from it and call again" in refused.reason


@pytest.mark.parametrize("at_rest", [True, False])
def test_it_is_foreseen_that_a_play_cannot_be_judged_without_the_board(at_rest: bool) -> None:
    called = Called(2 * SECOND, 1, "play", at_rest=at_rest)
    assert board_game().match.preview(called).board_unseen is not at_rest


def test_a_play_is_read_from_the_board_as_it_lies_after_the_call() -> None:
    laid = Board.of({(7, 6): "1", (7, 7): "=", (7, 8): "1"})
    called = Called(2 * SECOND, 1, "play", at_rest=False, after=(Seen(3 * SECOND, None, laid),))
    assert isinstance(board_game().match.handle(called)[1].event, ev.CallAccepted)
