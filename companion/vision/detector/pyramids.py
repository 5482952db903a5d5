"""Detection of the pyramids on a Volcano board, and beside it next to the players' words.

Those beside it are detected by the colours of those on it, in a view from above with square cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece, Point
from companion.vision.colour import log_chroma
from companion.vision.detector.detections import Detections, halved
from companion.vision.detector.pyramid_colours import (
    GROUND_LABEL,
    MAX_PYRAMIDS_PER_COLOUR,
    BoardColours,
    Floats,
    Mask,
    ToneClusters,
    match_palette,
    measure_board_colours,
    palette_of,
)
from companion.vision.grid.homography import Matrix3, Points, area_scales, depths, project
from companion.vision.grid.volcano import CELL_CENTRES, CELLS_PER_SIDE, Palette, Volcano
from companion.vision.picture import Frame, to_bgr

LARGE = "large"
"""Size of the pyramids that stand on the board, by the rules of the game."""
SIZE_BOUNDS = ((0.4, ""), (0.645, "small"), (0.89, "medium"), (1.25, LARGE))
"""Upper bounds of a base's width, relative to the large ones on the board, and names of the sizes (14.3, 19.8
and 25.4 mm).
"""
SIZE_MARGIN = 0.06
"""Distance from the bound between two sizes within which a base is in doubt, as the same ratio."""
LENGTH_RATIO = 1.085
"""Length of a base over the side of a square of its area. Where its length implies another size than its
area, it is partly hidden.
"""
CELL_PX = 24
"""Side of a cell in the view from above, in pixels."""
MAX_CELLS_BEYOND = 16
"""Largest number of cells that are searched beyond the board on each side."""
MEDIAN_WINDOW_PX = 53
"""Side of the median filter that estimates the table's own colour, in pixels of the view."""
MIN_SHIFT_RATIO, MAX_CROSS_SHIFT_RATIO = 0.45, 0.5
"""Least colour shift of a pyramid, relative to that of those on the board over faces, and greatest shift
across that direction, relative to the shift along it."""
BOARD_MARGIN_CELLS = 1
"""Distance from the board, in cells, within which a region belongs to a pyramid on it."""
MIN_SOLIDITY, MAX_ASPECT_RATIO = 0.7, 2.4
"""Least share of its convex hull that a pyramid fills, and its largest ratio of length to width."""
MIN_OBLIQUE_ASPECT_RATIO = 1.35
"""Least ratio of length to width of an oblique pyramid.  Its width then gives its size, in doubt, as shade
shortens it too.
"""
MAX_TILE_DISTANCE = 0.5
"""Distance from a tile's centre, in tile sides, within which a region is that tile."""

Span = tuple[NDArray[np.int_], NDArray[np.int_]]
"""The first (col, row) of some cells, and the one after the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A region of a pyramid's colour: its ``outline`` (n, 2) as (col, row), its ``area`` in cells.

    ``cut`` is whether it reaches the picture's edge.
    """

    outline: Points
    area: float
    cut: bool = False

    @property
    def middle(self) -> Points:
        """Its middle as (col, row), (2,)."""
        return np.asarray(self.outline.mean(0))

    def breadth(self) -> tuple[float, float, bool]:
        """Return the width and length of the base, in cells, and whether its sides hide a part of it."""
        short, long = sorted(cv2.minAreaRect(self.outline.astype(np.float32))[1])
        leaning = long > MIN_OBLIQUE_ASPECT_RATIO * short
        return (short if leaning else float(np.sqrt(self.area))), long, leaning

    def surrounds(self, place: Points) -> bool:
        """Return whether a place (col, row) lies within the region."""
        at = (float(place[0]), float(place[1]))
        return cv2.pointPolygonTest(self.outline.astype(np.float32), at, measureDist=False) >= 0


