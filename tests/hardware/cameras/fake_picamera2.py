"""A small stand-in for picamera2, faithful to its manual where the companion meets it.

Requests come one by one from a few buffers, and stop when none is given back; unknown controls raise
RuntimeError; rows are padded to 64 bytes; exposure and gain near their aim until they are locked.
Locked without a value they fall to the default; a fixed exposure leaves the gain to the camera, and
enabling the choice anew takes fixed values back (libcamera, ``src/ipa/rpi/controller/rpi/agc.cpp``).  A
scan of the focus takes ``scan`` frames, AfState is 1 meanwhile, then 2 or 3, and 0 without a scan
(``src/ipa/rpi/controller/af_status.h``: idle, scanning, focused, failed).  SensorTimestamp is the start of
the frame on the wire, when its first row has been exposed (Linux, ``bcm2835-unicam.c``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRIDE = 64


class ColorSpace:
    """libcamera's colour spaces."""

    Sycc = staticmethod(lambda: "Sycc")


AIM_US, AIM_GAIN, AIM_COLOURS = 13_000, 2.0, (1.8, 1.4)
DEFAULT_US, DEFAULT_GAIN = 20_000, 1.0
EXPOSING = {"ExposureTime", "AnalogueGain"}


class Request:
    """A completed request."""

    def __init__(self, device: Picamera2, facts: dict[str, Any], array: NDArray[np.uint8]) -> None:
        self._device, self._facts, self._array = device, facts, array
        self._released = False

    def make_array(self, name: str) -> NDArray[np.uint8]:
        if name != "main":
            raise RuntimeError(f"Stream {name!r} is not defined")
        return self._array.copy()

    def get_metadata(self) -> dict[str, Any]:
        return dict(self._facts)

    def release(self) -> None:
        if self._released:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        self._released = True
        self._device.free += 1


class Picamera2:
    """A camera of 200 x 100 pixels with a focus motor."""

    SENSOR = (200, 100)
    plugged = 1
    focuses = True
    finds_focus = True
    modes = False
    scan = 12
    hangs = False
    busy = False
    last: Picamera2

    @staticmethod
    def global_camera_info() -> list[dict[str, Any]]:
        return [{"Model": "imx708", "Num": number} for number in range(Picamera2.plugged)]

    def __init__(self, camera_num: int = 0) -> None:
        self.camera_idx = camera_num
        if Picamera2.busy:
            raise RuntimeError("Camera __init__ sequence did not complete.")
        Picamera2.last = self
        self.sensor_resolution = self.SENSOR
        names = "AeEnable AwbEnable ExposureTime AnalogueGain ColourGains FrameDurationLimits".split()
        names += ["AfMode", "LensPosition"] if self.focuses else []
        names += ["ExposureTimeMode", "AnalogueGainMode"] if self.modes else []
        self.camera_controls = dict.fromkeys(names, (0, 1, 0))
        self.controls: dict[str, Any] = {}
        self.configuration: dict[str, Any] = {}
        self.running, self.closed = False, 0
        self.free = self.frames = 0

    def create_video_configuration(
        self,
        main: dict[str, Any],
        raw: dict[str, Any],
        colour_space: str = "Rec709",
        buffer_count: int = 6,
        controls: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {
            "main": main,
            "raw": raw,
            "colour_space": colour_space,
            "buffer_count": buffer_count,
            "controls": controls or {},
        }

    def configure(self, configuration: dict[str, Any]) -> None:
        width, height = configuration["main"]["size"]
        if width % 2 or height % 2:
            raise RuntimeError("width and height should be even")
        self.configuration = configuration
        self.free = configuration["buffer_count"]
        self.set_controls(configuration["controls"])

    def camera_configuration(self) -> dict[str, Any]:
        return self.configuration

    def start(self) -> None:
        self.running = True

    def set_controls(self, controls: dict[str, Any]) -> None:
        for name in controls:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
        if controls.get("AeEnable"):
            self.controls = {name: self.controls[name] for name in self.controls.keys() - EXPOSING}
        if controls.get("AwbEnable"):
            self.controls.pop("ColourGains", None)
        self.controls |= controls

    def capture_request(self, signal_function: Callable[[object], None]) -> object:
        job = object()
        if self.running and self.free and not self.hangs:
            signal_function(job)
        return job

    def wait(self, job: object) -> Request:
        assert job is not None
        self.free -= 1
        self.frames += 1
        return Request(self, self._facts(), self._drawn())

    def close(self) -> None:
        self.running = False
        self.closed += 1

    def _facts(self) -> dict[str, Any]:
        """Return what is told with a frame: the exposure nears its aim by half with every frame."""
        near = 1 - 0.5**self.frames
        exposure = self._set("ExposureTime", "ExposureTimeMode", DEFAULT_US) or round(AIM_US * near)
        fits = AIM_GAIN * AIM_US / exposure * (near if "ExposureTime" in self.controls else 1.0)
        facts = {
            "SensorTimestamp": 100_000_000 * self.frames,
            "ExposureTime": exposure,
            "AnalogueGain": self._set("AnalogueGain", "AnalogueGainMode", DEFAULT_GAIN) or max(1.0, fits),
            "DigitalGain": 1.0,
            "ColourGains": self.controls.get("ColourGains", AIM_COLOURS),
        }
        if not self.focuses:
            return facts
        scanned = self.frames > self.scan
        lens = self.controls.get("LensPosition", 0.9 if scanned else 1.0)
        state = (2 if self.finds_focus else 3) if scanned else 1
        return facts | {"LensPosition": lens, "AfState": state if self.controls.get("AfMode") else 0}

    def _set(self, name: str, mode: str, default: float) -> Any:
        """Return a value that is fixed, the default where nobody chooses one; None where the camera does."""
        automatic = self.controls.get("AeEnable", True)
        if name in self.controls and (not automatic or not self.modes or self.controls.get(mode) == 1):
            return self.controls[name]
        return None if automatic else default

    def _drawn(self) -> NDArray[np.uint8]:
        """Return YUV420 rows: the frame's number as luminance, Cb of 100, Cr of 150, padding of 255."""
        width, height = self.configuration["main"]["size"]
        stride = -(-width // STRIDE) * STRIDE
        rows = np.full((height * 3 // 2, stride), 255, np.uint8)
        rows[:height, :width] = self.frames
        planes = rows.reshape(-1)[height * stride :].reshape(2, height // 2, stride // 2)
        planes[:, :, : width // 2] = np.array([100, 150])[:, None, None]
        return rows
