"""The premium squares' layout, and where on a lattice it lies."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from companion.model.squares import QUARTER
from companion.vision.colour import log_chroma
from companion.vision.grid.homography import Matrix3, Points, depths, project
from companion.vision.grid.scrabble.board import CELLS
from companion.vision.grid.scrabble.lattice import Lattice
from companion.vision.grid.scrabble.zones import Picture

_KINDS = ".WwLl"
_GROUPS = 8  # colours: five kinds of cell, tiles, and light apart from shadow
_REGROUPINGS = 8
_BEYOND = 2  # cells looked at beyond those seen
_PATCH_PX = 8


def layout() -> NDArray[np.int_]:
    """Return the kind of each cell, shape (15, 15), 0 for a plain one, by the game's rules."""
    quarter = np.array([[_KINDS.index(kind) for kind in row] for row in QUARTER])
    half = np.hstack([quarter, quarter[:, -2::-1]])
    return np.vstack([half, half[-2::-1]])


LAYOUT = layout()
_OF_KIND = np.eye(len(_KINDS))[LAYOUT.reshape(-1)]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the board's first cell lies on a lattice, and how sure that is.

    ``col`` and ``row`` are lattice coordinates; ``quality`` and ``margin``
    are those of ``Board``.
    """

    col: int
    row: int
    quality: float
    margin: float


def placed(picture: Picture, lattice: Lattice) -> Placement:
    """Return the placement on a lattice that the cells' colours tell best."""
    low, high = _span(lattice.cells)
    cols, rows = (int(count) for count in high - low + 1)
    colours, visible = _cell_colours(picture, lattice.homography, low, (cols, rows))
    told = _told(_grouped(colours, visible).reshape(rows, cols))
    told *= _share_inside(lattice.cells - low, (cols, rows)) ** 2
    row, col = np.unravel_index(int(told.argmax()), told.shape)
    best = float(told[row, col])
    told[row, col] = 0.0
    return Placement(int(low[0] + col), int(low[1] + row), best, best - float(told.max()))


def _span(cells: NDArray[np.int_]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the first and last cell in which a board may lie; a few stray cells do not count."""
    low, high = np.percentile(cells, (3, 97), axis=0)
    low, high = np.floor(low).astype(np.int_), np.ceil(high).astype(np.int_)
    first = np.minimum(low, high - CELLS + 1) - _BEYOND
    return first, np.maximum(high, low + CELLS - 1) + _BEYOND


def _cell_colours(
    picture: Picture, homography: Matrix3, low: NDArray[np.int_], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each cell's middling colour and whether it lies in the picture.

    Cells run row by row, shape (rows * cols, channels) and (rows * cols,).
    A median, so that words printed in a square and letters do not count.
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
    """Return which cells lie in the picture with nearly their whole area, row by row."""
    cols, rows = shape
    grid: Points = np.stack(np.meshgrid(low[0] + np.arange(cols), low[1] + np.arange(rows)), axis=-1)
    middles = grid.reshape(-1, 2).astype(np.float64)
    visible = np.ones(len(middles), dtype=np.bool_)
    for corner in ((-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4)):
        points = project(homography, middles + corner)
        inside = (points >= 0).all(axis=1) & (points < picture.shape[1::-1]).all(axis=1)
        visible &= inside & (depths(homography, middles + corner) > 0)
    return visible


def _grouped(colours: NDArray[np.float64], visible: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Return a group of like colours for each cell by k-means in log-chroma, -1 for one out of the picture.

    The groups start at the farthest colours, not at random ones.
    """
    groups = np.full(len(colours), -1)
    if not visible.any():
        return groups
    logs = log_chroma(colours[visible]).astype(np.float32)
    centres = _spread_out(logs)
    nearest = ((logs[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1).astype(np.int32)
    stop = (cv2.TERM_CRITERIA_MAX_ITER, _REGROUPINGS, 0.0)
    _, labels, _ = cv2.kmeans(logs, len(centres), nearest, stop, 1, cv2.KMEANS_USE_INITIAL_LABELS)
    groups[visible] = np.ravel(labels)
    return groups


def _spread_out(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the middling colour and those farthest from all before, shape (groups, channels)."""
    centres = np.median(logs, axis=0, keepdims=True)
    distances = ((logs - centres) ** 2).sum(axis=1)
    while len(centres) < min(_GROUPS, len(logs)):
        centres = np.vstack([centres, logs[distances.argmax()]])
        distances = np.minimum(distances, ((logs - centres[-1]) ** 2).sum(axis=1))
    return centres


def _told(groups: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return for each placement how much the colours tell of the layout, 0 to 1."""
    member = (groups[..., None] == np.arange(_GROUPS)).astype(np.float64)
    windows = sliding_window_view(member, (CELLS, CELLS), axis=(0, 1))
    counts = windows.reshape(*windows.shape[:3], -1) @ _OF_KIND
    seen = counts.sum(axis=(2, 3), keepdims=True)
    joint = counts / np.maximum(seen, 1.0)
    apart = joint.sum(axis=2, keepdims=True) * joint.sum(axis=3, keepdims=True)
    shared = np.log(np.where(joint > 0, joint, 1.0) / np.where(joint > 0, apart, 1.0))
    kinds = _OF_KIND.mean(axis=0)
    entropy = -float((kinds * np.log(kinds)).sum())
    told = (joint * shared).sum(axis=(2, 3)) * seen[..., 0, 0] / CELLS**2 / entropy
    return np.asarray(told, dtype=np.float64)


def _share_inside(cells: NDArray[np.int_], shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return for each placement the share of the seen cells that it holds."""
    cols, rows = shape
    inside = ((cells >= 0) & (cells < (cols, rows))).all(axis=1)
    seen = np.zeros((rows, cols))
    seen[cells[inside, 1], cells[inside, 0]] = 1.0
    share = sliding_window_view(seen, (CELLS, CELLS)).sum(axis=(2, 3)) / len(cells)
    return np.asarray(share, dtype=np.float64)
