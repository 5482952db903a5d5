"""Frames from folders and films, each with the source's own time."""

from __future__ import annotations

import logging
import weakref
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.errors import BadFilm, BadPicture
from companion.vision.camera_frame import grey as grey_of
from companion.vision.camera_frame import to_bgr
from companion.vision.picture import decode
from hardware import frames
from hardware.frames import film_frames, folder_frames


def grey(shade: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.full((48, 64), shade, np.uint8)


def pictures(path: Path, *names: str) -> Path:
    """Save a picture under each name, each 10 grey levels lighter than the one before."""
    for number, name in enumerate(names, 1):
        cv2.imwrite(str(path / name), grey(10 * number))
    return path


def filmed(path: Path, count: int, fps: float = 10) -> Path:
    """Save a film of so many frames, each 40 grey levels lighter than the one before."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (64, 48))
    for number in range(count):
        writer.write(cv2.cvtColor(grey(40 * number), cv2.COLOR_GRAY2BGR))
    writer.release()
    return path


def test_pictures_come_in_the_order_of_their_names_with_the_time_of_that_order(tmp_path: Path) -> None:
    seen = [one.shot() for one in folder_frames(pictures(tmp_path, "b.png", "a.jpg", "c.PNG"), step_ns=1000)]
    assert [(shot.name, shot.at_ns) for shot in seen] == [("a.jpg", 0), ("b.png", 1000), ("c.PNG", 2000)]
    assert [int(grey_of(shot.frame)[0, 0]) for shot in seen] == [20, 10, 30]


def test_other_files_and_hidden_ones_are_passed_over(tmp_path: Path) -> None:
    pictures(tmp_path, "a.png", ".b.png")
    (tmp_path / "notes.txt").write_text("no picture")
    assert [shot.name for shot in folder_frames(tmp_path)] == ["a.png"]


def test_a_folder_gives_colour_where_it_is_asked_for(tmp_path: Path) -> None:
    shot = next(folder_frames(pictures(tmp_path, "a.png"), colour=True)).shot()
    assert shot.frame.shape == (48, 64, 3)


def test_a_damaged_picture_is_told_in_its_turn(tmp_path: Path) -> None:
    pictures(tmp_path, "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture")
    source = folder_frames(tmp_path)
    assert next(source).decode().shape == (48, 64)
    with pytest.raises(BadPicture, match=r"b\.png"):
        next(source).decode()


def test_after_a_damaged_picture_the_next_one_can_be_had(tmp_path: Path) -> None:
    pictures(tmp_path, "a.png", "b.png")
    (tmp_path / "a.png").write_bytes(b"no picture")
    source = folder_frames(tmp_path, step_ns=1000)
    with pytest.raises(BadPicture, match=r"a\.png"):
        next(source).decode()
    assert next(source).shot().at_ns == 1000


def test_a_folder_without_pictures_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadFilm, match="holds no picture"):
        folder_frames(tmp_path)


def test_a_folder_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadFilm, match="cannot be listed"):
        folder_frames(tmp_path / "nowhere")


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_FOLDER_FILES", 2)
    with pytest.raises(BadFilm, match="more than 2 files"):
        folder_frames(pictures(tmp_path, "a.png", "b.png", "c.png"))


def test_a_film_comes_with_its_own_time(tmp_path: Path) -> None:
    seen = [one.shot() for one in film_frames(filmed(tmp_path / "game.mkv", 4))]
    assert [shot.at_ns for shot in seen] == [0, 100_000_000, 200_000_000, 300_000_000]
    assert [round(float(grey_of(shot.frame).mean()) / 40) for shot in seen] == [0, 1, 2, 3]
    assert seen[3].name.endswith("game.mkv frame 3")
    assert seen[3].frame.shape == (48, 64)


def test_a_film_gives_colour_where_it_is_asked_for(tmp_path: Path) -> None:
    assert next(film_frames(filmed(tmp_path / "game.avi", 1), colour=True)).decode().shape == (48, 64, 3)


def test_a_film_that_was_cut_short_is_read_as_far_as_it_goes_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(frames, "MAX_FILM_FRAMES", 3)
    with caplog.at_level(logging.WARNING):
        assert len(list(film_frames(filmed(tmp_path / "game.avi", 5)))) == 3
    assert "ends after 3 of 5 frames" in caplog.text


def test_a_film_whose_time_stands_still_is_refused() -> None:
    capture = Standing()
    with pytest.raises(BadFilm, match="frame 1 comes at 5000000 ns, one before it at 5000000 ns"):
        list(frames.video_frames(capture, "game", colour=False))
    assert capture.closed


def test_a_grey_film_does_not_keep_the_decoded_frame() -> None:
    capture = Standing()
    taken = frames.video_frames(capture, "game", colour=False)
    assert next(taken).decode().ndim == 2
    assert capture.last is not None
    assert capture.last() is None


class Standing:
    """A film of which every frame has the same time."""

    closed = False
    codec = 0
    form = 0.0
    last: weakref.ref[Any] | None = None

    def get(self, what: int) -> float:
        return {cv2.CAP_PROP_POS_MSEC: 5.0, cv2.CAP_PROP_FOURCC: self.codec}.get(what, 9.0)

    def set(self, what: int, value: float) -> bool:
        assert what == cv2.CAP_PROP_FORMAT
        self.form = value
        return True

    def grab(self) -> bool:
        return True

    def retrieve(self) -> tuple[bool, np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]]:
        frame = np.zeros((48, 64, 3), np.uint8)
        self.last = weakref.ref(frame)
        return True, frame

    def release(self) -> None:
        self.closed = True


def test_motion_jpeg_is_decoded_as_pictures_are_and_damage_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = pictures(tmp_path, "a.jpg") / "a.jpg"
    capture, stored = Standing(), [np.frombuffer(path.read_bytes(), np.uint8)[None]]
    capture.codec = frames.MOTION_JPEG
    monkeypatch.setattr(capture, "retrieve", lambda: (True, stored[0]))
    for colour in (False, True):
        frame = next(frames.video_frames(capture, "game", colour)).decode()
        assert capture.form == frames.UNDECODED
        assert np.array_equal(to_bgr(frame), to_bgr(decode(path, colour=colour)))
    stored[0] = stored[0][:, :200]
    with pytest.raises(BadPicture, match="game frame 0: damaged or cut short"):
        next(frames.video_frames(capture, "game", colour=False)).decode()


def test_a_film_in_motion_jpeg_shows_what_ffmpeg_would_show(tmp_path: Path) -> None:
    path = filmed(tmp_path / "game.avi", 3)
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    off = [
        int(np.abs(to_bgr(one.decode()).astype(int) - capture.read()[1]).max())
        for one in film_frames(path, colour=True)
    ]
    assert len(off) == 3
    assert max(off) <= 3


def test_a_frame_that_cannot_be_decoded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = Standing()
    monkeypatch.setattr(capture, "retrieve", lambda: (False, None))
    with pytest.raises(BadPicture, match="game frame 0 cannot be decoded"):
        next(frames.video_frames(capture, "game", colour=False)).decode()


def test_a_film_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFilm, match="no such film file"):
        film_frames(tmp_path / "nowhere.mp4")


def test_a_network_address_is_no_film() -> None:
    with pytest.raises(BadFilm, match="no such film file"):
        film_frames("rtsp://127.0.0.1:1/camera")


def test_a_file_that_is_no_film_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "notes.mp4"
    path.write_text("no film")
    with pytest.raises(BadFilm, match="save it as MP4 or MKV"):
        film_frames(path)


def test_a_film_of_frames_that_are_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "MAX_PIXELS", 1000)
    with pytest.raises(BadFilm, match="frames of 64 x 48 pixels"):
        film_frames(filmed(tmp_path / "game.avi", 1))


def test_frames_that_take_no_time_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFilm, match="at least 1 ns; got 0"):
        folder_frames(pictures(tmp_path, "a.png"), step_ns=0)
