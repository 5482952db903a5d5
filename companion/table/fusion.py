"""Fusion of several cameras' tiles in the table's millimetres.

A camera sees the tops of tiles, which are higher than the table plane of its profile: they appear shifted,
and more so with the camera's distance.  For two cameras of about the same height the offset is the same for
all tiles; it is estimated from tiles that both see, and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Place
from companion.model.profile import Profile, Zone
from companion.model.reading import Reading, Tile
from companion.table.zoned_seats import polygon_samples
from companion.vision.decoding import MIN_CONFIDENCE, MIN_SURE_P_TILE
from companion.vision.detector.detections import (
    NMS_DISTANCE,
    Detections,
    concatenate_detections,
    map_arrays,
)
from companion.vision.grid.homography import Box, distances, known_table, mutual_nearest, to_picture, to_table
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking import TrackedReading

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Visibility = Callable[[Floats], Mask]
"""Returns a mask of the places, (n, 2) in mm, that are in a camera's picture and not occluded."""

Readings = Mapping[str, TrackedReading]
"""The tracked reading of each camera, by the camera's name."""

Member = tuple[int, int]
"""The index of a camera, and that of one of its tiles or pyramids."""
MemberPair = tuple[Member, Member]

MAX_TILE_SHIFT_SIDES = 0.6
"""Largest distance between one tile's tops for two cameras, before offsets are removed, in tile sides."""

MIN_DENIED_TILE_SCORE = 0.5
"""Least probability of a tile that another camera should see and does not."""


class Grouper(Protocol):
    """Groups detected tiles into a reading, as a ``Reader`` does."""

    def reading(self, detected: FrameDetections) -> Reading:
        """Return the reading of the tiles of a frame."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The tiles that one camera knows.

    ``detected`` is in mm of the table's frame.  ``plain`` (n,) is a mask of its tiles that are wholly seen
    now; the others are cut off by the picture's edge, or occluded and remembered.  ``in_view`` tells which
    places are in its picture and not occluded.
    """

    detected: FrameDetections
    plain: Mask
    in_view: Visibility

    def sees(self, places: Floats) -> Mask:
        """Return a mask of the places, (n, 2), that the camera sees well enough to read a tile there."""
        return self.in_view(places) & ~self.is_unread(places)

    def is_unread(self, places: Floats) -> Mask:
        """Return a mask of the places, (n, 2), that are among the camera's unread ones."""
        unread = self.detected.unread
        if not len(unread) or not len(self.detected.detections):
            return np.zeros(len(places), bool)
        reach = NMS_DISTANCE * tile_side(self.detected.detections)
        return np.asarray((distances(places, unread) < reach).any(1))


def fused_detections(parts: Sequence[Observation]) -> FrameDetections:
    """Return the tiles of all cameras, each tile once, in mm.

    A tile that several cameras see gets the symbol of those that are sure of it; if they disagree it is in
    doubt.  A tile that one camera sees and another does not, though it sees the place, is in doubt unless it
    is probable: a lamp's reflection may hide it.  An occluded tile is remembered, unless a camera sees the
    bare table there.  A place is unread that no camera sees.  A single camera's tiles are returned as they
    are.  The order of cameras changes only the order of the tiles and places.
    """
    if len(parts) == 1:
        return parts[0].detected
    parts = aligned_observations(parts)
    groups = [kept for group in same_tiles(parts) if (kept := trusted_members(parts, group))]
    alone = [
        (n, [group[0][1] for group in groups if len(group) == 1 and group[0][0] == n])
        for n in range(len(parts))
    ]
    shared = [group for group in groups if len(group) > 1]
    observed = [single_camera_tiles(parts, n, np.array(tiles, np.intp)) for n, tiles in alone]
    observed += [fused_tile(parts, group) for group in shared]
    first = [(n, k) for n, tiles in alone for k in tiles] + [group[0] for group in shared]
    in_order = np.array(sorted(range(len(first)), key=first.__getitem__), np.intp)
    detections = concatenate_detections(*(one.detections for one in observed))
    probabilities = concatenate_detections(*(one.probabilities for one in observed))
    return replace(
        parts[0].detected, detections=detections, probabilities=probabilities, unread=fused_unread(parts)
    ).kept(in_order)


def fused_unread(parts: Sequence[Observation]) -> Floats:
    """Return the unread places of all cameras that no other one sees, each once, (m, 2) in mm."""
    found = []
    for n, part in enumerate(parts):
        places = part.detected.unread
        known = np.zeros(len(places), bool)
        for m, other in enumerate(parts):
            if m != n:
                known |= other.sees(places) | ((m < n) & other.is_unread(places))
        found.append(places[~known])
    return np.concatenate(found)


