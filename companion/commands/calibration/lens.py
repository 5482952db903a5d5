"""``companion calibrate lens``: the lens's distortion, from pictures of the lens board.

Exit status: 0 where the lens was fitted and saved, 2 where it was not; then it prints which pictures are
missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from calibration.lens import CAMERAS, BoardDetection, advice, find_board, fit, is_mirrored
from calibration.lens.fit import MODELS, FitOptions, LensFit
from calibration.lens.guide import MAX_VIEWS, Advice, capture_views
from calibration.lens.overlay import lens_overlay, report_lines
from calibration.profile import today, write_profile
from companion.commands._pictures import (
    add_live_arguments,
    camera_frames,
    check_one_source,
    pictures,
)
from companion.commands.calibration._options import (
    add_preview_argument,
    add_profile_argument,
    profile_for,
)
from companion.errors import BadCapture, CompanionError, UsageError
from companion.vision.camera_frame import Frame
from companion.vision.picture import decode, save_picture, to_printable

LIVE_TIMEOUT_S = 600.0
"""Longest time to show the board to a live camera, in seconds."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the step's options."""
    parser.add_argument(
        "images", nargs="*", type=Path, metavar="IMAGE", help="pictures of the lens board, or folders"
    )
    add_live_arguments(parser)
    parser.add_argument("--camera", metavar="NAME", help="what to call the camera (default: the file's name)")
    parser.add_argument("--model", choices=MODELS, help="the kind of lens (default: whichever fits)")
    parser.add_argument("--start", choices=sorted(CAMERAS), help="which camera it is, by its data sheet")
    parser.add_argument("--most-error", type=float, metavar="PX", help="refuse a lens that fits worse")
    add_profile_argument(parser, "the profile to make or to change")
    add_preview_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Fit the lens and save it; return the exit status."""
    check_one_source(args, "the lens board")
    if args.most_error is not None and not 0 < args.most_error <= 100:
        raise UsageError(f"--most-error {args.most_error}: give pixels, more than 0 and at most 100")
    last, sights = sights_from_camera(args.live, args.number) if args.live else sights_from_files(args.images)
    profile = profile_for(args.profile, last, args.camera)
    try:
        fitted = fit(sights, FitOptions(args.model, args.start, args.most_error))
    except BadCapture as error:
        raise BadCapture(f"{error}.  Next: {advice(sights).text}") from error
    # the table was located with the former lens
    write_profile(replace(profile, made_at=today(), lens=fitted.lens, table=None, zones=()), args.profile)
    print_result(sights, fitted, args.profile, lost_table=profile.table is not None)
    if args.preview:
        save_picture(args.preview, lens_overlay(last, sights, fitted))
    return 0


def print_result(
    sights: tuple[BoardDetection, ...], fitted: LensFit, path: Path, *, lost_table: bool
) -> None:
    """Print the fitted lens and the profile's path."""
    print(f"{fitted.lens.model} lens, kept in {to_printable(path)}")
    for text, _ in report_lines(sights, fitted):
        print(f"  {text}")
    if lost_table:
        print(
            "  The table's place was found through the former lens: do companion calibrate table again, "
            "which divides it among its seats anew."
        )


def sights_from_files(images: Sequence[Path]) -> tuple[Frame, tuple[BoardDetection, ...]]:
    """Return the last picture of the board and all detections, printing each; raise BadCapture for none."""
    sights: list[BoardDetection] = []
    last: Frame | None = None
    for path in pictures(images):
        try:
            frame = decode(path)
        except CompanionError as error:
            print(f"companion calibrate lens: {error}; passed over", file=sys.stderr)
            continue
        sight = find_board(frame)
        print(f"{to_printable(path.name)}: {sight_text(sight, frame)}", file=sys.stderr)
        if sight is not None and sight.sharp and len(sights) < MAX_VIEWS:
            sights.append(sight)
            last = frame
    if last is None:
        raise BadCapture(f"no picture shows the lens board sharply.  Next: {advice([]).text}")
    return last, tuple(sights)


def sight_text(sight: BoardDetection | None, frame: Frame) -> str:
    """Return a picture's detection of the board as text."""
    if sight is None:
        turned = ": it is as in a mirror, switch the camera's mirroring off"
        return f"no lens board{turned if is_mirrored(frame) else ', or too little of it, or too blurred'}"
    blur = "" if sight.sharp else f", but blurred (edges {sight.blur_px:.1f} px broad): not used"
    return f"{len(sight.numbers)} corners{blur}"


def sights_from_camera(path: Path, number: int) -> tuple[Frame, tuple[BoardDetection, ...]]:
    """Return the last frame and the detections of a board shown to a live camera, with guidance."""
    last_advice = [""]

    def tell(_: BoardDetection | None, next_step: Advice) -> None:
        if next_step.text != last_advice[0]:
            last_advice[0] = next_step.text
            print(f"{next_step.covered:4.0%}  {next_step.text}", file=sys.stderr)

    taken: list[Frame] = []

    def kept() -> Iterator[Frame]:
        for frame in camera_frames(path, number, LIVE_TIMEOUT_S):
            taken[:] = [frame]
            yield frame

    sights = capture_views(kept(), tell)
    return taken[-1], sights
