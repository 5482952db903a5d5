"""Whether the camera still stands as it did when the table was measured, and what to do where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import Measured, measured
from calibration.markers import find_markers
from calibration.table.landmarks import spots
from companion.errors import BadCapture
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.profile import Marker, Profile
from companion.render.pen import Points
from companion.vision.grid.homography import known_table, project, table_homography, to_picture, undistorted
from companion.vision.picture import Frame

STILL_MM = 2.0
"""A table that seems to have moved by less than this has not."""

ASTRAY_MM = 6.0
"""A marker that is farther than this from where the others say was moved itself."""

SPOTS = 1200
"""Spots of a new picture among which the old ones are sought: more, as tiles and hands make new ones."""

LEAST_SPOTS = 20
"""Spots that must agree on where the table is now."""

WITHIN_PX = 3.0


class Stand(StrEnum):
    """How a camera stands to its profile."""

    STILL = "still"
    MOVED = "moved"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of a camera.

    ``profile`` is the one to go on with: corrected where it ``MOVED``, the
    old one otherwise; ``moved_mm`` how far places of the table seem to have
    moved at most; ``says`` is for the log and the person.
    """

    stand: Stand
    profile: Profile
    moved_mm: float
    says: str
    marks: tuple[Measured, ...] = ()


def drift(grey: Frame, profile: Profile) -> Drift:
    """Return how the camera that took a grey picture, (h, w), stands to its profile.

    Markers tell it where they lie on the table, else spots of the background.  Raises BadProfile where
    the profile knows no table or is of pictures of another size.
    """
    profile.of_picture(grey.shape[1], grey.shape[0])
    known = {marker.number: marker for marker in known_table(profile).markers}
    marks = tuple(measured(grey, one, profile.lens) for one in find_markers(grey, known))
    if marks:
        there, astray = agreeing(profile, marks, known)
        if len(there) >= 2:
            return judged(profile, _map(there, known), _said(there, astray), marks)
    back = _by_spots(grey, profile)
    if back is None:
        return Drift(Stand.LOST, profile, float("nan"), LOST, marks)
    return judged(profile, table_homography(profile) @ back, phrase("by the table's background"), marks)


LOST = phrase(
    "neither markers nor the background of the table are found again: say where the table's top left corner "
    "is now (companion calibrate check IMAGE --tap X,Y), or calibrate it anew"
)


def agreeing(
    profile: Profile, marks: Sequence[Measured], known: dict[int, Marker]
) -> tuple[list[Measured], list[int]]:
    """Return the markers that still lie as they did to each other, and the numbers of the others."""
    best: list[Measured] = []
    for pair in combinations(marks, 2):
        into = _map(pair, known)
        near = [mark for mark in marks if _off(into, mark, known) < ASTRAY_MM]
        best = max(best, near, key=len)
    if len(best) == 2 and len(marks) > 2:  # two against others: those that lie where the profile says count
        best = [mark for mark in marks if _off(table_homography(profile), mark, known) < ASTRAY_MM]
    return best, [mark.number for mark in marks if mark not in best]


def _off(into: NDArray[np.float64], mark: Measured, known: dict[int, Marker]) -> float:
    """Return how far a marker's corners lie from where they were, in mm, under a map from straight pixels."""
    return float(np.hypot(*(project(into, mark.straight) - _places(known[mark.number])).T).max())


def _map(marks: Sequence[Measured], known: dict[int, Marker]) -> NDArray[np.float64]:
    """Return the map under which markers lie where they did, (3, 3)."""
    pixels = np.concatenate([mark.straight for mark in marks])
    places = np.concatenate([_places(known[mark.number]) for mark in marks])
    found, _ = cv2.findHomography(pixels, places)
    return np.asarray(found, np.float64)


def _places(marker: Marker) -> Points:
    return np.array(marker.corners_mm)


def _said(there: Sequence[Measured], astray: Sequence[int]) -> str:
    """Return by what the table was found."""
    by = phrase_n("by %(count)s marker", "by %(count)s markers", len(there))
    if not astray:
        return by
    moved = phrase_n(
        "marker %(numbers)s was moved itself: lay it back, or calibrate the table anew",
        "markers %(numbers)s were moved themselves: lay them back, or calibrate the table anew",
        len(astray),
        numbers=" + ".join(map(str, astray)),
    )
    return joined([by, moved], "; ")