@dataclass(frozen=True, slots=True, eq=False)
class TopView:
    """Cells of a table from above: ``tones`` float32 (h, w, 2), ``visible`` mask (h, w), first cell.

    ``near`` (h, w) is the mask of the board and its close surroundings.
    """

    tones: NDArray[np.float32]
    visible: Mask
    low: NDArray[np.int_]

    @classmethod
    def of(cls, frame: Frame, board: Volcano, span: Span) -> TopView:
        """Return the view of some cells; ``frame`` is blue, green, red."""
        low, high = span
        wide, tall = ((high - low) * CELL_PX).tolist()
        step = 1 / CELL_PX
        pixels = np.array([[step, 0, low[0] + step / 2], [0, step, low[1] + step / 2], [0, 0, 1]])
        side = float(np.sqrt(area_scales(board.homography, np.full((1, 2), CELLS_PER_SIDE / 2))[0]))
        times = max(0, int(np.log2(max(side / CELL_PX, 1.0))))
        left, top, right, bottom = seen_box(frame, board.homography, span)
        small = halved(frame[top:bottom, left:right], times)
        shrink = np.diag([0.5**times, 0.5**times, 1.0]) @ np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]])
        shrink[:2, 2] += 0.5 ** (times + 1) - 0.5
        way, flags = shrink @ board.homography @ pixels, cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        flat = cv2.warpPerspective(small, way, (wide, tall), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        inside = np.full(small.shape[:2], 255, np.uint8)
        visible = cv2.warpPerspective(inside, way, (wide, tall), flags=flags) > 250
        return cls(np.asarray(log_chroma(flat.astype(np.float32)), np.float32)[..., 1:], visible, low)

    @property
    def near(self) -> Mask:
        """Mask of the pixels that show the board or lie near it, (h, w)."""
        first, last = -BOARD_MARGIN_CELLS - self.low, CELLS_PER_SIDE + BOARD_MARGIN_CELLS - self.low
        (left, top), (right, bottom) = np.maximum(first, 0) * CELL_PX, np.maximum(last, 0) * CELL_PX
        mask = np.zeros(self.visible.shape, np.bool_)
        mask[top:bottom, left:right] = True
        return mask

    def ground(self) -> NDArray[np.float32]:
        """Return the tone of the table around each pixel, (h, w, 2): the median of its surroundings."""
        as_bytes = np.clip((self.tones / 4 + 0.5) * 255, 0, 255).astype(np.uint8)
        blurred = cv2.merge([cv2.medianBlur(part, MEDIAN_WINDOW_PX) for part in cv2.split(as_bytes)])
        return np.asarray((blurred.astype(np.float32) / 255 - 0.5) * 4, np.float32)

    def regions(self, mask: Mask, whole: bool = True) -> Iterator[Region]:
        """Yield the connected regions of a mask, (h, w); ``whole`` only compact ones."""
        kernel = np.ones((3, 3), np.uint8)
        closed = cv2.morphologyEx((mask & self.visible).view(np.uint8), cv2.MORPH_CLOSE, kernel, iterations=2)
        opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, kernel)
        hidden = cv2.dilate((~self.visible).view(np.uint8), kernel)
        for outline in cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
            long, short = (side + 1 for side in sorted(cv2.minAreaRect(outline)[1], reverse=True))
            area = pixels_in(outline)
            if whole and (
                area < MIN_SOLIDITY * pixels_in(cv2.convexHull(outline)) or long > MAX_ASPECT_RATIO * short
            ):
                continue
            points = outline.reshape(-1, 2)
            rim = (points <= 0).any() or (points >= np.array(mask.shape[::-1]) - 1).any()
            cut = bool(rim or hidden[points[:, 1], points[:, 0]].any())
            grown = points + 0.5 + np.sign(points - points.mean(0)) / 2
            yield Region(grown / CELL_PX + self.low, area / CELL_PX**2, cut)


def pixels_in(outline: cv2.typing.MatLike) -> float:
    """Return the number of pixels within and on an outline (Pick's theorem)."""
    return cv2.contourArea(outline) + cv2.arcLength(outline, closed=True) / 2 + 1


def seen_box(frame: Frame, homography: Matrix3, span: Span) -> tuple[int, int, int, int]:
    """Return the part of a picture that shows some cells: left, top, right, bottom."""
    (a, b), (c, d) = span
    outline = np.array([(a, b), (c, b), (c, d), (a, d)], np.float64)
    height, width = frame.shape[:2]
    if depths(homography, outline).min() <= 0:
        return 0, 0, width, height
    points = project(homography, outline)
    left, top = np.clip(points.min(0) - CELL_PX, 0, (width - 1, height - 1)).astype(int).tolist()
    right, bottom = (
        np.clip(points.max(0) + CELL_PX, (left + 1, top + 1), (width, height)).astype(int).tolist()
    )
    return left, top, right, bottom


