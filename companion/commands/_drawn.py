"""Drawings that commands leave behind, in the format that a file's name asks for."""

from __future__ import annotations

from pathlib import Path

import cv2

from companion.errors import BadOutput, UsageError
from companion.vision.picture import Frame, shown

PICTURES = (".png", ".jpg", ".jpeg")
"""Kinds of files that a drawing is written as."""


def save_picture(path: Path, picture: Frame) -> None:
    """Write a picture, in the format that its name asks for; raise UsageError or BadOutput."""
    if path.suffix.lower() not in PICTURES:
        raise UsageError(f"{shown(path)}: end its name in .png or .jpg")
    fine, body = cv2.imencode(path.suffix.lower(), picture)
    if not fine:
        raise BadOutput(f"{shown(path)}: too large for this format; end its name in .png")
    try:
        path.write_bytes(body.data)
    except OSError as error:
        raise BadOutput(f"{shown(path)}: cannot be written: {error.strerror}") from error
