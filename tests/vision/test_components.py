"""Tiles laid by hand become rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from companion.vision.grid.components import (
    Component,
    Edge,
    connected_components,
    edges,
    merge_islands,
    pairwise_offsets,
    rotated_cells,
)

Floats = NDArray[np.float64]


def table(
    drawing: str,
    turn_deg: float = 0.0,
    pitch: float = 1.03,
    drift: float = 0.0,
    twist_deg: float = 0.0,
    seed: int = 0,
) -> tuple[list[str], Floats, Floats, list[tuple[int, int]]]:
    """Return letters, centres, side vectors and cells of a drawn tableau; frames are turned at random."""
    rng = np.random.default_rng(seed)
    cells = [
        (r, c, s) for r, row in enumerate(drawing.split("\n")) for c, s in enumerate(row.split()) if s != "."
    ]
    angle = np.radians(turn_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    places = np.array([(c, r) for r, c, _ in cells], float) * pitch + rng.uniform(
        -drift, drift, (len(cells), 2)
    )
    vectors = []
    for _ in cells:
        own = angle + np.radians(rng.uniform(-twist_deg, twist_deg)) + rng.integers(4) * np.pi / 2
        vectors.append(40 * np.array([[np.cos(own), -np.sin(own)], [np.sin(own), np.cos(own)]]))
    return (
        [s for _, _, s in cells],
        300 + 40 * places @ turn.T,
        np.array(vectors),
        [(r, c) for r, c, _ in cells],
    )


def read(drawing: str, **how: Any) -> tuple[list[Component], list[tuple[int, int]]]:
    """Return the groups found in a drawn tableau and its true cells."""
    letters, centres, vectors, cells = table(drawing, **how)
    lie = pairwise_offsets(centres, vectors)
    facing = np.zeros((len(letters), 4))
    return list(merge_islands(connected_components(edges(lie), facing), lie, facing).components), cells


def as_laid(group: Component, cells: list[tuple[int, int]]) -> bool:
    """Return whether one of the four directions gives the cells as they were laid."""
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    wanted = {k: (cells[k][0] - top, cells[k][1] - left) for k in group.tiles}
    return any(rotated_cells(group, quarters) == wanted for quarters in range(4))


CROSS = "C A T .\n. . O .\n. . P I\n. . . N"


def test_a_crossword_is_one_group_with_its_rows_and_columns() -> None:
    found, cells = read(CROSS)
    assert len(found) == 1
    assert as_laid(found[0], cells)


@given(turn=st.floats(0, 360), seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_any_turn_of_a_tableau_reads_the_same(turn: float, seed: int) -> None:
    found, cells = read(CROSS, turn_deg=turn, seed=seed)
    assert len(found) == 1
    assert as_laid(found[0], cells)


@given(seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_drift_of_a_sixth_either_way_and_eight_degrees_change_nothing(seed: int) -> None:
    found, cells = read(CROSS, turn_deg=31, drift=0.16, twist_deg=4, seed=seed)
    assert len(found) == 1
    assert as_laid(found[0], cells)


def test_two_tableaux_far_apart_are_two_groups() -> None:
    found, _ = read("C A T . . . D O G")
    assert [len(group.tiles) for group in found] == [3, 3]


def test_parts_one_empty_cell_apart_are_islands_of_one_group() -> None:
    found, cells = read("C A T . D O G")
    assert len(found) == 1
    assert as_laid(found[0], cells)


def test_parts_that_touch_only_at_a_corner_are_islands_of_one_group() -> None:
    found, cells = read("C A T . .\n. . . D O")
    assert len(found) == 1
    assert as_laid(found[0], cells)


def test_a_single_tile_is_in_no_group() -> None:
    found, _ = read("C . . A T")
    assert [len(group.tiles) for group in found] == [2]


def test_no_tiles_make_no_groups() -> None:
    assert (
        connected_components(
            edges(pairwise_offsets(np.zeros((0, 2)), np.zeros((0, 2, 2)))), np.zeros((0, 4))
        ).components
        == ()
    )


def test_a_tile_turned_by_half_a_quarter_is_no_neighbour() -> None:
    _, centres, vectors, _ = table("C A T")
    c = np.sqrt(0.5)
    vectors[2] = 40 * np.array([[c, -c], [c, c]])
    assert [
        group.tiles
        for group in connected_components(
            edges(pairwise_offsets(centres, vectors)), np.zeros((3, 4))
        ).components
    ] == [(0, 1)]


@pytest.mark.parametrize(("strain", "doubted"), [(0.2, {1, 2}), (0.6, set())])
def test_two_tiles_that_claim_one_cell_are_in_doubt_if_they_lie_straight(
    strain: float, doubted: set[int]
) -> None:
    both_to_the_right = [Edge(0, 1, 0, 0, 0.1), Edge(0, 2, 0, 0, strain)]
    assert connected_components(both_to_the_right, np.zeros((3, 4))).conflicts == doubted


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_cells_of_a_board_stay_on_the_board_when_it_is_turned(quarters: int) -> None:
    corner = Component((0,), {0: (0, 14)}, {0: 0}, side=15)
    assert rotated_cells(corner, quarters) == {0: [(0, 14), (0, 0), (14, 0), (14, 14)][quarters]}


def test_neighbours_that_face_different_ways_are_strangers() -> None:
    _, centres, _, _ = table("C A T")
    own = np.array([[40.0, 0.0], [0.0, 40.0]])
    facing = np.log(np.array([[0.99, 0.01, 0.01, 0.01], [0.99, 0.01, 0.01, 0.01], [0.01, 0.99, 0.01, 0.01]]))
    layout = connected_components(edges(pairwise_offsets(centres, np.stack([own, own, own]))), facing)
    assert [group.tiles for group in layout.components] == [(0, 1)]
