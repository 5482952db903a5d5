"""The Raspberry Pi's camera, by way of picamera2.

Frames are YUV420: their luminance (Y) is the grey picture that tiles are read in, for nothing.  Exposure,
white balance and focus are the camera's own choice for a moment after it starts; then they are locked, the
exposure at whole flickers of the lamps, so that a hand over the table changes nothing but itself.

picamera2 comes with the Raspberry Pi's own system and nowhere else, so it is looked for only here.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any

import cv2
import numpy as np

from companion.config.cameras import CameraConfig
from companion.errors import NoCamera
from companion.model.phrases import phrase
from companion.vision.picture import Frame
from hardware.cameras.mains import MOST_BLUR_MS, gain_for, whole_flickers_ms
from hardware.cameras.sizes import held, memory_bytes
from hardware.frames import Shot

log = logging.getLogger(__name__)

FRAME_WAIT_S = 3.0
"""No exposure is so long: a frame that has not come by then never will."""

SETTLE_FRAMES, MOST_SETTLE_FRAMES = 4, 90
"""Frames alike that show a settled exposure, white balance and focus, and after how many it is locked anyway.

A scan of the whole range of focus takes some 60 frames.
"""

ALIKE = 0.03
"""Share by which settled values may still differ."""

WATCHED = ("ExposureTime", "AnalogueGain", "ColourGains", "LensPosition")
SEARCHING = 1
"""libcamera's AeState while the exposure is still being chosen."""

MANUAL_FOCUS, CONTINUOUS_FOCUS = 0, 2
"""libcamera's AfMode."""

FOCUSED, FOCUS_FAILED = 2, 3
"""libcamera's AfState once a scan has ended; before, the lens still moves or has not begun to."""

MANUAL = 1
"""libcamera's ExposureTimeMode and AnalogueGainMode for a value that is set; older versions have neither."""

BUFFERS = 4

Facts = Mapping[str, Any]
"""What libcamera tells with a frame."""


