"""Pyramids that stand beside the board, as players put them next to their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.detector.detections import Detections, halved
from companion.vision.detector.pyramid_colours import Floats, Tints
from companion.vision.detector.pyramid_occlusion import Cover
from companion.vision.grid.homography import Points, area_scales, project
from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.grid.volcano.rectified import CELL_PX, Picture, log_colours

SIZES = ((0.645, "small"), (0.89, "medium"), (1.25, "large"))
"""Up to how broad a base has which name, against the large ones on the board (14.3, 19.8 and 25.4 mm)."""
SMALLEST = 0.4
SURE = 0.06
"""A base whose breadth lies so near the bound between two sizes is in doubt."""
LENGTH = 1.085
"""A base is so many times as long as the square of its area is broad; where its length tells another size,
something hides a part of it."""
AROUND = 2.2
"""How far around a place the table's own colour is looked for, in cells."""
DEEP = 0.45
"""A pyramid's side shifts colours at least so much as those on the board do to faces."""
SLANT = 0.5
"""And at most so much in another direction, against its own."""
MARGIN = 1.0
"""What is seen so near the board, in cells, belongs to a pyramid on it."""
USUAL = 97
"""Percentile of the table's own shifts towards a colour."""
OVER_USUAL = 1.4
"""A pyramid stands out from those so many times."""
COMPACT = 0.7
"""Share of its outline's hull that a pyramid fills at least."""
LEANING, LONGEST = 1.35, 2.4
"""What is so many times as long as broad is a pyramid seen aslant, whose breadth tells its size; in doubt, as
shade shortens it too.  It is at most so many times as long."""
WITHIN = 2
"""So far around its middle a pyramid's colour is looked at, in pixels of the smaller picture."""
ON = 0.5
"""What has its middle so near a tile's, in tile sides, is that tile."""
MOST = 5
"""Pyramids of one colour and size, so also awards: a player has five words.  Where more are seen the table
looks like that colour."""

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """Something of a pyramid's colour.

    ``middle`` (2,) is in pixels; ``area`` in cells of the board, ``outline`` (n, 2) in its coordinates, of
    which ``step`` is a pixel.  One that is ``cut`` reaches the picture's edge.
    """

    middle: Points
    area: float
    outline: Points
    step: float = 0.0
    cut: bool = False

    def breadth(self) -> tuple[float, float, bool]:
        """Return how broad the base is and how long, in cells, and whether its sides hide a part of it."""
        short, long = sorted(side + self.step for side in cv2.minAreaRect(self.outline.astype(np.float32))[1])
        leaning = long > LEANING * short
        return (short if leaning else float(np.sqrt(self.area))), long, leaning

    def holds(self, cell: int) -> bool:
        """Return whether the middle of a numbered cell lies within."""
        return self.surrounds(np.array([cell % CELLS + 0.5, cell // CELLS + 0.5]))

    def surrounds(self, place: Points) -> bool:
        """Return whether a place (col, row) lies within."""
        at = (float(place[0]), float(place[1]))
        return cv2.pointPolygonTest(self.outline.astype(np.float32), at, measureDist=False) >= 0


def large_areas(frame: Picture, board: Volcano, cover: Cover) -> list[float]:
    """Return the area that a pyramid of each colour shows on the board, in cells; 0 where none stands."""
    small, grow = lessened(frame, board)
    near = near_board(small.shape[:2], board, grow)
    on_it = log_colours(small)[..., :2] - cover.ground[:2].astype(np.float32)
    return [
        large_area(
            list(blobs(shaded(on_it, shift, DEEP) & near, board, grow, whole=False)), cover.tints.of == k
        )
        for k, shift in enumerate(cover.tints.shifts)
    ]


def awards(
    frame: Picture, board: Volcano, cover: Cover, faces: Detections, areas: Sequence[float]
) -> tuple[Piece, ...]:
    """Return the pyramids beside the board, told by the colours of those on it; bare ``faces`` are none.

    Each stands in the row and column where the board's cells would go on; ``areas`` as for ``large_areas``.
    """
    small, grow = lessened(frame, board)
    tones = log_colours(small)[..., :2].astype(np.float32)
    near = near_board(small.shape[:2], board, grow)
    if near.all():
        return ()
    away = tones - around(tones, AROUND * CELL_PX)
    large = max(areas, default=0.0)  # whatever its colour, a large one is as broad: some of it may not show
    found: list[Piece] = []
    for k, (name, shift) in enumerate(zip(cover.tints.names, cover.tints.shifts, strict=True)):
        usual = float(np.percentile((away[~near] @ unit(shift))[::7], USUAL)) / float(np.linalg.norm(shift))
        deep = max(DEEP, OVER_USUAL * usual)
        if areas[k] == 0 or deep > 1:
            continue
        like = shaded(tones - cover.face[:2].astype(np.float32), shift, deep)
        other = np.linalg.norm(away, axis=2) > deep * np.linalg.norm(shift)
        beside = blobs((shaded(away, shift, deep) | (like & other)) & ~near, board, grow)
        own = (blob for blob in beside if likest(away, blob, grow, cover.tints) == k)
        free = (blob for blob in own if not on_face(blob, faces, board))
        all_stand = int((cover.tints.of == k).sum()) >= MOST
        pieces = [piece for blob in free if (piece := piece_of(name, blob, large, board, all_stand))]
        found += pieces if len(pieces) <= MOST else []
    return tuple(sorted(found, key=lambda one: (one.row, one.col)))


def likest(away: NDArray[np.float32], blob: Blob, grow: int, tints: Tints) -> int:
    """Return the number of the colour that a blob has in its middle; ``away`` (h, w, 2) as ``shaded``."""
    col, row = np.round((blob.middle + 0.5) / grow - 0.5).astype(int)
    rows, cols = (slice(max(at - WITHIN, 0), at + WITHIN + 1) for at in (row, col))
    tone = np.median(away[rows, cols].reshape(-1, 2), axis=0)
    return int(np.argmax(tints.ways @ tone))


def on_face(blob: Blob, faces: Detections, board: Volcano) -> bool:
    """Return whether a blob lies on a tile, or a tile's middle within it."""
    away = np.linalg.norm(faces.centres - blob.middle, axis=1)
    return bool((away < ON * faces.sides).any()) or any(map(blob.surrounds, board.places(faces.centres)))


def large_area(found: list[Blob], stands: NDArray[np.bool_]) -> float:
    """Return the area that one pyramid on the board shows, 0 where none does; ``stands`` (25,) is where.

    Those that hang together hide a part of each other, so the largest share of one counts.
    """
    shares = []
    for blob in found:
        cells = np.floor(blob.outline).astype(int)
        inside = ((cells >= 0) & (cells < CELLS)).all(1)
        numbers = np.unique(cells[inside, 1] * CELLS + cells[inside, 0])
        held = [n for n in numbers.tolist() if stands[n] and blob.holds(n)]
        if held:
            shares.append(blob.area / len(held))
    return float(np.median(sorted(shares)[len(shares) // 2 :])) if shares else 0.0


def piece_of(colour: str, blob: Blob, large: float, board: Volcano, all_stand: bool = False) -> Piece | None:
    """Return the pyramid that a blob is; ``large`` is the area that one on the board shows.

    Where all large ones of its colour stand on the board, it is none of them, however broad it seems.
    """
    breadth, length, leaning = blob.breadth()
    whole = float(np.sqrt(large))
    broad, long = breadth / whole, length / whole / LENGTH
    if not SMALLEST < broad < SIZES[-1][0]:
        return None
    seems = size_of(broad)
    size = SIZES[-2][1] if all_stand and seems == SIZES[-1][1] else seems
    near = any(abs(broad - end) < SURE for end, _ in SIZES)
    unsure = blob.cut or leaning or near or size != seems or size_of(long) != seems
    row, col = board.cell_of((float(blob.middle[0]), float(blob.middle[1])))
    at = (float(blob.middle[0]), float(blob.middle[1]))
    return Piece(colour, int(np.floor(row)), int(np.floor(col)), size, unsure, at)


def size_of(broad: float) -> str:
    """Return the name of a base so broad against the large ones on the board."""
    return next((name for end, name in SIZES if broad < end), SIZES[-1][1])


def lessened(frame: Picture, board: Volcano) -> tuple[Picture, int]:
    """Return the picture made smaller, its cells about as broad as in a plan, and how many times smaller."""
    side = float(np.sqrt(np.abs(area_scales(board.homography, np.full((1, 2), CELLS / 2))[0])))
    times = max(0, int(np.log2(max(side / CELL_PX, 1.0))))
    return halved(frame, times), 2**times


def near_board(shape: tuple[int, ...], board: Volcano, grow: int) -> NDArray[np.bool_]:
    """Return which pixels of a smaller picture show the board or lie near it, (h, w)."""
    out = (Volcano.outline() - CELLS / 2) * (1 + 2 * MARGIN / CELLS) + CELLS / 2
    points = (project(board.homography, out) + 0.5) / grow - 0.5
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(points).astype(np.int32), 1)
    return mask.astype(np.bool_)


def around(tones: NDArray[np.float32], reach: float) -> NDArray[np.float32]:
    """Return the tone of the table around each pixel, (h, w, 2): the median of what lies about it."""
    size = 2 * int(reach / 2) + 1
    bytes_ = np.clip((tones / 4 + 0.5) * 255, 0, 255).astype(np.uint8)
    ground = cv2.merge([cv2.medianBlur(part, min(size, 255)) for part in cv2.split(bytes_)])
    return np.asarray((ground.astype(np.float32) / 255 - 0.5) * 4, np.float32)


def unit(shift: Floats) -> NDArray[np.float32]:
    """Return the direction of a colour's shift, (2,)."""
    return np.asarray(shift / np.linalg.norm(shift), np.float32)


def shaded(away: NDArray[np.float32], shift: Floats, deep: float) -> NDArray[np.bool_]:
    """Return which pixels differ from their ground as a colour's pyramids make them, (h, w)."""
    way = unit(shift)
    along = away @ way
    across = np.abs(away @ np.array([-way[1], way[0]], np.float32))
    return np.asarray((along > deep * float(np.linalg.norm(shift))) & (across < SLANT * along))


def blobs(mask: NDArray[np.bool_], board: Volcano, grow: int, whole: bool = True) -> Iterator[Blob]:
    """Yield what hangs together in a mask; with ``whole`` only what is no line nor scattered."""
    kernel = np.ones((3, 3), np.uint8)
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, kernel, iterations=2)
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, kernel)
    outlines, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for outline in outlines:
        area = cv2.contourArea(outline) + cv2.arcLength(outline, closed=True) / 2 + 1
        _, sides, _ = cv2.minAreaRect(outline)
        hull = cv2.convexHull(outline)
        filled = cv2.contourArea(hull) + cv2.arcLength(hull, closed=True) / 2 + 1
        if whole and (area < COMPACT * filled or max(sides) + 1 > LONGEST * (min(sides) + 1)):
            continue
        middle = (outline.reshape(-1, 2).mean(0) + 0.5) * grow - 0.5
        scale = 1 / float(np.abs(area_scales(board.homography, board.clamped_places(middle[None]))[0]))
        points = outline.reshape(-1, 2)
        edge = board.places((points.astype(np.float64) + 0.5) * grow - 0.5)
        cut = bool((points.min(0) <= 0).any() or (points.max(0) >= np.array(mask.shape[::-1]) - 1).any())
        yield Blob(middle, area * grow**2 * scale, edge, grow * float(np.sqrt(scale)), cut)
