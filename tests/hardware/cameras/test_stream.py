"""A camera in the network: a server on this machine that sends JPEGs one after another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, Semaphore, Thread
from typing import ClassVar

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import NoCamera
from companion.vision.camera_frame import CameraFrame, grey
from hardware.cameras import State, open_camera
from hardware.cameras.opening import limits
from hardware.cameras.stream import StreamCamera
from hardware.frames import to_frame
from tests.hardware.cameras.made import noisy
from tests.hardware.cameras.rtsp_phone import Phone as RtspPhone
from tests.hardware.cameras.rtsp_phone import rtsp_phone


class Phone(BaseHTTPRequestHandler):
    """Sends frames of 64 x 48 as multipart JPEG until it is switched off."""

    off: ClassVar[Event]
    damaged: ClassVar[range] = range(0)
    """Numbers of the frames of which only the first half is sent."""
    times: ClassVar[int] = 1
    """How often each frame is sent."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        number = 0
        while not self.off.is_set():
            number += 1
            body = cv2.imencode(".jpg", noisy(number, 60 + number % 100))[1].tobytes()
            body = body[: len(body) // 2] if number in self.damaged else body
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n\r\n"
            for _ in range(self.times):
                try:
                    self.wfile.write(head.encode() + body + b"\r\n")
                except OSError:
                    return
                time.sleep(0.02)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def phone() -> Iterator[str]:
    """The address of a phone that films."""
    Phone.off = Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Phone)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/video"
    Phone.off.set()
    server.shutdown()
    thread.join()
    server.server_close()


def stream(address: str, delay_ms: float | None = None) -> CameraConfig:
    return CameraConfig(CameraKind.STREAM, address, delay_ms=delay_ms)


@contextmanager
def each_decoded(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[StreamCamera]:
    """Yield a camera that receives a picture only once the one before is decoded, so that none is passed."""
    decoded = Semaphore(1)

    def decode(frame: NDArray[np.uint8], colour: bool, name: str) -> CameraFrame:
        try:
            return to_frame(frame, colour, name)
        finally:
            decoded.release()

    def clock() -> int:
        decoded.acquire()
        return time.monotonic_ns()

    monkeypatch.setattr("hardware.cameras.stream.to_frame", decode)
    camera = StreamCamera(stream(address), clock)
    yield camera
    decoded.release(1000)
    camera.close()


def test_a_phone_films_the_table(phone: str) -> None:
    with open_camera(stream(phone)) as camera:
        first = camera.newest(0, 10)
        assert first is not None
        assert first.frame.shape == (48, 64)
        assert 0 <= time.monotonic_ns() - first.at_ns < 5e9
        second = camera.newest(first.at_ns, 5)
        assert second is not None
        assert second.at_ns > first.at_ns
        assert camera.health().state is State.OK


@pytest.mark.parametrize(("delay_ms", "late_ms"), [(None, 500), (0, 0), (800, 800)])
def test_pictures_are_as_old_as_the_stream_is_late(phone: str, delay_ms: float | None, late_ms: int) -> None:
    camera = StreamCamera(stream(phone, delay_ms), clock=lambda: 2_000_000_000)
    assert camera.take().at_ns == 2_000_000_000 - 1_000_000 * late_ms
    camera.close()


def test_damaged_frames_of_a_phone_are_skipped(
    phone: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Phone, "damaged", range(2, 5))
    with each_decoded(phone, monkeypatch) as camera:
        shots = [camera.take() for _ in range(3)]
    assert {shot.frame.shape for shot in shots} == {(48, 64)}
    assert caplog.text.count("damaged or cut short") == 3


def test_a_phone_that_sends_nothing_but_damage_is_told(phone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Phone, "damaged", range(2, 1000))
    with each_decoded(phone, monkeypatch) as camera:
        camera.take()
        with pytest.raises(NoCamera, match="cannot be decoded"):
            camera.take()


def test_pictures_never_queue_up_before_slow_decoding(phone: str) -> None:
    stamps = count()
    camera = StreamCamera(stream(phone, delay_ms=0), clock=lambda: next(stamps))
    first = camera.take()
    while next(stamps) < 50:  # some 25 pictures come meanwhile
        time.sleep(0.02)
    second = camera.take()
    camera.close()
    assert grey(second.frame).mean() > grey(first.frame).mean() + 15  # one grey level more with each


def test_a_picture_that_is_sent_again_was_not_taken_again(
    phone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Phone, "times", 4)
    stamps = count()
    camera = StreamCamera(stream(phone, delay_ms=0), clock=lambda: next(stamps))
    shots = [camera.take() for _ in range(24)]
    camera.close()
    pictures = {grey(shot.frame).tobytes() for shot in shots}
    assert len({shot.at_ns for shot in shots}) == len(pictures) < len(shots)


def test_a_phone_that_is_switched_off_is_noticed(phone: str) -> None:
    with open_camera(stream(phone)) as camera:
        assert camera.newest(0, 10) is not None
        Phone.off.set()
        until = time.monotonic() + 6  # two seconds, on a machine that is not busy
        while camera.health().state is not State.GONE and time.monotonic() < until:
            time.sleep(0.05)
        assert camera.health().state is State.GONE


def test_a_phone_that_comes_back_is_seen_again(phone: str) -> None:
    with open_camera(stream(phone)) as camera:
        first = camera.newest(0, 10)
        assert first is not None
        Phone.off.set()
        while camera.health().state is not State.GONE:
            time.sleep(0.05)
        Phone.off.clear()
        assert camera.newest(time.monotonic_ns(), 10) is not None
        assert camera.health().state is State.OK


def test_a_phone_films_by_rtsp_too() -> None:
    with rtsp_phone() as address, open_camera(stream(address)) as camera:
        first = camera.newest(0, 10)
        assert first is not None
        assert first.frame.shape == (48, 64)
        assert 50 < grey(first.frame).mean() < 170  # grey levels of 60 and more, one more with each frame
        second = camera.newest(first.at_ns, 5)
        assert second is not None
        assert grey(second.frame).mean() > grey(first.frame).mean()


def test_an_rtsp_phone_that_is_switched_off_is_noticed() -> None:
    with rtsp_phone() as address, open_camera(stream(address)) as camera:
        assert camera.newest(0, 10) is not None
        RtspPhone.off.set()
        until = time.monotonic() + 6  # two seconds, on a machine that is not busy
        while camera.health().state is not State.GONE and time.monotonic() < until:
            time.sleep(0.05)
        assert camera.health().state is State.GONE


def test_a_phone_that_does_not_answer_is_told() -> None:
    with pytest.raises(NoCamera, match="does not answer"):
        StreamCamera(stream("http://127.0.0.1:9/video"))


def test_frames_beyond_all_measure_are_refused(phone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.stream.MAX_PIXELS", 1000)
    with pytest.raises(NoCamera, match="64 x 48 pixels: set a smaller size"):
        StreamCamera(stream(phone))


def test_only_by_rtsp_a_codec_may_repeat_a_still_table() -> None:
    assert limits(stream("rtsp://phone/live")).repeats_s > 0
    assert limits(stream("http://phone/video")).repeats_s == 0