def span_of_points(board: Volcano, points: Points) -> Span:
    """Return the cells that show points of the picture, (n, 2), those far from the board left out."""
    places = np.clip(board.places(points), -MAX_CELLS_BEYOND, CELLS_PER_SIDE + MAX_CELLS_BEYOND)
    return np.floor(places.min(0)).astype(int), np.ceil(places.max(0)).astype(int)


def whole_span(board: Volcano, frame: Frame) -> Span:
    """Return the cells that a picture shows, those far from the board left out."""
    height, width = frame.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    return span_of_points(board, np.vstack([corners, project(board.homography, Volcano.outline())]))


def find_pyramids(
    frame: Frame, board: Volcano, tiles: Detections, faces: Detections, known: Palette | None = None
) -> Volcano:
    """Return a board with the pyramids on it and beside it.

    Parameters
    ----------
    frame
        Blue, green, red, (h, w, 3), or grey, (h, w), which shows no pyramids.
    tiles
        The tiles in it that surely show a symbol.
    faces
        Likely tiles: a region on one of them, with the colour of bare faces, is no pyramid.
    known
        The earlier palette; it is used where it rests on more pyramids.
    """
    frame = to_bgr(frame)
    colours, span = measure_board_colours(frame, board, tiles), whole_span(board, frame)
    view = TopView.of(frame, board, span)
    large = large_area(view, colours)
    found = palette_of(colours, large, tile_side(board, tiles))
    if known and known.pyramids > found.pyramids:
        found, colours = known, match_palette(known, frame, board, tiles)
    beside = pyramids_beside(view, board, colours, faces, found.large)
    on_board = pyramids_on_board(colours.clusters, board)
    return Volcano(board.homography, (*on_board, *beside), found, empty_cells(colours.clusters))


def pyramids_on_board(clusters: ToneClusters, board: Volcano) -> tuple[Piece, ...]:
    """Return the pyramids on the board, in reading order."""
    names, at = clusters.names, project(board.homography, CELL_CENTRES).tolist()
    return tuple(
        Piece(
            names[colour],
            k // CELLS_PER_SIDE,
            k % CELLS_PER_SIDE,
            LARGE,
            bool(clusters.doubt[k]),
            (at[k][0], at[k][1]),
        )
        for k, colour in enumerate(clusters.labels.tolist())
        if colour >= 0
    )


