from __future__ import annotations

import math
from typing import Any

import pytest

from companion.errors import BadProfile
from companion.model.profile import CameraId, Landmark, Lens, Marker, Profile, TableMap, Zone, ZoneKind

EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
SQUARE = ((0.0, 0.0), (60.0, 0.0), (60.0, 60.0), (0.0, 60.0))
CAMERA = CameraId("above", 4056, 3040)


def test_a_picture_of_the_cameras_own_size_is_taken() -> None:
    Profile(CAMERA, "now").of_picture(4056, 3040)


def test_a_picture_of_another_size_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        BadProfile, match=r"'above' at 4056 x 3040 pixels, the picture has 1920 x 1080: set the"
    ):
        Profile(CAMERA, "now").of_picture(1920, 1080)


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        (CameraId, ("", 10, 10), "name"),
        (CameraId, ("a\nb", 10, 10), "name"),
        (CameraId, ("a", 0, 10), "pixels a side"),
        (CameraId, ("a", 10, 40_000), "pixels a side"),
        (Lens, ("round", EYE, (0.0,) * 4, 0.1), "ordinary or fisheye"),
        (Lens, ("ordinary", EYE[:8], (0.0,) * 4, 0.1), "nine numbers"),
        (Lens, ("ordinary", (0.0, *EYE[1:]), (0.0,) * 4, 0.1), "focal"),
        (Lens, ("ordinary", EYE, (0.0,) * 6, 0.1), "4 or 5 or 8"),
        (Lens, ("fisheye", EYE, (0.0,) * 5, 0.1), "has 4 distortion"),
        (Lens, ("fisheye", EYE, (math.nan,) * 4, 0.1), "has 4 distortion"),
        (Lens, ("fisheye", EYE, (0.0,) * 4, -0.1), "error"),
        (TableMap, ((0.0,) * 9, 10.0, 10.0, 0.1), "flat"),
        (TableMap, (EYE, 0.0, 10.0, 0.1), "up to 5000 mm"),
        (TableMap, (EYE, 10.0, 6000.0, 0.1), "up to 5000 mm"),
        (TableMap, (EYE, 10.0, 10.0, math.inf), "error"),
        (TableMap, (EYE, 10.0, 10.0, 0.0, (Marker(1, SQUARE), Marker(1, SQUARE))), "twice"),
        (Marker, (1000, SQUARE), "0 to 999"),
        (Marker, (1, ((math.nan, 0.0), *SQUARE[1:])), "corners"),
        (Zone, (ZoneKind.SEAT, None, SQUARE), "seat"),
        (Zone, (ZoneKind.POOL, 1, SQUARE), "seat"),
        (Zone, (ZoneKind.SEAT, 14, SQUARE), "seat"),
        (Zone, (ZoneKind.SEAT, 1, SQUARE[:2]), "3 to 32"),
        (Landmark, ((1.0, 2.0), "ff"), "64 hex"),
        (Profile, (CAMERA, ""), "when it was made"),
        (Profile, (CAMERA, "now", None, None, 1.0), "2 to 2000"),
        (Profile, (CAMERA, "now", None, None, None, (Zone(ZoneKind.SEAT, 1, SQUARE),) * 2), "two zones"),
    ],
)
def test_what_no_camera_can_be_is_refused(kind: type, given: tuple[Any, ...], says: str) -> None:
    with pytest.raises(BadProfile, match=says):
        kind(*given)
