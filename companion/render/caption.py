"""The caption below an overlay: which picture, how many tiles, the verdicts, what the signs mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from companion.model.judged import TableauVerdict
from companion.model.reading import Face, Reading
from companion.render.inks import (
    DOUBT,
    DOWN,
    HATCH,
    INK,
    INVALID,
    LOOSE,
    MUTED,
    PAPER,
    UNSURE,
    VALID,
    tableau_ink,
)
from companion.render.pen import CAPITAL, Pen, Place, Points, bgr, text_length
from companion.render.report import board_sentence, counts, is_judged, sentence
from companion.vision.picture import Frame

SMALLEST, LARGEST = 12, 40
"""Font sizes in pixels; between them a line holds about eighty letters."""

TOLD_MAX = 12
"""Tableaux that are told of; a table has room for fewer, but a carpet may look like many."""


def caption(width: int, reading: Reading, verdicts: Sequence[TableauVerdict], title: str) -> Frame:
    """Return a strip to set below an overlay, uint8 (h, width, 3) BGR."""
    size = int(np.clip(width / 50, SMALLEST, LARGEST))
    told = verdicts[:TOLD_MAX]
    frame = np.empty((round(size * (5.3 + 1.7 * len(told))), width, 3), np.uint8)
    frame[:] = bgr(INK)
    pen = Pen(frame, max(1.0, size / 12))
    y = size * 1.6
    room = width - 2 * size
    x = pen.write(fitted(title, size, room), (size, y), size, PAPER)
    about = f"{reading.tile_set}, {reading.width} × {reading.height}"
    if x + 2 * size + text_length(about, size) < room:
        pen.write(about, (x + size, y), size, MUTED)
    y += size * 1.6
    pen.write(fitted(counts(reading), size, room), (size, y), size, PAPER)
    for number, verdict in enumerate(told, 1):
        y += size * 1.7
        label = size * 1.7, y - size * CAPITAL / 2
        pen.label(str(number), label, size * 1.4, PAPER, tableau_ink(number - 1))
        said = sentence(verdict) if is_judged(number, reading) else board_sentence(reading)
        pen.write(fitted(said, size, room - size * 2), (size * 3, y), size, PAPER)
    legend(pen, (size, y + size * 1.5), round(size * 0.8), reading, verdicts)
    return frame


def fitted(text: str, size: int, room: float) -> str:
    """Return as much of a text as fits into ``room`` pixels."""
    if text_length(text, size) <= room:
        return text
    fits = [end for end in range(len(text)) if text_length(f"{text[:end]}…", size) <= room]
    return f"{text[: max(fits, default=0)]}…"


def legend(pen: Pen, origin: Place, size: int, reading: Reading, verdicts: Sequence[TableauVerdict]) -> None:
    """Explain the signs that occur on this picture, as many as there is room for."""
    x, y = origin
    for name, draw in signs(pen, reading, verdicts):
        sample = 2.6 * size
        if x + sample + text_length(name, size) > pen.frame.shape[1] - size:
            return
        draw(np.array([[x, y - size * CAPITAL / 2], [x + 2 * size, y - size * CAPITAL / 2]]))
        x = pen.write(name, (x + sample, y), size, MUTED) + 1.5 * size


def signs(
    pen: Pen, reading: Reading, verdicts: Sequence[TableauVerdict]
) -> list[tuple[str, Callable[[Points], None]]]:
    """Return name and way of drawing of each sign that occurs."""
    found = {word.valid for verdict in verdicts for word in verdict.words}
    tiles = reading.tiles
    every: list[tuple[bool, str, Callable[[Points], None]]] = [
        (True in found, "valid word", lambda line: pen.line(line, VALID, 1.5)),
        (False in found, "not a word", lambda line: pen.waves(line, INVALID)),
        (None in found, "unsure", lambda line: pen.dots(line, UNSURE)),
        (any(t.doubt for t in tiles), "doubted tile", lambda line: pen.dashes(line, DOUBT, 1.6)),
        (
            any(t.face is Face.UP and t.tableau is None and not t.doubt for t in tiles),
            "loose tile",
            lambda line: pen.line(line, LOOSE),
        ),
        (any(t.face is Face.DOWN for t in tiles), "face down", lambda line: swatch(pen, line)),
    ]
    return [(name, draw) for occurs, name, draw in every if occurs]


def swatch(pen: Pen, line: Points) -> None:
    """Draw a hatched box along a line."""
    half = np.array([0.0, 0.25 * (line[1, 0] - line[0, 0])])
    box = np.array([line[0] - half, line[1] - half, line[1] + half, line[0] + half])
    cv2.fillPoly(pen.frame, [np.round(box).astype(np.int32)], bgr(MUTED))
    pen.hatch(box, HATCH, 2.5 * pen.width)
    pen.line(box[[0, 1, 2, 3, 0]], DOWN)
