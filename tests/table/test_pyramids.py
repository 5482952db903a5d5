"""Pyramids as several cameras see them: each once, and in doubt where they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from companion.model.reading import Piece
from companion.table.board_fusion import SQUARE_SIDE, BoardSnapshot, StandingPyramid, fused_pyramids
from companion.table.fusion import Floats, Mask, Observation
from companion.vision.pipeline.frame import FrameDetections
from tests.vision.made_detections import detections_at, probabilities_of

EVERYWHERE = (-99.0, -99.0, 99.0, 99.0)
ROW = [("red", 4, col) for col in range(5)]
"""All five of a colour."""


def stood(
    colour: str, row: float, col: float, size: str = "large", *, doubt: bool = False
) -> StandingPyramid:
    """Return a pyramid with its middle at a place of the board, rows and columns from 0 at its corner."""
    place = np.array([col + 0.5, row + 0.5]) * SQUARE_SIDE
    return StandingPyramid(Piece(colour, int(row // 1), int(col // 1), size, doubt), place)


def snapshot(*there: StandingPyramid, sees: tuple[float, float, float, float] = EVERYWHERE) -> BoardSnapshot:
    """Return what a camera knows that sees a part of the board: left, top, right, bottom in squares."""
    left, top, right, bottom = sees

    def plainly(places: Floats) -> Mask:
        x, y = (places / SQUARE_SIDE).T
        return np.asarray((x > left) & (x < right) & (y > top) & (y < bottom))

    part = Observation(
        FrameDetections((500, 500), detections_at([]), probabilities_of(), None), np.zeros(0, bool), plainly
    )
    return BoardSnapshot(part, there, np.ones((5, 5), bool))


def told(*snapshots: BoardSnapshot) -> list[tuple[str, int, int, str, bool]]:
    """Return the pyramids that cameras know together, whatever their order."""
    every = {fused_pyramids(order) for order in permutations(snapshots)}
    assert len(every) == 1
    return [(one.colour, one.row, one.col, one.size, one.doubt) for one in every.pop()]


def reds(cells: Sequence[tuple[str, int, int]] = ROW) -> list[StandingPyramid]:
    return [stood(*cell) for cell in cells]


def test_a_pyramid_that_both_see_stands_there_once() -> None:
    both = told(snapshot(stood("red", 2, 3)), snapshot(stood("red", 2.1, 2.9)))
    assert both == [("red", 2, 3, "large", False)]


def test_pyramids_on_two_squares_are_two_however_near() -> None:
    assert len(told(snapshot(stood("red", 2, 2.4)), snapshot(stood("red", 2, 2.6)))) == 2


def test_what_only_one_camera_can_see_is_told_by_it() -> None:
    left = snapshot(stood("red", 0, 0), sees=(0, 0, 3, 5))
    right = snapshot(stood("blue", 4, 4), sees=(2, 0, 5, 5))
    assert told(left, right) == [("red", 0, 0, "large", False), ("blue", 4, 4, "large", False)]


def test_a_pyramid_that_another_sees_not_to_be_there_is_in_doubt() -> None:
    assert told(snapshot(stood("red", 1, 1)), snapshot()) == [("red", 1, 1, "large", True)]


def test_a_sixth_of_a_colour_that_another_does_not_see_is_none() -> None:
    assert len(told(snapshot(*reds(), stood("red", 1, 1)), snapshot(*reds()))) == 5
    four = reds(ROW[:4])
    assert told(snapshot(*four, stood("red", 1, 1)), snapshot(*four))[0] == ("red", 1, 1, "large", True)


def test_a_colour_that_two_see_otherwise_is_in_doubt_and_who_is_sure_helps_who_is_not() -> None:
    assert told(snapshot(stood("red", 1, 1)), snapshot(stood("pink", 1, 1)))[0][-1]
    unsure = stood("pink", 1, 1, doubt=True)
    assert told(snapshot(stood("red", 1, 1)), snapshot(unsure)) == [("red", 1, 1, "large", False)]
    assert told(snapshot(unsure), snapshot(unsure)) == [("pink", 1, 1, "large", True)]


def test_of_two_colours_that_of_a_player_is_the_likelier() -> None:
    both = snapshot(stood("red", 1, 1)), snapshot(stood("pink", 1, 1))
    assert [fused_pyramids(both, (colour, "blue"))[0].colour for colour in ("red", "pink")] == ["red", "pink"]
    assert fused_pyramids(both, ("red", "blue"))[0].doubt


def test_of_three_cameras_most_are_believed_about_a_colour_though_in_doubt() -> None:
    red, pink = snapshot(stood("red", 1, 1)), snapshot(stood("pink", 1, 1))
    assert told(red, pink, red) == [("red", 1, 1, "large", True)]


@pytest.mark.parametrize("there", [True, False])
def test_what_a_hand_hides_is_remembered_until_another_sees_it_gone(*, there: bool) -> None:
    hidden = snapshot(stood("red", 1, 1), sees=(2, 2, 5, 5))
    other = snapshot(sees=(2, 2, 5, 5) if there else EVERYWHERE)
    assert bool(told(hidden, other)) == there


def test_awards_beside_the_board_are_one_where_they_are_near_each_other() -> None:
    one = snapshot(stood("red", 1, -2, "small"), stood("red", 2, -2, "small"))
    other = snapshot(stood("red", 1.3, -2.2, "small"), stood("red", 2.3, -2.2, "small"))
    assert told(one, other) == [("red", 1, -2, "small", False), ("red", 2, -2, "small", False)]


def test_far_from_the_board_cameras_agree_less_about_places() -> None:
    near = told(snapshot(stood("red", 1, -2, "small")), snapshot(stood("red", 1, -2.9, "small")))
    far = told(snapshot(stood("red", 1, -12, "small")), snapshot(stood("red", 1, -12.9, "small")))
    assert (len(near), len(far)) == (2, 1)


def test_a_size_that_two_see_otherwise_is_in_doubt() -> None:
    both = told(snapshot(stood("red", 1, -2, "small")), snapshot(stood("red", 1, -2, "medium")))
    assert [(colour, doubt) for colour, _, _, _, doubt in both] == [("red", True)]
