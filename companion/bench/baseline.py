"""The baseline: contours of OpenCV, each rectified and read by Tesseract.

Every isolated tile is read in four quarter turns, and the reading with the highest confidence counts.  Only a
sample of the tiles, evenly spaced, is read; the time is scaled to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytesseract
from numpy.typing import NDArray

from calibration.drawing.scene import Scene
from calibration.evaluation.metric import Metric, cpu_s_with_children, percent
from calibration.evaluation.scoring import MATCH_RADIUS, match_points
from companion.vision.camera_frame import Frame

SAMPLED_TILES = 24
"""Number of tiles that Tesseract reads for each metric."""

SIDE_RATIOS = (0.75, 1.25)
"""Least and greatest side of an outline that is taken for a tile, in tile sides."""

THRESHOLD_BLOCK_TILES, THRESHOLD_OFFSET_GREY = 2, 2
"""Block size of the adaptive threshold in tile sides, and its constant in grey levels.

Among 1, 2 and 4 sides and 2, 5 and 10 levels, these isolate most tiles of the drawn table.
"""

TILE_SIDE_PX, RIM_PX, WHITE_MARGIN_PX = 96, 10, 20
"""Side of a rectified tile, the rim that is cut off at each edge, and the white margin, in pixels."""

TESSERACT_SETTINGS = "--psm 10 -c tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Options of Tesseract: one letter in each picture, capitals only."""

Corners = NDArray[np.float32]
"""The corners of n tiles or outlines in pixels, (n, 4, 2)."""


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """Number of tiles read, number of those right, and processor time of each in seconds."""

    tiles: int
    right: int
    each_s: float


def baseline_metrics(scene: Scene, ours_ms: float) -> Iterator[Metric]:
    """Yield the baseline's share of isolated and of right tiles of a drawn table, and its time with ours."""
    try:
        pytesseract.get_tesseract_version()
    except pytesseract.TesseractNotFoundError:
        yield Metric.not_measured("contours and pytesseract", "install it: apt-get install tesseract-ocr")
        return
    begun = cpu_s_with_children()
    outlined = outlines(scene.picture, scene.tile_px)
    outlines_s = cpu_s_with_children() - begun
    true = np.array([tile.corners for tile in scene.tiles], np.float32)
    symbols = [tile.symbol for tile in scene.tiles]
    pairs = match_outlines(true, outlined, scene.tile_px)
    found = [(outlined[j], symbols[i]) for i, j in pairs]
    own = read_sample(scene.picture, evenly_spaced(found))
    given = read_sample(scene.picture, evenly_spaced(list(zip(true, symbols, strict=True))))
    count = len(scene.tiles)
    name = "contours and pytesseract"
    yield Metric(f"{name}: isolated", percent(len(pairs), count), "%", how=f"{len(pairs)} of {count}")
    read = percent(len(pairs) * own.right, count * own.tiles) if own.tiles else 0.0
    yield Metric(f"{name}: read", read, "%", how=f"{own.right} of {own.tiles} isolated tiles tried")
    how = f"{given.right} of {given.tiles} tiles tried"
    yield Metric(f"{name}: read, true outlines given", percent(given.right, given.tiles), "%", how=how)
    how = f"CPU time; mean of {given.tiles} tiles, four turns each"
    yield Metric(f"{name}: a tile", given.each_s, "s", how=how)
    whole_s = outlines_s + given.each_s * count
    how = f"{whole_s:,.1f} s for {count} tiles, scaled, against {ours_ms:,.1f} ms"
    yield Metric(f"{name}: times our reading", 1000 * whole_s / ours_ms, "times", how=how)


def outlines(grey: Frame, tile_px: float) -> Corners:
    """Return the outer contours of a tile's size, bright or dark ones (whichever are more), (n, 4, 2)."""
    smooth = cv2.GaussianBlur(grey, (5, 5), 0)
    around = 2 * round(THRESHOLD_BLOCK_TILES * tile_px / 2) + 1
    best: list[NDArray[np.float32]] = []
    for sense in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
        parts = cv2.adaptiveThreshold(
            smooth, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, sense, around, THRESHOLD_OFFSET_GREY
        )
        found, _ = cv2.findContours(parts, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        boxes = [cv2.minAreaRect(outline) for outline in found]
        fitting = [
            box for box in boxes if all(SIDE_RATIOS[0] < side / tile_px < SIDE_RATIOS[1] for side in box[1])
        ]
        best = max(best, [np.asarray(cv2.boxPoints(box), np.float32) for box in fitting], key=len)
    return np.array(best, np.float32).reshape(-1, 4, 2)


def match_outlines(true: Corners, outlined: Corners, tile_px: float) -> list[tuple[int, int]]:
    """Return pairs of indices of tiles and of the outlines that match them."""
    here, there = ([(float(x), float(y)) for x, y in corners.mean(1)] for corners in (true, outlined))
    return match_points(here, there, MATCH_RADIUS * tile_px)


def evenly_spaced(tiles: Sequence[tuple[Corners, str | None]]) -> list[tuple[Corners, str | None]]:
    """Return ``SAMPLED_TILES`` of the tiles, evenly spaced in their order."""
    return [tiles[k] for k in np.linspace(0, len(tiles) - 1, min(SAMPLED_TILES, len(tiles))).astype(int)]


def read_sample(grey: Frame, tiles: Sequence[tuple[Corners, str | None]]) -> BaselineResult:
    """Read tiles of known symbols with Tesseract and return how many are right."""
    begun = cpu_s_with_children()
    right = sum(best_letter(rectified_tile(grey, corners)) == symbol for corners, symbol in tiles)
    spent_s = cpu_s_with_children() - begun
    return BaselineResult(len(tiles), right, spent_s / max(1, len(tiles)))


def rectified_tile(grey: Frame, corners: Corners) -> Frame:
    """Return a tile, its corners (4, 2), as a binarised square without its rim, uint8."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * TILE_SIDE_PX
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), square)
    cut = cv2.warpPerspective(grey, matrix, (TILE_SIDE_PX, TILE_SIDE_PX))
    face = cut[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    _, ink = cv2.threshold(face, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return np.asarray(
        cv2.copyMakeBorder(ink, *(WHITE_MARGIN_PX,) * 4, cv2.BORDER_CONSTANT, value=255), np.uint8
    )


def best_letter(cut: Frame) -> str:
    """Return the letter of the quarter turn with the highest confidence, empty where nothing is read."""
    reads = [read for turn in range(4) for read in tesseract_words(np.ascontiguousarray(np.rot90(cut, turn)))]
    return max(reads, default=(0.0, ""))[1][:1]


def tesseract_words(picture: Frame) -> list[tuple[float, str]]:
    """Return the confidence and the text of each word that Tesseract reads in a picture."""
    found = pytesseract.image_to_data(picture, config=TESSERACT_SETTINGS, output_type=pytesseract.Output.DICT)
    return [
        (float(sure), text) for sure, text in zip(found["conf"], found["text"], strict=True) if text.strip()
    ]
