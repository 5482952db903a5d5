"""The usual way, for comparison: outlines by OpenCV, each cut out upright and read by Tesseract.

Every tile that has an outline of its own is tried in four turns, as nobody
knows which way it lies, and the surest reading counts.  Only some tiles are
read, spread over the table, and the time is scaled to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytesseract
from numpy.typing import NDArray

from calibration.drawing.scene import Scene
from calibration.evaluation.figure import Figure, cpu_s_with_children, percent
from calibration.evaluation.scoring import REACH, paired
from companion.vision.picture import Frame

TRIED = 24
"""Tiles that Tesseract reads for each figure."""

SIDES = (0.75, 1.25)
"""Side of an outline that may be a tile's, in tile sides."""

AROUND, DARKER = 2, 2
"""Side of the square that a pixel is compared with, in tile sides, and the grey levels of the difference.

Of 1, 2 and 4 sides and 2, 5 and 10 levels these isolate most tiles of the drawn table.
"""

CUT_PX, RIM_PX, WHITE_PX = 96, 10, 20
"""Side of a tile cut out, the part of it that is taken for the rim, and the white around it, in pixels."""

SETTINGS = "--psm 10 -c tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""One letter a picture, capitals alone."""

Corners = NDArray[np.float32]
"""The corners of n tiles or outlines in pixels, (n, 4, 2)."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How many tiles were read, how many of them right, and the seconds of processor each took."""

    tiles: int
    right: int
    each_s: float


def rival_figures(scene: Scene, ours_ms: float) -> Iterator[Figure]:
    """Yield what the usual way isolates and reads of a drawn table, how long it takes, and against ours."""
    try:
        pytesseract.get_tesseract_version()
    except pytesseract.TesseractNotFoundError:
        yield Figure.missing("contours and pytesseract", "install it: apt-get install tesseract-ocr")
        return
    begun = cpu_s_with_children()
    outlined = outlines(scene.picture, scene.tile_px)
    outlines_s = cpu_s_with_children() - begun
    true = np.array([tile.corners for tile in scene.tiles], np.float32)
    symbols = [tile.symbol for tile in scene.tiles]
    pairs = isolated(true, outlined, scene.tile_px)
    found = [(outlined[j], symbols[i]) for i, j in pairs]
    own = tried(scene.picture, spread(found))
    given = tried(scene.picture, spread(list(zip(true, symbols, strict=True))))
    count = len(scene.tiles)
    name = "contours and pytesseract"
    yield Figure(f"{name}: isolated", percent(len(pairs), count), "%", how=f"{len(pairs)} of {count}")
    read = percent(len(pairs) * own.right, count * own.tiles) if own.tiles else 0.0
    yield Figure(f"{name}: read", read, "%", how=f"{own.right} of {own.tiles} isolated tiles tried")
    how = f"{given.right} of {given.tiles} tiles tried"
    yield Figure(f"{name}: read, true outlines given", percent(given.right, given.tiles), "%", how=how)
    how = f"CPU time; mean of {given.tiles} tiles, four turns each"
    yield Figure(f"{name}: a tile", given.each_s, "s", how=how)
    whole_s = outlines_s + given.each_s * count
    how = f"{whole_s:,.1f} s for {count} tiles, scaled, against {ours_ms:,.1f} ms"
    yield Figure(f"{name}: times our reading", 1000 * whole_s / ours_ms, "times", how=how)


def outlines(grey: Frame, tile_px: float) -> Corners:
    """Return outer outlines as large as a tile, (n, 4, 2): bright or dark ones, whichever are more."""
    smooth = cv2.GaussianBlur(grey, (5, 5), 0)
    around = 2 * round(AROUND * tile_px / 2) + 1
    best: list[NDArray[np.float32]] = []
    for sense in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
        parts = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, sense, around, DARKER)
        found, _ = cv2.findContours(parts, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        boxes = [cv2.minAreaRect(outline) for outline in found]
        fitting = [box for box in boxes if all(SIDES[0] < side / tile_px < SIDES[1] for side in box[1])]
        best = max(best, [np.asarray(cv2.boxPoints(box), np.float32) for box in fitting], key=len)
    return np.array(best, np.float32).reshape(-1, 4, 2)


def isolated(true: Corners, outlined: Corners, tile_px: float) -> list[tuple[int, int]]:
    """Return pairs of indices of tiles and the outlines that lie on them."""
    here, there = ([(float(x), float(y)) for x, y in corners.mean(1)] for corners in (true, outlined))
    return paired(here, there, REACH * tile_px)


def spread(tiles: Sequence[tuple[Corners, str | None]]) -> list[tuple[Corners, str | None]]:
    """Return so many tiles as are tried, spread over all of them."""
    return [tiles[k] for k in np.linspace(0, len(tiles) - 1, min(TRIED, len(tiles))).astype(int)]


def tried(grey: Frame, tiles: Sequence[tuple[Corners, str | None]]) -> Tried:
    """Read tiles of known symbols and return how that went."""
    begun = cpu_s_with_children()
    right = sum(named(cut_out(grey, corners)) == symbol for corners, symbol in tiles)
    spent_s = cpu_s_with_children() - begun
    return Tried(len(tiles), right, spent_s / max(1, len(tiles)))


def cut_out(grey: Frame, corners: Corners) -> Frame:
    """Return what lies within four corners, (4, 2), black on white and without its rim, uint8, a square."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * CUT_PX
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), square)
    cut = cv2.warpPerspective(grey, matrix, (CUT_PX, CUT_PX))
    face = cut[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    _, ink = cv2.threshold(face, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return np.asarray(cv2.copyMakeBorder(ink, *(WHITE_PX,) * 4, cv2.BORDER_CONSTANT, value=255), np.uint8)


def named(cut: Frame) -> str:
    """Return the letter read in the turn that Tesseract is surest of, empty where it reads nothing."""
    reads = [read for turn in range(4) for read in words(np.ascontiguousarray(np.rot90(cut, turn)))]
    return max(reads, default=(0.0, ""))[1][:1]


def words(picture: Frame) -> list[tuple[float, str]]:
    """Return the words that Tesseract reads in a picture and how sure it is of each."""
    found = pytesseract.image_to_data(picture, config=SETTINGS, output_type=pytesseract.Output.DICT)
    return [
        (float(sure), text) for sure, text in zip(found["conf"], found["text"], strict=True) if text.strip()
    ]
