"""Colours and brightness of faces, and contrast at their edges.

A face is given by its middle, (n, 2), and its side vectors, right then down, as the columns of (n, 2, 2), in
pixels, float64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame, channel_count, sample
from companion.vision.grid.homography import distances, distances_in_tiles, points_on

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

LOG_OFFSET = 8.0
"""Grey levels added before a logarithm is taken, so that noise in dark parts counts little."""
FACE_SAMPLES = np.stack(np.meshgrid(*[np.linspace(-0.3, 0.3, 7)] * 2), -1).reshape(-1, 2)
"""Sample points of a face, (49, 2), in tile sides from its middle."""
FACE_PERCENTILE = 70
"""Percentile of a face's samples, channel by channel, that shows the face, not the ink."""
MIN_OVEREXPOSED_LEVEL = 250
"""Least level of a channel that is overexposed: neither ink nor the table shows."""
RIM_SAMPLES = np.array(
    [((at, -0.4), (at, 0.4), (-0.4, at), (0.4, at)) for at in np.linspace(-0.4, 0.4, 7)]
).reshape(-1, 2)
"""Sample points at the rim of a face, where there is no ink, (28, 2), in tile sides from its middle."""
NEIGHBOURS = 5
"""Number of nearest tiles with symbols, or squares of a kind, whose median is expected."""
MIN_RELATIVE_BRIGHTNESS = 0.75
"""Least brightness of a face without a clear symbol, relative to tiles nearby."""
BELOW = np.stack(np.meshgrid(np.linspace(-0.32, 0.32, 9), np.linspace(0.34, 0.66, 9), indexing="ij"), -1)
EDGE_SAMPLES = np.stack([BELOW, BELOW[..., ::-1], BELOW * (1, -1), BELOW[..., ::-1] * (-1, 1)])
"""Samples across the four sides, (4, along, outwards, 2), in tile sides from the middle."""
MAX_NEIGHBOUR_DISTANCE = 1.5
"""Largest distance of a neighbour that hides a side's edge, in tile sides."""


def log_chroma(colours: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return colours in log-chroma: half their lightness, blue against green, red against green.

    ``colours`` are blue, green, red of 0 to 255, shape (..., 3); or grey, (..., 1), of which the result is
    the logarithm.
    """
    logs = np.log(colours + np.asarray(LOG_OFFSET, colours.dtype))
    if logs.shape[-1] == 1:
        return np.asarray(logs)
    blue, green, red = (logs[..., k] for k in range(3))
    return np.stack([logs.mean(-1) / 2, blue - green, red - green], -1)


def sample_pixels(frame: CameraFrame, places: Floats) -> NDArray[np.uint8]:
    """Return a picture's nearest pixels to places, (..., 2); outside of it, the pixels of its edge."""
    x, y = (np.clip(np.round(places[..., k]), 0, frame.shape[1 - k] - 1).astype(np.intp) for k in (0, 1))
    return sample(frame, x, y)


def is_overexposed(frame: CameraFrame, centres: Floats, vectors: Floats) -> NDArray[np.bool_]:
    """Return which faces are overexposed, (n,): in so many samples that their colour in each channel is."""
    seen = sample_pixels(frame, points_on(centres, vectors, FACE_SAMPLES)) >= MIN_OVEREXPOSED_LEVEL
    burnt = seen.all(2) if seen.ndim == 3 else seen
    return np.asarray(burnt.mean(1) > 1 - FACE_PERCENTILE / 100)


def face_colours(frame: CameraFrame, centres: Floats, vectors: Floats) -> Floats:
    """Return the colours of faces in log-chroma, (n, 3), or of a grey frame as logarithms, (n, 1)."""
    seen = sample_pixels(frame, points_on(centres, vectors, FACE_SAMPLES))
    shown = np.percentile(seen, FACE_PERCENTILE, axis=1).reshape(len(centres), channel_count(frame))
    return np.asarray(log_chroma(shown), np.float64)


def local_medians(
    values: Floats, spots: Floats, allowed: NDArray[np.bool_], places: Floats, count: int = NEIGHBOURS
) -> Floats:
    """Return the medians of ``values``, (n, channels), at the ``count`` spots nearest to places: (m,
    channels).

    Only the ``allowed`` spots of a place, (m, n), count; without one its median is NaN.
    """
    near = nearest(spots, places, allowed, count)
    some = np.take_along_axis(allowed, near, 1)
    seen = np.sort(np.where(some[..., None], values[near], np.nan), axis=1)
    many = some.sum(1)[:, None, None]
    low, high = (np.take_along_axis(seen, middle, 1)[:, 0] for middle in ((many - 1) // 2, many // 2))
    return np.asarray((low + high) / 2)


def nearest(
    spots: Floats, places: Floats, allowed: NDArray[np.bool_] | None = None, count: int = NEIGHBOURS
) -> NDArray[np.intp]:
    """Return the numbers of the spots nearest to each place, nearest first, (m, at most ``count``).

    Those that are not ``allowed``, (m, n), come last.
    """
    far = distances(places, spots)
    far = far if allowed is None else np.where(allowed, far, np.inf)
    return np.argsort(far, axis=1)[:, :count]


def side_vectors(quads: Floats) -> Floats:
    """Return the side vectors of quads."""
    return np.stack([quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]], -1)


def rim_brightness(grey: NDArray[np.uint8], centres: Floats, vectors: Floats) -> Floats:
    """Return the median brightness of faces beside their ink, 0 to 255, (n,)."""
    seen = sample_pixels(grey, points_on(centres, vectors, RIM_SAMPLES))
    return np.asarray(np.median(seen, axis=1), np.float64)


def weakest_edge(picture: CameraFrame, quads: Floats, tiles: Floats) -> Floats:
    """Return the contrast across the weakest side of each face that must show an edge, (n,).

    Sides that touch others of the ``tiles``, whose middles are given, (m, 2), need not show an edge, nor need
    one further side, but for the strongest.  In colour the contrast is that of the channel that changes most;
    across a side that the picture cuts off it is infinite.
    """
    middles, sides = quads.mean(1), side_vectors(quads)
    away = distances_in_tiles(tiles, middles, sides)
    near = (away < MAX_NEIGHBOUR_DISTANCE) & ~np.isclose(away, 0)  # no tile is its own neighbour
    seen = sample_pixels(picture, points_on(middles, sides, EDGE_SAMPLES.reshape(-1, 2)))
    seen = seen.reshape(-1, *EDGE_SAMPLES.shape[:-1], channel_count(picture))
    levels = np.median(seen, axis=2)
    across = np.log((levels.max(2) + LOG_OFFSET) / (levels.min(2) + LOG_OFFSET)).max(-1)
    ends = points_on(middles, sides, EDGE_SAMPLES[:, ::8, ::8].reshape(-1, 2))
    within = ((ends >= 0) & (ends < picture.shape[1::-1])).reshape(len(quads), 4, 8).all(2)
    steps = np.sort(np.where(within, across, np.inf), axis=1)
    return np.asarray(steps[np.arange(len(quads)), np.minimum(1 + near.sum(0), steps.shape[1] - 1)])
