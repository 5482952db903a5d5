from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from calibration.enrolment.enrol import align_rotations
from calibration.enrolment.labelling import (
    LabelledDetections,
    count_fault,
    examples_of,
    label_tiles,
    rotation_fault,
)
from calibration.enrolment.photograph import nearest_quarter, reading_order
from calibration.enrolment.preview import preview
from companion.errors import BadEnrolment
from companion.vision.detector.detections import Detections
from companion.vision.fewshot.embedding import SignEmbedding
from tests.shapes import SHAPES, photograph

ORDER = tuple(SHAPES)


def finds_at(places: Sequence[tuple[float, float]], turn: float = 0.0, side: float = 40.0) -> Detections:
    """Return detections at places, (x, y) in pixels, each turned clockwise."""
    count = len(places)
    shapes = np.repeat(np.eye(2)[None] * side, count, 0)
    return Detections(np.array(places, float), shapes, np.full(count, turn), np.ones(count))


def laid(count: int, symbols: tuple[str, ...] = ()) -> LabelledDetections:
    return LabelledDetections(finds_at([(60.0 * k, 50.0) for k in range(count)]), symbols)


def test_tiles_are_read_row_by_row_from_left_to_right() -> None:
    places = [(130, 12), (10, 10), (70, 8), (12, 75), (128, 70)]
    assert reading_order(finds_at(places)).tolist() == [1, 2, 0, 3, 4]


def test_rows_that_lean_with_their_tiles_are_read_along_them() -> None:
    lean = np.radians(12)
    c, s = np.cos(lean), np.sin(lean)
    grid = [(60.0 * col, 60.0 * row) for row in range(2) for col in range(6)]
    places = [(x * c - y * s, x * s + y * c) for x, y in grid]
    assert reading_order(finds_at(places, lean)).tolist() == list(range(12))


def test_rows_lying_aslant_are_refused() -> None:
    lean = np.radians(40)
    with pytest.raises(BadEnrolment, match="rows of tiles lie about 40 degrees aslant"):
        reading_order(finds_at([(60 * k * np.cos(lean), 60 * k * np.sin(lean)) for k in range(3)]))


def test_rows_are_read_however_each_tile_is_turned() -> None:
    grid = [(60.0 * col, 60.0 * row) for row in range(2) for col in range(4)]
    detections = replace(finds_at(grid), turns=np.linspace(-0.7, 0.7, 8))
    assert reading_order(detections).tolist() == list(range(8))


def test_the_first_tile_of_a_symbol_that_lies_aslant_is_told() -> None:
    detections = replace(finds_at([(0, 0), (60, 0), (120, 0), (180, 0)]), turns=np.radians([0, 40, -40, 0]))
    assert "the first tile of 'B' lies 40 degrees aslant" in str(
        rotation_fault(LabelledDetections(detections, ("A", "A", "B", "B")))
    )


def test_other_tiles_and_blanks_may_lie_aslant() -> None:
    detections = replace(finds_at([(0, 0), (60, 0), (120, 0), (180, 0)]), turns=np.radians([0, 40, 40, 40]))
    assert rotation_fault(LabelledDetections(detections, ("A", "A", "", ""))) is None


@pytest.mark.parametrize("quarters", range(4))
def test_a_turned_tile_is_set_upright_beside_the_first_of_its_symbol(quarters: int) -> None:
    first, other = photograph([["Γ"]]), photograph([["Γ"]], seed=2, quarters=quarters)
    picture = np.hstack([first, other])
    found = label_tiles(picture, ["Γ"])
    ((_, one),) = align_rotations(SignEmbedding(), [(picture, found)])
    assert np.round(one.detections.turns / (np.pi / 2)).astype(int).tolist() == [0, quarters]


def test_the_first_tile_of_another_photograph_counts_as_upright_too() -> None:
    shots = [(picture := photograph([["Γ"]], quarters=k), label_tiles(picture, ["Γ"])) for k in (0, 1)]
    turns = [one.detections.turns for _, one in align_rotations(SignEmbedding(), shots)]
    assert np.allclose(turns, 0, atol=0.1)


def test_rows_that_run_into_each_other_are_refused_by_number() -> None:
    grid = [(60.0 * col, 60.0 * row) for row in range(2) for col in range(5)]
    with pytest.raises(BadEnrolment, match="row 1 runs into the next one"):
        reading_order(finds_at([*grid, (300, 15), (300, 30), (300, 45)]))


@pytest.mark.parametrize("quarters", range(-3, 4))
def test_each_tile_is_the_way_up_that_is_nearest_to_the_picture(quarters: int) -> None:
    turn = quarters * np.pi / 2 + 0.2
    assert nearest_quarter(finds_at([(0, 0)], turn)).turns.tolist() == pytest.approx([0.2])


def test_a_photograph_of_two_of_each_shows_examples_of_every_symbol() -> None:
    picture = photograph([["△", "△", "↑", "↑"], ["Γ", "Γ", "✚", "✚"]])
    found = label_tiles(picture, ORDER)
    assert count_fault(found, ORDER) is None
    assert examples_of([(picture, found)]).symbols == ("△", "△", "↑", "↑", "Γ", "Γ", "✚", "✚")


def test_an_empty_table_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadEnrolment, match="no tile is seen; lay them on a plain cloth"):
        label_tiles(np.full((300, 400), 120, np.uint8), ORDER)


@pytest.mark.parametrize(
    ("count", "says"),
    [
        (7, "7 tiles are seen, 1 too few for 2 of each of 4"),
        (9, "9 tiles are seen, 1 too many for 2 of each"),
        (5, "5 tiles are seen, 3 too few for 2 of each"),
    ],
)
def test_a_wrong_number_of_tiles_is_told(count: int, says: str) -> None:
    assert says in str(count_fault(laid(count), ORDER))


def test_more_tiles_than_can_be_learnt_are_refused() -> None:
    assert "at most 12" in str(count_fault(laid(13, ("A",) * 13), ("A",)))


def test_a_symbol_that_is_shown_once_is_refused_by_name() -> None:
    picture = np.zeros((100, 200), np.uint8)
    with pytest.raises(BadEnrolment, match="'A' is shown once"):
        examples_of([(picture, laid(1, ("A",)))])


def test_the_preview_marks_known_tiles_with_lines_and_leaves_the_picture_alone() -> None:
    picture = np.full((100, 300, 3), 100, np.uint8)
    drawn = preview(picture, laid(3, ("A", "B", "C")))
    assert (picture == 100).all()
    assert drawn.shape == picture.shape
    assert len(np.unique(drawn[30:70, 40:80].reshape(-1, 3), axis=0)) > 1
