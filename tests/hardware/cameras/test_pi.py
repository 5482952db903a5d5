"""The Pi camera on a picamera2 of our own."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import NoCamera
from companion.vision.camera_frame import Yuv420
from hardware.cameras import pi
from hardware.cameras.pi import PiCamera
from tests.hardware.cameras import fake_picamera2
from tests.hardware.cameras.fake_picamera2 import Picamera2


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put our own picamera2 where the Pi's would be."""
    monkeypatch.setitem(sys.modules, "picamera2", fake_picamera2)
    monkeypatch.setitem(sys.modules, "libcamera", fake_picamera2)
    monkeypatch.setattr(pi, "FRAME_TIMEOUT_S", 0.05)


def camera(**wishes: Any) -> PiCamera:
    return PiCamera(CameraConfig(CameraKind.PI, 0, **wishes), clock=lambda: 10**11)


def test_the_grey_frame_is_the_luminance_without_its_padding() -> None:
    frame = camera().take().frame
    assert not isinstance(frame, Yuv420)
    assert frame.shape == (100, 200)
    assert frame.flags.c_contiguous
    assert np.unique(frame).tolist() == [Picamera2.last.frames]


def test_a_board_is_seen_in_colour() -> None:
    frame = camera(colour=True, exposure_ms=10, gain=1, red=1.5, blue=1.5, focus_m=1).take().frame
    assert isinstance(frame, Yuv420)
    assert frame.shape == (100, 200, 3)
    assert np.unique(frame.luma).tolist() == [Picamera2.last.frames]
    assert frame.chroma.shape == (50, 100, 2)
    assert np.unique(frame.chroma.reshape(-1, 2), axis=0).tolist() == [[150, 100]]


def test_frames_have_the_full_range_of_a_jpeg() -> None:
    camera()
    assert Picamera2.last.configuration["colour_space"] == fake_picamera2.ColorSpace.Sycc()


def test_the_whole_sensor_is_used_at_any_size_of_picture() -> None:
    assert camera(width=100, height=50).take().frame.shape == (50, 100)
    assert Picamera2.last.configuration["raw"] == {"size": (200, 100)}


