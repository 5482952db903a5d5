"""A camera is looked after before each game, and while it is played."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View, camera
from calibration.drawing.marker_tables import drawn_pixels
from companion.bootstrap.camera_place import CameraPlace, found_place
from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadProfile
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame
from companion.vision.detector.perspective import RectifiedView
from companion.vision.grid.homography import Points
from companion.vision.pipeline.reader import Reader
from hardware.cameras import Health
from hardware.frames import Shot
from tests.calibration.plain_tables import HEIGHT, SIDE_MM, VIEW, WIDTH, profile, table
from tests.calibration.test_drift_by_tiles import PLACES, moved, tiles

USB = CameraConfig(CameraKind.USB, 0)
BUMPED = replace(VIEW, turn_deg=VIEW.turn_deg + 2.0)
UPSIDE_DOWN = replace(VIEW, turn_deg=VIEW.turn_deg + 180.0)
CORNERS = np.array([[0.0, 0.0], [WIDTH, 0.0], [WIDTH, HEIGHT], [0.0, HEIGHT]])


def corners_seen(place: CameraPlace, view: View) -> Points:
    """Return the places in mm, by a camera's pose, of the pixels where a view shows the table's corners."""
    assert place.pose is not None
    return place.pose.to_table(drawn_pixels(camera(view), CORNERS - (WIDTH / 2, HEIGHT / 2), SIDE_MM))


@dataclass
class Still:
    """A camera that always has the same picture, or none."""

    frame: Frame | None

    def __enter__(self) -> Still:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        return None if self.frame is None else Shot(self.frame, 1, "still")

    def health(self) -> Health:
        raise AssertionError("nobody asks")


def test_a_bumped_camera_is_corrected_before_a_game_and_said_so(caplog: pytest.LogCaptureFixture) -> None:
    place = found_place(profile(table()), USB, Still(table(view=BUMPED).picture))
    assert corners_seen(place, BUMPED) == pytest.approx(CORNERS, abs=1)
    assert "the camera was bumped: the table moved by" in caplog.text


def test_a_camera_that_stands_keeps_its_profile_in_colour_too() -> None:
    known = profile(table())
    colour = np.asarray(cv2.cvtColor(table().picture, cv2.COLOR_GRAY2BGR), np.uint8)
    place = found_place(known, USB, Still(colour))
    assert place.pose is not None
    assert place.pose.profile is known


def test_a_camera_without_a_picture_keeps_its_profile() -> None:
    known = profile(table())
    place = found_place(known, USB, Still(None))
    assert place.pose is not None
    assert place.pose.profile is known


def test_a_film_is_not_looked_at() -> None:
    known, film = profile(table()), CameraConfig(CameraKind.FILM, "game.mp4")
    place = found_place(known, film, Still(np.zeros((10, 10), np.uint8)))
    assert place.pose is not None
    assert place.pose.profile is known


def test_a_camera_without_a_calibrated_table_is_not_looked_at() -> None:
    for known in (None, replace(profile(table()), table=None, zones=())):
        place = found_place(known, USB, Still(np.zeros((10, 10), np.uint8)))
        assert place.pose is None
        assert place.locate(np.zeros((10, 10), np.uint8)) == ""


def test_pictures_of_another_size_than_the_profiles_end_no_table(caplog: pytest.LogCaptureFixture) -> None:
    known = profile(table())
    place = found_place(known, USB, Still(np.zeros((600, 800), np.uint8)))
    assert "set the camera to that size" in caplog.text
    assert place.pose is not None
    assert place.pose.profile is known
    with pytest.raises(BadProfile, match="set the camera to that size"):
        place.locate(np.zeros((600, 800), np.uint8))


@pytest.mark.parametrize("speckled", [False, True], ids=["by its markers", "by its background"])
def test_a_camera_is_followed_wherever_it_moves_and_back(speckled: bool) -> None:
    laid = () if speckled else None
    known = profile(table())
    if speckled:
        known = replace(known, landmarks=profile(table(speckled=True)).landmarks)
    place = CameraPlace(known)
    assert place.pose is not None
    for view in (BUMPED, UPSIDE_DOWN, BUMPED):
        text = place.locate(table(laid, view, speckled).picture)
        assert "the camera was bumped: the table moved by" in str(text)
        assert place.locate(table(laid, view, speckled).picture) == ""
        assert corners_seen(place, view) == pytest.approx(CORNERS, abs=8 if speckled else 1)
    assert "the camera stands as it did" in str(place.locate(table(laid, VIEW, speckled).picture))
    assert place.pose.profile is known


def test_a_camera_that_no_longer_sees_all_of_the_table_is_told() -> None:
    place = CameraPlace(profile(table()))
    assert "is out of the picture" not in place.locate(table(view=BUMPED).picture)
    aside = np.roll(table().picture, 280, 1)
    aside[:, :280] = 120
    assert "a part of the table is out of the picture now: turn the camera back" in place.locate(aside)


def test_a_table_that_is_not_found_again_is_told_and_its_last_place_kept() -> None:
    place = CameraPlace(profile(table()))
    assert place.pose is not None
    place.locate(table(view=BUMPED).picture)
    known = place.pose.profile
    plain = np.full((1200, 1600), 120, np.uint8)
    assert "tap the table's top left corner" in place.locate(plain)
    assert place.pose.profile is known
    assert place.locate(plain) == ""  # told once
    assert place.locate(table(view=BUMPED).picture) == ""
    assert "tap the table's top left corner" in place.locate(plain)


def test_a_table_that_is_not_found_has_not_moved_where_its_tiles_stay() -> None:
    place, plain = CameraPlace(profile(table())), np.full((1200, 1600), 120, np.uint8)
    place.locate(table().picture)
    assert place.locate(plain, tiles(PLACES), tiles(PLACES)) == ""
    assert "by the tiles" in place.locate(plain, tiles(PLACES), tiles(moved(PLACES, 2, (50, 0))))
    assert "tap the table's top left corner" in place.locate(plain, tiles(PLACES), ())


def test_a_plain_table_that_was_never_found_again_is_not_told() -> None:
    place = CameraPlace(profile(table()))
    assert place.locate(np.full((1200, 1600), 120, np.uint8)) == ""


def test_a_table_with_nothing_to_find_it_by_stays_where_it_was() -> None:
    known = profile(table())
    assert known.table is not None
    bare = CameraPlace(replace(known, table=replace(known.table, markers=()), landmarks=()))
    assert bare.locate(table(view=BUMPED).picture) == ""
    with pytest.raises(BadProfile):
        bare.locate(np.zeros((600, 800), np.uint8))


def test_the_reader_is_told_from_where_the_table_is_seen() -> None:
    aslant = replace(VIEW, tilt_deg=50.0, focal=0.7)
    place = CameraPlace(profile(table(view=aslant)))
    reader = Reader(tile_set("bananagrams-en"), tile_size=place.tile_size)
    first = reader.tile_size
    assert place.follow(reader)(table(view=replace(aslant, tilt_deg=40.0)).picture, (), ())
    assert isinstance(first, RectifiedView)
    assert isinstance(reader.tile_size, RectifiedView)
    assert not np.allclose(reader.tile_size.homography, first.homography, rtol=0.02)
