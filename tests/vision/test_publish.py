"""What is told of the parts of a picture in which something moves."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.grid.homography import Box
from companion.vision.tracking.block_grid import BlockGrid
from companion.vision.tracking.publish import small_boxes

GRID = BlockGrid(height=320, width=320, step=2)
"""Forty blocks of eight pixels either way."""


@pytest.mark.parametrize(
    ("blocks", "boxes"),
    [
        ([], []),
        ([(9, 5)], [(40, 72, 48, 80)]),
        ([(8, 4), (9, 5)], [(32, 64, 48, 80)]),
        ([(0, 3), (0, 4)], [(24, 0, 32, 8), (32, 0, 40, 8)]),
        ([(39, 36), (37, 39)], [(288, 296, 320, 320)]),
    ],
)
def test_each_part_is_as_large_as_its_blocks(blocks: list[tuple[int, int]], boxes: list[Box]) -> None:
    mask = np.zeros(GRID.shape, bool)
    for block in blocks:
        mask[block] = True
    assert small_boxes(GRID, mask) == tuple(boxes)
