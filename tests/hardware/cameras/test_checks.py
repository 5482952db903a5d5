"""What is looked at about a camera before a game."""

from __future__ import annotations

import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import MirroredPicture
from companion.model.profile import CameraId, Marker, Profile, TableMap
from companion.vision.camera_frame import Frame
from hardware.cameras import open_camera
from hardware.cameras.checks import (
    Check,
    CheckContext,
    checks,
    delay_check,
    exposure_check,
    fps_measurement_s,
    profile_checks,
    sharpness_check,
    size_check,
    speed_check,
)
from hardware.cameras.health import Limits
from hardware.cameras.live import LiveCamera, Timing
from hardware.frames import Shot
from tests.calibration.light.made import table, taken
from tests.hardware.cameras.made import Flow, one_after_another

SIDE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def folder(path: Path, *frames: Frame) -> CameraConfig:
    for number, frame in enumerate(frames):
        cv2.imwrite(str(path / f"{number}.png"), frame)
    return CameraConfig(CameraKind.FOLDER, str(path), pace=0)


def checked(config: CameraConfig, known: CheckContext | None = None) -> dict[str, Check]:
    with open_camera(config) as camera:
        return {line.what: line for line in checks(camera, config, known)}


def quads(_: Frame) -> NDArray[np.float64]:
    return table().quads


def profile(width: int = 960, height: int = 540, *markers: int) -> Profile:
    corners = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))
    known = TableMap(SIDE, 900, 500, 0.1, tuple(Marker(number, corners) for number in markers))
    return Profile(CameraId("cam", width, height), "2026-01-01T12:00:00+00:00", None, known)


