"""Frames in brightness and half-size colour do what the same frames in blue, green, red do."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from companion.errors import BadPicture
from companion.table.pictures import Rectified
from companion.vision.camera_frame import (
    Frame,
    Yuv420,
    as_grey,
    crop,
    downscale_to_fit,
    downscaled,
    grey,
    grey_crop,
    halved,
    sample,
    to_array,
    to_bgr,
)
from companion.vision.colour import sample_pixels
from companion.vision.detector.perspective import RectifiedView

SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))


def coloured(height: int, width: int) -> Yuv420:
    """Return a frame whose brightness and colours change slowly from pixel to pixel."""
    rows, cols = np.mgrid[:height, :width]
    luma = 90 + rows + cols
    chroma = np.stack([100 + rows, 150 - cols], -1)[::2, ::2]
    return Yuv420(luma.astype(np.uint8), chroma.astype(np.uint8))


def differs(one: Frame, other: Frame) -> float:
    """Return the mean difference of two pictures of one size in grey levels."""
    assert one.shape == other.shape
    return float(np.abs(one.astype(int) - other).mean()) if one.size else 0.0


@given(SIZES)
def test_it_is_as_large_as_it_seems(size: tuple[int, int]) -> None:
    frame = coloured(*size)
    assert frame.shape == to_bgr(frame).shape == (*size, 3)
    assert frame.ndim == 3
    assert frame.dtype == np.dtype(np.uint8)
    assert to_array(frame).shape == frame.shape


def test_its_brightness_is_that_of_the_colours() -> None:
    frame = coloured(40, 30)
    assert grey(frame) is frame.luma
    assert as_grey(frame) is frame.luma
    assert differs(grey(to_bgr(frame)), frame.luma) < 1


def test_a_saturated_colour_has_the_values_of_a_jpeg() -> None:
    # JFIF: Y = 0.299 R, Cr = 0.5 R + 128 and Cb = -0.1687 R + 128 of red: 76, 255, 85
    frame = Yuv420(np.full((4, 4), 76, np.uint8), np.full((2, 2, 2), (255, 85), np.uint8))
    assert np.abs(to_bgr(frame).astype(int) - (0, 0, 255)).max() <= 2


@given(SIZES, st.data())
def test_a_part_of_it_is_that_part_of_its_colours(size: tuple[int, int], data: st.DataObject) -> None:
    frame, (height, width) = coloured(*size), size
    left, top = (2 * data.draw(st.integers(0, (side - 1) // 2)) for side in (width, height))
    right, bottom = data.draw(st.integers(left + 1, width)), data.draw(st.integers(top + 1, height))
    part = crop(frame, (left, top, right, bottom))
    assert differs(to_array(part), to_bgr(frame)[top:bottom, left:right]) < 2
    assert np.array_equal(grey_crop(frame, (left, top, right, bottom)), frame.luma[top:bottom, left:right])


def test_a_part_begins_at_even_pixels() -> None:
    with pytest.raises(ValueError, match="begins at even pixels, got 1, 2"):
        crop(coloured(9, 9), (1, 2, 5, 5))
    pixels = np.eye(4, dtype=np.uint8)
    assert to_array(crop(pixels, (1, 0, 3, 2))).tolist() == pixels[:2, 1:3].tolist()


def test_a_part_of_what_is_no_frame_is_refused() -> None:
    with pytest.raises(BadPicture, match="convert it to grey or BGR"):
        grey_crop(np.zeros((4, 4, 2), np.uint8), (0, 0, 2, 2))


@given(SIZES, st.integers(0, 3))
def test_half_of_it_is_half_of_its_colours(size: tuple[int, int], times: int) -> None:
    if min(size) < 2**times:
        return
    frame = coloured(*size)
    assert differs(halved(frame, times), halved(to_bgr(frame), times)) < 2


@given(SIZES, st.floats(0.2, 1.5))
def test_it_is_reduced_as_its_colours_are(size: tuple[int, int], scale: float) -> None:
    frame = coloured(*size)
    assert differs(downscaled(frame, scale), downscaled(to_bgr(frame), scale)) < 4
    small, factor = downscale_to_fit(frame, 20)
    assert max(small.shape[:2]) <= 20
    assert factor == min(1.0, 20 / max(size))


def test_its_pixels_are_those_of_its_colours() -> None:
    frame = coloured(31, 41)
    x, y = np.array([[0, 40, 7]]), np.array([[30, 0, 8]])
    assert differs(sample(frame, x, y), to_bgr(frame)[y, x]) < 2
    nothing = np.zeros(0, np.intp)
    assert sample(frame, nothing, nothing).shape == (0, 3)


def test_pixels_outside_are_those_of_its_edge() -> None:
    places = np.array([[-5.0, 3.0], [99.0, 99.0]])
    frame = coloured(31, 41)
    assert differs(sample_pixels(frame, places), to_bgr(frame)[[3, 30], [0, 40]]) < 2


def test_its_view_from_above_is_that_of_its_colours() -> None:
    frame = coloured(120, 130)
    matrix = np.array([[0.9, 0.1, 3.0], [-0.1, 0.9, 12.0], [0.0, 0.0, 1.0]])
    shown, wanted = (Rectified(matrix, 90, 80).of(one) for one in (frame, to_bgr(frame)))
    assert differs(shown, wanted) < 1
    assert shown[0, 0].tolist() == [60, 60, 60]


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.2])
def test_it_is_rectified_as_its_colours_are(scale: float) -> None:
    frame = blurred(coloured(120, 130))
    view = RectifiedView.whole(np.diag([scale, scale, 1.0]), (130, 120), 32.0)
    assert differs(view.rectify(frame), view.rectify(to_bgr(frame))) < 2


def blurred(frame: Yuv420) -> Yuv420:
    """Return a frame with no edges: they are averaged before or after they are mixed with colour."""
    luma, chroma = (cv2.blur(one, (9, 9)) for one in (frame.luma, frame.chroma))
    return Yuv420(as_bytes(luma), as_bytes(chroma))


def as_bytes(array: NDArray[np.generic] | cv2.typing.MatLike) -> Frame:
    """Return an array as bytes."""
    return np.asarray(array, np.uint8)
