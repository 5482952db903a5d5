"""A strip of words below a picture of setting up: what was understood, what to do."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.render.pen import DOUBT, INK, MUTED, PAPER, VALID, Pen, bgr, text_length
from companion.vision.picture import Frame, coloured

LEAST_WIDTH, MOST_WIDTH = 1200, 2400
"""Pixels that a picture is enlarged or shrunk to, so that words upon it can be read and it opens quickly."""

MOST_HEIGHT = 2 * MOST_WIDTH
"""Pixels up to which it may be high: that of a phone held upright is about twice as high as wide."""

GOOD, BAD, PLAIN, QUIET = VALID, DOUBT, PAPER, MUTED
"""Inks of a line; what is good or bad is said by its sign and words too."""

Line = tuple[str, str]
"""A sentence and its ink."""


def handy(picture: Frame) -> tuple[Frame, float]:
    """Return a copy of a picture in colour, of a handy size, and how much larger it is.

    Beside a picture that is high and narrow it is black, so that words below have room.
    """
    height, width = picture.shape[:2]
    scale = min(float(np.clip(width, LEAST_WIDTH, MOST_WIDTH)) / width, MOST_HEIGHT / height)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    size = max(1, round(width * scale)), max(1, round(height * scale))
    sized = coloured(np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8))
    room = max(0, LEAST_WIDTH - size[0])  # beside a picture that is high and narrow
    return np.array(cv2.copyMakeBorder(sized, 0, 0, 0, room, cv2.BORDER_CONSTANT), np.uint8, order="C"), scale


def dimmed(picture: Frame, light: float) -> Frame:
    """Return a picture in colour with so much of its light."""
    return np.asarray(picture * np.float32(light), np.uint8)


def captioned(picture: Frame, title: str, lines: Sequence[Line]) -> Frame:
    """Return a picture, uint8 (h, w, 3), with a title and sentences below it, broken where they are long."""
    width = picture.shape[1]
    size = round(width / 46)
    rows = [(part, ink) for text, ink in lines for part in broken(text, size, width - 3 * size)]
    strip = np.empty((round(size * (2.6 + 1.5 * len(rows))), width, 3), np.uint8)
    strip[:] = bgr(INK)
    pen = Pen(strip, 1.0)
    pen.write(title, (size, round(size * 1.6)), round(size * 1.1), PAPER)
    for number, (text, ink) in enumerate(rows):
        pen.write(text, (size, round(size * (3.3 + 1.5 * number))), size, ink)
    return np.concatenate([picture, strip])


def broken(text: str, size: int, room: float) -> list[str]:
    """Return a sentence in lines that fit into ``room`` pixels."""
    first, *others = text.split()
    lines = [first]
    for word in others:
        longer = f"{lines[-1]} {word}"
        if text_length(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(f"    {word}")
    return lines