def with_marker(number: int) -> Frame:
    frame = np.full((540, 960), 220, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    frame[100:240, 100:240] = cv2.aruco.generateImageMarker(dictionary, number, 140)
    return frame


def test_a_good_camera_has_only_good_lines(tmp_path: Path) -> None:
    config = folder(tmp_path, *(taken(table().picture, seed=seed) for seed in range(4)))
    lines = checked(config, CheckContext(tiles=quads))
    assert list(lines) == "picture size resolution focus exposure shadow glare flicker".split()
    assert {line.fine for line in lines.values()} == {True}
    assert not any(line.mend for line in lines.values())


@pytest.mark.parametrize(
    ("delay_ms", "fine", "says"),
    [(None, None, "taken to be 500 ms"), (0, True, "0 ms"), (430, True, "430 ms")],
)
def test_a_stream_s_delay_should_be_measured(delay_ms: float | None, fine: bool | None, says: str) -> None:
    line = delay_check(CameraConfig(CameraKind.STREAM, "http://phone/video", delay_ms=delay_ms))
    assert (line.fine, line.says, "calibrate delay" in line.mend) == (fine, says, fine is None)


def test_a_camera_that_is_not_there_is_one_line_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.checks.FIRST_FRAME_TIMEOUT_S", 0.2)
    config = CameraConfig(CameraKind.USB, 0)
    with LiveCamera("cam", one_after_another(), Limits(), Timing(pause_s=0.05)) as camera:
        (line,) = checks(camera, config)
    assert (line.fine, line.essential) == (False, True)
    assert line.mend == "The camera is not there."


def test_a_live_camera_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.checks.MIN_FPS_MEASUREMENT_S", 0.4)

    def draws(number: int) -> Frame:
        time.sleep(0.01)
        return taken(table().picture[:200, :200], seed=number)

    with LiveCamera("cam", lambda: Flow(time.monotonic_ns, draws), Limits()) as camera:
        lines = {line.what: line for line in checks(camera, CameraConfig(CameraKind.USB, 0))}
    assert lines["speed"].fine
    assert lines["picture"].fine


def test_a_black_camera_fails_an_essential(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.checks.MIN_FPS_MEASUREMENT_S", 0.5)

    def draws(number: int) -> Frame:
        time.sleep(0.01)
        return np.full((48, 64), number % 3, np.uint8)

    limits = Limits(black_s=0.1, silent_s=2)
    with LiveCamera("cam", lambda: Flow(time.monotonic_ns, draws), limits) as camera:
        lines = {line.what: line for line in checks(camera, CameraConfig(CameraKind.USB, 0))}
    assert (lines["picture"].fine, lines["picture"].essential) == (False, True)
    assert "take its cap off" in lines["picture"].mend


def test_frames_too_rare_are_told_with_their_rate() -> None:
    frame = np.zeros((4, 4), np.uint8)
    shots = [Shot(frame, number * 500_000_000, "") for number in range(5)]
    line = speed_check(shots, CameraConfig(CameraKind.USB, 0, fps=10))
    assert (line.fine, line.says) == (False, "2.0 pictures a second, asked are 10")
    assert speed_check(shots, CameraConfig(CameraKind.USB, 0)).fine


@pytest.mark.parametrize(("fps", "seconds"), [(0, 2), (30, 2), (0.5, 8), (0.01, 10)])
def test_frames_of_a_slow_camera_are_counted_for_longer(fps: float, seconds: float) -> None:
    assert fps_measurement_s(CameraConfig(CameraKind.USB, 0, fps=fps)) == seconds


def test_another_size_than_was_asked_for_is_told() -> None:
    asked = CameraConfig(CameraKind.USB, 0, width=1920, height=1080)
    line = size_check(1280, 720, asked)
    assert (line.fine, line.says) == (False, "1280 x 720 pixels, not 1920 x 1080")
    assert size_check(1920, 1080, asked).fine
    assert size_check(1280, 720, CameraConfig(CameraKind.USB, 0)).fine


def test_bad_light_is_told_by_the_tiles_and_what_no_tile_can_be_read_without_is_essential(
    tmp_path: Path,
) -> None:
    lines = checked(folder(tmp_path, taken(table().picture * np.float32(0.25))), CheckContext(tiles=quads))
    assert (lines["exposure"].fine, lines["exposure"].essential) == (False, True)
    assert lines["flicker"].fine is None
    assert not lines["glare"].essential


def test_without_tiles_sharpness_is_told_by_whatever_is_there(tmp_path: Path) -> None:
    lines = checked(
        folder(tmp_path, taken(table().picture)), CheckContext(tiles=lambda _: np.zeros((0, 4, 2)))
    )
    assert list(lines) == ["picture", "size", "focus", "exposure"]
    assert lines["focus"].fine


def test_a_camera_that_mirrors_is_told_what_to_do(tmp_path: Path) -> None:
    def mirrored(_: Frame) -> NDArray[np.float64]:
        raise MirroredPicture("mirrored")

    lines = checked(folder(tmp_path, taken(table().picture)), CheckContext(tiles=mirrored))
    assert list(lines) == ["picture", "size", "mirroring"]
    assert (lines["mirroring"].fine, lines["mirroring"].essential) == (False, True)
    assert lines["mirroring"].mend == "Switch the camera's mirroring off."


@pytest.mark.parametrize(("blur_px", "fine"), [(0.5, True), (1.2, True), (3.0, False), (6.0, False)])
def test_a_picture_is_sharp_or_not(blur_px: float, fine: bool) -> None:
    assert sharpness_check(taken(table().picture, blur_px)).fine is fine


def test_an_empty_picture_tells_no_sharpness() -> None:
    assert sharpness_check(np.full((300, 400), 100, np.uint8)).fine is None


@pytest.mark.parametrize(("shade", "says"), [(30, "Too dark"), (255, "Too bright")])
def test_a_picture_too_dark_or_burnt_is_told(shade: int, says: str) -> None:
    line = exposure_check(np.full((300, 400), shade, np.uint8))
    assert not line.fine
    assert line.mend.startswith(says)
    assert exposure_check(np.full((300, 400), 150, np.uint8)).fine


def test_markers_in_sight_are_counted() -> None:
    (line,) = profile_checks(with_marker(2), profile(960, 540, 2))
    assert (line.fine, line.says) == (True, "it is in sight")


def test_a_covered_marker_is_named() -> None:
    (line,) = profile_checks(with_marker(2), profile(960, 540, 0, 2, 3))
    assert (line.fine, line.says) == (False, "of 3, these are not in sight: 0, 3")
    assert line.mend.startswith("Uncover")


def test_a_profile_of_another_size_fails_an_essential() -> None:
    (line,) = profile_checks(with_marker(2), profile(640, 480, 2))
    assert (line.fine, line.essential) == (False, True)
    assert "960 x 540" in line.says


def test_a_table_that_was_tapped_has_no_markers_to_look_for() -> None:
    assert list(profile_checks(with_marker(2), profile())) == []
