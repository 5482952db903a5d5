"""Which way round a board lies for several cameras, by the table or by the tiles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from companion.model.profile import CameraId, Profile, TableMap
from companion.model.reading import Piece
from companion.table.board_fusion import SQUARE_SIDE, BoardSnapshot, Orientations
from companion.table.fusion import CameraPose
from companion.vision.grid.board import Board
from companion.vision.grid.homography import project
from companion.vision.grid.volcano import Volcano
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking import TrackedReading
from tests.table.playing import reading_of
from tests.vision.made_detections import LETTERS, detections_at, probabilities_of

SIZE = 640
CELL = 40.0
UPRIGHT = np.array([[CELL, 0.0, 20.0], [0.0, CELL, 20.0], [0.0, 0.0, 1.0]])
"""From a board's columns and rows to the pixels of a camera that sees it upright."""

TURNED = np.array([[-1.0, 0.0, SIZE - 1], [0.0, -1.0, SIZE - 1], [0.0, 0.0, 1.0]])
"""From that camera's pixels to those of one that hangs opposite."""

Tiles = Mapping[tuple[int, int], str]


def seen(tiles: Tiles, *, turned_deg: float = 0.0) -> TrackedReading:
    """Return what a camera knows of tiles on a board that it sees turned clockwise.

    As the reader does, it takes those for the rows that run nearest to its picture's left to right.
    """
    turn, middle = np.radians(turned_deg), SIZE / 2
    c, s = np.cos(turn), np.sin(turn)
    about = np.array([[c, -s, middle * (1 - c + s)], [s, c, middle * (1 - s - c)], [0.0, 0.0, 1.0]])
    lies = about @ UPRIGHT
    places = project(lies, np.array([(col + 0.5, row + 0.5) for row, col in tiles]).reshape(-1, 2))
    quarters = round(turned_deg / 90)
    found = Board(lies).turned(-quarters)
    detections = detections_at([(float(x), float(y)) for x, y in places], 30.0, turned_deg - 90 * quarters)
    probabilities = probabilities_of(*tiles.values(), turns=tuple([quarters % 4] * len(tiles)))
    probabilities.p_symbol[:, LETTERS.index("O")] = probabilities.p_symbol[:, LETTERS.index("O")].mean(
        1, keepdims=True
    )
    return TrackedReading(
        reading_of(), FrameDetections((SIZE, SIZE), detections, probabilities, 1.0, found), 0, 0, True
    )


def profile(*, opposite: bool = False, turn_deg: float = 0.0) -> Profile:
    """Return the profile of such a camera, its table turned clockwise in the upright picture."""
    turn = np.radians(turn_deg)
    c, s = np.cos(turn), np.sin(turn)
    onto = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    matrix = onto @ (TURNED if opposite else np.eye(3))
    table = TableMap(tuple(matrix.ravel().tolist()), 800.0, 800.0, 0.0)
    return Profile(CameraId("cam", SIZE, SIZE), "now", None, table)


def squares(snapshot: BoardSnapshot) -> set[tuple[int, int]]:
    """Return the row and column of every tile."""
    cells = np.floor(snapshot.part.detected.detections.centres / SQUARE_SIDE).astype(int).tolist()
    return {(row, col) for col, row in cells}


def turns(*profiles: Profile | None) -> Orientations:
    poses = [CameraPose(one) if one else None for one in profiles]
    return Orientations(dict(zip(("first", "second"), poses, strict=True)), 15)


WORD: Tiles = {(6, 3 + n): letter for n, letter in enumerate("CRANE")}
EVEN: Tiles = {(7, 7): "O"}
"""A tile that looks the same from every side."""


@pytest.mark.parametrize("turn_deg", [0.0, 40.0, -40.0, 130.0, 180.0])
def test_cameras_that_know_the_table_agree_however_the_board_lies_on_it(turn_deg: float) -> None:
    both = turns(profile(turn_deg=turn_deg), profile(opposite=True, turn_deg=turn_deg))
    found = both.snapshots({"first": seen(WORD), "second": seen(WORD, turned_deg=180.0)})
    assert squares(found["first"]) == squares(found["second"])
    alone = both.snapshots({"second": seen(WORD, turned_deg=180.0)})
    assert squares(alone["second"]) == squares(found["second"])