def single_camera_tiles(
    parts: Sequence[Observation], number: int, tiles: NDArray[np.intp]
) -> FrameDetections:
    """Return the tiles, (m,), that only one camera has, in doubt if another one should see them."""
    detected = parts[number].detected.kept(tiles)
    detections = detected.detections
    denied = np.zeros(len(tiles), bool)
    for n, other in enumerate(parts):
        denied |= (n != number) & other.sees(detections.centres)
    unlikely = denied & (
        detections.scores * (1 - detected.probabilities.p_background) < MIN_DENIED_TILE_SCORE
    )
    return replace(
        detected,
        detections=replace(detections, scores=np.where(unlikely, MIN_SURE_P_TILE / 2, detections.scores)),
    )


def aligned_observations(parts: Sequence[Observation]) -> list[Observation]:
    """Return observations with the offsets between the cameras removed."""
    return [shifted_observation(part, -way) for part, way in zip(parts, camera_offsets(parts), strict=True)]


def shifted_observation(part: Observation, way: Floats) -> Observation:
    """Return an observation with its tiles moved by a vector, (2,) in mm."""
    detected, detections = part.detected, part.detected.detections
    moved = replace(detections, centres=detections.centres + way)
    return replace(part, detected=replace(detected, detections=moved, unread=detected.unread + way))


def camera_offsets(parts: Sequence[Observation]) -> Floats:
    """Return each camera's offset from the mean of all, (cameras, 2) in mm, by least squares."""
    rows, apart, weights = [np.ones(len(parts))], [np.zeros(2)], [1.0]
    for a, b in combinations(range(len(parts)), 2):
        if len(shift := tile_shifts(parts[a], parts[b])):
            rows.append(np.eye(len(parts))[b] - np.eye(len(parts))[a])
            apart.append(np.median(shift, 0))
            weights.append(float(np.sqrt(len(shift))))
    scaled = np.array(weights)[:, None]
    solved = np.linalg.lstsq(scaled * np.array(rows), scaled * np.array(apart), rcond=None)[0]
    return np.asarray(solved, np.float64)


def tile_shifts(one: Observation, other: Observation) -> Floats:
    """Return the offset of each tile that two cameras see, (n, 2) in mm."""
    ours, theirs = (part.detected.detections.kept(part.plain) for part in (one, other))
    a, b = mutual_nearest_tiles(ours, theirs)
    return np.asarray(theirs.centres[b] - ours.centres[a])


