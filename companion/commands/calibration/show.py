"""``companion calibrate show``: the contents of a profile."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from calibration.profile import read_profile
from calibration.table.preview import table_preview
from companion.commands.calibration._options import add_preview_argument, add_profile_argument
from companion.errors import UsageError
from companion.model.profile import Profile
from companion.vision.camera_frame import to_bgr
from companion.vision.picture import decode, save_picture, to_printable


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    add_profile_argument(parser, "the profile to show")
    parser.add_argument("--picture", metavar="IMAGE", help="a picture of the camera, to draw the table on")
    add_preview_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print a profile's contents; return the exit status."""
    profile = read_profile(args.profile)
    print("\n".join(profile_lines(profile)))
    if (args.picture is None) != (args.preview is None):
        raise UsageError(
            "--picture and --preview go together: what to draw on, and where to keep the drawing"
        )
    if args.picture:
        picture = to_bgr(decode(args.picture, colour=True))
        profile.of_picture(picture.shape[1], picture.shape[0])
        save_picture(args.preview, table_preview(picture, profile, (), to_printable(Path(args.picture).name)))
    return 0


def profile_lines(profile: Profile) -> Iterator[str]:
    """Yield the lines of a profile's description."""
    camera = profile.camera
    yield f"camera  {camera.name}, {camera.width} x {camera.height} px, profile of {profile.made_at}"
    if lens := profile.lens:
        yield f"lens    {lens.model}, points within {lens.error_px:.2f} px"
    else:
        yield "lens    not measured; companion calibrate lens does it"
    if table := profile.table:
        how = (
            f"{len(table.markers)} markers, within {table.error_mm:.2f} mm" if table.markers else "four taps"
        )
        yield f"table   {table.width_mm:.0f} x {table.height_mm:.0f} mm, by {how}"
    else:
        yield "table   not measured; companion calibrate table does it"
    yield "tiles   " + (f"{profile.tile_px:.1f} px broad" if profile.tile_px else "size not known yet")
    for zone in profile.zones:
        who = f"seat {zone.seat}" if zone.seat else zone.kind.value
        xs, ys = zip(*zone.corners_mm, strict=True)
        across, down = f"{min(xs):.0f} to {max(xs):.0f}", f"{min(ys):.0f} to {max(ys):.0f}"
        yield f"zone    {who}: {across} mm across, {down} mm down"
