"""Detection of a 15x15 board: zones, lattice, and the placement by the premium squares' colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from companion.model.squares import PREMIUM_SQUARES_QUARTER
from companion.vision.colour import log_chroma
from companion.vision.grid.board import CELLS_PER_SIDE, Board
from companion.vision.grid.homography import Matrix3, Points, depths, project
from companion.vision.grid.scrabble_lattice import (
    NO_ZONES,
    Lattice,
    Picture,
    Zones,
    contrast,
    flat_zones,
    lattices,
    refit,
)
from companion.vision.picture import validate_frame

_KINDS = ".WwLl"
"""Kinds of squares: plain, triple and double word, triple and double letter."""
_CLUSTERS = 8
"""Number of colour clusters: five kinds of square, tiles, and light and shadow."""
_KMEANS_STEPS = 8
"""Steps of k-means."""
_MARGIN_CELLS = 2
"""Number of cells sampled beyond the detected ones on each side."""
_PATCH_PX = 8
"""Side of a cell in the rectified picture, in pixels."""
MIN_PLACEMENT_QUALITY = {2: 0.15, 3: 0.22}
"""Least share of the layout's entropy that the colours explain, by the frame's dimensions."""
MIN_PLACEMENT_MARGIN = {2: 0.065, 3: 0.11}
"""Least lead of that share over the next best placement's."""
MIN_LATTICE_CELLS = 24
"""Least number of cells with a zone."""
_MIN_SPAN_CELLS = 9
"""Least extent of the cells with a zone, in cells in each direction, that determines the others' places."""
_SUFFICIENT_CELLS = 60
"""Number of cells with a zone from which no further threshold is tried."""
_THRESHOLDS = (8, 5, 13, 20, 32)
"""Largest contrasts of a flat zone, in grey levels, in the order of trial."""
_AREAS_PX = (0.5e6, 1.5e6)
"""Numbers of pixels to which pictures are shrunk, the smaller tried first."""
_MAX_LATTICES = 12
"""Largest number of lattices tried in a picture: a chequered cloth has several, as large as a board."""


def layout() -> NDArray[np.int_]:
    """Return the kind of each cell, shape (15, 15), 0 for a plain one, by the game's rules."""
    quarter = np.array([[_KINDS.index(kind) for kind in row] for row in PREMIUM_SQUARES_QUARTER])
    half = np.hstack([quarter, quarter[:, -2::-1]])
    return np.vstack([half, half[-2::-1]])


LAYOUT = layout()
_KIND_ONE_HOT = np.eye(len(_KINDS))[LAYOUT.reshape(-1)]


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of the board's first cell on a lattice, and its certainty.

    ``col`` and ``row`` are lattice coordinates; ``quality`` and ``margin``
    are those of ``Board``.
    """

    col: int
    row: int
    quality: float
    margin: float


def place(picture: Picture, lattice: Lattice) -> Placement:
    """Return the placement on a lattice that explains the cells' colours best."""
    low, high = _span(lattice.cells)
    cols, rows = (int(count) for count in high - low + 1)
    colours, visible = _cell_colours(picture, lattice.homography, low, (cols, rows))
    information = _information_share(_cluster_colours(colours, visible).reshape(rows, cols))
    row, col = np.unravel_index(int(information.argmax()), information.shape)
    best = float(information[row, col])
    information[row, col] = 0.0
    return Placement(int(low[0] + col), int(low[1] + row), best, best - float(information.max()))


