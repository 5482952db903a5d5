"""Pictures that commands read, from files or a live camera."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.config.cameras import CameraConfig
from companion.config.table import load
from companion.errors import BadCapture, UsageError
from companion.vision.camera_frame import Frame, grey
from companion.vision.picture import DRAWING_SUFFIXES, to_printable
from hardware.cameras import State, open_camera
from hardware.frames import Shot, list_pictures

FIRST_PICTURE_TIMEOUT_S = 10.0
"""Longest time until a camera's first picture, in seconds."""


def add_live_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``--live TABLE.toml`` and ``--number N``."""
    live = "the camera of this table's file instead of pictures"
    parser.add_argument("--live", type=Path, metavar="TABLE.toml", help=live)
    parser.add_argument(
        "--number", type=int, default=1, metavar="N", help="which of its cameras (default: 1)"
    )


def check_one_source(args: argparse.Namespace, what: str) -> None:
    """Raise UsageError unless either pictures or a camera were given, and a preview can be written."""
    if bool(args.images) == bool(args.live):
        raise UsageError(f"give pictures of {what}, or --live TABLE.toml for a camera; one of the two")
    check_preview(args.preview)


def check_preview(path: Path | None) -> None:
    """Raise UsageError for a preview whose name ends in no picture's format."""
    if path and path.suffix.lower() not in DRAWING_SUFFIXES:
        raise UsageError(f"--preview {to_printable(path)}: end its name in .png or .jpg")


def pictures(images: Sequence[Path]) -> Iterator[Path]:
    """Yield the given pictures, those of folders in the order of their names."""
    for path in images:
        yield from (path / name for name in list_pictures(path)) if path.is_dir() else (path,)


def camera_frames(path: Path, number: int, most_s: float) -> Iterator[Frame]:
    """Yield the grey frames of a table's camera, as ``camera_shots``."""
    return (grey(shot.frame) for shot in camera_shots(camera_config(path, number), most_s))


def camera_config(path: Path, number: int) -> CameraConfig:
    """Return one of the cameras in a table's file, counted from 1; raise UsageError for others."""
    cameras = load(path).cameras
    if not 1 <= number <= len(cameras):
        raise UsageError(f"--number {number}: {to_printable(path)} describes {len(cameras)} cameras")
    return cameras[number - 1]


def camera_shots(config: CameraConfig, most_s: float) -> Iterator[Shot]:
    """Yield the frames of a camera with their stamps, until it ends or for ``most_s`` seconds.

    Raises
    ------
    BadCapture
        Where it sends no picture.
    """
    begun, at_ns, many = time.monotonic(), 0, 0
    with open_camera(config) as camera:
        while time.monotonic() - begun < (most_s if many else min(most_s, FIRST_PICTURE_TIMEOUT_S)):
            shot = camera.newest(at_ns, 0.5)
            if shot is not None:
                at_ns, many = shot.at_ns, many + 1
                yield shot
            elif camera.health().state is State.ENDED:
                break
        if not many:
            raise BadCapture(f"the camera {camera.health().says}")
