"""A USB camera on a device of our own."""

from __future__ import annotations

import logging
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import NoCamera
from hardware.cameras import usb
from hardware.cameras.capture_settings import LOW_MEMORY_PICTURE_SIZE
from hardware.cameras.usb import UsbCamera

AUTO, EXPOSURE = cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE


class Plug:
    """A camera as OpenCV has it: frames of 64 x 48, time goes 100 ms a frame, brightness with the exposure.

    Its own choice is 20 ms in a light of 1, of which it reports ``reports`` in steps of 0.1 ms.  Where no
    size is asked for, OpenCV takes 640 x 480 (``modules/videoio/src/cap_v4l.cpp``, DEFAULT_V4L_WIDTH and
    DEFAULT_V4L_HEIGHT).
    """

    def __init__(
        self,
        there: bool = True,
        stamps: bool = True,
        knows: tuple[int, ...] | None = None,
        reports: float = 200,
    ) -> None:
        self.reports = reports
        self.there, self.released = there, 0
        self.now_ns = 50_000_000_000
        self._stamps, self._knows = stamps, knows
        self.was_set: dict[int, float] = {}
        self.size = (64, 48)
        self.light = 1.0

    def clock(self) -> int:
        return self.now_ns

    def isOpened(self) -> bool:
        return self.there

    def set(self, what: int, value: float) -> bool:
        fine = self._knows is None or what in self._knows
        if fine:
            self.was_set[what] = value
        return fine

    def get(self, what: int) -> float:
        if what == cv2.CAP_PROP_POS_MSEC:
            return self.now_ns / 1e6 - 30 if self._stamps else 0.0
        return self.reports if what == EXPOSURE else 0.0

    def read(self) -> tuple[bool, NDArray[Any]]:
        self.now_ns += 100_000_000
        exposure = self.was_set.get(EXPOSURE, 0) if self.was_set.get(AUTO) == 1 else 200 / self.light
        return self.there, np.full((*self.size[::-1], 3), min(255, exposure * self.light // 2), np.uint8)

    def release(self) -> None:
        self.released += 1


def camera(plug: Plug, **wishes: Any) -> UsbCamera:
    return UsbCamera(CameraConfig(CameraKind.USB, 0, **wishes), lambda _: plug, plug.clock)


def test_a_frame_comes_grey_with_the_drivers_stamp() -> None:
    plug = Plug()
    shot = camera(plug).take()
    assert shot.frame.shape == (48, 64)
    assert shot.at_ns == plug.now_ns - 30_000_000


def test_a_driver_without_stamps_gets_the_time_of_arrival() -> None:
    plug = Plug(stamps=False)
    assert camera(plug).take().at_ns == plug.now_ns


def test_the_size_and_rate_are_asked_for() -> None:
    plug = Plug()
    camera(plug, width=1920, height=1080, fps=15)
    asked = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS)
    assert [plug.was_set[what] for what in asked] == [1920, 1080, 15]


def test_without_a_size_the_largest_is_asked_for() -> None:
    plug = Plug()
    camera(plug)
    assert min(plug.was_set[what] for what in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)) == 10_000


def test_a_machine_of_little_memory_asks_for_what_it_can_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usb, "memory_bytes", lambda: 436_000_000)
    plug = Plug()
    camera(plug)
    asked = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
    assert tuple(plug.was_set[what] for what in asked) == LOW_MEMORY_PICTURE_SIZE


@pytest.mark.parametrize("reports", [157, 200, 0, -1, 5000])
def test_an_exposure_as_bright_as_its_own_is_held_whatever_it_reports(reports: float) -> None:
    plug = Plug(reports=reports)
    camera(plug)
    assert (plug.was_set[AUTO], plug.was_set[EXPOSURE]) == (1, 200)  # 20 ms are whole flickers at 50 Hz


def test_a_camera_that_no_exposure_makes_as_bright_goes_on_to_choose(
    caplog: pytest.LogCaptureFixture,
) -> None:
    plug = Plug(knows=(AUTO,))
    with caplog.at_level(logging.INFO):
        device = camera(plug)
    assert plug.was_set[AUTO] == 3
    assert not device.locks_exposure  # it goes on to choose by itself
    assert "no fixed exposure" in caplog.text


def test_in_another_light_exposure_and_white_balance_are_chosen_anew_but_not_the_focus() -> None:
    plug = Plug()
    device = camera(plug)
    plug.light, plug.was_set = 0.5, {AUTO: 1, EXPOSURE: 200}
    assert device.locks_exposure
    device.expose(0)
    assert (plug.was_set[AUTO], plug.was_set[EXPOSURE], plug.was_set[cv2.CAP_PROP_AUTO_WB]) == (1, 400, 0)
    assert cv2.CAP_PROP_AUTOFOCUS not in plug.was_set
    device.expose(1)
    assert plug.was_set[EXPOSURE] == 200
    device.expose(3)
    assert plug.was_set[EXPOSURE] == 100  # no less than one flicker


def test_white_balance_and_focus_are_locked() -> None:
    plug = Plug()
    camera(plug)
    assert (plug.was_set[cv2.CAP_PROP_AUTO_WB], plug.was_set[cv2.CAP_PROP_AUTOFOCUS]) == (0, 0)


def test_a_fixed_exposure_is_set_at_once() -> None:
    plug = Plug()
    camera(plug, exposure_ms=8.3)
    assert plug.was_set[EXPOSURE] == 83
    assert plug.now_ns == 50_000_000_000


def test_what_a_camera_does_not_know_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        camera(Plug(knows=(AUTO, EXPOSURE)))
    assert "knows no fixed white balance, no fixed focus" in caplog.text


def test_a_camera_that_is_not_there_is_told_and_let_go() -> None:
    plug = Plug(there=False)
    with pytest.raises(NoCamera, match="plug it in"):
        camera(plug)
    assert plug.released == 1


def test_a_camera_that_is_unplugged_while_it_looks_is_told() -> None:
    plug = Plug()
    device = camera(plug)
    plug.there = False
    with pytest.raises(NoCamera, match="was unplugged"):
        device.take()


def test_frames_beyond_all_measure_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.usb.MAX_PIXELS", 1000)
    with pytest.raises(NoCamera, match="64 x 48 pixels, which is too large"):
        camera(Plug())


def test_a_camera_that_is_unplugged_while_it_settles_is_released() -> None:
    plug = Plug()
    plug.read = lambda: (False, np.empty(0))  # type: ignore[method-assign]
    with pytest.raises(NoCamera, match="was unplugged"):
        camera(plug)
    assert plug.released == 1
