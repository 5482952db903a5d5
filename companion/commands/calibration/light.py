"""``companion calibrate light``: whether light, focus and resolution are sufficient to read tiles.

Exit status: 0 where they are, 1 where one is bad, 2 where a picture cannot be used.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import numpy as np

from calibration.light import Grade, LightReport, check, light_overlay
from calibration.light.report import report_lines
from companion.commands._pictures import (
    add_live_arguments,
    camera_frames,
    check_one_source,
    pictures,
)
from companion.commands.calibration._options import add_preview_argument
from companion.errors import BadCapture
from companion.model.tiles import tile_set, tile_set_names
from companion.vision.camera_frame import Frame
from companion.vision.picture import decode, save_picture, to_printable
from companion.vision.pipeline.reader import Reader

MAX_FRAMES = 30
LIVE_FRAMES, LIVE_TIMEOUT_S = 8, 20.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    images = "pictures of the table, with tiles all over it, one after another; three or more show flicker"
    parser.add_argument("images", nargs="*", type=Path, metavar="IMAGE", help=images)
    add_live_arguments(parser)
    sets = f"the tiles: {', '.join(tile_set_names())} or a .json file (default: %(default)s)"
    parser.add_argument("--tiles", default="bananagrams-en", metavar="SET", help=sets)
    add_preview_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Check the light; return the exit status."""
    check_one_source(args, "the table")
    reader = Reader(tile_set(args.tiles))
    frames = live(args.live, args.number) if args.live else from_files(args.images)
    tiles = reader.read(frames[0]).tiles
    report = check(frames, np.array([tile.corners for tile in tiles]).reshape(-1, 4, 2))
    if args.json:
        print(json.dumps(asdict(report) | {"grade": report.grade}))
    else:
        print_report(report)
    if args.preview:
        save_picture(args.preview, light_overlay(frames[0], report))
    return 1 if report.grade is Grade.BAD else 0


def print_report(report: LightReport) -> None:
    """Print the findings and the advice."""
    print(f"{report.width} x {report.height} px, {report.tiles} tiles")
    for text, _ in report_lines(report):
        print(f"  {text}")


def live(path: Path, number: int) -> list[Frame]:
    """Return a few frames of a table's camera, one after another."""
    return list(islice(camera_frames(path, number, LIVE_TIMEOUT_S), LIVE_FRAMES))


def from_files(images: Sequence[Path]) -> list[Frame]:
    """Return pictures of one size from files and folders; raise BadCapture for several sizes."""
    frames: list[Frame] = []
    for path in pictures(images):
        frame = decode(path)
        if frames and frame.shape != frames[0].shape:
            sizes = " and ".join(f"{one.shape[1]} x {one.shape[0]}" for one in (frames[0], frame))
            raise BadCapture(f"{to_printable(path)}: pictures of {sizes} pixels; give those of one camera")
        frames.append(frame)
        if len(frames) >= MAX_FRAMES:
            break
    return frames
