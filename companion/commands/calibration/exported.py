"""``companion calibrate export``: a profile for another machine, on standard output or into a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.profile import format_profile, read_profile, write_profile
from companion.commands.calibration._options import add_profile_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    add_profile_argument(parser, "the profile to hand on")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Write the profile, checked; return the exit status."""
    profile = read_profile(args.profile)
    if args.out:
        write_profile(profile, args.out)
    else:
        print(format_profile(profile), end="")
    return 0
