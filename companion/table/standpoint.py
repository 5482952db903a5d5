"""Where a camera stands over a calibrated table: from its picture to the table's millimetres, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from companion.model.grid import Place
from companion.model.profile import Profile, Zone
from companion.model.reading import Tile
from companion.table.merging import SHIFTED, Floats, Mask, Part
from companion.table.zones import spread_over
from companion.vision.detector.detections import Detections
from companion.vision.grid.homography import known_table, to_picture, to_table
from companion.vision.pipeline.frame import Box, FrameDetections
from companion.vision.tracking import TrackedReading

MARGIN = 0.02
"""So near the picture's edge, as a share of its breadth, tiles may be cut off."""

AGREES_MM = 5.0
"""A place is in the picture if its pixel leads back to it so closely: a bent lens may show no such place."""


class Standpoint:
    """What a camera's profile says of where its picture's pixels lie.

    Parameters
    ----------
    profile
        One with a table.  Raises BadProfile for any other.
    """

    def __init__(self, profile: Profile) -> None:
        table = known_table(profile)
        self.profile = profile
        self._size = round(table.width_mm), round(table.height_mm)

    def in_view(self, zone: Zone) -> Mask:
        """Return which of the places spread over a zone are in the picture."""
        return self.in_picture(spread_over(zone.corners_mm))

    def part(self, seen: TrackedReading) -> Part:
        """Return what the camera knows of the table, in mm."""
        look = self.laid(seen.look)
        plain = self.in_picture(look.detections.centres)
        plain[list(seen.covered)] = False
        return Part(look, plain, partial(self.plainly, seen.veiled))

    def laid(self, look: FrameDetections) -> FrameDetections:
        """Return a look at the table from above, in mm, without its board."""
        quads = look.detections.quads()
        corners = to_table(quads.reshape(-1, 2), self.profile).reshape(quads.shape)
        return FrameDetections(
            self._size, from_quads(corners, look.detections.scores), look.probabilities, None
        )

    def own(self, placed: Mapping[Place, Tile], tiles: Sequence[Tile]) -> dict[Place, Tile]:
        """Return which of the camera's tiles, in pixels, are tiles of the table, in mm, by the same cells.

        Two are one where each is the other's nearest, and near enough for the tops that cameras see shifted.
        """
        if not placed or not tiles:
            return {}
        quads = np.array([tile.corners for tile in placed.values()])
        side_mm = float(np.median(np.hypot(*(quads[:, 1] - quads[:, 0]).T)))
        places = to_table(np.array([tile.centre for tile in tiles]), self.profile)
        away = quads.mean(1)[:, None] - places[None]
        far = np.hypot(away[..., 0], away[..., 1])
        there, back = far.argmin(1), far.argmin(0)
        return {
            cell: tiles[there[k]]
            for k, cell in enumerate(placed)
            if back[there[k]] == k and far[k, there[k]] < SHIFTED * side_mm
        }

    def in_picture(self, places: Floats) -> Mask:
        """Return which places, (n, 2) in mm, are in the picture, not too near its edge."""
        if not len(places):
            return np.zeros(0, bool)
        pixels = to_picture(places, self.profile)
        camera = self.profile.camera
        margin, size = MARGIN * camera.width, (camera.width, camera.height)
        within = ((pixels >= margin) & (pixels <= np.array(size) - 1 - margin)).all(1)
        pixels[~within] = 0
        back = np.hypot(*(to_table(pixels, self.profile) - places).T)
        return np.asarray(within & (back < AGREES_MM))

    def plainly(self, veiled: Sequence[Box], places: Floats) -> Mask:
        """Return which places, (n, 2) in mm, are in the picture and in none of its veiled parts."""
        plain = self.in_picture(places)
        plain[plain] = clear_of(veiled, to_picture(places[plain], self.profile))
        return plain


def clear_of(veiled: Sequence[Box], pixels: Floats) -> Mask:
    """Return which pixels, (n, 2), lie in none of some parts of the picture."""
    clear = np.ones(len(pixels), bool)
    x, y = pixels.T
    for left, top, right, bottom in veiled:
        clear &= (x < left) | (x >= right) | (y < top) | (y >= bottom)
    return clear


def from_quads(quads: Floats, scores: Floats) -> Detections:
    """Return finds from their corners, (n, 4, 2), in the order of ``Detections.quads``."""
    right = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    vectors = np.stack([right, down], -1)
    turns = np.arctan2(vectors[:, 1, 0] - vectors[:, 0, 1], vectors[:, 0, 0] + vectors[:, 1, 1])
    c, s = np.cos(turns), np.sin(turns)
    back = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2)
    return Detections(quads.mean(1), vectors @ back, turns, scores)
