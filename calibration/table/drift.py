"""Drift of the camera since the table was calibrated, and its correction.

It is measured by the markers, or by ORB keypoints of the background that a profile keeps as landmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import MeasuredMarker, measure_marker
from calibration.markers import DetectedMarker, find_markers
from companion.errors import BadCapture, BadProfile
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.profile import Landmark, Lens, Marker, Profile
from companion.render.pen import Points
from companion.vision.camera_frame import Frame, downscale_to_fit
from companion.vision.grid.homography import known_table, project, table_homography, to_picture, undistorted

MAX_STILL_MM = 2.0
"""Largest movement of the table at which the camera counts as still, in mm."""

MAX_MARKER_SHIFT_MM = 6.0
"""Largest distance, in mm, of a marker from its place by the others; beyond it, it was moved itself."""

KEYPOINT_TARGET = 1200
"""Number of keypoints of a new picture: more than in the profile, as tiles and hands add some."""

MIN_MATCHES = 20
"""Least number of matched keypoints."""

RANSAC_THRESHOLD_PX = 3.0

MAX_SEARCH_SIDE_PX = 1280
"""Longest side of the copy in which keypoints are detected."""

LANDMARK_TARGET = 400
"""Number of keypoints that are kept: the strongest of each part of the picture."""

PARTS_PER_SIDE = 8


class DriftState(StrEnum):
    """Whether a camera still fits its profile."""

    STILL = "still"
    MOVED = "moved"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Drift:
    """The drift of a camera.

    ``profile`` is the one to use from now on: corrected where the camera ``MOVED``, else the old one;
    ``moved_mm`` is the largest apparent movement of the ``places`` that show it, (n, 2) in mm; ``text`` is
    for the log and people; ``marks`` are all markers that were found.
    """

    state: DriftState
    profile: Profile
    moved_mm: float
    text: str
    places: Points = field(default_factory=lambda: np.zeros((0, 2)), compare=False)
    marks: tuple[MeasuredMarker, ...] = ()


def drift(grey: Frame, profile: Profile) -> Drift:
    """Return the drift of the camera that took a grey picture, (h, w), from its profile.

    It is measured by markers where at least two agree, else by keypoints of the background.  Raises
    BadProfile where the profile has no table or is of pictures of another size.
    """
    profile.of_picture(grey.shape[1], grey.shape[0])
    known = {marker.number: marker for marker in known_table(profile).markers}
    found_marks = (_measured(grey, one, profile.lens) for one in find_markers(grey, known))
    marks = tuple(mark for mark in found_marks if mark)
    if marks:
        there, astray = consistent_markers(profile, marks, known)
        if len(there) >= 2:
            at = np.concatenate([_places(known[mark.number]) for mark in there])
            found = classify_drift(profile, _map(there, known), _found_by(there, astray), at)
            return replace(found, marks=marks)
    back = _by_keypoints(grey, profile)
    if back is None:
        return Drift(DriftState.LOST, profile, float("nan"), LOST, marks=marks)
    found = classify_drift(profile, table_homography(profile) @ back, phrase("by the table's background"))
    return replace(found, marks=marks)


LOST = phrase(
    "neither markers nor the background of the table are found again: say where the table's top left corner "
    "is now (companion calibrate check IMAGE --tap X,Y), or calibrate it anew"
)


def _measured(grey: Frame, found: DetectedMarker, lens: Lens | None) -> MeasuredMarker | None:
    """Return a marker of a grey picture, ``None`` where the lens cannot be undone at its place."""
    with suppress(BadProfile):
        return measure_marker(grey, found, lens)
    return None


def consistent_markers(
    profile: Profile, marks: Sequence[MeasuredMarker], known: dict[int, Marker]
) -> tuple[list[MeasuredMarker], list[int]]:
    """Return the largest set of markers with unchanged relative places, and the numbers of the others."""
    best: list[MeasuredMarker] = []
    for pair in combinations(marks, 2):
        into = _map(pair, known)
        near = [mark for mark in marks if _off(into, mark, known) < MAX_MARKER_SHIFT_MM]
        best = max(best, near, key=len)
    if len(best) == 2 and len(marks) > 2:  # two against others: those at the profile's places count
        best = [mark for mark in marks if _off(table_homography(profile), mark, known) < MAX_MARKER_SHIFT_MM]
    return best, [mark.number for mark in marks if mark not in best]


def _off(into: NDArray[np.float64], mark: MeasuredMarker, known: dict[int, Marker]) -> float:
    """Return the largest distance of a marker's corners from their old places in mm, under a homography."""
    return float(np.hypot(*(project(into, mark.straight) - _places(known[mark.number])).T).max())


def _map(marks: Sequence[MeasuredMarker], known: dict[int, Marker]) -> NDArray[np.float64]:
    """Return the homography from undistorted pixels to the markers' old places, (3, 3)."""
    pixels = np.concatenate([mark.straight for mark in marks])
    places = np.concatenate([_places(known[mark.number]) for mark in marks])
    found, _ = cv2.findHomography(pixels, places)
    return np.asarray(found, np.float64)


def _places(marker: Marker) -> Points:
    return np.array(marker.corners_mm)


def _found_by(there: Sequence[MeasuredMarker], astray: Sequence[int]) -> str:
    """Return in words the number of markers that the table was found by, and the markers that were moved."""
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


