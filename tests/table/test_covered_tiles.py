"""Tiles under a cup count as they were last seen, and their player is told so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from companion.config.table import BoardConfig, TableConfig
from companion.model.profile import Zone, ZoneKind
from companion.model.tiles import tile_set
from companion.table.devices import GameClock
from companion.table.facing_seats import FacingSeats
from companion.table.loop import Loop
from companion.table.publisher import SightingPublisher
from companion.table.remarks import HOST
from companion.table.seating_plan import FirstCameraPlan, SeatingPlan, camera_view, seating_plan
from companion.table.views import SHARED_BOARD, BoardView, Layout, View
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading
from tests.table.playing import NO_LOOK, reading_of
from tests.table.test_publisher import Hearing
from tests.table.test_remarks import Watched
from tests.table.test_views import pose_of
from tests.vision.made_detections import detections_at, probabilities_of


def publishing(plan: SeatingPlan, views: Mapping[str, View]) -> SightingPublisher:
    return SightingPublisher(plan, views, GameClock(lambda: 1000, 0), cast("Loop", Hearing()))


def word(text: str, at_ns: int, covered: Sequence[int] = ()) -> TrackedReading:
    reading = reading_of((text, 100, 100))
    return TrackedReading(reading, NO_LOOK, at_ns, at_ns, True, tuple(covered))


@pytest.mark.parametrize(
    ("view", "place"), [(FacingSeats((0,)), 1), (BoardView(BoardConfig("squares", 1, 3)), SHARED_BOARD)]
)
def test_the_covered_tiles_of_a_seat_or_board_are_counted_while_they_are(view: View, place: int) -> None:
    publisher, counts = publishing(FirstCameraPlan({"left": view}), {"left": view}), []
    for at_ns, covered in ((100, ()), (110, (0, 2)), (120, ())):
        publisher.update("left", word("CAT", at_ns, covered))
        counts.append(publisher.layout.covered)
    assert counts == [(), ((place, 2),), ()]


def test_a_tile_is_covered_where_no_camera_sees_it() -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (140, 100), (140, 120), (100, 120)))
    board, names, reader = BoardConfig("squares", 1, 2), ("left", "right"), Reader(tile_set("bananagrams-en"))
    views = {name: camera_view(pose_of(zone), board, (), alone=False) for name in names}
    config = TableConfig("martian_boggle", ("Anna", "Bo"), board=board)
    plan = seating_plan(views, dict.fromkeys(names, pose_of(zone)), config, reader)
    publisher = publishing(plan, views)
    tiles = detections_at([(110, 110), (130, 110)], 20.0)
    look = FrameDetections((640, 480), tiles, probabilities_of("A", "T"), 1.0)

    def covered_after(name: str, at_ns: int, *covered: int) -> tuple[tuple[int, int], ...]:
        reading = reader.reading(look)
        publisher.update(name, TrackedReading(reading, look, at_ns, at_ns, True, covered))
        return publisher.layout.covered

    assert covered_after("left", 100, 0) == ((SHARED_BOARD, 1),)
    assert covered_after("right", 110) == ()
    assert covered_after("right", 120, 0, 1) == ((SHARED_BOARD, 1),)
    assert covered_after("left", 130, 0, 1) == ((SHARED_BOARD, 2),)
    assert covered_after("right", 140) == ()


@pytest.mark.parametrize(
    ("many", "says"), [(1, "tile {} is covered and counts"), (4, "tiles {} are covered and count")]
)
def test_covered_tiles_are_shown_to_their_player_and_those_on_a_board_to_the_host(
    many: int, says: str
) -> None:
    watched = Watched()
    watched.looks(20, Layout(covered=((2, many), (SHARED_BOARD, many))))
    told = [watched.remarks.of(seat) for seat in (1, 2, HOST)]
    whose = ("of Bo", "on the board")
    assert told == [(), *((f"{many} {says.format(one)} as last seen",) for one in whose)]
    assert watched.said == []


def test_tiles_under_a_hand_for_a_moment_are_not_told_as_covered() -> None:
    watched = Watched()
    for many in (3, 4, 2):
        watched.looks(8, Layout(covered=((2, many),)))
    assert watched.remarks.of(2) == ()
