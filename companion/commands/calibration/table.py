"""``companion calibrate table``: the table's place in the picture, its size and its seats."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.edges import MeasuredMarker
from calibration.profile import today, write_profile
from calibration.table.drift import landmarks
from calibration.table.finding import KnownLengths, table_by_markers, table_by_taps
from calibration.table.preview import table_preview
from calibration.table.profile_update import with_table
from calibration.table.sizes import MIN_MEASURED_TILES, check_scale, median_tile_px, px_per_mm, tile_px
from companion.commands._pictures import check_preview
from companion.commands.calibration._options import (
    add_preview_argument,
    add_profile_argument,
    parse_point,
    parse_size,
    profile_for,
)
from companion.errors import BadCapture, UsageError
from companion.model.profile import Profile, TableMap
from companion.model.tiles import tile_set, tile_set_names
from companion.vision.camera_frame import Frame, to_bgr
from companion.vision.picture import decode, save_picture, to_printable
from companion.vision.pipeline.reader import Reader

DEFAULT_SEATS = 4
SCALE_HINT = "--ruler says what it is; --size or --tile-mm check it"
"""Hint on the options that check the scale of a sheet."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    parser.add_argument(
        "images", nargs="+", metavar="IMAGE", help="the table; of several the best one counts"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--markers", action="store_true", help="by the printed corner markers (the default)")
    taps = "by its corners, clockwise from the top left, as pixels of the picture; needs --size"
    how.add_argument("--taps", nargs=4, type=parse_point, metavar="X,Y", help=taps)
    none = "by nothing but the tiles in the picture: their size is kept, and seats stay unknown"
    how.add_argument("--tiles-only", action="store_true", help=none)
    measured = (
        "breadth and depth in mm, between the markers' outer corners, by tape measure: checks the print"
    )
    parser.add_argument("--size", type=parse_size, metavar="WxH", help=measured)
    ruler = "what the sheet's 100 mm ruler really measures (default: it is taken for 100)"
    parser.add_argument("--ruler", type=float, metavar="MM", help=ruler)
    seats = f"players (default: as the same table was shared before, else {DEFAULT_SEATS})"
    parser.add_argument("--seats", type=int, metavar="N", help=seats)
    board = "a board of this size lies in the middle, where else the pool is"
    parser.add_argument("--board", type=parse_size, metavar="WxH", help=board)
    tiles = f"tiles that may be on the table: {', '.join(tile_set_names())} (default: %(default)s)"
    parser.add_argument("--tiles", default="bananagrams-en", metavar="SET", help=tiles)
    parser.add_argument(
        "--tile-mm",
        type=float,
        metavar="MM",
        help="a tile's breadth, by a ruler: checks the print (default: what the tile set's file says)",
    )
    parser.add_argument("--camera", metavar="NAME", help="what to call the camera (default: the file's name)")
    add_profile_argument(parser, "the profile to make or to change")
    add_preview_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Detect the table and save it in the profile; return the exit status."""
    check_options(args)
    best: tuple[Profile, tuple[MeasuredMarker, ...], str] | None = None
    faults = []
    for image in args.images:
        grey = decode(image)
        profile = profile_for(args.profile, grey, args.camera)
        try:
            found, marks = measure_table(grey, profile, args)
        except BadCapture as error:
            faults.append(BadCapture(f"{to_printable(image)}: {error}"))
            continue
        if best is None or _error(found) < _error(best[0]):
            best = found, marks, image
    if best is None:
        raise faults[0]
    profile, marks, image = best
    write_profile(profile, args.profile)
    print("\n".join(result_lines(profile)))
    print_scale(decode(image), profile, args)
    if args.preview and profile.table:
        save_picture(
            args.preview,
            table_preview(to_bgr(decode(image, colour=True)), profile, marks, to_printable(Path(image).name)),
        )
    return 0


def print_scale(grey: Frame, profile: Profile, args: argparse.Namespace) -> None:
    """Print how the scale of the sheet was checked; warn where it was not checked or does not agree."""
    tiles = tile_set(args.tiles)
    known_mm = args.tile_mm or tiles.side_mm
    seen = median_tile_px(Reader(tiles).read(grey).tiles) if known_mm else None
    found = check_scale(profile, given_sizes(args), known_mm, seen)
    if found and found.checked:
        print(f"scale: {found.text}")
    elif found:
        print(f"scale: {found.text} ({SCALE_HINT})", file=sys.stderr)


def check_options(args: argparse.Namespace) -> None:
    """Raise UsageError for options that do not go together."""
    check_preview(args.preview)
    if args.taps and not args.size:
        raise UsageError(
            "--taps needs --size WxH: measure the table between the corners that you tapped, in mm"
        )
    if args.ruler is not None and not 50 <= args.ruler <= 150:
        raise UsageError(f"--ruler is what 100 mm on the sheet measure, 50 to 150; got {args.ruler:g}")
    if args.tile_mm is not None and not 5 <= args.tile_mm <= 100:
        raise UsageError(f"--tile-mm is 5 to 100; got {args.tile_mm:g}")


def measure_table(
    grey: Frame, profile: Profile, args: argparse.Namespace
) -> tuple[Profile, tuple[MeasuredMarker, ...]]:
    """Return the profile with the table of one picture, and the markers seen; raise BadCapture."""
    tiles = tile_set(args.tiles)
    read = Reader(tiles).read(grey).tiles
    marks: tuple[MeasuredMarker, ...] = ()
    if args.tiles_only:
        known = replace(profile, table=None, zones=(), landmarks=landmarks(grey))
    else:
        table, marks = find_table(grey, profile, args)
        if args.seats is not None or args.board:
            profile = replace(profile, zones=())
        seats = DEFAULT_SEATS if args.seats is None else args.seats
        known = with_table(grey, profile, table, seats, args.board, read)
    side = tile_px(known, args.tile_mm or tiles.side_mm, median_tile_px(read))
    if args.tiles_only and side is None:
        raise BadCapture(
            f"too few tiles are seen: lay {MIN_MEASURED_TILES} or more face up on the table, in even light"
        )
    return replace(known, made_at=today(), tile_px=side), marks


def find_table(
    grey: Frame, profile: Profile, args: argparse.Namespace
) -> tuple[TableMap, tuple[MeasuredMarker, ...]]:
    """Return the table by its corners or markers, and the markers; raise BadCapture."""
    if args.taps:
        return table_by_taps(np.array(args.taps), args.size, profile.lens), ()
    return table_by_markers(grey, profile.lens, given_sizes(args))


def given_sizes(args: argparse.Namespace) -> KnownLengths:
    """Return the sizes of the table and the sheet that the options give."""
    return KnownLengths(args.size, args.ruler)


def _error(profile: Profile) -> float:
    return profile.table.error_mm if profile.table else 0.0


def result_lines(profile: Profile) -> list[str]:
    """Return the lines of the result."""
    lines = []
    if table := profile.table:
        by = f"{len(table.markers)} markers, within {table.error_mm:.2f} mm" if table.markers else "four taps"
        lines.append(f"table: {table.width_mm:.0f} x {table.height_mm:.0f} mm, by {by}")
        seats = sum(zone.seat is not None for zone in profile.zones)
        lines.append(
            f"zones: {seats} seats, clockwise from the near side, and the {profile.zones[-1].kind.value}"
        )
        if profile.lens is None:
            lines.append("lens: not measured; companion calibrate lens makes the edges of the table surer")
    else:
        lines.append("table: unknown; seats are found by the way the tableaux face")
    return [*lines, f"tiles: {tile_text(profile)}"]


def tile_text(profile: Profile) -> str:
    """Return the width of tiles as text: also in mm with markers, so that a ruler can check it."""
    if not profile.tile_px:
        return "size unknown, as too few were seen; give --tile-mm"
    broad = f"{profile.tile_px:.1f} px broad"
    if profile.table is None or not profile.table.markers:
        return broad
    return f"{broad}, {profile.tile_px / px_per_mm(profile):.1f} mm by the markers"
