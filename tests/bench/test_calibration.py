"""The metrics of tables and games, from what was tried."""

from __future__ import annotations

import math

import numpy as np

from calibration.evaluation.scoring import Score
from companion.bench.calibration import GameResult, TableErrors, game_metrics, seat_owners, table_metrics
from companion.model.reading import Cell, Corners, Face, Reading, Tableau, Tile

SQUARE: Corners = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))


def test_the_worst_table_counts() -> None:
    metrics = {
        f.what: f
        for f in table_metrics([TableErrors(0.1, 0.9, 0.2, 0.3, 1.0), TableErrors(0.6, 0.2, 0.1, 0.2, 2.0)])
    }
    assert metrics["a marker's corner, at worst"].value == 0.6
    assert not metrics["a marker's corner, at worst"].good
    assert metrics["a place on the table, at worst"].value == 0.9
    assert metrics["a place on the table, at worst"].good


def test_a_background_that_is_not_found_again_is_told() -> None:
    metrics = list(
        table_metrics([TableErrors(0.1, 0.1, 0.1, 0.1, math.inf), TableErrors(0.1, 0.1, 0.1, 0.1, 2.0)])
    )
    assert metrics[-1].value == 2.0
    assert "1 of 2 found again" in metrics[-1].how


def test_reading_with_and_without_a_profile_stand_side_by_side() -> None:
    game = GameResult((Score(tiles=10, right=9), Score(tiles=10, right=10)), (300.0, 100.0), 4, 4)
    values = [metric.value for metric in game_metrics([game])]
    assert values == [300.0, 90.0, 100.0, 100.0, 100.0]


def test_a_tableau_counts_for_the_player_who_laid_most_of_it() -> None:
    tile = Tile("A", Face.UP, SQUARE, 1.0, False, None, 0, 0, 0)
    cells = (Cell(0, 0, "A", False, 1.0),)
    reading = Reading(9, 9, "set", (tile,), (Tableau(cells, 0.0, "2"),))
    near, far = np.array([1.0, 1.0]), np.array([8.0, 8.0])
    assert seat_owners(reading, [(1, near), (0, far)]) == [True]
    assert seat_owners(reading, [(0, near), (1, far)]) == [False]
    assert seat_owners(reading, [(-1, near)]) == []  # loose tiles that happen to touch are nobody's
