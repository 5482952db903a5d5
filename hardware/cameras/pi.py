"""The Raspberry Pi's camera, through picamera2.

Frames are YUV420 of full range, as ``Yuv420`` is; their luminance is the grey picture without conversion.
The camera chooses exposure, white balance and focus after its start; then they are locked, the exposure at
whole flickers of the lamps, so that a hand over the table does not change the rest of the picture.  Exposure
and white balance are chosen anew where the light has become another; a focus that is not found on an empty
table is searched for until tiles lie there.

picamera2 is part of Raspberry Pi OS only, so it is imported when a camera is opened.
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
from companion.vision.camera_frame import CameraFrame, Frame, Yuv420
from hardware.cameras.capture_settings import (
    MAX_EXPOSURE_MS,
    flicker_free_exposure_ms,
    gain_for,
    memory_bytes,
    picture_size,
)
from hardware.frames import Shot

log = logging.getLogger(__name__)

FRAME_TIMEOUT_S = 3.0
"""Seconds to wait for a frame; longer than any exposure."""

MIN_SETTLED_FRAMES, MAX_SETTLE_FRAMES = 4, 90
"""Number of equal frames for settled controls, and of frames after which they are locked anyway.

A scan of the whole range of focus takes about 60 frames.
"""

SETTLED_SPREAD = 0.03
"""Relative spread of settled values."""

SETTLING = ("ExposureTime", "AnalogueGain", "ColourGains", "LensPosition")
AE_SEARCHING = 1
"""libcamera's AeState while the exposure is still being chosen."""

AUTOMATIC = {"AeEnable": True, "AwbEnable": True}
"""Controls that leave exposure, gain and white balance to the camera, also if they were locked before."""

MANUAL_FOCUS, CONTINUOUS_FOCUS = 0, 2
"""libcamera's AfMode."""

FOCUSED, FOCUS_FAILED = 2, 3
"""libcamera's AfState after a scan has ended."""

MANUAL_CONTROL_MODE = 1
"""libcamera's ExposureTimeMode and AnalogueGainMode for fixed values; older versions have neither."""

BUFFERS = 4

Metadata = Mapping[str, Any]
"""libcamera's metadata of a frame."""


