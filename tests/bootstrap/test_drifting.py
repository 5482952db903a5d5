"""Players who build partly beyond their own part of the table."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from companion.bootstrap.drifting import GAP, box, inside, near
from companion.bootstrap.party import Party
from companion.bootstrap.simulated import Simulated
from companion.bots.building import BuildingPlayer
from companion.bots.player import Temper
from hardware.simulated.camera import SteppedClock


def builders(players: int, seed: int, tmp_path: Path) -> tuple[Party, list[BuildingPlayer]]:
    """Return a party all of whose players would drift."""
    plan = Simulated.of("bananagrams", players, seed, tmp_path)
    party = Party(plan, SteppedClock(), 1.0, Temper(drifts=1.0))
    return party, [one for one in party.players if isinstance(one, BuildingPlayer)]


@pytest.mark.parametrize("players", [2, 4, 8])
def test_nobody_builds_over_others_tiles_or_out_of_the_picture(players: int, tmp_path: Path) -> None:
    party, all_ = builders(players, 3, tmp_path)
    seating = party.plan.seating
    rooms = [box(seating.seats[one.number - 1], one, one.desk.room, one.desk.off) for one in all_]
    assert any(one.desk.off != (0.0, 0.0) for one in all_)
    assert all(inside(room, seating) for room in rooms)
    assert not any(near(one, other) for one, other in combinations(rooms, 2))


def test_rooms_nearer_than_the_gap_are_near() -> None:
    assert near((0, 0, 5, 5), (5 + GAP / 2, 0, 9, 5))
    assert not near((0, 0, 5, 5), (5 + 2 * GAP, 0, 9, 5))
