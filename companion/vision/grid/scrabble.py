"""Detection of a 15x15 board: squares, lattice, and the placement by the premium squares' colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from companion.model.squares import PREMIUM_SQUARES_QUARTER
from companion.vision.camera_frame import CameraFrame, Frame, halved, validate_frame
from companion.vision.colour import log_chroma
from companion.vision.detector.detections import Detections, detect_at_scale, working_scale
from companion.vision.grid.board import CELLS_PER_SIDE, Board, cell_centres
from companion.vision.grid.homography import (
    Matrix3,
    affine_homography,
    depths,
    fit_homography,
    magnification,
    project,
    shift_homography,
    zoom_homography,
)
from companion.vision.grid.lattice import MAX_SEEDS, Lattice, grow_lattice
from companion.vision.networks import Detector, DetectorClass

_KINDS = ".WwLl"
"""Kinds of squares: plain, triple and double word, triple and double letter."""
_CLUSTERS = 8
"""Number of colour clusters: five kinds of square, tiles, and light and shadow."""
_MARGIN_CELLS = 2
"""Number of cells sampled beyond the detected ones on each side."""
_PATCH_PX = 8
"""Side of a cell in the rectified picture, in pixels."""
MIN_PLACEMENT_QUALITY = {2: 0.15, 3: 0.22}
"""Least share of the layout's entropy that the colours explain, by the frame's dimensions."""
MIN_PLACEMENT_MARGIN = {2: 0.065, 3: 0.11}
"""Least lead of that share over the next best placement's."""
MIN_SQUARES = 24
"""Least number of a board's squares that must be detected."""
SQUARES_ACROSS = (22.5, 45.0)
"""Squares across a picture's shorter side for which its scale is chosen, large ones tried first; squares of
half to one and a half times that size are detected too.
"""