def empty_cells(clusters: ToneClusters) -> tuple[tuple[int, int], ...]:
    """Return the row and column of the cells that show the bare board."""
    return tuple(
        (k // CELLS_PER_SIDE, k % CELLS_PER_SIDE)
        for k in np.flatnonzero(clusters.labels == GROUND_LABEL).tolist()
    )


def tile_side(board: Volcano, tiles: Detections) -> float:
    """Return the side of the tiles on a board, in cells; 0 where none lies there."""
    on = tiles.kept(board.holds(tiles.centres))
    return float(np.median(on.sides / board.cell_sides(on.centres))) if len(on) else 0.0


def large_area(view: TopView, colours: BoardColours) -> float:
    """Return the visible area of a pyramid on the board, in cells, 0 without any.

    Connected ones hide a part of each other, so the largest share of one counts.
    """
    on_it, most = view.tones - colours.ground[1:].astype(np.float32), 0.0
    for k, shift in enumerate(colours.clusters.centres):
        stands = CELL_CENTRES[colours.clusters.labels == k]
        found = view.regions(shifted_pixels(on_it, shift) & view.near, whole=False)
        held = [(region.area, sum(map(region.surrounds, stands))) for region in found]
        shares = sorted(area / many for area, many in held if many)
        most = max(most, float(np.median(shares[len(shares) // 2 :])) if shares else 0.0)
    return most


def pyramids_beside(
    view: TopView, board: Volcano, colours: BoardColours, faces: Detections, large: float
) -> tuple[Piece, ...]:
    """Return the pyramids beside the board, by the colours of those on it; bare ``faces`` are none.

    Rows and columns continue those of the board; ``large`` is that of ``large_area``.
    """
    near = view.near
    table = view.visible & ~near
    if not table.any() or not large:
        return ()
    away = view.tones - view.ground()
    found: list[Piece] = []
    for k, (name, shift) in enumerate(zip(colours.clusters.names, colours.clusters.centres, strict=True)):
        like = shifted_pixels(view.tones - colours.face[1:].astype(np.float32), shift)
        other = np.linalg.norm(away, axis=2) > MIN_SHIFT_RATIO * np.linalg.norm(shift)
        beside = view.regions((shifted_pixels(away, shift) | (like & other)) & table)
        own = (region for region in beside if nearest_cluster(away, region, view, colours.clusters) == k)
        free = (region for region in own if not is_on_tile(region, faces, board))
        all_stand = int((colours.clusters.labels == k).sum()) >= MAX_PYRAMIDS_PER_COLOUR
        pieces = [piece for region in free if (piece := pyramid_of(name, region, large, board, all_stand))]
        found += pieces if len(pieces) <= MAX_PYRAMIDS_PER_COLOUR else []  # else the table has that colour
    return tuple(sorted(found, key=lambda one: (one.row, one.col)))


def nearest_cluster(away: NDArray[np.float32], region: Region, view: TopView, clusters: ToneClusters) -> int:
    """Return the number of the colour in a region's middle; ``away`` is (h, w, 2)."""
    col, row = np.floor((region.middle - view.low) * CELL_PX).astype(int)
    tone = np.median(away[max(row - 2, 0) : row + 3, max(col - 2, 0) : col + 3].reshape(-1, 2), axis=0)
    return int(np.argmax(clusters.ways @ tone))


def is_on_tile(region: Region, faces: Detections, board: Volcano) -> bool:
    """Return whether a region lies on a tile, or has a tile's middle within it."""
    away = np.linalg.norm(faces.centres - project(board.homography, region.middle[None]), axis=1)
    return bool((away < MAX_TILE_DISTANCE * faces.sides).any()) or any(
        map(region.surrounds, board.places(faces.centres))
    )


def pyramid_of(
    colour: str, region: Region, large: float, board: Volcano, all_stand: bool = False
) -> Piece | None:
    """Return the pyramid of a region; ``large`` is the visible area of one on the board.

    With ``all_stand`` the large ones of its colour stand on the board, so it is a smaller one.
    """
    breadth, length, leaning = region.breadth()
    broad, long = breadth / np.sqrt(large), length / np.sqrt(large) / LENGTH_RATIO
    if not SIZE_BOUNDS[0][0] < broad < SIZE_BOUNDS[-1][0]:
        return None
    seems = size_name(broad)
    size = "medium" if all_stand and seems == LARGE else seems
    near = any(abs(broad - end) < SIZE_MARGIN for end, _ in SIZE_BOUNDS)
    unsure = region.cut or leaning or near or size != seems or size_name(long) != seems
    col, row = np.floor(region.middle).astype(int).tolist()
    return Piece(colour, row, col, size, unsure, to_pixel(board, region.middle))


def to_pixel(board: Volcano, place: Points) -> Point:
    """Return the pixel of a place (col, row)."""
    x, y = project(board.homography, place[None])[0].tolist()
    return x, y


def size_name(broad: float) -> str:
    """Return the size name of a base; ``broad`` is its width relative to the large ones on the board."""
    return next((name for end, name in SIZE_BOUNDS if broad < end), LARGE)


def unit_vector(shift: Floats) -> NDArray[np.float32]:
    """Return the direction of a colour's shift, (2,)."""
    return np.asarray(shift / np.linalg.norm(shift), np.float32)


def shifted_pixels(away: NDArray[np.float32], shift: Floats) -> Mask:
    """Return a mask of the pixels that differ from the ground like a colour's pyramids, (h, w)."""
    way = unit_vector(shift)
    along = away @ way
    across = np.abs(away @ np.array([-way[1], way[0]], np.float32))
    return np.asarray(
        (along > MIN_SHIFT_RATIO * float(np.linalg.norm(shift))) & (across < MAX_CROSS_SHIFT_RATIO * along)
    )
