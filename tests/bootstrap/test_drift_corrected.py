"""A camera is looked after before each game."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from companion.bootstrap.devices import drift_corrected
from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadProfile
from companion.vision.camera_frame import Frame
from hardware.cameras import Health
from hardware.frames import Shot
from tests.calibration.plain_tables import VIEW, profile, table

USB = CameraConfig(CameraKind.USB, 0)
BUMPED = replace(VIEW, turn_deg=VIEW.turn_deg + 2.0)


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


def test_a_bumped_camera_is_corrected_and_said_so(caplog: pytest.LogCaptureFixture) -> None:
    known = profile(table())
    with caplog.at_level(logging.INFO):
        fresh = drift_corrected(known, USB, Still(table(view=BUMPED).picture))
    assert fresh is not None
    assert fresh.table != known.table
    assert "the camera was bumped: the table moved by" in caplog.text


def test_a_camera_that_stands_keeps_its_profile_in_colour_too() -> None:
    known = profile(table())
    colour = np.asarray(cv2.cvtColor(table().picture, cv2.COLOR_GRAY2BGR), np.uint8)
    assert drift_corrected(known, USB, Still(colour)) == known


def test_a_camera_without_a_picture_keeps_its_profile() -> None:
    known = profile(table())
    assert drift_corrected(known, USB, Still(None)) is known


def test_a_film_is_not_looked_at() -> None:
    known = profile(table())
    film = CameraConfig(CameraKind.FILM, "game.mp4")
    assert drift_corrected(known, film, Still(np.zeros((10, 10), np.uint8))) is known


def test_a_camera_without_a_profile_is_not_looked_at() -> None:
    assert drift_corrected(None, USB, Still(np.zeros((10, 10), np.uint8))) is None


def test_a_profile_of_another_size_of_picture_is_refused() -> None:
    with pytest.raises(BadProfile, match="set the camera to that size"):
        drift_corrected(profile(table()), USB, Still(np.zeros((600, 800), np.uint8)))
