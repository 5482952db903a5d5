"""What really lies on a simulated table, seen by nobody's camera."""

from __future__ import annotations

import random

import pytest

from companion.bots.building import BananagramsPlayer
from companion.bots.desk import PITCH
from companion.bots.player import Temper
from companion.bots.vocabulary import Vocabulary
from companion.model.sightings import Sighting
from companion.rehearsal.truth import before, truth
from hardware.simulated.seating import around, at_board
from hardware.simulated.stage import Stage
from hardware.simulated.world import Move

CHANCE = random.Random(1)


@pytest.fixture
def stage() -> Stage:
    return Stage(around(4), "CATSON", CHANCE)


def player(stage: Stage, number: int) -> BananagramsPlayer:
    """Return a player who sits at a stage."""
    return BananagramsPlayer(stage.seats[number - 1], number, Vocabulary(["cat"]), CHANCE, Temper())


def laid(stage: Stage, number: int, *at: tuple[str, float, float]) -> BananagramsPlayer:
    """Return a player of whose tiles some lie at places of the own area, in steps of the grid."""
    one = player(stage, number)
    for letter, col, row in at:
        tile = next(n for n in stage.pool if stage.world.tiles[n].symbol == letter)
        stage.pool.remove(tile)
        one.desk.loose.append(tile)
        x, y = stage.seats[number - 1].area.spot(col * PITCH, row * PITCH)
        stage.world.put(tile, x=x, y=y, turn=stage.seating.seats[number - 1].turn, up=True)
        stage.world.laid_by[tile] = number - 1
    return one


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_touching_tiles_are_a_word_as_their_own_player_reads_it(stage: Stage, number: int) -> None:
    one = laid(stage, number, ("C", -1, 0), ("A", 0, 0.05), ("T", 1, 0))
    assert before(stage, one) == Sighting(("CAT",), "", 0)


def test_a_tile_apart_from_the_others_is_loose(stage: Stage) -> None:
    assert before(stage, laid(stage, 1, ("C", 0, 0), ("A", 1, 0), ("S", 3, 0))) == Sighting(("CA",), "S", 0)


def test_a_tile_in_a_hand_lies_nowhere(stage: Stage) -> None:
    one = laid(stage, 1, ("C", 0, 0), ("A", 1, 0), ("T", 2, 0))
    stage.world.reach(0, Move(one.desk.loose[2], 10, 10))
    while not stage.world.held:
        stage.world.advance(0.05)
    assert before(stage, one) == Sighting(("CA",), "", 0)


def test_a_tile_that_is_still_in_the_middle_lies_before_nobody(stage: Stage) -> None:
    one = player(stage, 1)
    one.drawn(1)
    assert before(stage, one) == Sighting((), "", 0)


def test_a_tile_counts_before_its_player_though_it_lies_beyond_the_own_part(stage: Stage) -> None:
    one = laid(stage, 1, ("C", 0, -9), ("A", 1, -9))
    assert before(stage, one) == Sighting(("CA",), "", 0)


def test_letters_under_pyramids_are_known_and_pyramids_stand_on_their_squares() -> None:
    stage = Stage(at_board(5, 1.66, 5.6), "A" * 40, CHANCE)
    stage.fill_board()
    stage.line_up(("red", "blue"), 1.5)
    lies = truth(stage, ())
    assert lies.board is not None
    assert len(lies.letters) == 25
    assert dict(lies.board.pieces) == {
        1: tuple((4, col) for col in range(5)),
        2: tuple((0, col) for col in range(5)),
    }


def test_a_tile_on_its_way_to_a_board_lies_there_soon_and_not_yet() -> None:
    stage = Stage(at_board(15, 1.08), "1=1", CHANCE)
    stage.board[7, 7] = stage.pool[0]
    stage.seats[0].lay(stage.pool[0], 7, 7)
    lies = truth(stage, ())
    assert lies.board is not None
    assert lies.soon is not None
    assert (lies.board.symbols(), list(lies.soon.symbols())) == ({}, [(7, 7)])
