"""What several cameras know of one table, put together in its millimetres.

A camera sees the tops of tiles, which lie higher than the table that its profile maps: the further away it
stands, the more they are shifted.  Two cameras of about one height shift all tiles against each other by the
same way, so that way is found from the tiles that both see, and taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Place
from companion.model.profile import Profile, Zone
from companion.model.reading import Reading, Tile
from companion.table.zoned_seats import spread_over
from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import DOUBT, WEAK
from companion.vision.detector.detections import NMS_DISTANCE, Detections
from companion.vision.grid.homography import known_table, to_picture, to_table
from companion.vision.pipeline.frame import Box, FrameDetections, Rows
from companion.vision.tracking import TrackedReading

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Visibility = Callable[[Floats], Mask]
"""Returns which places, (n, 2) in mm, a camera sees plainly: in its picture, and nothing veils them."""

Readings = Mapping[str, TrackedReading]
"""What each camera knows of the table, by the camera's name."""

Member = tuple[int, int]
"""A part's number and that of what it knows there, such as a tile."""

MOST_SHIFT = 0.6
"""Tops of one tile may lie so far apart for two cameras before the shift is known, in tile sides."""

LIKELY = 0.5
"""A tile that another camera should see and does not must be there with more than this chance."""


class Grouper(Protocol):
    """What groups the tiles of a look, as a ``Reader`` does."""

    def reading(self, look: FrameDetections) -> Reading:
        """Return what the tiles of a look say together."""


@dataclass(frozen=True, slots=True)
class CameraObservation:
    """What one camera knows of the table.

    ``look`` is in mm of the table's frame.  ``plain`` (n,) are its tiles that are seen whole and now; the
    others are cut off by the picture's edge, or hidden and told from memory.
    """

    look: FrameDetections
    plain: Mask
    sees: Visibility


def merged(parts: Sequence[CameraObservation]) -> FrameDetections:
    """Return what cameras know together, each tile once, in mm.

    A tile that several see is named by those that are sure of it: where these disagree it has both names, so
    that it is in doubt.  A tile that one sees and another does not, though it sees the place, is in doubt
    unless it is likely there: a lamp's reflection may hide it.  A tile that nobody sees plainly is
    remembered, unless somebody sees plainly the bare table there.  One camera alone is believed as it is; the
    order of cameras changes nothing but that of the tiles.
    """
    if len(parts) == 1:
        return parts[0].look
    parts = aligned(parts)
    groups = [kept for group in same_tiles(parts) if (kept := trusted_members(parts, group))]
    alone = [
        (n, [group[0][1] for group in groups if len(group) == 1 and group[0][0] == n])
        for n in range(len(parts))
    ]
    shared = [group for group in groups if len(group) > 1]
    looks = [single_camera_tiles(parts, n, np.array(tiles, np.intp)) for n, tiles in alone]
    looks += [fused_tile(parts, group) for group in shared]
    first = [(n, k) for n, tiles in alone for k in tiles] + [group[0] for group in shared]
    in_order = np.array(sorted(range(len(first)), key=first.__getitem__), np.intp)
    detections, probabilities = (
        concatenated([getattr(look, rows) for look in looks]) for rows in ("detections", "probabilities")
    )
    return replace(parts[0].look, detections=detections, probabilities=probabilities).kept(in_order)


def single_camera_tiles(
    parts: Sequence[CameraObservation], number: int, tiles: NDArray[np.intp]
) -> FrameDetections:
    """Return a look at tiles, (m,), of which one camera alone tells; (m,) may be none."""
    look = parts[number].look.kept(tiles)
    detections = look.detections
    denied = np.zeros(len(tiles), bool)
    for n, other in enumerate(parts):
        denied |= (n != number) & other.sees(detections.centres)
    unlikely = denied & (detections.scores * (1 - look.probabilities.p_background) < LIKELY)
    return replace(
        look, detections=replace(detections, scores=np.where(unlikely, WEAK / 2, detections.scores))
    )


