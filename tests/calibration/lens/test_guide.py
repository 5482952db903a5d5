"""What somebody who holds the lens board is told to do next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.drawing.lens_board import board_pose
from calibration.lens import BoardDetection, Step, advice
from calibration.lens.guide import (
    COLUMNS,
    ROWS,
    covered_cells,
    emptiest_part,
    is_new_view,
    part_name,
    tilt_deg,
)
from tests.calibration.lens.made import SIZE, ordinary, sight, sights


def held(
    spot: tuple[float, float], lean: tuple[float, float] = (0.0, 0.0), share: float = 0.4, seed: int = 1
) -> BoardDetection:
    return sight(ordinary(), board_pose(np.random.default_rng(seed), ordinary(), SIZE, (spot, lean, share)))


def everywhere() -> list[BoardDetection]:
    """Return flat sights all over the picture."""
    spots = [(x, y) for x in (0.18, 0.5, 0.82) for y in (0.2, 0.5, 0.8)]
    return [held(spot, seed=number) for number, spot in enumerate(spots)]


def test_without_a_board_it_is_asked_for() -> None:
    said = advice([])
    assert (said.step, said.take) == (Step.SHOW, False)
    assert "about half of the picture" in said.text


def test_the_first_sharp_picture_is_taken() -> None:
    assert advice([], held((0.5, 0.5))).take


def test_a_blurred_picture_is_not_taken_and_says_why() -> None:
    said = advice([], replace(held((0.5, 0.5)), blur_px=6))
    assert (said.step, said.take) == (Step.HOLD_STILL, False)
    assert "blurred" in said.text


def test_the_same_picture_is_not_taken_twice() -> None:
    assert not advice([held((0.5, 0.5))], held((0.5, 0.5))).take


def test_a_board_held_elsewhere_adds_something() -> None:
    assert is_new_view(held((0.3, 0.5)), [held((0.5, 0.5))])
    assert not is_new_view(held((0.51, 0.5), seed=1), [held((0.5, 0.5), seed=1)])


def test_a_part_that_shares_no_corners_adds_something() -> None:
    one = held((0.5, 0.5))
    left, right = one.numbers % 8 < 3, one.numbers % 8 > 4
    parts = [BoardDetection(one.numbers[half], one.corners[half], SIZE, 1.0) for half in (left, right)]
    assert is_new_view(parts[0], [parts[1]])


def test_it_leads_to_where_nothing_was_seen() -> None:
    said = advice([held((0.2, 0.2)), held((0.8, 0.2)), held((0.2, 0.8)), held((0.5, 0.5))])
    assert said.step is Step.MOVE
    assert "lower right part" in said.text
    assert said.goal is not None
    assert said.goal[2:] == (1.0, 1.0)


def test_flat_pictures_alone_are_not_enough() -> None:
    said = advice(everywhere())
    assert said.step is Step.LEAN
    assert "left or right side" in said.text


def test_then_it_asks_to_lean_the_other_way() -> None:
    aside = [held((0.5, 0.5), (0, lean), 0.5) for lean in (25, -25)]
    said = advice([*everywhere(), *aside])
    assert said.step is Step.LEAN
    assert "upper or lower side" in said.text


def test_with_all_of_it_the_lens_can_be_found() -> None:
    said = advice(sights(ordinary()))
    assert said.step is Step.ENOUGH
    assert said.covered > 0.8


def test_how_many_pictures_are_missing_is_said() -> None:
    broad = [held((x, 0.5), lean, 1.3) for x in (0.4, 0.6) for lean in ((25, 25), (-25, -25))]
    said = advice(broad)
    assert said.step is Step.MORE
    assert said.text.endswith("4 more pictures.")


def test_cells_are_counted_from_the_top_left() -> None:
    one = BoardDetection(np.arange(2), np.array([[10.0, 10.0], [950, 530]]), SIZE, 1.0)
    cells = covered_cells([one])
    assert np.argwhere(cells).tolist() == [[0, 0], [ROWS - 1, COLUMNS - 1]]


def test_the_emptiest_part_has_most_cells_missing() -> None:
    cells = np.ones((ROWS, COLUMNS), np.bool_)
    cells[2:, 5:] = False
    assert emptiest_part(cells) == (5 / 8, 2 / 5, 1, 1)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ((0, 0, 0.4, 0.6), "upper left part"),
        ((0.3, 0.3, 0.7, 0.7), "middle"),
        ((0.6, 0.2, 1, 0.8), "right edge"),
        ((0.3, 0.4, 0.7, 1), "lower edge"),
    ],
)
def test_parts_of_the_picture_have_names(part: tuple[float, float, float, float], name: str) -> None:
    assert part_name(part) == name


def test_how_a_board_leans_is_seen() -> None:
    side, back = tilt_deg(held((0.5, 0.5), (0, 25)))
    assert abs(side) == pytest.approx(25, abs=8)
    assert abs(back) < 8
