"""``companion calibrate import``: a profile from elsewhere, imported for this camera.

The lens is the same for every camera of a model at one picture size; the table's place is not.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from calibration.profile import read_profile, today, write_profile
from companion.commands.calibration._options import add_profile_argument
from companion.errors import BadProfile, UsageError
from companion.model.profile import Profile
from companion.vision.picture import decode, to_printable


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the profile to take in")
    parser.add_argument("--camera", metavar="NAME", help="this camera's name, where it is not the file's")
    lens = "take the lens alone: for another camera of the same kind"
    parser.add_argument("--lens-only", action="store_true", help=lens)
    parser.add_argument("--picture", metavar="IMAGE", help="a picture of this camera: its size is compared")
    parser.add_argument("--replace", action="store_true", help="overwrite the profile that is there")
    add_profile_argument(parser, "where to keep it")


def run(args: argparse.Namespace) -> int:
    """Import a profile; return the exit status."""
    profile = read_profile(args.file)
    if args.picture:
        height, width = decode(args.picture).shape[:2]
        profile.of_picture(width, height)
    if args.profile.exists() and not args.replace:
        raise UsageError(f"{to_printable(args.profile)} is there already; --replace overwrites it")
    taken = of_camera(profile, args.camera or profile.camera.name, args.lens_only)
    write_profile(taken, args.profile)
    print(f"kept as {to_printable(args.profile)}: camera {taken.camera.name}")
    return 0


def of_camera(profile: Profile, name: str, lens_only: bool) -> Profile:
    """Return a profile for the camera of a name; raise BadProfile where it is of another one."""
    if lens_only:
        if profile.lens is None:
            raise BadProfile("that profile knows no lens")
        camera = replace(profile.camera, name=name)
        return Profile(camera, today(), profile.lens)
    if name != profile.camera.name:
        raise BadProfile(
            f"the profile is of the camera {profile.camera.name!r}, not {name!r}: its table is not "
            "seen alike by another; take --lens-only where both are of the same kind, and calibrate the table"
        )
    return profile