class PiCamera:
    """An open Pi camera whose exposure, white balance and focus are locked."""

    def __init__(self, config: CameraConfig, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._config, self._clock = config, clock
        self._device = opened(int(config.where))
        try:
            self._start()
        except BaseException as error:
            self.close()
            if isinstance(error, RuntimeError | ValueError):  # what libcamera's refusals come as
                raise NoCamera(phrase("cannot be started: %(error)s", error=error)) from error
            raise

    def take(self) -> Shot:
        """Return the newest frame that the camera has completed; raise NoCamera where none comes."""
        request = self._request()
        try:
            array, facts = request.make_array("main"), request.get_metadata()
        finally:
            request.release()
        at_ns = exposed_ns(facts, self._clock())
        return Shot(unpacked(array, self._size, self._config.colour), at_ns, self._config.called)

    def close(self) -> None:
        """Let the camera go."""
        self._device.close()

    def _start(self) -> None:
        """Set the size, start, and lock what the camera chose."""
        device, config = self._device, self._config
        full = tuple(device.sensor_resolution)
        size = (config.width, config.height) if config.width else held(full, memory_bytes())
        if not config.width and size != full:
            log.warning("%s: %d x %d pixels, as the memory is small", config.called, *size)
        controls = known(device, {"AfMode": CONTINUOUS_FOCUS, "AeEnable": True, "AwbEnable": True})
        if config.fps:
            frame_us = round(1e6 / config.fps)
            controls |= known(device, {"FrameDurationLimits": (frame_us, frame_us)})
        # the whole sensor at any size of picture: its smaller modes cut the edges of the table off
        setting = device.create_video_configuration(
            main={"size": size, "format": "YUV420"},
            raw={"size": full},
            buffer_count=BUFFERS,
            controls=controls | known(device, asked(config)),
        )
        device.configure(setting)
        self._size = tuple(device.camera_configuration()["main"]["size"])
        device.start()
        device.set_controls(known(device, self._locked()))

    def _locked(self) -> Facts:
        """Return the controls that lock the camera, after it has settled where something was left to it."""
        fixed = asked(self._config)
        if known(self._device, dict.fromkeys(WATCHED)).keys() - fixed.keys():
            settled = self._settled()
            if "LensPosition" not in fixed and settled.get("AfState") == FOCUS_FAILED:
                log.warning(
                    "%s: found no focus; lay tiles in its middle, or set focus_m", self._config.called
                )
            chosen = locked(settled, self._config)
            log.info("%s: locked at %s", self._config.called, chosen)
            return chosen | fixed
        return fixed

    def _settled(self) -> Facts:
        """Return what the camera tells of itself once its exposure and white balance rest."""
        past: list[Facts] = []
        while len(past) < MOST_SETTLE_FRAMES:
            request = self._request()
            past.append(request.get_metadata())
            request.release()
            if rests(past[-SETTLE_FRAMES:]):
                break
        return past[-1]

    def _request(self) -> Any:
        """Return the next completed request, to be released; raise NoCamera where none comes."""
        done = Event()
        job = self._device.capture_request(signal_function=lambda _: done.set())
        if not done.wait(FRAME_WAIT_S):
            raise NoCamera(phrase("sends no picture: see to its ribbon cable, with the power off"))
        return self._device.wait(job)


def opened(number: int) -> Any:
    """Return the Pi camera of a number, or raise NoCamera with what to do."""
    try:
        library = importlib.import_module("picamera2")
    except ValueError as error:  # a module was built for another numpy (raspberrypi/picamera2#1211)
        raise NoCamera(
            phrase(
                "cannot be used, its library does not fit this numpy (%(error)s): "
                "pip install 'simplejpeg>=1.8' in the virtual environment",
                error=error,
            )
        ) from error
    except ImportError as error:
        raise NoCamera(
            phrase(
                "needs picamera2, which comes with Raspberry Pi OS: sudo apt install python3-picamera2, "
                "and make the virtual environment with --system-site-packages"
            )
        ) from error
    found = library.Picamera2.global_camera_info()
    if number >= len(found):
        there = (
            phrase("the last of those plugged in is number %(number)s", number=len(found) - 1)
            if found
            else phrase("no Pi camera is plugged in")
        )
        raise NoCamera(
            phrase("is not there, %(there)s: see to the ribbon cable, with the power off", there=there)
        )
    try:
        return library.Picamera2(number)
    except (RuntimeError, OSError, IndexError) as error:
        raise NoCamera(
            phrase("cannot be opened, perhaps another program has it: %(error)s", error=error)
        ) from error


def known(device: Any, controls: Facts) -> dict[str, Any]:
    """Return those controls that this camera has: one without a motor knows no focus."""
    return {name: value for name, value in controls.items() if name in device.camera_controls}


def asked(config: CameraConfig) -> dict[str, Any]:
    """Return the controls that the configuration fixes; the camera goes on to choose the others.

    ``AeEnable`` false would hold exposure and gain both, at their defaults where they are not set.
    """
    controls: dict[str, Any] = {}
    if config.exposure_ms:
        controls |= {"ExposureTimeMode": MANUAL, "ExposureTime": round(1000 * config.exposure_ms)}
    if config.gain:
        controls |= {"AnalogueGainMode": MANUAL, "AnalogueGain": config.gain}
    if config.exposure_ms and config.gain:
        controls["AeEnable"] = False
    if config.red:
        controls |= {"AwbEnable": False, "ColourGains": (config.red, config.blue)}
    if config.focus_m:
        controls |= {"AfMode": MANUAL_FOCUS, "LensPosition": 1 / config.focus_m}
    return controls


def exposed_ns(facts: Facts, now_ns: int) -> int:
    """Return when the exposure of a frame began.

    ``SensorTimestamp`` is when the sensor began to send the frame: when the exposure of its first row ended.
    """
    sent_ns = min(int(facts.get("SensorTimestamp", now_ns)), now_ns)
    return sent_ns - 1000 * int(facts.get("ExposureTime", 0))


def locked(facts: Facts, config: CameraConfig) -> dict[str, Any]:
    """Return the controls that keep a camera as it chose to be, its exposure at whole flickers."""
    exposure_ms = float(facts.get("ExposureTime", 10_000)) / 1000
    most_ms = min(MOST_BLUR_MS, 1000 / config.fps if config.fps else MOST_BLUR_MS)
    chosen_ms = config.exposure_ms or whole_flickers_ms(exposure_ms, config.mains_hz, most_ms)
    gain = float(facts.get("AnalogueGain", 1.0)) * float(facts.get("DigitalGain", 1.0))
    controls: dict[str, Any] = {
        "AeEnable": False,
        "ExposureTime": round(1000 * chosen_ms),
        "AnalogueGain": gain_for(gain, exposure_ms, chosen_ms, 16.0),
        "AwbEnable": False,
    }
    if "ColourGains" in facts:
        controls["ColourGains"] = tuple(facts["ColourGains"])
    if "LensPosition" in facts:
        controls |= {"AfMode": MANUAL_FOCUS, "LensPosition": facts["LensPosition"]}
    return controls


def rests(past: Sequence[Facts]) -> bool:
    """Return whether exposure and white balance are alike in the last few frames."""
    rows = [values(facts) for facts in past]
    if not past or past[-1].get("AeLocked") is False or past[-1].get("AeState") == SEARCHING:
        return False
    if past[-1].get("AfState", FOCUSED) not in {FOCUSED, FOCUS_FAILED}:
        return False
    if len(rows) < SETTLE_FRAMES or len({len(row) for row in rows}) > 1:
        return False
    table = np.array(rows)
    return bool((np.ptp(table, axis=0) <= ALIKE * np.abs(table).max(axis=0)).all())


def values(facts: Facts) -> list[float]:
    """Return the watched values of a frame as numbers in a row."""
    return [float(part) for name in WATCHED if name in facts for part in np.atleast_1d(facts[name])]


def unpacked(array: Frame, size: tuple[int, ...], colour: bool) -> Frame:
    """Return a frame from YUV420 rows: luminance above, both colours below, each row padded to its stride."""
    width, height = size
    if not colour:
        return np.ascontiguousarray(array[:height, :width])
    return np.ascontiguousarray(np.asarray(cv2.cvtColor(array, cv2.COLOR_YUV2BGR_I420), np.uint8)[:, :width])
