"""Whose tableau is whose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import BadProfile
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from companion.model.reading import Cell, Corners, Face, Reading, Tableau, Tile
from companion.rules import event as ev
from companion.table.seating_plan import with_seats
from companion.table.zoned_seats import ZonedSeats
from tests.table.playing import Playing, reading_of, with_policy

EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
NEAR = Zone(ZoneKind.SEAT, 1, ((0.0, 400.0), (800.0, 400.0), (800.0, 600.0), (0.0, 600.0)), 0.0)
FAR = Zone(ZoneKind.SEAT, 2, ((0.0, 0.0), (800.0, 0.0), (800.0, 200.0), (0.0, 200.0)), 180.0)
POOL = Zone(ZoneKind.POOL, None, ((0.0, 200.0), (800.0, 200.0), (800.0, 400.0), (0.0, 400.0)))
ROOM = Profile(
    CameraId("a", 800, 600), "now", None, TableMap(EYE, 800.0, 600.0, 0.1), 20.0, (NEAR, FAR, POOL)
)


def tile(x: float, y: float, tableau: int | None = 0, turn: int = 0) -> Tile:
    """Return an A with its middle at (x, y) mm that is 20 broad, turned by quarters."""
    square = ((x - 10, y - 10), (x + 10, y - 10), (x + 10, y + 10), (x - 10, y + 10))
    a, b, c, d = square[-turn:] + square[:-turn] if turn == 0 else square[turn:] + square[:turn]
    corners: Corners = (a, b, c, d)
    return Tile("A", Face.UP, corners, 1.0, False, None, tableau, 0, 0)


def seats(*tiles: Tile) -> list[str | None]:
    count = 1 + max((one.tableau for one in tiles if one.tableau is not None), default=-1)
    tableaux = tuple(Tableau((Cell(0, 0, "A", False, 1.0),), 0.0) for _ in range(count))
    return [one.seat for one in with_seats(Reading(800, 600, "set", tiles, tableaux), ROOM).tableaux]


def test_each_tableau_belongs_to_the_seat_in_whose_zone_it_lies() -> None:
    assert seats(tile(100, 500), tile(120, 500), tile(300, 50, 1)) == ["1", "2"]


def test_loose_tiles_count_for_nobody() -> None:
    assert seats(tile(100, 500), tile(300, 50, None), tile(320, 50, None)) == ["1"]


def test_a_tableau_in_the_pool_is_nobodys() -> None:
    assert seats(tile(100, 300)) == [None]


def test_a_long_tableau_that_reaches_into_the_pool_keeps_its_seat() -> None:
    assert seats(tile(100, 410), tile(100, 390), tile(100, 370)) == ["1"]


@pytest.mark.parametrize(("turn", "seat"), [(0, "1"), (2, "2"), (1, None)])
def test_a_tableau_across_two_zones_is_theirs_whom_it_faces(turn: int, seat: str | None) -> None:
    assert seats(tile(100, 410, 0, turn), tile(100, 190, 0, turn)) == [seat]


def test_a_profile_without_a_table_seats_nobody() -> None:
    with pytest.raises(BadProfile):
        with_seats(Reading(800, 600, "set", (tile(1, 1),), ()), Profile(CameraId("a", 800, 600), "now"))


def test_people_judge_whom_the_set_up_gives_no_part_of_the_table_and_the_host_is_told(tmp_path: Path) -> None:
    three = replace(with_policy("strict"), seats=("Anna", "Bo", "Cleo"))
    view = ZonedSeats((NEAR, FAR, POOL), lambda pixels: pixels, (1, 2))
    with Playing(tmp_path / "games.db", three, view=view) as play:
        open_step = play.desk.checkup().lines[0]
        assert (open_step.what, open_step.fine, open_step.grave) == ("parts", False, False)
        assert "belongs to Cleo: people judge there" in open_step.says
        play.see(reading_of(("CAT", 100, 450)))
        play.start()
        play.desk.call(3, "peel")
        play.soon(ev.TilesDrawn)
        assert play.table.loop.state.blind == (3,)
    four = ZonedSeats((NEAR, FAR, replace(NEAR, seat=3)), lambda pixels: pixels)
    with Playing(tmp_path / "games.db", three, resume=True, view=four) as play:
        play.see(reading_of(("CAT", 100, 450)))
        play.soon(ev.SightBack)
        assert play.table.loop.state.blind == ()
