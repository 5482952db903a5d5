"""Films and folders that stand for cameras."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadFilm, NoCamera
from hardware.cameras import State, open_camera
from hardware.cameras.recorded import RecordedCamera
from hardware.frames import PendingFrame
from tests.hardware.cameras.made import Time

S = 1_000_000_000


def pictures(path: Path, count: int = 5) -> str:
    """Save pictures, each 40 grey levels lighter than the one before."""
    for number in range(count):
        cv2.imwrite(str(path / f"{number}.png"), np.full((48, 64), 40 * number, np.uint8))
    return str(path)


def played(path: Path, pace: float, time: Time) -> RecordedCamera:
    config = CameraConfig(CameraKind.FOLDER, pictures(path), pace=pace, folder_fps=10)
    return RecordedCamera(config, time, time.sleep)


def test_as_fast_as_wanted_no_frame_is_passed_over(tmp_path: Path) -> None:
    time, names, at_ns = Time(), [], 0
    with played(tmp_path, 0, time) as camera:
        while shot := camera.newest(at_ns, 0):
            names.append(shot.name)
            at_ns = shot.at_ns
    assert names == ["0.png", "1.png", "2.png", "3.png", "4.png"]
    assert time.slept == []


def test_as_fast_as_wanted_the_stamps_are_the_films_own_time(tmp_path: Path) -> None:
    time = Time()
    with played(tmp_path, 0, time) as camera:
        first = camera.newest(0, 0)
        assert first is not None
        second = camera.newest(first.at_ns, 0)
    assert second is not None
    assert (first.at_ns, second.at_ns) == (time.now_ns, time.now_ns + S // 10)


def test_a_second_one_who_looks_takes_no_frame_from_the_first(tmp_path: Path) -> None:
    with played(tmp_path, 0, Time()) as camera:
        assert [shot.name for _ in range(2) if (shot := camera.newest(0, 0))] == ["0.png", "0.png"]


def test_in_its_own_time_a_frame_is_waited_for(tmp_path: Path) -> None:
    time = Time()
    with played(tmp_path, 1, time) as camera:
        first = camera.newest(0, 1)
        assert first is not None
        second = camera.newest(first.at_ns, 1)
    assert second is not None
    assert second.name == "1.png"
    assert time.slept == [0.1]


def test_in_its_own_time_a_late_look_sees_the_newest_frame(tmp_path: Path) -> None:
    time = Time()
    with played(tmp_path, 1, time) as camera:
        time.now_ns += round(0.35 * S)
        shot = camera.newest(0, 0)
    assert shot is not None
    assert shot.name == "3.png"


def test_twice_as_fast_takes_half_the_time(tmp_path: Path) -> None:
    time = Time()
    with played(tmp_path, 2, time) as camera:
        time.now_ns += round(0.16 * S)
        shot = camera.newest(0, 0)
    assert shot is not None
    assert shot.name == "3.png"


def test_nothing_new_comes_before_its_time(tmp_path: Path) -> None:
    time = Time()
    with played(tmp_path, 1, time) as camera:
        assert camera.newest(time.now_ns, 0.05) is None
        assert time.slept == [0.05]


def test_the_end_is_told_once_the_last_frame_was_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), played(tmp_path, 0, Time()) as camera:
        at_ns = 0
        for _ in range(5):
            shot = camera.newest(at_ns, 0)
            assert shot is not None
            at_ns = shot.at_ns
            assert camera.health().state is State.OK
        assert camera.newest(at_ns, 0) is None
        assert camera.newest(at_ns, 0) is None
        assert camera.health().state is State.ENDED
    assert caplog.text.count("has come to its end") == 1


def test_a_damaged_picture_is_told_and_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pictures(tmp_path, 3)
    (tmp_path / "1.png").write_bytes(b"no picture")
    config, names, at_ns = CameraConfig(CameraKind.FOLDER, str(tmp_path), pace=0), [], 0
    with RecordedCamera(config) as camera:
        while shot := camera.newest(at_ns, 0):
            names.append(shot.name)
            at_ns = shot.at_ns
    assert names == ["0.png", "2.png"]
    assert "1.png: neither JPEG" in caplog.text


def test_a_film_plays_like_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "game.mkv"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for number in range(3):
        writer.write(np.full((48, 64, 3), 40 * number, np.uint8))
    writer.release()
    names, at_ns = [], 0
    with open_camera(CameraConfig(CameraKind.FILM, str(path), pace=0, colour=True)) as camera:
        while shot := camera.newest(at_ns, 0):
            assert shot.frame.shape == (48, 64, 3)
            names.append(shot.name.rpartition(" ")[2])
            at_ns = shot.at_ns
    assert names == ["0", "1", "2"]


def test_a_film_whose_time_stands_still_ends_there_and_says_so(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(_: str, *, colour: bool) -> Iterator[PendingFrame]:
        yield PendingFrame(0, "frame 0", lambda: np.zeros((4, 4, 3) if colour else (4, 4), np.uint8))
        raise BadFilm("game.mkv: frame 1 comes at 0 ns, one before it at 0 ns")

    monkeypatch.setattr("hardware.cameras.recorded.film_frames", stopping)
    with RecordedCamera(CameraConfig(CameraKind.FILM, "game.mkv", pace=0)) as camera:
        shot = camera.newest(0, 0)
        assert shot is not None
        assert camera.newest(shot.at_ns, 0) is None
        assert camera.health().state is State.ENDED
    assert "ends here: game.mkv: frame 1" in caplog.text


def test_a_film_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadFilm, match="no such film file"):
        open_camera(CameraConfig(CameraKind.FILM, str(tmp_path / "nowhere.mp4"))).__enter__()


def test_a_simulated_camera_needs_a_simulated_table() -> None:
    with pytest.raises(NoCamera, match="companion demo"):
        open_camera(CameraConfig(CameraKind.SIMULATED))


def test_a_simulated_camera_is_the_one_that_is_handed_in(tmp_path: Path) -> None:
    camera = played(tmp_path, 1, Time())
    assert open_camera(CameraConfig(CameraKind.SIMULATED), lambda _: camera) is camera