def mutual_nearest_tiles(ours: Detections, theirs: Detections) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices of tiles, (n,) and (n,), that are mutually nearest and near enough."""
    if not len(ours) or not len(theirs):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    reach = MAX_TILE_SHIFT_SIDES * tile_side(ours, theirs)
    return mutual_nearest(distances(ours.centres, theirs.centres), reach)


def tile_side(*detections: Detections) -> float:
    """Return the median side of tiles, in mm."""
    return float(np.median(np.concatenate([one.sides for one in detections])))


def same_tiles(parts: Sequence[Observation]) -> list[list[Member]]:
    """Return groups of members that are one tile; a group has at most one tile of each camera."""
    members = [(n, k) for n, part in enumerate(parts) for k in range(len(part.detected.detections))]
    return grouped_members(members, overlapping_pairs(parts))


def grouped_members(members: Sequence[Member], near: Sequence[MemberPair]) -> list[list[Member]]:
    """Return members grouped by pairs, the nearest pair first, with at most one of each camera in a group."""
    group = {member: [member] for member in members}
    for a, b in near:
        ours, theirs = group[a], group[b]
        if ours is not theirs and not {n for n, _ in ours} & {n for n, _ in theirs}:
            ours += theirs
            group.update(dict.fromkeys(theirs, ours))
    return sorted({id(one): sorted(one) for one in group.values()}.values())


def overlapping_pairs(parts: Sequence[Observation]) -> list[MemberPair]:
    """Return pairs of tiles of different cameras that overlap, the nearest pair first."""
    found: list[tuple[float, Member, Member]] = []
    for a, b in combinations(range(len(parts)), 2):
        ours, theirs = parts[a].detected.detections, parts[b].detected.detections
        if not len(ours) or not len(theirs):
            continue
        far = distances(ours.centres, theirs.centres)
        for k, m in np.argwhere(far < NMS_DISTANCE * tile_side(ours, theirs)).tolist():
            found.append((float(far[k, m]), (a, k), (b, m)))
    return [(one, other) for _, one, other in sorted(found)]


def trusted_members(parts: Sequence[Observation], group: Sequence[Member]) -> list[Member]:
    """Return the members that see a tile, else those that remember it unless another camera sees it gone."""
    if plain := [(n, k) for n, k in group if parts[n].plain[k]]:
        return plain
    at = np.mean([parts[n].detected.detections.centres[k] for n, k in group], 0, keepdims=True)
    others = set(range(len(parts))) - {n for n, _ in group}
    return [] if any(parts[n].sees(at)[0] for n in others) else list(group)


def fused_tile(parts: Sequence[Observation], group: Sequence[Member]) -> FrameDetections:
    """Return one tile fused from its members."""
    observed = [parts[n].detected.kept(np.array([k])) for n, k in group]
    if len(observed) == 1:
        return observed[0]
    chances = [float(one.probabilities.p_best_face()[0]) for one in observed]
    best = observed[chances.index(max(chances))]
    asked = [one for one, sure in zip(observed, chances, strict=True) if sure >= MIN_CONFIDENCE] or observed
    probabilities = [one.probabilities.rotated(best.detections.turns - one.detections.turns) for one in asked]
    fused = replace(
        map_arrays(lambda *parts: np.mean(parts, 0), *probabilities),
        p_background=np.min([one.p_background for one in probabilities], 0),
        second=np.max([one.second for one in probabilities], 0),
    )
    detections = replace(
        best.detections,
        centres=np.mean([one.detections.centres for one in observed], 0),
        scores=np.max([one.detections.scores for one in observed], 0),
    )
    return replace(best, detections=detections, probabilities=fused)


PICTURE_MARGIN_SHARE = 0.02
"""Width of the picture's edge in which tiles may be cut off, as a share of the picture's width."""

MAX_ROUND_TRIP_ERROR_MM = 5.0
"""Largest round-trip error of a visible place, through its pixel and back, where the lens model holds."""


class CameraPose:
    """The mapping between a camera's picture and the table, from its profile.

    Parameters
    ----------
    profile
        A profile with a table; BadProfile is raised for any other.  It may be replaced by a corrected one at
        any time.
    """

    def __init__(self, profile: Profile) -> None:
        table = known_table(profile)
        self.profile = profile
        self._size = round(table.width_mm), round(table.height_mm)

    def to_table(self, pixels: Floats) -> Floats:
        """Return the table's points of pixels, in mm; both (n, 2)."""
        return to_table(pixels, self.profile)

    def in_view(self, zone: Zone) -> Mask:
        """Return a mask of the sample points of a zone that are in the picture."""
        return self.in_picture(polygon_samples(zone.corners_mm))

    def observation(self, seen: TrackedReading) -> Observation:
        """Return the camera's tiles in mm."""
        detected = self.rectified(seen.detected)
        plain = self.in_picture(detected.detections.centres)
        plain[list(seen.covered)] = False
        return Observation(detected, plain, partial(self.visible, seen.obscured))

    def rectified(self, detected: FrameDetections) -> FrameDetections:
        """Return detections in mm of the table, without a board."""
        quads = detected.detections.quads()
        corners = self.to_table(quads.reshape(-1, 2)).reshape(quads.shape)
        return FrameDetections(
            self._size,
            from_quads(corners, detected.detections.scores),
            detected.probabilities,
            None,
            unread=self.to_table(detected.unread),
        )

    def match_tiles(self, placed: Mapping[Place, Tile], tiles: Sequence[Tile]) -> dict[Place, Tile]:
        """Return the camera's tiles, in pixels, that match tiles of the table, in mm, by the same cells.

        Tiles match if they are mutually nearest and near enough, given the shift of their tops.
        """
        if not placed or not tiles:
            return {}
        quads = np.array([tile.corners for tile in placed.values()])
        side_mm = float(np.median(np.hypot(*(quads[:, 1] - quads[:, 0]).T)))
        places = self.to_table(np.array([tile.centre for tile in tiles]))
        here, there = mutual_nearest(distances(quads.mean(1), places), MAX_TILE_SHIFT_SIDES * side_mm)
        cells = list(placed)
        return {cells[k]: tiles[m] for k, m in zip(here.tolist(), there.tolist(), strict=True)}

    def in_picture(self, places: Floats) -> Mask:
        """Return a mask of the places, (n, 2) in mm, that are in the picture and not too near its edge."""
        if not len(places):
            return np.zeros(0, bool)
        pixels = to_picture(places, self.profile)
        camera = self.profile.camera
        margin, size = PICTURE_MARGIN_SHARE * camera.width, (camera.width, camera.height)
        within = ((pixels >= margin) & (pixels <= np.array(size) - 1 - margin)).all(1)
        pixels[~within] = 0
        back = np.hypot(*(self.to_table(pixels) - places).T)
        return np.asarray(within & (back < MAX_ROUND_TRIP_ERROR_MM))

    def visible(self, obscured: Sequence[Box], places: Floats) -> Mask:
        """Return a mask of the places, (n, 2) in mm, that are in the picture and not occluded."""
        plain = self.in_picture(places)
        plain[plain] = clear_of(obscured, to_picture(places[plain], self.profile))
        return plain


def clear_of(obscured: Sequence[Box], pixels: Floats) -> Mask:
    """Return a mask of the pixels, (n, 2), that lie in none of the given boxes."""
    clear = np.ones(len(pixels), bool)
    x, y = pixels.T
    for left, top, right, bottom in obscured:
        clear &= (x < left) | (x >= right) | (y < top) | (y >= bottom)
    return clear


def from_quads(quads: Floats, scores: Floats) -> Detections:
    """Return detections from corners, (n, 4, 2), in the order of ``Detections.quads``."""
    right = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    return Detections.of(quads.mean(1), np.stack([right, down], -1), scores)