class PiCamera:
    """An open Pi camera whose exposure, white balance and focus are locked."""

    def __init__(self, config: CameraConfig, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._config, self._clock = config, clock
        self._seeks_focus = False
        self._device = open_pi_camera(int(config.where))
        try:
            self._start()
        except BaseException as error:
            self.close()
            if isinstance(error, RuntimeError | ValueError):  # raised by libcamera
                raise NoCamera(phrase("cannot be started: %(error)s", error=error)) from error
            raise

    def take(self) -> Shot:
        """Return the newest frame that the camera has completed; raise NoCamera where none comes."""
        request = self._request()
        try:
            array, metadata = request.make_array("main"), request.get_metadata()
        finally:
            request.release()
        if self._seeks_focus and metadata.get("AfState") == FOCUSED:
            self._seeks_focus = False
            self._device.set_controls(focus_controls(metadata))
        at_ns = exposure_start_ns(metadata, self._clock())
        return Shot(frame_of_yuv(array, self._size, self._config.colour), at_ns, self._config.called)

    @property
    def locks_exposure(self) -> bool:
        """Whether the camera chooses and locks its exposure or gain."""
        return not (self._config.exposure_ms and self._config.gain)

    def expose(self, stops: int) -> None:
        """Choose exposure and white balance anew, except what the configuration fixes, and lock them."""
        self._device.set_controls(supported(self._device, AUTOMATIC | fixed_controls(self._config)))
        self._lock(stops=stops, refocus=False)

    def close(self) -> None:
        """Release the camera."""
        self._device.close()

    def _start(self) -> None:
        """Configure the size, start the camera, and lock the controls that it chose."""
        device, config = self._device, self._config
        full = tuple(device.sensor_resolution)
        size = (config.width, config.height) if config.width else picture_size(full, memory_bytes())
        if not config.width and size != full:
            log.warning("%s: %d x %d pixels, as the memory is small", config.called, *size)
        controls = supported(device, {"AfMode": CONTINUOUS_FOCUS} | AUTOMATIC)
        if config.fps:
            frame_us = round(1e6 / config.fps)
            controls |= supported(device, {"FrameDurationLimits": (frame_us, frame_us)})
        # use the whole sensor at any picture size: smaller sensor modes crop the view
        setting = device.create_video_configuration(
            main={"size": size, "format": "YUV420"},
            raw={"size": full},
            colour_space=full_range(),
            buffer_count=BUFFERS,
            controls=controls | supported(device, fixed_controls(config)),
        )
        device.configure(setting)
        self._size = tuple(device.camera_configuration()["main"]["size"])
        device.start()
        self._lock(stops=0, refocus="LensPosition" not in fixed_controls(config))

    def _lock(self, stops: int, refocus: bool) -> None:
        """Wait until the camera's own choices have settled, with ``refocus`` its focus too, and lock it.

        It is exposed ``stops`` below its own choice.
        """
        locked = fixed_controls(self._config)
        if supported(self._device, dict.fromkeys(SETTLING)).keys() - locked.keys():
            settled = self._settled(refocus)
            chosen = lock_controls(settled, self._config, stops)
            if refocus:
                self._seeks_focus = settled.get("AfState", FOCUSED) != FOCUSED
                chosen |= {} if self._seeks_focus else focus_controls(settled)
            if refocus and self._seeks_focus:
                log.warning(
                    "%s: found no focus; lay tiles in its middle, or set focus_m", self._config.called
                )
            log.info("%s: locked at %s", self._config.called, chosen)
            locked = chosen | locked
        self._device.set_controls(supported(self._device, locked))

    def _settled(self, refocus: bool) -> Metadata:
        """Wait until exposure, white balance and perhaps focus have settled; return the last metadata."""
        past: list[Metadata] = []
        while len(past) < MAX_SETTLE_FRAMES:
            request = self._request()
            facts = request.get_metadata()
            request.release()
            # AfState is idle for ever where the focus is fixed
            past.append({name: value for name, value in facts.items() if refocus or name != "AfState"})
            if is_settled(past[-MIN_SETTLED_FRAMES:]):
                break
        return past[-1]

    def _request(self) -> Any:
        """Return the next completed request, to be released; raise NoCamera where none comes."""
        done = Event()
        job = self._device.capture_request(signal_function=lambda _: done.set())
        if not done.wait(FRAME_TIMEOUT_S):
            raise NoCamera(phrase("sends no picture: see to its ribbon cable, with the power off"))
        return self._device.wait(job)


def open_pi_camera(number: int) -> Any:
    """Open a Pi camera by its number; raise NoCamera with what to do."""
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


def full_range() -> Any:
    """Return libcamera's colour space of JPEG files: values of full range, as ``Yuv420`` has."""
    return importlib.import_module("libcamera").ColorSpace.Sycc()


def supported(device: Any, controls: Metadata) -> dict[str, Any]:
    """Return those controls that the camera supports; one without a motor has no focus."""
    return {name: value for name, value in controls.items() if name in device.camera_controls}


def fixed_controls(config: CameraConfig) -> dict[str, Any]:
    """Return the controls that the configuration fixes; the camera chooses the others.

    ``AeEnable`` false would hold exposure and gain both, at their defaults where they are not set.
    """
    controls: dict[str, Any] = {}
    if config.exposure_ms:
        controls |= {
            "ExposureTimeMode": MANUAL_CONTROL_MODE,
            "ExposureTime": round(1000 * config.exposure_ms),
        }
    if config.gain:
        controls |= {"AnalogueGainMode": MANUAL_CONTROL_MODE, "AnalogueGain": config.gain}
    if config.exposure_ms and config.gain:
        controls["AeEnable"] = False
    if config.red:
        controls |= {"AwbEnable": False, "ColourGains": (config.red, config.blue)}
    if config.focus_m:
        controls |= {"AfMode": MANUAL_FOCUS, "LensPosition": 1 / config.focus_m}
    return controls


def exposure_start_ns(metadata: Metadata, now_ns: int) -> int:
    """Return the beginning of a frame's exposure, CLOCK_MONOTONIC in ns.

    ``SensorTimestamp`` is the end of the exposure of its first row, when the sensor begins to send.
    """
    sent_ns = min(int(metadata.get("SensorTimestamp", now_ns)), now_ns)
    return sent_ns - 1000 * int(metadata.get("ExposureTime", 0))


def lock_controls(metadata: Metadata, config: CameraConfig, stops: int = 0) -> dict[str, Any]:
    """Return the controls that lock a camera's exposure, at whole flickers, and its white balance.

    The exposure is ``stops`` below its own choice: less gain first, then less time.
    """
    exposure_ms = float(metadata.get("ExposureTime", 10_000)) / 1000
    most_ms = min(MAX_EXPOSURE_MS, 1000 / config.fps if config.fps else MAX_EXPOSURE_MS)
    gain = float(metadata.get("AnalogueGain", 1.0)) * float(metadata.get("DigitalGain", 1.0)) / 2**stops
    exposure_ms, gain = exposure_ms * min(gain, 1.0), max(gain, 1.0)
    chosen_ms = config.exposure_ms or flicker_free_exposure_ms(exposure_ms, config.mains_hz, most_ms)
    controls: dict[str, Any] = {
        "AeEnable": False,
        "ExposureTime": round(1000 * chosen_ms),
        "AnalogueGain": gain_for(gain, exposure_ms, chosen_ms, 16.0),
        "AwbEnable": False,
    }
    if "ColourGains" in metadata:
        controls["ColourGains"] = tuple(metadata["ColourGains"])
    return controls


def focus_controls(metadata: Metadata) -> dict[str, Any]:
    """Return the controls that lock the focus of a frame; none for a camera without a motor."""
    if "LensPosition" not in metadata:
        return {}
    return {"AfMode": MANUAL_FOCUS, "LensPosition": metadata["LensPosition"]}


def is_settled(past: Sequence[Metadata]) -> bool:
    """Return whether exposure, white balance and focus are equal in the last few frames."""
    rows = [settling_values(metadata) for metadata in past]
    if not past or past[-1].get("AeLocked") is False or past[-1].get("AeState") == AE_SEARCHING:
        return False
    if past[-1].get("AfState", FOCUSED) not in {FOCUSED, FOCUS_FAILED}:
        return False
    if len(rows) < MIN_SETTLED_FRAMES or len({len(row) for row in rows}) > 1:
        return False
    table = np.array(rows)
    return bool((np.ptp(table, axis=0) <= SETTLED_SPREAD * np.abs(table).max(axis=0)).all())


def settling_values(metadata: Metadata) -> list[float]:
    """Return the values that must settle, of one frame."""
    return [float(part) for name in SETTLING if name in metadata for part in np.atleast_1d(metadata[name])]


def frame_of_yuv(array: Frame, size: tuple[int, ...], colour: bool) -> CameraFrame:
    """Return a frame from YUV420 rows padded to the stride: luminance, then Cb, then Cr at half the size."""
    width, height = size
    luma = np.ascontiguousarray(array[:height, :width])
    if not colour:
        return luma
    planes = array.reshape(-1)[height * array.shape[1] :].reshape(2, height // 2, array.shape[1] // 2)
    blue, red = planes[:, :, : width // 2]
    return Yuv420(luma, np.asarray(cv2.merge([red, blue]), np.uint8))
