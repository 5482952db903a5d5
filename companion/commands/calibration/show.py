"""``companion calibrate show``: what a profile knows."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from calibration.profile import read_profile
from companion.model.profile import Profile


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    parser.add_argument("--profile", type=Path, required=True, metavar="FILE", help="the profile to show")


def run(args: argparse.Namespace) -> int:
    """Print what a profile knows; return the exit status."""
    print("\n".join(told(read_profile(args.profile))))
    return 0


def told(profile: Profile) -> Iterator[str]:
    """Yield a profile line by line, as a person would tell it."""
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
