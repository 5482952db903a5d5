"""A camera that was bumped, and one that was not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.drawing.camera import camera
from calibration.drawing.marker_tables import MarkedTable, after_camera_move
from calibration.table.drift import DriftState, drift, profile_by_tap, profile_to_keep
from companion.errors import BadCapture, BadProfile
from companion.model.profile import Lens, Profile
from companion.model.reading import Corners
from companion.vision.grid.homography import Points, to_picture, to_table
from tests.calibration.plain_tables import HEIGHT, VIEW, WIDTH, cards, profile, table, usual

BUMPED = replace(VIEW, tilt_deg=VIEW.tilt_deg + 1.5, turn_deg=VIEW.turn_deg + 2.0)
PLACES = np.array([[0.0, 0.0], [WIDTH, 0.0], [WIDTH, HEIGHT], [0.0, HEIGHT], [300.0, 200.0]])


def off_mm(known: Profile, drawn: MarkedTable) -> float:
    """Return how far, at worst, a profile puts places of the table from where they are."""
    return float(np.hypot(*(to_table(drawn.pixels(PLACES), known) - PLACES).T).max())


def corners(at: Points) -> Corners:
    a, b, c, d = ((x, y) for x, y in at.tolist())
    return a, b, c, d


def unmarked(known: Profile) -> Profile:
    assert known.table
    return replace(known, table=replace(known.table, markers=()))


def test_a_camera_that_stands_still_keeps_its_profile() -> None:
    known = usual()
    found = drift(table().picture, known)
    assert (found.state, found.profile) == (DriftState.STILL, known)
    assert found.moved_mm < 0.2


def test_a_bumped_camera_is_corrected_by_the_markers() -> None:
    known, after = usual(), table(view=BUMPED)
    found = drift(after.picture, known)
    assert found.state is DriftState.MOVED
    assert off_mm(known, after) > 10
    assert off_mm(found.profile, after) < 0.5


def test_it_is_said_how_far_it_moved_and_what_told_it() -> None:
    known, after = usual(), table(view=BUMPED)
    found = drift(after.picture, known)
    before, now = to_picture(PLACES[:4], known), after.pixels(PLACES[:4])
    px = np.hypot(*(now - before).T).max()
    assert f"({px:.0f} px); corrected by 4 markers" in found.text


def test_three_markers_tell_no_bump_at_the_corner_that_none_of_them_shows() -> None:
    known, rng = usual(), np.random.default_rng(3)
    assert known.table
    measured = [  # with a pixel's half of noise, a homography of three is off by 4 mm at the fourth
        replace(marker, corners_mm=corners(np.array(marker.corners_mm) + rng.normal(0, 0.3, (4, 2))))
        for marker in known.table.markers
    ]
    printed = replace(known, table=replace(known.table, markers=tuple(measured)))
    for hidden in range(4):
        seen = table(tuple(card for card in cards() if card.number != hidden))
        found = drift(seen.picture, printed)
        assert (found.state, found.profile) == (DriftState.STILL, printed)


def test_markers_beyond_what_the_lens_shows_are_left_out() -> None:
    matrix = (500.0, 0.0, 799.5, 0.0, 500.0, 599.5, 0.0, 0.0, 1.0)
    narrow = Lens("fisheye", matrix, (-0.3, 0.0, 0.0, 0.0), 0.1)  # shows nothing more than 350 px off
    found = drift(table().picture, replace(usual(), lens=narrow))
    assert (found.state, found.marks) == (DriftState.LOST, ())


def test_two_markers_are_enough() -> None:
    known = usual()
    two = table(tuple(card for card in cards() if card.number in (1, 3)), BUMPED)
    assert off_mm(drift(two.picture, known).profile, table(view=BUMPED)) < 1.5


def test_a_marker_that_was_moved_itself_is_named_and_left_out() -> None:
    known = usual()
    laid = (*cards()[:3], replace(cards()[3], middle=(-330.0, 200.0)))
    found = drift(table(laid).picture, known)
    assert (found.state, "marker 3 was moved itself" in found.text) == (DriftState.STILL, True)


def test_without_markers_the_background_tells_it() -> None:
    before = table(speckled=True)
    again = after_camera_move(before.picture, camera(VIEW), camera(BUMPED))
    found = drift(again, unmarked(profile(before)))
    assert found.state is DriftState.MOVED
    assert "by the table's background" in found.text
    assert off_mm(found.profile, table(view=BUMPED)) < 2


def test_a_correction_by_the_background_that_was_kept_is_not_made_again() -> None:
    before = table(speckled=True)
    again = after_camera_move(before.picture, camera(VIEW), camera(BUMPED))
    kept = profile_to_keep(drift(again, unmarked(profile(before))), again)
    found = drift(again, kept)
    assert (found.state, found.profile) == (DriftState.STILL, kept)
    assert off_mm(found.profile, table(view=BUMPED)) < 2


def test_a_camera_that_stands_still_keeps_its_landmarks() -> None:
    known = profile(table(speckled=True))
    assert profile_to_keep(drift(table().picture, known), table().picture) == known


def test_where_nothing_is_found_again_one_tap_is_asked_for() -> None:
    known = unmarked(usual())
    found = drift(np.full((1200, 1600), 90, np.uint8), known)
    assert (found.state, found.profile) == (DriftState.LOST, known)
    assert "--tap" in found.text


def test_another_table_is_not_taken_for_a_bump() -> None:
    known = unmarked(profile(table(speckled=True)))
    other = np.random.default_rng(8).integers(0, 255, (1200, 1600)).astype(np.uint8)
    assert drift(other, known).state is DriftState.LOST


def test_one_tap_shifts_the_table_to_its_corner() -> None:
    known = usual()
    corner = to_picture(np.zeros((1, 2)), known)[0]
    found = profile_by_tap(known, (float(corner[0]) + 40, float(corner[1]) + 30))
    assert to_picture(np.zeros((1, 2)), found.profile)[0] == pytest.approx(
        corner + np.array([40, 30]), abs=0.1
    )
    assert found.state is DriftState.MOVED


def test_a_tap_outside_the_picture_is_refused() -> None:
    with pytest.raises(BadCapture, match="outside the picture"):
        profile_by_tap(usual(), (1600.0, 20.0))


def test_a_closer_camera_sees_larger_tiles() -> None:
    known, nearer = usual(), replace(VIEW, tile_px=1.1 * VIEW.tile_px)
    after = drift(table(view=nearer).picture, known).profile
    assert after.tile_px == pytest.approx(31.0 * 1.1, rel=0.02)


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(BadProfile, match="1600 x 1200"):
        drift(np.zeros((600, 800), np.uint8), usual())


def test_a_profile_without_a_table_is_refused() -> None:
    with pytest.raises(BadProfile, match="companion calibrate table"):
        drift(table().picture, replace(usual(), table=None))