def _by_spots(grey: Frame, profile: Profile) -> NDArray[np.float64] | None:
    """Return what leads from straight pixels now to those of the time of the profile, or ``None``."""
    if len(profile.landmarks) < LEAST_SPOTS:
        return None
    at, codes = spots(grey, SPOTS)
    if len(at) < LEAST_SPOTS:
        return None
    old = np.array([mark.at_px for mark in profile.landmarks])
    old_codes = np.array([list(bytes.fromhex(mark.code)) for mark in profile.landmarks], np.uint8)
    pairs = [
        (first.queryIdx, first.trainIdx)
        for first, second in cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(old_codes, codes, 2)
        if first.distance < 0.8 * second.distance
    ]
    if len(pairs) < LEAST_SPOTS:
        return None
    then, now = (
        undistorted(points[list(ids)], profile.lens)
        for points, ids in zip((old, at), zip(*pairs, strict=True), strict=True)
    )
    within = WITHIN_PX * max(grey.shape) / 1280
    found, fits = cv2.findHomography(now, then, cv2.USAC_MAGSAC, within, maxIters=5000, confidence=0.999)
    if not np.shape(found) or not spread(then[fits.ravel() > 0], grey.shape):
        return None
    return np.asarray(found, np.float64)


def spread(points: Points, shape: tuple[int, ...]) -> bool:
    """Return whether spots are many and lie all over a picture, so that chance cannot have made them fit."""
    if len(points) < LEAST_SPOTS:
        return False
    low, high = points.min(0), points.max(0)
    return bool(((high - low) > 0.35 * np.array(shape[1::-1])).all())


def judged(profile: Profile, into: NDArray[np.float64], how: str, marks: tuple[Measured, ...] = ()) -> Drift:
    """Return how a camera stands whose table is now under the map ``into``, from straight pixels to mm."""
    table = known_table(profile)
    fresh = replace(profile, table=replace(table, homography=tuple((into / into[2, 2]).ravel().tolist())))
    wide, high = table.width_mm, table.height_mm
    places = np.array([[0.0, 0.0], [wide, 0.0], [wide, high], [0.0, high]])
    before = to_picture(places, profile)
    moved_mm = float(np.hypot(*(project(into, undistorted(before, profile.lens)) - places).T).max())
    moved_px = float(np.hypot(*(to_picture(places, fresh) - before).T).max())
    if moved_mm < STILL_MM:
        return Drift(
            Stand.STILL, profile, moved_mm, phrase("the camera stands as it did, %(how)s", how=how), marks
        )
    grown = float(np.sqrt(_area(to_picture(places, fresh)) / _area(before)))
    if profile.tile_px is not None:
        fresh = replace(fresh, tile_px=profile.tile_px * grown)
    says = phrase(
        "the camera was bumped: the table moved by %(mm)s mm (%(px)s px); corrected %(how)s",
        mm=round(moved_mm),
        px=round(moved_px),
        how=how,
    )
    return Drift(Stand.MOVED, fresh, moved_mm, says, marks)


def by_tap(profile: Profile, tap: tuple[float, float]) -> Drift:
    """Return the profile shifted so that the table's first corner lies where somebody tapped, in pixels.

    Raises BadCapture where the table would no longer be in the picture.
    """
    old = to_picture(np.zeros((1, 2)), profile)
    shift = undistorted(np.array([tap]), profile.lens)[0] - undistorted(old, profile.lens)[0]
    back = np.array([[1.0, 0.0, -shift[0]], [0.0, 1.0, -shift[1]], [0.0, 0.0, 1.0]])
    inside = 0 <= tap[0] < profile.camera.width and 0 <= tap[1] < profile.camera.height
    if not inside:
        raise BadCapture(
            phrase("the tap is outside the picture: tap the table's top left corner, or calibrate anew")
        )
    return judged(profile, table_homography(profile) @ back, phrase("by one tap"))


def _area(points: Points) -> float:
    return abs(float(cv2.contourArea(points.astype(np.float32))))
