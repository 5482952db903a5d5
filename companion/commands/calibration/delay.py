"""``companion calibrate delay``: how late a camera's pictures are, by a terminal that flashes before it.

Exit status: 0 where that was measured, 2 where the camera does not see the terminal.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile

import numpy as np

from calibration.delay import (
    LONGEST_S,
    MAX_DELAY_S,
    SWITCHES,
    Floats,
    cell_brightness,
    fit_delay,
    switch_intervals,
)
from companion.commands._pictures import add_live_arguments, camera_config, camera_shots
from companion.commands._terminal import Show, flashing_screen
from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import UsageError
from companion.vision.camera_frame import grey
from companion.vision.picture import to_printable

DARK_S = 1.0
"""Time in seconds for which the screen is dark at first: the camera's exposure settles."""

SHOWN_S = DARK_S + SWITCHES * LONGEST_S + MAX_DELAY_S
"""Most time that the screen is shown, in seconds: all pictures have come by then."""

TIMEOUT_S = SHOWN_S + 20.0
"""Longest time to look through a camera, in seconds; it takes long to open some."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    add_live_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure the delay of a camera and print it; return the exit status."""
    if not args.live:
        raise UsageError("give the camera as --live TABLE.toml")
    config = camera_config(args.live, args.number)
    if not config.kind.is_live:
        raise UsageError(f"{to_printable(config.called)} is no live camera: its pictures are never late")
    late_s = measured_s(config)
    if config.kind is CameraKind.STREAM:
        delay_ms = round(config.stream_delay_ms + 1000 * late_s)
        print(f"Pictures come {delay_ms} ms late: set delay_ms = {delay_ms} in {to_printable(args.live)}.")
    else:
        print(f"Pictures are stamped {1000 * late_s:+.0f} ms from when they were taken.")
    return 0


def measured_s(config: CameraConfig) -> float:
    """Return the seconds by which a camera's stamps are late."""
    print(f"Hold the camera still before this terminal: it flashes for {SHOWN_S:.0f} seconds.  Press Enter.")
    sys.stdin.readline()
    shots = camera_shots(config, TIMEOUT_S)
    next(shots)
    with flashing_screen() as show, ThreadPoolExecutor(1) as pool:
        flashing = pool.submit(flash, show)
        during = takewhile(lambda _: not flashing.done(), shots)
        seen = [(shot.at_ns / 1e9, cell_brightness(grey(shot.frame))) for shot in during]
    return fit_delay(seen, flashing.result()).seconds


def flash(show: Show) -> Floats:
    """Flash the terminal, and return the times in seconds at which it switched; wait for late pictures."""
    time.sleep(DARK_S)
    switched_s, bright = [], False
    for interval_s in switch_intervals(np.random.default_rng()):
        time.sleep(interval_s)
        show(bright := not bright)
        switched_s.append(time.monotonic())
    time.sleep(MAX_DELAY_S)
    return np.array(switched_s)
