"""What may be written about a camera in the table's file."""

from __future__ import annotations

from typing import Any

import pytest

from companion.config.cameras import CameraConfig, CameraKind, without_password
from companion.config.parse import parsed
from companion.errors import BadConfig


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        (CameraKind.PI, 0),
        (CameraKind.USB, 2),
        (CameraKind.USB, "/dev/v4l/by-id/usb-cam"),
        (CameraKind.STREAM, "http://192.168.1.7:8080/video"),
        (CameraKind.STREAM, "rtsp://phone.local/live"),
        (CameraKind.FILM, "game.mp4"),
        (CameraKind.FOLDER, "pictures"),
        (CameraKind.SIMULATED, 0),
    ],
)
def test_a_camera_is_known_by_its_kind_and_place(kind: CameraKind, where: str | int) -> None:
    assert CameraConfig(kind, where).where == where


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"kind": CameraKind.PI, "where": "first"}, "pi: where must be the Pi camera's number, 0 or 1"),
        ({"kind": CameraKind.USB, "where": "webcam"}, "its device such as /dev/video0; got 'webcam'"),
        ({"kind": CameraKind.STREAM, "where": "ftp://phone"}, "an address that begins with http://"),
        ({"kind": CameraKind.STREAM, "where": "file:///etc/passwd"}, "an address that begins with"),
        ({"kind": CameraKind.FILM, "where": 3}, "the path of a film"),
        ({"kind": CameraKind.FOLDER, "where": ""}, "one line of text"),
        ({"kind": CameraKind.PI, "where": True}, "where must be"),
        ({"kind": CameraKind.PI, "width": -1}, "width must be 0 to 32,766 pixels"),
        ({"kind": CameraKind.PI, "width": 640}, "given together with height"),
        ({"kind": CameraKind.PI, "fps": float("nan")}, "fps must be 0 to 240; got 'nan'"),
        ({"kind": CameraKind.PI, "exposure_ms": 2000.0}, "exposure_ms must be 0 to 1000"),
        ({"kind": CameraKind.PI, "mains_hz": 55}, "mains_hz must be 50 or 60"),
        ({"kind": CameraKind.PI, "red": 1.5}, "given together with blue"),
        ({"kind": CameraKind.PI, "folder_fps": 0.0}, "folder_fps must be more than 0"),
        ({"kind": CameraKind.PI, "name": "x" * 81}, "at most 80 signs"),
    ],
)
def test_what_no_camera_can_be_is_refused_by_name(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(BadConfig, match=says):
        CameraConfig(**wrong)


def test_a_password_in_an_address_is_never_shown() -> None:
    camera = CameraConfig(CameraKind.STREAM, "rtsp://ann:secret@phone.local/live")
    assert camera.called == "stream rtsp://phone.local/live"
    with pytest.raises(BadConfig) as caught:
        CameraConfig(CameraKind.FILM, "rtsp://ann:secret@phone.local/live", fps=-1)
    assert "secret" not in str(caught.value)


def test_what_only_looks_like_a_password_stays() -> None:
    assert without_password("http://phone/a@b") == "http://phone/a@b"
    assert without_password("games/me@home.mp4") == "games/me@home.mp4"


def test_a_camera_is_read_from_a_table_of_toml() -> None:
    camera = parsed({"kind": "pi", "where": 1, "width": 4608, "height": 2592, "fps": 10.0}, CameraConfig)
    assert camera == CameraConfig(CameraKind.PI, 1, width=4608, height=2592, fps=10.0)


def test_a_camera_is_called_by_its_name_where_it_has_one() -> None:
    assert CameraConfig(CameraKind.PI, 1, name="left half").called == "left half"
    assert CameraConfig(CameraKind.PI, 1).called == "pi 1"
