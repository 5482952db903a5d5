"""``companion read``: from photographs of a table to tiles, tableaux, words and verdicts.

Exit status: 0 where every picture was read (an empty table is a good reading), 2 where one cannot be opened
or decoded; the others are read nevertheless.
"""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

from companion.errors import UsageError
from companion.model.tiles import tile_set_names
from companion.vision.camera_frame import CameraFrame
from companion.vision.picture import DRAWING_SUFFIXES, decode, to_printable


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    sets = f"the tiles: {', '.join(tile_set_names())}, one enrolled, or a .json file (default: %(default)s)"
    parser.add_argument("--tiles", default="bananagrams-en", metavar="SET", help=sets)
    parser.add_argument("--board", choices=["scrabble", "volcano"], help="the board that they lie on")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line for each picture")
    drawing = "draw what was seen into this file; the files of several pictures are numbered"
    parser.add_argument("--overlay", type=Path, metavar="FILE", help=drawing)
    profile = "the camera's profile (companion calibrate): known size of tiles, and who sits where"
    parser.add_argument("--profile", type=Path, metavar="FILE", help=profile)
    alone = "take doubts as they are seen, whatever Tesseract has to say"
    parser.add_argument("--alone", action="store_true", help=alone)
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="photographs: JPEG, PNG, WebP, BMP or GIF")


def run(args: argparse.Namespace) -> int:
    """Read every picture and return the exit status.

    The first is decoded while the reader is loaded.
    """
    drawings = drawing_paths(args.overlay, args.images)
    first, *others = (partial(decode, image, colour=True) for image in args.images)
    with ThreadPoolExecutor(1) as pool:
        # an iterator keeps no picture that was read
        frames: Iterator[Callable[[], CameraFrame]] = chain([pool.submit(first).result], others)
        from companion.commands._reading import read_pictures  # noqa: PLC0415  the reader takes long to import

        return read_pictures(args, frames, drawings)


def drawing_paths(drawing: Path | None, images: Sequence[str]) -> list[Path | None]:
    """Return the file to draw each picture into, numbered where there are several; raise UsageError."""
    if drawing is None:
        return [None] * len(images)
    option = f"--overlay {to_printable(drawing)}"
    if drawing.suffix.lower() not in DRAWING_SUFFIXES:
        raise UsageError(
            f"{option}: end its name in {', '.join(DRAWING_SUFFIXES[:-1])} or {DRAWING_SUFFIXES[-1]}"
        )
    folder = stat_or_none(drawing.parent)
    if folder is None or not stat.S_ISDIR(folder.st_mode):
        raise UsageError(f"{option}: there is no folder {to_printable(drawing.parent)}; make it first")
    numbers = (
        [f"-{n:0{len(str(len(images)))}}" for n in range(1, len(images) + 1)] if len(images) > 1 else [""]
    )
    drawings = [drawing.with_stem(drawing.stem + number) for number in numbers]
    pictures = {(there.st_dev, there.st_ino) for image in images if (there := stat_or_none(image))}
    for path in drawings:
        if (there := stat_or_none(path)) and (there.st_dev, there.st_ino) in pictures:
            raise UsageError(
                f"{option} would overwrite the picture {to_printable(path)}; give it another name"
            )
    return list(drawings)


def stat_or_none(path: str | Path) -> os.stat_result | None:
    """Return a file's status, ``None`` where there is no such file."""
    try:
        return Path(path).stat()
    except OSError:
        return None
