"""Overlay of a photograph for enrolment: each tile with its number or symbol."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.enrolment.labelling import LabelledDetections
from companion.render.pen import DOUBT, INK, VALID, Pen
from companion.vision.camera_frame import Frame, to_bgr

MIN_LABELLED_TILE_PX = 40.0
"""Least side of a tile in pixels for a legible label."""
BRIGHTNESS_FACTOR = 0.6
TOP_LINE_WIDTH_RATIO = 3.0
"""Ratio of the width of the line along a symbol's top to that of the others."""


def preview(picture: Frame, laid: LabelledDetections) -> Frame:
    """Return the picture with the detected tiles, uint8 (h, w, 3) BGR, enlarged where they are small.

    ``picture`` is grey or BGR.  A tile whose symbol is known is green, with a wide line along the symbol's
    top, and shows the symbol; others are dashed with their number in the order of reading.
    """
    detections = laid.detections
    side = float(np.median(detections.sides)) if len(detections) else MIN_LABELLED_TILE_PX
    scale = max(1.0, min(MIN_LABELLED_TILE_PX / side, 4000 / max(picture.shape)))
    frame = np.asarray(cv2.resize(to_bgr(picture), None, fx=scale, fy=scale) * BRIGHTNESS_FACTOR, np.uint8)
    pen = Pen(frame, max(1.0, side * scale / 28))
    for number, quad in enumerate((detections.quads() + 0.5) * scale - 0.5):
        mark(pen, quad, number, laid, side * scale)
    return frame


def mark(pen: Pen, quad: np.ndarray, number: int, laid: LabelledDetections, side: float) -> None:
    """Draw one tile's edge and label."""
    known = bool(laid.symbols)
    text = (laid.symbols[number] or "□") if known else str(number + 1)
    if known:
        pen.line(np.concatenate([quad, quad[:1]]), VALID)
        pen.line(quad[:2], VALID, TOP_LINE_WIDTH_RATIO)
    else:
        for start in range(4):
            pen.dashes(quad[[start, (start + 1) % 4]], DOUBT, 1.2)
    x, y = (quad[0] + quad[1]) / 2 - 0.08 * (quad[3] - quad[0])
    pen.label(text, (float(x), float(y)), max(13.0, side * 0.3), INK, VALID if known else DOUBT)