def test_a_board_keeps_its_rows_while_it_is_turned_bit_by_bit() -> None:
    one = turns(profile(), None)
    for turned_deg in (0.0, 30.0, 55.0, 95.0, 140.0):
        assert squares(one.snapshots({"first": seen(WORD, turned_deg=turned_deg)})["first"]) == set(WORD)
    anew = turns(profile(), None).snapshots({"first": seen(WORD, turned_deg=140.0)})
    assert squares(anew["first"]) != set(WORD)


def test_tiles_tell_how_a_camera_sees_the_board_that_does_not_know_the_table() -> None:
    found = turns(None, None).snapshots({"first": seen(WORD), "second": seen(WORD, turned_deg=180.0)})
    assert squares(found["first"]) == squares(found["second"]) == set(WORD)


def test_tiles_beside_the_board_tell_nothing_of_it() -> None:
    beside = {(row, col): "X" for row in range(0, 15, 2) for col in (-3, 17)}
    other = {(row, col): "X" for row in range(1, 15, 2) for col in (-2, 18)}
    first, second = seen({**WORD, **beside}), seen({**WORD, **other}, turned_deg=180.0)
    found = turns(None, None).snapshots({"first": first, "second": second})
    assert squares(found["first"]) == squares(found["second"]) == set(WORD)


def test_the_way_round_is_remembered_when_the_first_camera_is_gone() -> None:
    both = turns(None, None)
    both.snapshots({"first": seen(WORD), "second": seen(WORD, turned_deg=180.0)})
    assert squares(both.snapshots({"second": seen(WORD, turned_deg=180.0)})["second"]) == set(WORD)
    cleared = both.snapshots({"first": seen({}), "second": seen(EVEN, turned_deg=180.0)})
    assert squares(cleared["second"]) == set(EVEN)


def test_the_first_camera_sets_it_though_another_has_seen_the_board_before() -> None:
    both = turns(None, None)
    assert squares(both.snapshots({"second": seen(WORD, turned_deg=180.0)})["second"]) != set(WORD)
    found = both.snapshots({"first": seen(WORD), "second": seen(WORD, turned_deg=180.0)})
    assert squares(found["first"]) == squares(found["second"]) == set(WORD)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [({}, WORD), (EVEN, EVEN), (WORD, {(3, 3 + n): letter for n, letter in enumerate("TIGER")})],
)
def test_a_camera_whose_way_round_nothing_tells_is_left_out(ours: Tiles, theirs: Tiles) -> None:
    found = turns(None, None).snapshots({"first": seen(ours), "second": seen(theirs, turned_deg=180.0)})
    assert list(found) == ["first"]


def test_a_camera_that_finds_no_board_is_left_out() -> None:
    nothing = TrackedReading(
        reading_of(), FrameDetections((SIZE, SIZE), detections_at([]), probabilities_of(), None), 0, 0, True
    )
    assert turns(None, None).snapshots({"first": nothing}) == {}


def test_pyramids_stand_where_they_are_seen_or_in_the_middle_of_their_square() -> None:
    board = Volcano(UPRIGHT, (Piece("red", 1, 2, "large"), Piece("red", 2, -1, "small", at=(0.0, 125.0))))
    look = FrameDetections((SIZE, SIZE), detections_at([]), probabilities_of(), None, board)
    one = Orientations({"first": None}, 5).snapshots(
        {"first": TrackedReading(reading_of(), look, 0, 0, True)}
    )["first"]
    assert [stood.square for stood in one.pyramids] == [(1, 2), (2, -1)]
    assert [stood.on_board(5) for stood in one.pyramids] == [True, False]
    assert one.pyramids[0].place == pytest.approx((250, 150))
