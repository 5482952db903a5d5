"""A caption below a picture of the set-up: a title and lines of text."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.render.pen import DOUBT, INK, MUTED, PAPER, VALID, Pen, bgr, text_length
from companion.vision.camera_frame import Frame, to_bgr

MIN_DISPLAY_WIDTH_PX, MAX_DISPLAY_WIDTH_PX = 1200, 2400
"""Least and largest width of a displayed picture, in pixels: its words are legible and it opens quickly."""

MAX_DISPLAY_HEIGHT_PX = 2 * MAX_DISPLAY_WIDTH_PX
"""Largest height of a displayed picture, in pixels: a phone's upright picture is about 2 : 1."""

GOOD, BAD, PLAIN, QUIET = VALID, DOUBT, PAPER, MUTED
"""Text colours of a line; colour is never the only sign of good or bad."""

Line = tuple[str, str]
"""A sentence and its text colour."""


def resized_for_display(picture: Frame) -> tuple[Frame, float]:
    """Return a copy of a picture in colour, resized for display, and its scale.

    A picture that is high and narrow gets a black strip at its right, so that the caption has room.
    """
    height, width = picture.shape[:2]
    scale = min(
        float(np.clip(width, MIN_DISPLAY_WIDTH_PX, MAX_DISPLAY_WIDTH_PX)) / width,
        MAX_DISPLAY_HEIGHT_PX / height,
    )
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    size = max(1, round(width * scale)), max(1, round(height * scale))
    sized = to_bgr(np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8))
    room = max(0, MIN_DISPLAY_WIDTH_PX - size[0])  # right of a high and narrow picture
    return np.array(cv2.copyMakeBorder(sized, 0, 0, 0, room, cv2.BORDER_CONSTANT), np.uint8, order="C"), scale


def dimmed(picture: Frame, light: float) -> Frame:
    """Return a picture in colour multiplied by a share ``light`` of its brightness."""
    return np.asarray(picture * np.float32(light), np.uint8)


def captioned(picture: Frame, title: str, lines: Sequence[Line]) -> Frame:
    """Return a picture, uint8 (h, w, 3), with a title and wrapped lines below it."""
    width = picture.shape[1]
    size = round(width / 46)
    rows = [(part, ink) for text, ink in lines for part in wrapped(text, size, width - 3 * size)]
    strip = np.empty((round(size * (2.6 + 1.5 * len(rows))), width, 3), np.uint8)
    strip[:] = bgr(INK)
    pen = Pen(strip, 1.0)
    pen.write(title, (size, round(size * 1.6)), round(size * 1.1), PAPER)
    for number, (text, ink) in enumerate(rows):
        pen.write(text, (size, round(size * (3.3 + 1.5 * number))), size, ink)
    return np.concatenate([picture, strip])


def wrapped(text: str, size: int, room: float) -> list[str]:
    """Return a sentence wrapped into lines of at most ``room`` pixels."""
    first, *others = text.split()
    lines = [first]
    for word in others:
        longer = f"{lines[-1]} {word}"
        if text_length(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(f"    {word}")
    return lines
