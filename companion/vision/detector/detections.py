"""Detections of tiles in a picture at one working scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame, ImagePyramid, grey, halved
from companion.vision.colour import log_chroma
from companion.vision.grid.homography import points_on, rotation_angles
from companion.vision.networks import SHAPE_PX, STRIDE_PX, Detector, DetectorClass

Rows = TypeVar("Rows", bound=Any)
"""A dataclass of arrays with a row for each tile: detections, or their probabilities."""

WORKING_TILE_SIDE_PX = 16.0
"""Width of a tile at which the detector works best, in pixels."""

SCORE_THRESHOLD = 0.2
"""Least score, and least probability of a tile, of a detection; slightly above them it is a doubt."""
MAX_DETECTIONS = 1200
"""Largest number of detections in one picture, the strongest: it bounds the time on print or patterns.

On a patterned cloth 600 are too few: real tiles are among the weakest.
"""
NMS_DISTANCE = 0.55
"""Least distance of two detections, in tile sides; nearer ones are merged."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Places that may be tiles, in picture pixels.

    ``centres`` (n, 2); ``shapes`` (n, 2, 2) symmetric and ``turns`` (n,) in radians modulo a quarter: a
    tile's side vectors are the columns of shape @ turn; ``scores`` (n,), 0 to 1.
    """

    centres: NDArray[np.float64]
    shapes: NDArray[np.float64]
    turns: NDArray[np.float64]
    scores: NDArray[np.float64]

    @classmethod
    def of(
        cls, centres: NDArray[np.float64], vectors: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> Detections:
        """Return detections of side vectors, as columns, right then down, (n, 2, 2)."""
        squared = vectors @ np.swapaxes(vectors, 1, 2)
        area = np.abs(np.linalg.det(vectors))[:, None, None]
        trace = np.trace(squared, axis1=1, axis2=2)[:, None, None]
        shapes = (squared + area * np.eye(2)) / np.sqrt(trace + 2 * area)
        return cls(centres, shapes, rotation_angles(vectors), scores)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def sides(self) -> NDArray[np.float64]:
        """Side of each as a square of the same area, in pixels, (n,)."""
        (a, b), (c, d) = self.shapes.transpose(1, 2, 0)
        return np.asarray(np.sqrt(np.maximum(a * d - b * c, 1e-6)))

    def foreshortenings(self) -> NDArray[np.float64]:
        """Return the ratio of each shape's longer axis to its shorter one, (n,)."""
        axes = np.linalg.eigvalsh(self.shapes)
        return np.asarray(axes[:, 1] / axes[:, 0])

    def vectors(self) -> NDArray[np.float64]:
        """Return each detection's side vectors as columns, right then down, (n, 2, 2)."""
        c, s = np.cos(self.turns), np.sin(self.turns)
        return np.asarray(self.shapes @ np.array([[c, -s], [s, c]]).transpose(2, 0, 1))

    def quads(self) -> NDArray[np.float64]:
        """Return the four corners of each, clockwise, (n, 4, 2)."""
        unit = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        return points_on(self.centres, self.vectors(), unit)

    def kept(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Detections:
        """Return some of the detections."""
        return Detections(self.centres[keep], self.shapes[keep], self.turns[keep], self.scores[keep])


def map_arrays(how: Callable[..., NDArray[Any]], one: Rows, *others: Rows) -> Rows:
    """Return a value whose arrays are made from those of several values by ``how``."""
    names = [f.name for f in fields(one) if isinstance(getattr(one, f.name), np.ndarray)]
    joined: dict[str, Any] = {name: how(*(getattr(row, name) for row in (one, *others))) for name in names}
    return replace(one, **joined)


def concatenate_detections(one: Rows, *others: Rows) -> Rows:
    """Return the rows of all."""
    return map_arrays(lambda *parts: np.concatenate(parts), one, *others)


def with_replaced(one: Rows, rows: NDArray[np.intp], part: Rows) -> Rows:
    """Return a value with some rows replaced."""

    def replaced(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        out = old.copy()
        out[rows] = new
        return out

    return map_arrays(replaced, one, part)


def no_detections() -> Detections:
    """Return no detections."""
    return Detections(np.zeros((0, 2)), np.zeros((0, 2, 2)), np.zeros(0), np.zeros(0))


def downscale(
    frame: CameraFrame | ImagePyramid, scale: float
) -> tuple[NDArray[np.uint8], tuple[float, float]]:
    """Return a picture at a scale, and the width and height of its pixels in the frame's pixels.

    Its border is repeated up to multiples of 8 pixels.
    """
    times = max(0, min(int(np.log2(1 / scale)), int(np.log2(min(frame.shape[:2]))) - 3))
    small = halved(frame, times)
    height, width = (max(8, round(side * scale * 2**times)) for side in small.shape[:2])
    pixel = 2**times * small.shape[1] / width, 2**times * small.shape[0] / height
    fitted = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    padded = cv2.copyMakeBorder(fitted, 0, -height % 8, 0, -width % 8, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8), pixel


def chroma(frame: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the logarithms of blue and of red over green in cells of a frame, float32 (2, h / 4, w / 4).

    ``frame`` is blue, green, red, (h, w, 3), h and w multiples of 4.
    """
    size = frame.shape[1] // STRIDE_PX, frame.shape[0] // STRIDE_PX
    cells = cv2.resize(frame, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.ascontiguousarray(log_chroma(cells)[..., 1:].transpose(2, 0, 1), np.float32)


def detect_at_scale(
    detector: Detector,
    frame: CameraFrame | ImagePyramid,
    scale: float,
    between: tuple[float, float] = (2.0, np.inf),
    most: int = MAX_DETECTIONS,
    kind: DetectorClass = DetectorClass.TILE,
) -> Detections:
    """Return the ``most`` strongest detections of a class in a picture scaled by ``scale``, strongest first.

    ``frame`` is grey or in colour.  Only detections whose sides, in the frame's pixels, lie between the two
    bounds are kept.
    """
    small, (sx, sy) = downscale(frame, scale)
    tones = None if small.ndim == 2 else chroma(small)
    values = detector.values(grey(small), tones)[kind]
    heat = values[0]
    is_peak = heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero(is_peak & (heat > np.log(SCORE_THRESHOLD / (1 - SCORE_THRESHOLD))))
    v = values[:, rows, cols].astype(np.float64)
    x = cols * STRIDE_PX + (STRIDE_PX - 1) / 2 + v[1]
    y = rows * STRIDE_PX + (STRIDE_PX - 1) / 2 + v[2]
    centres = np.stack([(x + 0.5) * sx - 0.5, (y + 0.5) * sy - 0.5], -1)
    shapes = v[[3, 5, 5, 4]].T.reshape(-1, 2, 2) * SHAPE_PX * np.sqrt(sx * sy)
    detections = Detections(centres, shapes, np.arctan2(v[7], v[6]) / 4, 1 / (1 + np.exp(-v[0])))
    whole = (np.linalg.det(shapes) > 0) & (np.trace(shapes, axis1=1, axis2=2) > 0)
    detections = detections.kept(whole & (detections.sides > between[0]) & (detections.sides < between[1]))
    strongest = detections.kept(np.argsort(-detections.scores)[:most])
    return strongest.kept(nms(strongest))


def nms(detections: Detections, weights: NDArray[np.float64] | None = None) -> NDArray[np.intp]:
    """Return the numbers of the detections that do not lie on a heavier kept one: non-maximum suppression.

    The heaviest come first; without ``weights``, (n,), those that come first are the heaviest.  The least
    distance is relative to the smaller of two.
    """
    order = np.arange(len(detections)) if weights is None else np.argsort(-weights, kind="stable")
    (x, y), reach = detections.centres[order].T, NMS_DISTANCE * detections.sides[order]
    squared = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    near = np.triu(squared < np.minimum(reach[:, None], reach) ** 2, 1)
    keep = np.ones(len(order), bool)
    for k in np.flatnonzero(near.any(1)):
        if keep[k]:
            keep &= ~near[k]
    return order[keep]


def working_scale(side: float) -> float:
    """Return the scale at which tiles of this side, in pixels, have ``WORKING_TILE_SIDE_PX``."""
    return float(min(1.5, WORKING_TILE_SIDE_PX / side))


MIN_TILES_FOR_SLOPES = 8
"""Least number of tiles for a fit of shapes that change over the picture, as with a tilted camera."""

MAX_SIDE_RATIO, MIN_SIDE_RATIO = 1.45, 0.62
"""Largest and least ratio of a detection's side to the fitted one at its place."""


def fit_shapes(detections: Detections, weights: NDArray[np.float64] | None = None) -> Detections:
    """Return detections whose shapes follow one smooth fit; those of an outlying size are left out.

    ``weights`` (n,) are those of the fit, by default the scores.
    """
    weights = detections.scores if weights is None else weights
    for _ in range(2):
        if len(detections) < 2:
            return detections
        fitted = replace(detections, shapes=smooth_shapes(detections, weights))
        ratio = detections.sides / fitted.sides
        keep = (ratio < MAX_SIDE_RATIO) & (ratio > MIN_SIDE_RATIO)
        if keep.all():
            return fitted
        detections, weights = detections.kept(keep), weights[keep]
    return replace(detections, shapes=smooth_shapes(detections, weights))


def weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted median of values, (n, ...), given the weights of their rows, (n,)."""
    share = np.cumsum(weights[np.argsort(values, axis=0)], axis=0)
    middle = (share < share[-1] / 2).sum(0)
    return np.asarray(np.take_along_axis(np.sort(values, axis=0), middle[None], 0)[0])


def smooth_shapes(detections: Detections, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fitted shape at each detection, (n, 2, 2): a plane for each entry, robust to outliers.

    The ridge penalty on the slopes is the variance of one detection's shape, (4 %)², over that of how much
    sides change from tile to tile in perspective, (4 %)²: across a row, noise determines no slope.
    """
    entries = detections.shapes.reshape(-1, 4)[:, [0, 3, 1]]
    middle = weighted_median(entries, weights)
    side, base = max(float(middle[:2].mean()), 1.0), np.ones((len(detections), 1))
    if len(detections) >= MIN_TILES_FOR_SLOPES:
        base = np.column_stack([base, (detections.centres - detections.centres.mean(0)) / side])
    fitted = np.broadcast_to(middle, entries.shape)
    level = np.diag(weights.mean() * (np.arange(base.shape[1]) > 0))
    for _ in range(4):
        off = np.abs(entries - fitted).max(1) / side
        weighted = base.T * (weights / (1 + (off / 0.08) ** 2))
        fitted = base @ np.linalg.solve(weighted @ base + level, weighted @ entries)
    return fitted[:, [0, 2, 2, 1]].reshape(-1, 2, 2)


def is_inside_picture(detections: Detections, size: tuple[int, ...], part: float = 1.0) -> NDArray[np.bool_]:
    """Return which detections lie wholly in a picture of ``size`` (width, height), (n,).

    ``part`` is the side of the central part of each that must, in tile sides.
    """
    quads = replace(detections, shapes=part * detections.shapes).quads()
    return np.asarray(((quads > -1) & (quads < size)).all((1, 2)))