def _span(cells: NDArray[np.int_]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the first and last possible cell of a board; a few stray cells do not count."""
    low, high = np.percentile(cells, (3, 97), axis=0)
    low, high = np.floor(low).astype(np.int_), np.ceil(high).astype(np.int_)
    first = np.minimum(low, high - CELLS_PER_SIDE + 1) - _MARGIN_CELLS
    return first, np.maximum(high, low + CELLS_PER_SIDE - 1) + _MARGIN_CELLS


def _cell_colours(
    picture: Picture, homography: Matrix3, low: NDArray[np.int_], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each cell's median colour and whether it lies in the picture.

    Cells run row by row, shape (rows * cols, channels) and (rows * cols,).  The median ignores words printed
    in a square, and letters.
    """
    cols, rows = shape
    scale, offset = 1.0 / _PATCH_PX, 0.5 / _PATCH_PX - 0.5
    patches = np.array([[scale, 0.0, low[0] + offset], [0.0, scale, low[1] + offset], [0.0, 0.0, 1.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(
        picture, homography @ patches, (cols * _PATCH_PX, rows * _PATCH_PX), flags=flags
    )
    inner = flat.reshape(rows, _PATCH_PX, cols, _PATCH_PX, -1)[:, 1:-1, :, 1:-1].transpose(0, 2, 1, 3, 4)
    colours = np.median(inner.reshape(rows * cols, (_PATCH_PX - 2) ** 2, -1), axis=1)
    return colours.astype(np.float64), _visible(picture, homography, low, shape)


def _visible(
    picture: Picture, homography: Matrix3, low: NDArray[np.int_], shape: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return a mask of the cells with nearly their whole area in the picture, row by row."""
    cols, rows = shape
    grid: Points = np.stack(np.meshgrid(low[0] + np.arange(cols), low[1] + np.arange(rows)), axis=-1)
    middles = grid.reshape(-1, 2).astype(np.float64)
    visible = np.ones(len(middles), dtype=np.bool_)
    for corner in ((-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4)):
        points = project(homography, middles + corner)
        inside = (points >= 0).all(axis=1) & (points < picture.shape[1::-1]).all(axis=1)
        visible &= inside & (depths(homography, middles + corner) > 0)
    return visible


def _cluster_colours(colours: NDArray[np.float64], visible: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Return the colour cluster of each cell by k-means in log-chroma, -1 outside the picture.

    The clusters start at the farthest colours, not at random ones.
    """
    groups = np.full(len(colours), -1)
    if not visible.any():
        return groups
    logs = log_chroma(colours[visible]).astype(np.float32)
    centres = _spread_centres(logs)
    nearest = ((logs[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1).astype(np.int32)
    stop = (cv2.TERM_CRITERIA_MAX_ITER, _KMEANS_STEPS, 0.0)
    _, labels, _ = cv2.kmeans(logs, len(centres), nearest, stop, 1, cv2.KMEANS_USE_INITIAL_LABELS)
    groups[visible] = np.ravel(labels)
    return groups


def _spread_centres(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the median colour and those farthest from all before, shape (groups, channels)."""
    centres = np.median(logs, axis=0, keepdims=True)
    distances = ((logs - centres) ** 2).sum(axis=1)
    while len(centres) < min(_CLUSTERS, len(logs)):
        centres = np.vstack([centres, logs[distances.argmax()]])
        distances = np.minimum(distances, ((logs - centres[-1]) ** 2).sum(axis=1))
    return centres


def _information_share(groups: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return for each placement the mutual information of colours and layout over its entropy, 0 to 1."""
    member = (groups[..., None] == np.arange(_CLUSTERS)).astype(np.float64)
    windows = sliding_window_view(member, (CELLS_PER_SIDE, CELLS_PER_SIDE), axis=(0, 1))
    counts = windows.reshape(*windows.shape[:3], -1) @ _KIND_ONE_HOT
    seen = counts.sum(axis=(2, 3), keepdims=True)
    joint = counts / np.maximum(seen, 1.0)
    apart = joint.sum(axis=2, keepdims=True) * joint.sum(axis=3, keepdims=True)
    shared = np.log(np.where(joint > 0, joint, 1.0) / np.where(joint > 0, apart, 1.0))
    kinds = _KIND_ONE_HOT.mean(axis=0)
    entropy = -float((kinds * np.log(kinds)).sum())
    information = (joint * shared).sum(axis=(2, 3)) * seen[..., 0, 0] / CELLS_PER_SIDE**2 / entropy
    return np.asarray(information, dtype=np.float64)


def find_board(frame: Picture) -> Board | None:
    """Return the 15x15 board in a picture, or ``None`` where none is certain.

    Cells, premium squares and tiles all show as flat four-sided zones.  Neighbouring zones of equal size give
    a lattice; the board's place on it is the one at which the colours of its cells explain the premium
    squares best.

    Parameters
    ----------
    frame
        Grey, shape (h, w), or BGR, shape (h, w, 3); uint8.

    Raises
    ------
    BadPicture
        If the frame has another shape or type.
    """
    frame = validate_frame(frame)
    for factor in _factors(frame):
        found = _find_placement(_resize(frame, factor))
        if found is not None:
            return _board(*found, factor)
    return None


def _factors(frame: Picture) -> list[float]:
    """Return the factors by which to shrink a frame, the smallest picture first; 0.5 doubles a small one."""
    area = frame.shape[0] * frame.shape[1]
    ratios = [(area / target) ** 0.5 for target in _AREAS_PX]
    factors = {0.5 if ratio < 0.6 else max(1.0, round(ratio)) for ratio in ratios}
    return sorted(factors, reverse=True)


def _resize(frame: Picture, factor: float) -> Picture:
    """Return a frame shrunk by a whole factor, each pixel the mean of a square, or doubled by 0.5."""
    if factor == 1:
        return frame
    height, width = int(frame.shape[0] // factor), int(frame.shape[1] // factor)
    whole = frame[: int(height * factor), : int(width * factor)]
    how = cv2.INTER_AREA if factor > 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(whole, (width, height), interpolation=how), dtype=np.uint8)


def _find_placement(picture: Picture) -> tuple[Lattice, Placement] | None:
    """Return the sure placement that rests on the most cells, or ``None``."""
    change, zones = contrast(picture), NO_ZONES
    best: tuple[Lattice, Placement] | None = None
    for threshold in _THRESHOLDS:
        zones = zones.and_also(flat_zones(change, threshold))
        for lattice, placement in _sure_lattices(picture, zones):
            if best is None or len(lattice.cells) > len(best[0].cells):
                best = lattice, placement
            if len(lattice.cells) >= _SUFFICIENT_CELLS:
                return best
    return best


def _sure_lattices(picture: Picture, zones: Zones) -> Iterator[tuple[Lattice, Placement]]:
    """Yield the lattices that surely are a board, their origin in the middle of its first cell."""
    for lattice in lattices(zones, _MAX_LATTICES):
        first = place(picture, lattice)
        if first.quality < MIN_PLACEMENT_QUALITY[picture.ndim] / 2:
            continue
        board = refit(zones, lattice, first.col, first.row)
        if board is not None and _is_wide(board):
            again = place(picture, board)
            if _is_certain(again, picture.ndim):
                yield board, again


def _is_wide(lattice: Lattice) -> bool:
    """Return whether the cells with a zone are enough, and far enough apart, for the others' places."""
    return (
        len(lattice.cells) >= MIN_LATTICE_CELLS
        and int(np.ptp(lattice.cells, axis=0).min()) >= _MIN_SPAN_CELLS
    )


def _is_certain(placement: Placement, dimensions: int) -> bool:
    """Return whether the layout fits well at the origin, and nowhere else nearly as well."""
    at_origin = (placement.col, placement.row) == (0, 0)
    is_clear = placement.quality >= MIN_PLACEMENT_QUALITY[dimensions]
    return at_origin and is_clear and placement.margin >= MIN_PLACEMENT_MARGIN[dimensions]


def _board(lattice: Lattice, placement: Placement, factor: float) -> Board:
    """Return the board in the frame's own pixels, its rows nearest to left to right."""
    half = (factor - 1) / 2
    grown = np.array([[factor, 0.0, half], [0.0, factor, half], [0.0, 0.0, 1.0]])
    matrix = grown @ lattice.homography @ np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
    board = Board(matrix, placement.quality, placement.margin)
    turned = (board.turned(quarters) for quarters in range(4))
    return min(turned, key=lambda one: abs((one.turn_deg + 180) % 360 - 180))
