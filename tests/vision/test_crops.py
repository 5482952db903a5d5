from __future__ import annotations

import numpy as np
import pytest

from companion.vision.classifier import CROP, crops, frame_of


@pytest.mark.parametrize(("side", "of_tile"), [CROP, (48, 32)])
def test_a_tile_is_cut_out_so_that_it_fills_the_middle_of_its_crop(side: int, of_tile: int) -> None:
    picture = np.zeros((80, 80), np.uint8)
    picture[20:52, 30:62] = 200
    quad = np.array([[30, 20], [62, 20], [62, 52], [30, 52]], float) - 0.5
    (crop,) = crops(picture, quad[None], side, of_tile)
    edge = (side - of_tile) // 2
    assert crop.shape == (side, side)
    assert (crop[edge + 1 : -edge - 1, edge + 1 : -edge - 1] == 200).all()
    assert (crop[: edge - 1] == 0).all()


def test_the_frame_of_a_tile_lies_around_its_pixels() -> None:
    assert frame_of(40, 32).tolist() == [[3.5, 3.5], [35.5, 3.5], [35.5, 35.5], [3.5, 35.5]]
