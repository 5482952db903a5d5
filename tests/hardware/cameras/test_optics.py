"""Which camera fits which table: by hand from data sheets, and the page that tells it."""

from __future__ import annotations

from math import atan, degrees
from pathlib import Path

import pytest

from hardware.cameras.optics import CAMERAS, MIN_CAMERA_HEIGHT_MM, CameraSpec, fit_text, rows

SQUARE = CameraSpec("made up", 1000, 1000, 1000.0)


def camera(name: str) -> CameraSpec:
    return next(one for one in CAMERAS if one.name == name)


# Raspberry Pi documentation, camera hardware specifications: horizontal field of view.  A lens without
# distortion sees a little less than the wide one, which bends the picture.
@pytest.mark.parametrize(
    ("name", "view", "off"),
    [("Camera Module 3", 66.0, 3.0), ("Camera Module 3 Wide", 102.0, 4.0), ("Camera Module 2", 62.2, 1.0)],
)
def test_a_lens_sees_as_wide_as_its_data_sheet_says(name: str, view: float, off: float) -> None:
    found = camera(name)
    assert 2 * degrees(atan(found.width / 2 / found.focal_px)) == pytest.approx(view, abs=off)


def test_the_whole_table_and_a_tenth_more_are_in_the_picture() -> None:
    assert SQUARE.distance_mm((1000, 500)) == pytest.approx(1100)
    assert SQUARE.distance_mm((500, 2000)) == pytest.approx(2200)


def test_a_tile_is_as_broad_as_its_share_of_the_picture() -> None:
    assert SQUARE.tile_px((1000, 1000)) == pytest.approx(20 / 1100 * 1000)


def test_no_camera_hangs_where_hands_are() -> None:
    assert fit_text(SQUARE, (100, 100)).startswith(f"{MIN_CAMERA_HEIGHT_MM / 1000:.2f} m, mast")


@pytest.mark.parametrize(
    ("focal_px", "told"),
    [(500.0, "tiles of 8 px: two cameras"), (3000.0, "too low a ceiling")],
)
def test_a_camera_that_does_not_fit_is_told(focal_px: float, told: str) -> None:
    assert fit_text(CameraSpec("made up", 1000, 1000, focal_px), (2200, 2200)) == told


def test_half_a_picture_has_tiles_half_as_broad_from_the_same_height() -> None:
    whole, half = SQUARE, SQUARE.halved()
    assert half.distance_mm((900, 900)) == pytest.approx(whole.distance_mm((900, 900)))
    assert 2 * half.tile_px((900, 900)) == pytest.approx(whole.tile_px((900, 900)))


def test_the_page_for_builders_has_the_table_that_is_computed(root: Path) -> None:
    page = (root / "companion/docs/building.md").read_text(encoding="utf-8")
    assert "\n".join(rows()) in page