@pytest.fixture
def half_a_gigabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a Pi Zero 2 W with Camera Module 3."""
    monkeypatch.setattr(pi, "memory_bytes", lambda: 436_000_000)
    monkeypatch.setattr(Picamera2, "SENSOR", (4608, 2592))


@pytest.mark.usefixtures("half_a_gigabyte")
def test_a_machine_of_little_memory_takes_pictures_that_it_can_hold(caplog: pytest.LogCaptureFixture) -> None:
    assert camera().take().frame.shape == (1296, 2304)
    assert Picamera2.last.configuration["raw"] == {"size": (4608, 2592)}
    assert "2304 x 1296 pixels, as the memory is small" in caplog.text


@pytest.mark.usefixtures("half_a_gigabyte")
def test_a_size_that_the_host_has_set_is_taken_at_its_word() -> None:
    assert camera(width=4608, height=2592).take().frame.shape == (2592, 4608)


def test_the_stamp_is_when_the_exposure_began() -> None:
    device = camera()
    before = Picamera2.last.frames
    # the sensor's stamp is the end of the exposure, which is locked at 10 ms
    assert device.take().at_ns == 100_000_000 * (before + 1) - 10_000_000


def test_exposure_white_balance_and_focus_are_locked_at_whole_flickers() -> None:
    camera()
    controls = Picamera2.last.controls
    assert (controls["AeEnable"], controls["AwbEnable"], controls["AfMode"]) == (False, False, 0)
    assert controls["ExposureTime"] == 10_000
    assert controls["AnalogueGain"] == pytest.approx(2.6, rel=0.03)  # 13 ms at gain 2 are 10 ms at 2.6
    assert controls["ColourGains"] == (1.8, 1.4)
    assert controls["LensPosition"] == 0.9


def test_sixty_hertz_has_flickers_of_its_own() -> None:
    camera(mains_hz=60)
    assert Picamera2.last.controls["ExposureTime"] == round(1e6 * 2 / 120)


def test_the_exposure_fits_between_two_frames() -> None:
    camera(fps=100)
    assert Picamera2.last.controls["ExposureTime"] == 10_000
    assert Picamera2.last.controls["FrameDurationLimits"] == (10_000, 10_000)


def test_what_the_table_fixes_is_not_chosen_anew_and_costs_no_time() -> None:
    camera(exposure_ms=20, gain=3, red=1.5, blue=1.7, focus_m=1.25)
    controls = Picamera2.last.controls
    assert Picamera2.last.frames == 0
    assert (controls["ExposureTime"], controls["AnalogueGain"]) == (20_000, 3)
    assert (controls["ColourGains"], controls["LensPosition"]) == ((1.5, 1.7), 0.8)


def test_a_part_that_is_fixed_stays_and_the_rest_is_chosen() -> None:
    camera(exposure_ms=20)
    assert Picamera2.last.controls["ExposureTime"] == 20_000
    assert Picamera2.last.controls["ColourGains"] == (1.8, 1.4)


@pytest.mark.parametrize("modes", [False, True])
def test_a_fixed_exposure_leaves_the_gain_to_the_camera(modes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "modes", modes)
    camera(exposure_ms=20)
    controls = Picamera2.last.controls
    assert (controls["AeEnable"], controls["ExposureTime"]) == (False, 20_000)
    assert controls["AnalogueGain"] == pytest.approx(1.3, rel=0.03)  # 13 ms at gain 2 are 20 ms at 1.3


@pytest.mark.parametrize("modes", [False, True])
def test_a_fixed_gain_leaves_the_exposure_to_the_camera(modes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "modes", modes)
    camera(gain=4)
    controls = Picamera2.last.controls
    assert (controls["AnalogueGain"], controls["ExposureTime"]) == (4, 10_000)


def test_in_another_light_exposure_and_white_balance_are_chosen_anew_but_not_the_focus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = camera()
    monkeypatch.setattr(fake_picamera2, "AIM_US", 31_000)
    monkeypatch.setattr(fake_picamera2, "AIM_COLOURS", (2.4, 1.1))
    before = Picamera2.last.frames
    device.expose(0)
    controls = Picamera2.last.controls
    assert (controls["AeEnable"], controls["ExposureTime"], controls["ColourGains"]) == (
        False,
        30_000,
        (2.4, 1.1),
    )
    assert (controls["AfMode"], controls["LensPosition"]) == (0, 0.9)
    assert Picamera2.last.frames - before < 10


@pytest.mark.parametrize(
    ("stops", "exposure_us", "gain"), [(1, 10_000, 1.3), (2, 10_000, 1.0), (3, 3250, 1.0)]
)
def test_a_picture_too_bright_gets_less_gain_and_then_less_time(
    stops: int, exposure_us: int, gain: float
) -> None:
    device = camera()
    device.expose(stops)  # 13 ms at gain 2 by its own choice
    controls = Picamera2.last.controls
    assert controls["ExposureTime"] == pytest.approx(exposure_us, rel=0.03)
    assert controls["AnalogueGain"] == pytest.approx(gain, rel=0.03)


def test_what_the_table_fixes_stays_in_another_light(monkeypatch: pytest.MonkeyPatch) -> None:
    device = camera(exposure_ms=20, red=1.5, blue=1.7)
    monkeypatch.setattr(fake_picamera2, "AIM_US", 31_000)
    device.expose(0)
    controls = Picamera2.last.controls
    assert (controls["ExposureTime"], controls["ColourGains"]) == (20_000, (1.5, 1.7))
    assert controls["AnalogueGain"] == pytest.approx(3.1, rel=0.03)


def test_a_fixed_focus_is_not_waited_for() -> None:
    camera(focus_m=1.25)
    assert Picamera2.last.frames < Picamera2.scan


def test_focus_is_locked_once_its_scan_has_ended() -> None:
    camera()
    assert Picamera2.last.frames > Picamera2.scan
    assert Picamera2.last.controls["LensPosition"] == 0.9


def test_a_table_without_anything_to_focus_on_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Picamera2, "finds_focus", False)
    camera()
    assert "found no focus; lay tiles in its middle, or set focus_m" in caplog.text


def test_a_focus_that_is_found_once_tiles_lie_there_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "finds_focus", False)
    device = camera()
    device.take()
    device.expose(0)
    controls = Picamera2.last.controls
    assert (controls["AeEnable"], controls["AfMode"]) == (False, 2)
    monkeypatch.setattr(Picamera2, "finds_focus", True)
    device.take()
    controls = Picamera2.last.controls
    assert (controls["AfMode"], controls["LensPosition"]) == (0, 0.9)


def test_a_library_built_for_another_numpy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_name: str) -> object:
        raise ValueError("numpy.dtype size changed, may indicate binary incompatibility")

    monkeypatch.setattr("hardware.cameras.pi.importlib.import_module", load)
    with pytest.raises(NoCamera, match=r"numpy.dtype size changed.*pip install 'simplejpeg>=1.8'"):
        camera()


def test_a_camera_without_a_focus_motor_is_not_asked_to_focus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "focuses", False)
    camera(focus_m=1).take()
    assert "LensPosition" not in Picamera2.last.controls


def test_buffers_are_given_back() -> None:
    device = camera()
    assert len({device.take().at_ns for _ in range(20)}) == 20


def test_a_camera_that_falls_silent_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    device = camera()
    monkeypatch.setattr(Picamera2, "hangs", True)
    with pytest.raises(NoCamera, match="ribbon cable"):
        device.take()
    device.close()
    assert Picamera2.last.closed == 1


def test_a_camera_that_cannot_be_started_is_let_go() -> None:
    with pytest.raises(NoCamera, match="cannot be started: width and height should be even"):
        camera(width=101, height=51)
    assert Picamera2.last.closed == 1


def test_a_camera_that_never_sends_a_first_frame_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "hangs", True)
    with pytest.raises(NoCamera, match=r"^sends no picture"):
        camera()
    assert Picamera2.last.closed == 1


def test_a_camera_that_is_not_plugged_in_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "plugged", 0)
    with pytest.raises(NoCamera, match="no Pi camera is plugged in"):
        camera()


def test_a_camera_that_another_program_has_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picamera2, "busy", True)
    with pytest.raises(NoCamera, match="perhaps another program has it"):
        camera()


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(NoCamera, match="sudo apt install python3-picamera2"):
        camera()


@pytest.mark.parametrize(
    ("facts", "still"),
    [
        ([{"ExposureTime": 10_000}] * 4, True),
        ([{"ExposureTime": 10_000}] * 3, False),
        ([{"ExposureTime": us} for us in (9_000, 10_000, 10_000, 10_000)], False),
        ([{"ExposureTime": 10_000, "AeState": 1}] * 4, False),
        ([{"ExposureTime": 10_000, "AeLocked": False}] * 4, False),
        ([{"ColourGains": (1.5, blue)} for blue in (1.5, 1.5, 1.6, 1.7)], False),
        ([{"ExposureTime": 10_000}, {}, {}, {}], False),
    ],
)
def test_a_camera_has_settled_when_its_last_frames_agree(facts: list[dict[str, Any]], still: bool) -> None:
    assert pi.is_settled(facts) is still
