"""What really lies on a simulated table, seen by nobody's camera."""

from __future__ import annotations

import random

import pytest

from companion.bots.building import BananagramsPlayer
from companion.bots.player import Behaviour
from companion.bots.player_tiles import TILE_PITCH_SIDES
from companion.bots.vocabulary import Vocabulary
from companion.model.sightings import Sighting
from companion.rehearsal.ground_truth import ground_truth, seat_sighting
from hardware.simulated.seating import seating_at_board, seating_for_players
from hardware.simulated.tabletop import Tabletop
from hardware.simulated.world import MoveTile

CHANCE = random.Random(1)


@pytest.fixture
def tabletop() -> Tabletop:
    return Tabletop(seating_for_players(4), "CATSON", CHANCE)


def player(tabletop: Tabletop, number: int) -> BananagramsPlayer:
    """Return a player who sits at a tabletop."""
    return BananagramsPlayer(tabletop.seats[number - 1], number, Vocabulary(["cat"]), CHANCE, Behaviour())


def laid(tabletop: Tabletop, number: int, *at: tuple[str, float, float]) -> BananagramsPlayer:
    """Return a player of whose tiles some lie at places of the own area, in steps of the grid."""
    one = player(tabletop, number)
    for letter, col, row in at:
        tile = next(n for n in tabletop.pool if tabletop.world.tiles[n].symbol == letter)
        tabletop.pool.remove(tile)
        one.tiles.loose.append(tile)
        x, y = tabletop.seats[number - 1].area.spot(col * TILE_PITCH_SIDES, row * TILE_PITCH_SIDES)
        tabletop.world.put(tile, x=x, y=y, turn=tabletop.seating.seats[number - 1].turn, up=True)
        tabletop.world.laid_by[tile] = number - 1
    return one


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_touching_tiles_are_a_word_as_their_own_player_reads_it(tabletop: Tabletop, number: int) -> None:
    one = laid(tabletop, number, ("C", -1, 0), ("A", 0, 0.05), ("T", 1, 0))
    assert seat_sighting(tabletop, one) == Sighting(("CAT",), "", 0)


def test_a_tile_apart_from_the_others_is_loose(tabletop: Tabletop) -> None:
    assert seat_sighting(tabletop, laid(tabletop, 1, ("C", 0, 0), ("A", 1, 0), ("S", 3, 0))) == Sighting(
        ("CA",), "S", 0
    )


def test_a_tile_in_a_hand_lies_nowhere(tabletop: Tabletop) -> None:
    one = laid(tabletop, 1, ("C", 0, 0), ("A", 1, 0), ("T", 2, 0))
    tabletop.world.queue(0, MoveTile(one.tiles.loose[2], 10, 10))
    while not tabletop.world.held_tiles:
        tabletop.world.advance(0.05)
    assert seat_sighting(tabletop, one) == Sighting(("CA",), "", 0)


def test_a_tile_that_is_still_in_the_middle_lies_before_nobody(tabletop: Tabletop) -> None:
    one = player(tabletop, 1)
    one.on_draw(1)
    assert seat_sighting(tabletop, one) == Sighting((), "", 0)


def test_a_tile_counts_before_its_player_though_it_lies_beyond_the_own_part(tabletop: Tabletop) -> None:
    one = laid(tabletop, 1, ("C", 0, -9), ("A", 1, -9))
    assert seat_sighting(tabletop, one) == Sighting(("CA",), "", 0)


def test_letters_under_pyramids_are_known_and_pyramids_stand_on_their_squares() -> None:
    tabletop = Tabletop(seating_at_board(5, 1.66, 5.6), "A" * 40, CHANCE)
    tabletop.fill_board()
    tabletop.line_up_pyramids(("red", "blue"), 1.5)
    truth = ground_truth(tabletop, ())
    assert truth.board is not None
    assert len(truth.letters) == 25
    assert dict(truth.board.pieces) == {
        1: tuple((4, col) for col in range(5)),
        2: tuple((0, col) for col in range(5)),
    }


def test_a_tile_on_its_way_to_a_board_lies_there_soon_and_not_yet() -> None:
    tabletop = Tabletop(seating_at_board(15, 1.08), "1=1", CHANCE)
    tabletop.board[7, 7] = tabletop.pool[0]
    tabletop.seats[0].place_on_board(tabletop.pool[0], 7, 7)
    truth = ground_truth(tabletop, ())
    assert truth.board is not None
    assert truth.pending_board is not None
    assert (truth.board.symbols(), list(truth.pending_board.symbols())) == ({}, [(7, 7)])
