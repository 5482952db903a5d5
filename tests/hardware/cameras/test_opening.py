"""From a configuration to the camera that it describes."""

from __future__ import annotations

import sys

import pytest

from companion.config.cameras import CameraConfig, CameraKind
from hardware.cameras import State, open_camera
from hardware.cameras.live import LiveCamera
from hardware.cameras.opening import limits


@pytest.mark.parametrize(
    ("kind", "where", "says"),
    [
        (CameraKind.PI, 0, "needs picamera2"),
        (CameraKind.USB, "/dev/no-camera", "is not there"),
        (CameraKind.STREAM, "http://127.0.0.1:9/video", "does not answer"),
    ],
)
def test_a_live_camera_that_is_not_there_says_so_and_is_waited_for(
    kind: CameraKind, where: str | int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)  # which a Raspberry Pi has
    with open_camera(CameraConfig(kind, where)) as camera:
        assert isinstance(camera, LiveCamera)
        assert camera.newest(0, 1.0) is None
        assert camera.health().state is State.GONE
        assert says in camera.health().says


def test_a_camera_is_held_to_the_rate_that_was_asked_for() -> None:
    assert limits(CameraConfig(CameraKind.USB, 0, fps=15)).fps == 15
    assert limits(CameraConfig(CameraKind.USB, 0)).fps == 2


def test_several_cameras_look_at_once() -> None:
    left, right = (open_camera(CameraConfig(CameraKind.USB, f"/dev/no-camera-{n}")) for n in (1, 2))
    with left, right:
        assert left.newest(0, 0.3) is right.newest(0, 0.3) is None
