"""Players who build partly beyond their own part of the table."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from companion.bootstrap.simulated.encroachment import (
    CLEARANCE,
    bounding_box,
    closer_than_clearance,
    inside_picture,
)
from companion.bootstrap.simulated.game import SimulatedGame
from companion.bootstrap.simulated.table import SimulatedTable
from companion.bots.building import BuildingPlayer
from companion.bots.player import Behaviour
from hardware.simulated.camera import SteppedClock


def builders(players: int, seed: int, tmp_path: Path) -> tuple[SimulatedTable, list[BuildingPlayer]]:
    """Return a simulated table all of whose bots encroach."""
    plan = SimulatedGame.of("bananagrams", players, seed, tmp_path)
    simulated_table = SimulatedTable(plan, SteppedClock(), 1.0, Behaviour(encroaches=1.0))
    return simulated_table, [one for one in simulated_table.players if isinstance(one, BuildingPlayer)]


@pytest.mark.parametrize("players", [2, 4, 8])
def test_nobody_builds_over_others_tiles_or_out_of_the_picture(players: int, tmp_path: Path) -> None:
    simulated_table, all_ = builders(players, 3, tmp_path)
    seating = simulated_table.plan.seating
    rooms = [
        bounding_box(seating.seats[one.number - 1], one, one.tiles.room, one.tiles.offset) for one in all_
    ]
    assert any(one.tiles.offset != (0.0, 0.0) for one in all_)
    assert all(inside_picture(room, seating) for room in rooms)
    assert not any(closer_than_clearance(one, other) for one, other in combinations(rooms, 2))


def test_rooms_nearer_than_the_gap_are_near() -> None:
    assert closer_than_clearance((0, 0, 5, 5), (5 + CLEARANCE / 2, 0, 9, 5))
    assert not closer_than_clearance((0, 0, 5, 5), (5 + 2 * CLEARANCE, 0, 9, 5))