def concatenated(rows: Sequence[Rows]) -> Rows:
    """Return the tiles of several as one."""
    arrays = [f.name for f in fields(rows[0]) if isinstance(getattr(rows[0], f.name), np.ndarray)]
    every: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in rows]) for name in arrays}
    return replace(rows[0], **every)


def aligned(parts: Sequence[CameraObservation]) -> list[CameraObservation]:
    """Return parts moved by what their tiles are shifted against each other."""
    return [shifted(part, -way) for part, way in zip(parts, camera_offsets(parts), strict=True)]


def shifted(part: CameraObservation, way: Floats) -> CameraObservation:
    """Return a part with its tiles moved by a way, (2,) in mm."""
    detections = part.look.detections
    return replace(
        part, look=replace(part.look, detections=replace(detections, centres=detections.centres + way))
    )


def camera_offsets(parts: Sequence[CameraObservation]) -> Floats:
    """Return how far each camera sees tiles shifted from where all together see them, (parts, 2) in mm."""
    rows, apart, weights = [np.ones(len(parts))], [np.zeros(2)], [1.0]
    for a, b in combinations(range(len(parts)), 2):
        if len(shift := tile_shifts(parts[a], parts[b])):
            rows.append(np.eye(len(parts))[b] - np.eye(len(parts))[a])
            apart.append(np.median(shift, 0))
            weights.append(float(np.sqrt(len(shift))))
    scaled = np.array(weights)[:, None]
    solved = np.linalg.lstsq(scaled * np.array(rows), scaled * np.array(apart), rcond=None)[0]
    return np.asarray(solved, np.float64)


def tile_shifts(one: CameraObservation, other: CameraObservation) -> Floats:
    """Return from where to where each tile is shifted that two cameras see plainly, (n, 2) in mm."""
    ours, theirs = (part.look.detections.kept(part.plain) for part in (one, other))
    a, b = nearest(ours, theirs)
    return np.asarray(theirs.centres[b] - ours.centres[a])


