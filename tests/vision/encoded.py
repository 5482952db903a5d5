"""Pictures as files store them."""

from __future__ import annotations

import io
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from companion.vision.camera_frame import Yuv420
from companion.vision.picture import decode_bytes


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def oriented(orientation: object) -> Image.Exif:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    return exif


def as_jpeg(picture: NDArray[np.uint8]) -> Yuv420:
    """Return a picture as a JPEG file stores it, with colour at half the size."""
    frame = decode_bytes(cv2.imencode(".jpg", picture)[1].tobytes(), colour=True)
    assert isinstance(frame, Yuv420)
    return frame
