"""``companion calibrate check``: whether the camera has moved, and correction of its profile.

Exit status: 0 where it has not moved or was corrected, 1 where it moved and the profile was left unchanged,
or where that is unknown.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from calibration.profile import read_profile, today, write_profile
from calibration.table.drift import DriftState, drift, profile_by_tap, profile_to_keep
from calibration.table.preview import table_preview
from companion.commands._pictures import check_preview
from companion.commands.calibration._options import (
    add_preview_argument,
    add_profile_argument,
    parse_point,
)
from companion.vision.camera_frame import to_bgr
from companion.vision.picture import decode, save_picture, to_printable


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    parser.add_argument("image", metavar="IMAGE", help="the table now")
    parser.add_argument("--correct", action="store_true", help="keep the correction in the profile")
    tap = "where the table's top left corner is now, in pixels: corrects what nothing else can"
    parser.add_argument("--tap", type=parse_point, metavar="X,Y", help=tap)
    add_profile_argument(parser, "the profile to check")
    add_preview_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print the camera's drift; return the exit status."""
    check_preview(args.preview)
    profile = read_profile(args.profile)
    grey = decode(args.image)
    profile.of_picture(grey.shape[1], grey.shape[0])
    found = profile_by_tap(profile, args.tap) if args.tap else drift(grey, profile)
    print(found.text)
    kept = args.correct or args.tap
    if found.state is DriftState.MOVED and kept:
        write_profile(replace(profile_to_keep(found, grey), made_at=today()), args.profile)
    elif found.state is DriftState.MOVED:
        print(f"not kept: --correct changes {to_printable(args.profile)}")
    if args.preview:
        picture = to_bgr(decode(args.image, colour=True))
        title = f"{to_printable(Path(args.image).name)}: {found.text}"
        save_picture(args.preview, table_preview(picture, found.profile, found.marks, title))
    return 0 if found.state is DriftState.STILL or (found.state is DriftState.MOVED and kept) else 1