def nearest(ours: Detections, theirs: Detections) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of tiles, (n,), and of others, (n,), that lie nearest to each other, and near."""
    if not len(ours) or not len(theirs):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    far = distances(ours, theirs)
    there, back = far.argmin(1), far.argmin(0)
    number = np.arange(len(ours))
    near = (back[there] == number) & (far[number, there] < MOST_SHIFT * tile_side(ours, theirs))
    return number[near], there[near]


def distances(ours: Detections, theirs: Detections) -> Floats:
    """Return the distances, (n, m), from tiles to others, in mm."""
    away = theirs.centres[None] - ours.centres[:, None]
    return np.asarray(np.hypot(away[..., 0], away[..., 1]))


def tile_side(*detections: Detections) -> float:
    """Return how broad tiles are, in mm, about."""
    return float(np.median(np.concatenate([one.sides for one in detections])))


def same_tiles(parts: Sequence[CameraObservation]) -> list[list[Member]]:
    """Return which tiles of which parts are one and the same, the nearest first; no camera sees one twice."""
    members = [(n, k) for n, part in enumerate(parts) for k in range(len(part.look.detections))]
    return grouped(members, pairs(parts))


def grouped(members: Sequence[Member], near: Sequence[tuple[Member, Member]]) -> list[list[Member]]:
    """Return members grouped by pairs of them, the nearest first; of no part two come together."""
    group = {member: [member] for member in members}
    for a, b in near:
        ours, theirs = group[a], group[b]
        if ours is not theirs and not {n for n, _ in ours} & {n for n, _ in theirs}:
            ours += theirs
            group.update(dict.fromkeys(theirs, ours))
    return sorted({id(one): sorted(one) for one in group.values()}.values())


def pairs(parts: Sequence[CameraObservation]) -> list[tuple[Member, Member]]:
    """Return the tiles of different parts that lie where only one can lie, the nearest first."""
    found: list[tuple[float, Member, Member]] = []
    for a, b in combinations(range(len(parts)), 2):
        ours, theirs = parts[a].look.detections, parts[b].look.detections
        if not len(ours) or not len(theirs):
            continue
        far = distances(ours, theirs)
        for k, m in np.argwhere(far < NMS_DISTANCE * tile_side(ours, theirs)).tolist():
            found.append((float(far[k, m]), (a, k), (b, m)))
    return [(one, other) for _, one, other in sorted(found)]


def trusted_members(parts: Sequence[CameraObservation], group: Sequence[Member]) -> list[Member]:
    """Return who tells of a tile: who sees it plainly, else who remembers it unless another sees it gone."""
    if plain := [(n, k) for n, k in group if parts[n].plain[k]]:
        return plain
    at = np.mean([parts[n].look.detections.centres[k] for n, k in group], 0, keepdims=True)
    others = set(range(len(parts))) - {n for n, _ in group}
    return [] if any(parts[n].sees(at)[0] for n in others) else list(group)


def fused_tile(parts: Sequence[CameraObservation], group: Sequence[Member]) -> FrameDetections:
    """Return a look at one tile as those see it together who tell of it."""
    looks = [parts[n].look.kept(np.array([k])) for n, k in group]
    if len(looks) == 1:
        return looks[0]
    best = max(looks, key=lambda look: sureness(look.probabilities))
    asked = [look for look in looks if is_sure(look.probabilities)] or looks
    probabilities = [
        look.probabilities.rotated(best.detections.turns - look.detections.turns) for look in asked
    ]
    detections = replace(
        best.detections,
        centres=np.mean([look.detections.centres for look in looks], 0),
        scores=np.max([look.detections.scores for look in looks], 0),
    )
    return replace(
        best,
        detections=detections,
        probabilities=replace(
            mean_probabilities(probabilities), p_background=np.min([n.p_background for n in probabilities], 0)
        ),
    )


def sureness(probabilities: ClassProbabilities) -> float:
    """Return how sure a camera is of what one tile shows, whichever way round it is read."""
    return float(max(probabilities.p_best_symbol()[0], probabilities.p_blank[0]))


def is_sure(probabilities: ClassProbabilities) -> bool:
    """Return whether a camera would not ask about what one tile shows."""
    return sureness(probabilities) >= DOUBT


def mean_probabilities(probabilities: Sequence[ClassProbabilities]) -> ClassProbabilities:
    """Return several namings of the same tiles as one."""
    chance, down, none, foreign = (
        np.mean([getattr(one, name) for one in probabilities], 0)
        for name in ("p_symbol", "p_blank", "p_background", "p_foreign")
    )
    return ClassProbabilities(
        probabilities[0].symbols,
        chance,
        down,
        none,
        foreign,
        np.max([one.second for one in probabilities], 0),
    )


MARGIN = 0.02
"""So near the picture's edge, as a share of its breadth, tiles may be cut off."""

ROUND_TRIP_MM = 5.0
"""A place is in the picture if its pixel leads back to it so closely: a bent lens may show no such place."""


class CameraPose:
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

    def observation(self, seen: TrackedReading) -> CameraObservation:
        """Return what the camera knows of the table, in mm."""
        look = self.rectified(seen.look)
        plain = self.in_picture(look.detections.centres)
        plain[list(seen.covered)] = False
        return CameraObservation(look, plain, partial(self.visible, seen.veiled))

    def rectified(self, look: FrameDetections) -> FrameDetections:
        """Return a look at the table from above, in mm, without its board."""
        quads = look.detections.quads()
        corners = to_table(quads.reshape(-1, 2), self.profile).reshape(quads.shape)
        return FrameDetections(
            self._size, from_quads(corners, look.detections.scores), look.probabilities, None
        )

    def match_tiles(self, placed: Mapping[Place, Tile], tiles: Sequence[Tile]) -> dict[Place, Tile]:
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
            if back[there[k]] == k and far[k, there[k]] < MOST_SHIFT * side_mm
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
        return np.asarray(within & (back < ROUND_TRIP_MM))

    def visible(self, veiled: Sequence[Box], places: Floats) -> Mask:
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
