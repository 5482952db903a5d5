"""Options of several steps of ``companion calibrate``: the profile to change, pictures to write."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.profile import read_profile, today
from companion.errors import BadProfile, UsageError
from companion.model.profile import CameraId, Profile
from companion.vision.camera_frame import Frame
from companion.vision.picture import to_printable


def add_profile_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare ``--profile FILE``."""
    parser.add_argument("--profile", type=Path, required=True, metavar="FILE", help=what)


def add_preview_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``--preview FILE``."""
    what = "draw what was understood into this picture (.png or .jpg)"
    parser.add_argument("--preview", type=Path, metavar="FILE", help=what)


def profile_for(path: Path, frame: Frame, camera: str | None) -> Profile:
    """Return the profile in a file, or a new one where there is none, of the camera that took a picture.

    Raises BadProfile where the file holds no profile, or one of another picture size, and UsageError where it
    is of another camera.
    """
    height, width = frame.shape[:2]
    if not path.exists():
        return Profile(CameraId(camera or path.stem, width, height), today())
    try:
        profile = read_profile(path)
        profile.of_picture(width, height)
    except BadProfile as error:
        raise BadProfile(f"{error}.  To begin anew, give --profile the name of a new file") from error
    if camera and camera != profile.camera.name:
        raise UsageError(
            f"{to_printable(path)} is of the camera {profile.camera.name!r}, not {camera!r}: "
            "give another file"
        )
    return profile


def parse_point(text: str) -> tuple[float, float]:
    """Return the point that ``x,y`` means, or raise ArgumentTypeError."""
    return _two(text, ",", "x,y in pixels")


def parse_size(text: str) -> tuple[float, float]:
    """Return the width and depth in mm that ``WxH`` means, or raise ArgumentTypeError."""
    wide, high = _two(text.lower(), "x", "WxH in millimetres, such as 1200x800")
    if not (0 < wide <= 5000 and 0 < high <= 5000):
        raise argparse.ArgumentTypeError(f"{text!r}: a table is up to 5000 mm a side")
    return wide, high


def _two(text: str, between: str, what: str) -> tuple[float, float]:
    try:
        one, other = map(float, text.split(between))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}") from error
    if not (abs(one) < 1e6 and abs(other) < 1e6):
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return one, other