_QUARTER = np.array([[_KINDS.index(kind) for kind in row] for row in PREMIUM_SQUARES_QUARTER])
LAYOUT = np.pad(_QUARTER, (0, len(_QUARTER) - 1), "reflect")
"""The kind of each cell, shape (15, 15), 0 for a plain one, by the game's rules."""
_KIND_ONE_HOT = np.eye(len(_KINDS))[LAYOUT.ravel()]


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a board on a lattice: the column and row of its first cell, ``start`` (2,).

    ``quality`` is the share of the premium squares' layout that the cells' colours explain, 0 to 1 (mutual
    information over the layout's entropy); ``margin`` its lead over that of the next best place, such as one
    a row further down.
    """

    start: NDArray[np.int_]
    quality: float
    margin: float


def place(picture: CameraFrame, lattice: Lattice) -> Placement:
    """Return the placement on a lattice that explains the cells' colours best."""
    seen = lattice.seen
    low, high = _span(seen)
    cols, rows = (high - low + 1).tolist()
    cell_px = magnification(lattice.homography, seen.mean(0))
    times = max(0, int(np.log2(min(cell_px, *picture.shape[:2]) / _PATCH_PX)))  # cells would alias
    matrix = zoom_homography(0.5**times) @ lattice.homography @ shift_homography(low)
    information = _information_share(
        _cluster_colours(*_cell_colours(halved(picture, times), matrix, (rows, cols)))
    )
    row, col = np.unravel_index(information.argmax(), information.shape)
    second, best = np.partition(information, -2, axis=None)[-2:].tolist()
    return Placement(low + np.array([col, row]), best, best - second)


def _span(cells: NDArray[np.int_]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the first and last possible cell of a board; a few stray cells do not count."""
    low, high = np.percentile(cells, (3, 97), axis=0)
    low, high = np.floor(low).astype(np.int_), np.ceil(high).astype(np.int_)
    first = np.minimum(low, high - CELLS_PER_SIDE + 1) - _MARGIN_CELLS
    return first, np.maximum(high, low + CELLS_PER_SIDE - 1) + _MARGIN_CELLS


def _cell_colours(
    picture: Frame, homography: Matrix3, shape: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the median colour of each cell, (rows, cols, channels), and a mask of those in the picture.

    ``homography`` is from cells to pixels.  Nearly the whole area of a cell must lie in the picture.  The
    median ignores words printed in a square, and letters.
    """
    rows, cols = shape
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    matrix, size = homography @ zoom_homography(1 / _PATCH_PX), (cols * _PATCH_PX, rows * _PATCH_PX)
    flat = cv2.warpPerspective(picture, matrix, size, flags=flags)
    inner = flat.reshape(rows, _PATCH_PX, cols, _PATCH_PX, -1)[:, 1:-1, :, 1:-1]
    middles = np.stack(np.meshgrid(np.arange(cols), np.arange(rows)), -1)
    corners = middles[:, :, None] + [(x, y) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    points = project(homography, corners)
    inside = ((points >= 0) & (points < picture.shape[1::-1])).all(-1) & (depths(homography, corners) > 0)
    return np.median(inner, axis=(1, 3)), np.asarray(inside.all(-1))


def _cluster_colours(colours: NDArray[np.float64], visible: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Return the colour cluster of each cell by k-means in log-chroma, -1 outside the picture, (rows, cols).

    The clusters start at the farthest colours, not at random ones.
    """
    groups = np.full(visible.shape, -1)
    if not visible.any():
        return groups
    logs = log_chroma(colours[visible]).astype(np.float32)
    centres = _spread_centres(logs)
    nearest = ((logs[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1).astype(np.int32)
    converged = (cv2.TERM_CRITERIA_EPS, 0, 0.0)
    _, labels, _ = cv2.kmeans(logs, len(centres), nearest, converged, 1, cv2.KMEANS_USE_INITIAL_LABELS)
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


def find_board(frame: CameraFrame, network: Detector) -> Board | None:
    """Return the 15x15 board in a picture, or ``None`` where none is certain.

    Squares of one size beside each other give a lattice; the board's place on it is the one at which the
    colours of its cells explain the premium squares best.  ``frame`` is grey or in colour; raise BadPicture
    if it has another shape or type.
    """
    frame = validate_frame(frame)
    for count in SQUARES_ACROSS:
        squares = _squares(frame, min(frame.shape[:2]) / count, network)
        found = [(one.held(CELLS_PER_SIDE), one) for one in lattices(squares)]
        for held, lattice in sorted(found, key=lambda pair: -pair[0]):
            if held >= MIN_SQUARES and (board := place_board(frame, lattice)):
                return refined(frame, board, network)
    return None


def place_board(frame: CameraFrame, lattice: Lattice) -> Board | None:
    """Return the board on a lattice, its rows nearest to left to right; ``None`` where it is not certain."""
    at = place(frame, lattice)
    if at.quality < MIN_PLACEMENT_QUALITY[frame.ndim] or at.margin < MIN_PLACEMENT_MARGIN[frame.ndim]:
        return None
    matrix = lattice.board_homography(at.start)
    if not Board.is_visible(matrix):
        return None
    board = Board(matrix)
    turned = (board.turned(quarters) for quarters in range(4))
    return min(turned, key=lambda one: abs((one.turn_deg + 180) % 360 - 180))


def refined(frame: CameraFrame, board: Board, network: Detector) -> Board:
    """Return a board fitted to its squares, detected at the size at which they are located best."""
    squares = _squares(frame, board.middle_side, network)
    cells, _, fits = board.cells(squares)
    if fits.sum() < MIN_SQUARES:
        return board
    matrix = fit_homography(cell_centres(CELLS_PER_SIDE)[cells[fits]], squares.centres[fits])
    return board if matrix is None or not Board.is_visible(matrix) else replace(board, homography=matrix)


def _squares(frame: CameraFrame, side: float, network: Detector) -> Detections:
    """Return the detected squares in a picture of a board whose squares are about ``side`` pixels wide."""
    return detect_at_scale(network, frame, working_scale(side), kind=DetectorClass.SQUARE)


def lattices(squares: Detections) -> Iterator[Lattice]:
    """Yield the lattices of squares, each from the surest one that is in none before."""
    free = np.ones(len(squares), np.bool_)
    ways = squares.vectors()
    for _ in range(MAX_SEEDS):
        if not free.any():
            return
        seed = int(free.argmax())
        free[seed] = False
        first = affine_homography(ways[seed], squares.centres[seed])
        lattice = grow_lattice(squares.centres, first, CELLS_PER_SIDE)
        if lattice is not None:
            free &= ~lattice.members
            yield lattice
