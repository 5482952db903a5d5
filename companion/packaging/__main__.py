"""``./run package``: build the Debian package, for this machine or another."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from companion.errors import CompanionError
from companion.packaging.site import LOCK_FILES
from companion.packaging.tree import RELEASES, Package, build
from companion.version import VERSION


def main() -> int:
    """Build each requested package, and print its file."""
    args = arguments().parse_args()
    stamp = os.environ.get("SOURCE_DATE_EPOCH")
    made = datetime.fromtimestamp(int(stamp), UTC) if stamp else datetime.now(UTC)
    args.out.mkdir(parents=True, exist_ok=True)
    for release in args.release or RELEASES:
        for arch in args.arch or [own_arch()]:
            print(build(Package(release, arch, VERSION, made), args.out), flush=True)
    return 0


def arguments() -> argparse.ArgumentParser:
    """Return the parser of its options."""
    parser = argparse.ArgumentParser(prog="run package", description="Build the Debian package.")
    release = "for this release of Debian, and of Raspberry Pi OS; may be given again (default: each)"
    parser.add_argument("--release", action="append", choices=RELEASES, help=release)
    arch = "for this kind of machine, arm64 for a Pi; may be given again (default: this machine's)"
    parser.add_argument("--arch", action="append", choices=LOCK_FILES, help=arch)
    out = "where it goes (default: %(default)s)"
    parser.add_argument("--out", type=Path, default=Path("build/package"), metavar="DIR", help=out)
    return parser


def own_arch() -> str:
    """Return Debian's name of this kind of machine."""
    machine = platform.machine()
    return next((arch for arch, (name, _) in LOCK_FILES.items() if name == machine), "amd64")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CompanionError as error:
        print(f"run package: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
