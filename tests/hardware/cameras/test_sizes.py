"""The size of pictures that a machine's memory can hold."""

from __future__ import annotations

import math

import pytest

from hardware.cameras.capture_settings import LOW_MEMORY_PICTURE_SIZE, memory_bytes, picture_size

ZERO, THREE = 436_000_000, 943_000_000


@pytest.mark.parametrize("full", [(4608, 2592), (3280, 2464), (4056, 3040), (2592, 1944)])
def test_a_small_machine_sees_the_whole_view_in_fewer_pixels(full: tuple[int, int]) -> None:
    width, height = picture_size(full, ZERO)
    assert width * height <= math.prod(LOW_MEMORY_PICTURE_SIZE)
    assert (width % 2, height % 2) == (0, 0)
    assert width / height == pytest.approx(full[0] / full[1], rel=0.002)


def test_camera_module_3_is_halved() -> None:
    assert picture_size((4608, 2592), ZERO) == (2304, 1296)


@pytest.mark.parametrize(("full", "memory"), [((4608, 2592), THREE), ((1920, 1080), ZERO)])
def test_what_fits_stays_as_it_is(full: tuple[int, int], memory: int) -> None:
    assert picture_size(full, memory) == full


def test_this_machine_tells_of_its_memory() -> None:
    assert memory_bytes() > 10**8