def _by_keypoints(grey: Frame, profile: Profile) -> NDArray[np.float64] | None:
    """Return the homography from undistorted pixels now to those of the profile, (3, 3), or ``None``."""
    if len(profile.landmarks) < MIN_MATCHES:
        return None
    at, codes = keypoints(grey, KEYPOINT_TARGET)
    if len(at) < MIN_MATCHES:
        return None
    old = np.array([mark.at_px for mark in profile.landmarks])
    old_codes = np.array([list(bytes.fromhex(mark.code)) for mark in profile.landmarks], np.uint8)
    pairs = [
        (first.queryIdx, first.trainIdx)
        for first, second in cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(old_codes, codes, 2)
        if first.distance < 0.8 * second.distance
    ]
    if len(pairs) < MIN_MATCHES:
        return None
    then, now = (
        undistorted(points[list(ids)], profile.lens)
        for points, ids in zip((old, at), zip(*pairs, strict=True), strict=True)
    )
    within = RANSAC_THRESHOLD_PX * max(grey.shape) / 1280
    found, fits = cv2.findHomography(now, then, cv2.USAC_MAGSAC, within, maxIters=5000, confidence=0.999)
    if not np.shape(found) or not well_spread(then[fits.ravel() > 0], grey.shape):
        return None
    return np.asarray(found, np.float64)


def well_spread(points: Points, shape: tuple[int, ...]) -> bool:
    """Return whether matched keypoints are many and spread over a picture, so not matched by chance."""
    if len(points) < MIN_MATCHES:
        return False
    low, high = points.min(0), points.max(0)
    return bool(((high - low) > 0.35 * np.array(shape[1::-1])).all())


def classify_drift(
    profile: Profile, into: NDArray[np.float64], how: str, places: Points | None = None
) -> Drift:
    """Return the drift of a camera whose homography from undistorted pixels to mm is now ``into``.

    It is judged at ``places`` of the table, (n, 2) in mm, by default its corners: a homography of three
    markers may be some mm off at the fourth corner.
    """
    table = known_table(profile)
    fresh = replace(profile, table=replace(table, homography=tuple((into / into[2, 2]).ravel().tolist())))
    wide, high = table.width_mm, table.height_mm
    corners = np.array([[0.0, 0.0], [wide, 0.0], [wide, high], [0.0, high]])
    at = corners if places is None else places
    before, now = (to_picture(at, one) for one in (profile, fresh))
    moved_mm = float(np.hypot(*(project(into, undistorted(before, profile.lens)) - at).T).max())
    moved_px = float(np.hypot(*(now - before).T).max())
    if moved_mm < MAX_STILL_MM:
        text = phrase("the camera stands as it did, %(how)s", how=how)
        return Drift(DriftState.STILL, profile, moved_mm, text, at)
    old, new = (abs(cv2.contourArea(to_picture(corners, one).astype(np.float32))) for one in (profile, fresh))
    grown = float(np.sqrt(new / old))
    if profile.tile_px is not None:
        fresh = replace(fresh, tile_px=profile.tile_px * grown)
    text = phrase(
        "the camera was bumped: the table moved by %(mm)s mm (%(px)s px); corrected %(how)s",
        mm=round(moved_mm),
        px=round(moved_px),
        how=how,
    )
    return Drift(DriftState.MOVED, fresh, moved_mm, text, at)


def profile_by_tap(profile: Profile, tap: tuple[float, float]) -> Drift:
    """Return the profile shifted so that the table's first corner is at a tapped pixel.

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
    return classify_drift(profile, table_homography(profile) @ back, phrase("by one tap"))


def profile_to_keep(found: Drift, grey: Frame) -> Profile:
    """Return the profile to store after a drift that a grey picture, (h, w), showed.

    Of a camera that has moved, the landmarks are taken from that picture: those of before lie elsewhere now.
    """
    if found.state is not DriftState.MOVED:
        return found.profile
    return replace(found.profile, landmarks=landmarks(grey))


def keypoints(grey: Frame, most: int) -> tuple[Points, NDArray[np.uint8]]:
    """Return the keypoints of a grey picture, (n, 2) in pixels, and their descriptors, (n, 32) uint8."""
    none = np.empty((0, 2)), np.empty((0, 32), np.uint8)
    small, scale = downscale_to_fit(grey, MAX_SEARCH_SIDE_PX)
    orb = cv2.ORB.create(nfeatures=8 * most, fastThreshold=7, nlevels=6)
    if min(small.shape) <= 2 * orb.getEdgeThreshold():  # it detects nothing so near to an edge
        return none
    keys, codes = orb.detectAndCompute(small, np.empty(0, np.uint8))
    if not keys:
        return none
    at = np.array([key.pt for key in keys])
    height, width = small.shape
    part = (at // (width / PARTS_PER_SIDE, height / PARTS_PER_SIDE)) @ np.array([1, PARTS_PER_SIDE])
    order = np.argsort([-key.response for key in keys], kind="stable")
    kept = [k for p in np.unique(part) for k in order[part[order] == p][: most // PARTS_PER_SIDE**2 + 1]]
    return (at[kept] + 0.5) / scale - 0.5, np.asarray(codes[kept], np.uint8)


def landmarks(grey: Frame) -> tuple[Landmark, ...]:
    """Return the landmarks of a picture for a profile, spread over all of it."""
    at, codes = keypoints(grey, LANDMARK_TARGET)
    return tuple(
        Landmark((float(x), float(y)), code.tobytes().hex()) for (x, y), code in zip(at, codes, strict=True)
    )
