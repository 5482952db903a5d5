"""``companion calibrate delay``: how late a camera's pictures are, by a terminal that flashes before it.

Exit status: 0 where that was measured, 2 where the camera does not see the terminal.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import takewhile
from threading import Thread

import numpy as np

from calibration.delay import (
    LONGEST_S,
    MAX_DELAY_S,
    SWITCHES,
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

TIMEOUT_S = 20.0 + DARK_S + SWITCHES * LONGEST_S + MAX_DELAY_S
"""Longest time to look through a camera, in seconds: some open slowly, and the last pictures are late."""


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
        delay_ms = max(0, round(config.stream_delay_ms + 1000 * late_s))
        print(f"Pictures come {delay_ms} ms late: set delay_ms = {delay_ms} in {to_printable(args.live)}.")
    else:
        print(f"Pictures are stamped {1000 * late_s:+.0f} ms from when they were taken.")
    return 0


def measured_s(config: CameraConfig) -> float:
    """Return the seconds by which a camera's stamps are late."""
    print(
        "Hold the camera still before this terminal, and press Enter: it flashes for a quarter of a minute."
    )
    sys.stdin.readline()
    shots = camera_shots(config, TIMEOUT_S)
    next(shots)
    switched_s: list[float] = []
    with flashing_screen() as show:
        flashing = Thread(target=flash, args=(show, switched_s), daemon=True)
        flashing.start()
        during = takewhile(lambda _: flashing.is_alive(), shots)
        seen = [(shot.at_ns / 1e9, cell_brightness(grey(shot.frame))) for shot in during]
    return fit_delay(seen, np.array(switched_s))


def flash(show: Show, switched_s: list[float]) -> None:
    """Flash the terminal, note the times in seconds at which it switches, and wait for late pictures."""
    time.sleep(DARK_S)
    for number, interval_s in enumerate(switch_intervals(np.random.default_rng())):
        time.sleep(interval_s)
        show(number % 2 == 0)
        switched_s.append(time.monotonic())
    time.sleep(MAX_DELAY_S)
