"""The usual way: contours of OpenCV find tiles, and Tesseract reads them.

Contours isolate few tiles, as most touch others.  So Tesseract is given the true outlines and turns: it reads
all tiles of a table, rectified and set in lines as on a page, in one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import pytesseract
from numpy.typing import NDArray

from calibration.drawing.scene import Scene
from calibration.evaluation.metric import Metric, cpu_timed, percent
from calibration.evaluation.scoring import MATCH_RADIUS, match_points
from companion.vision.camera_frame import Frame

SIDE_RATIOS = (0.75, 1.25)
"""Least and greatest side of an outline that is taken for a tile, in tile sides."""

THRESHOLD_BLOCK_TILES, THRESHOLD_OFFSET_GREY = 2, 2
"""Block size of the adaptive threshold in tile sides, and its constant in grey levels.

Among 1, 2 and 4 sides and 2, 5 and 10 levels, these isolate most tiles of the drawn table.
"""

TILE_SIDE_PX, RIM_PX, TILES_PER_LINE = 48, 5, 24
"""Side of a rectified tile, the rim that is cut off at each edge, both in pixels, and tiles in a line.

Among sides of 48, 64 and 96 pixels, gaps of 0 to 20 pixels, and lines of 12 to 36 tiles, these read most of
864 drawn tiles, 96 %; the others 94 to 96 %.
"""

TESSERACT_SETTINGS = (
    "--psm 6 -c load_system_dawg=0 -c load_freq_dawg=0 -c tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
"""Options of Tesseract: one block of lines, no dictionary, capitals only.

Its other ways to segment a page (3, 4 and 11) lose most tiles of some tables.
"""

Corners = NDArray[np.float32]
"""The corners of n tiles or outlines in pixels, (n, 4, 2)."""


def baseline_metrics(scenes: Sequence[Scene], ours_ms: float) -> Iterator[Metric]:
    """Yield the shares of outlined and of rightly read tiles, and Tesseract's time a tile and beside ours."""
    count = sum(len(scene.tiles) for scene in scenes)
    outlined = sum(map(tiles_outlined, scenes))
    yield Metric("contours: tiles outlined", percent(outlined, count), "%", how=f"{outlined} of {count}")
    try:
        right, spent_ms = cpu_timed(lambda: sum(map(letters_right, scenes)))
    except pytesseract.TesseractNotFoundError:
        yield Metric.not_measured("Tesseract", "install it: apt-get install tesseract-ocr")
        return
    how = f"{right} of {count}; one call a scene, true outlines and turns given"
    yield Metric("Tesseract: tiles right", percent(right, count), "%", how=how)
    yield Metric("Tesseract: a tile", spent_ms / count, "ms", how="CPU time, mean; with rectification")
    table_ms = spent_ms / len(scenes)
    how = f"{table_ms:,.0f} ms a scene; ours, {ours_ms:,.0f} ms, finds the tiles, too"
    yield Metric("Tesseract: times our reading", table_ms / ours_ms, "times", how=how)


def corners_of(scene: Scene) -> Corners:
    """Return the true corners of a scene's tiles, clockwise from their symbols' own top left."""
    return np.array([tile.corners for tile in scene.tiles], np.float32)


def tiles_outlined(scene: Scene) -> int:
    """Return the number of a scene's tiles that have an outline of their own."""
    found = outlines(scene.picture, scene.tile_px)
    return len(match_outlines(corners_of(scene), found, scene.tile_px))


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


def letters_right(scene: Scene) -> int:
    """Return the number of a scene's tiles that Tesseract reads rightly, all in one call."""
    faces = [rectified_tile(scene.picture, corners) for corners in corners_of(scene)]
    read = page_letters(page_of(faces))
    return sum(read.get(k) == tile.symbol for k, tile in enumerate(scene.tiles))


def rectified_tile(grey: Frame, corners: Corners) -> Frame:
    """Return a tile, its corners (4, 2), as a binarised square without its rim, uint8."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * TILE_SIDE_PX
    cut = cv2.warpPerspective(grey, cv2.getPerspectiveTransform(corners, square), (TILE_SIDE_PX,) * 2)
    face = cut[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    return np.asarray(cv2.threshold(face, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1], np.uint8)


def page_of(faces: Sequence[Frame]) -> Frame:
    """Return the faces of tiles side by side, in lines of ``TILES_PER_LINE``, the last filled with white."""
    white = [np.full_like(faces[0], 255)] * (-len(faces) % TILES_PER_LINE)
    every = [*faces, *white]
    return np.vstack([np.hstack(every[k : k + TILES_PER_LINE]) for k in range(0, len(every), TILES_PER_LINE)])


def page_letters(page: Frame) -> dict[int, str]:
    """Return the last letter that Tesseract reads on each tile of a page, by the tile's number."""
    side, letters = page.shape[1] / TILES_PER_LINE, dict[int, str]()
    for line in pytesseract.image_to_boxes(page, config=TESSERACT_SETTINGS).splitlines():
        letter, left, bottom, right, top, _ = line.split(" ")
        col, row = (int(left) + int(right)) / 2 // side, (len(page) - (int(bottom) + int(top)) / 2) // side
        letters[int(row * TILES_PER_LINE + col)] = letter
    return letters
