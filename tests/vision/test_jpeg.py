"""Colours of JPEG files and others: at half the size where they are stored so."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageOps

from companion.vision.camera_frame import Yuv420, to_bgr
from companion.vision.picture import STRIP_ROWS, decode_bytes
from tests.vision.encoded import encoded, oriented


def gradient(width: int, height: int) -> Image.Image:
    """Return a picture whose colour changes slowly."""
    rows, cols = np.mgrid[:height, :width]
    return Image.fromarray(np.stack([60 + rows, 90 + cols, 200 - rows - cols], -1).astype(np.uint8))


@pytest.mark.parametrize("size", [(1, 1), (1, 10), (11, 1), (2, 3), (33, 18), (40, 2 * STRIP_ROWS + 1)])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("orientation", [1, 2, 3, 6, 7])
def test_a_jpeg_keeps_its_colour_at_half_the_size(
    size: tuple[int, int], subsampling: int, orientation: int
) -> None:
    data = encoded(gradient(*size), "JPEG", quality=95, subsampling=subsampling, exif=oriented(orientation))
    frame = decode_bytes(data, colour=True)
    assert isinstance(frame, Yuv420)
    assert frame.luma.tolist() == decode_bytes(data).tolist()
    assert frame.chroma.shape == (-(-frame.shape[0] // 2), -(-frame.shape[1] // 2), 2)
    with Image.open(io.BytesIO(data)) as image:
        wanted = np.asarray(ImageOps.exif_transpose(image).convert("RGB"), int)
    assert np.abs(to_bgr(frame)[..., ::-1] - wanted).mean() < 4


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(lambda: encoded(gradient(20, 10), "JPEG", quality=95, keep_rgb=True), id="as RGB"),
        pytest.param(lambda: encoded(gradient(20, 10).convert("CMYK"), "JPEG", quality=95), id="as CMYK"),
        pytest.param(lambda: encoded(gradient(20, 10), "WEBP", quality=95), id="WebP"),
    ],
)
def test_other_colours_are_blue_green_red(data: Callable[[], bytes]) -> None:
    frame = decode_bytes(data(), colour=True)
    assert not isinstance(frame, Yuv420)
    assert np.abs(frame[..., ::-1].astype(int) - np.asarray(gradient(20, 10), int)).mean() < 4


def test_a_grey_jpeg_has_no_colour() -> None:
    frame = decode_bytes(encoded(gradient(20, 10).convert("L"), "JPEG"), colour=True)
    assert np.ptp(to_bgr(frame).astype(int), axis=-1).max() == 0
