"""Train the reader's networks: ``python -m calibration.training``."""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

import cv2
import numpy as np
import torch
from rich.console import Console
from rich.progress import track

from calibration.drawing.fonts import PACKAGES, lacking
from calibration.training import finder, namer
from calibration.training.cuts import Cuts, all_cuts
from calibration.training.eight_bit import write_eight_bit
from calibration.training.lessons import Lesson, lessons
from companion.errors import BadOutput, CompanionError
from companion.reading.crops import standardised
from companion.reading.networks import FOLDER

log = logging.getLogger(__name__)

MOST = 1_000_000
"""Largest number that the command takes."""

EXAMPLES = 128
"""Patches, and a thirty-second of the crops, from which the ranges of the eight bits are taken."""
FINDER_EXACT, NAMER_EXACT = 1, 0
"""Last layers that are left in floating point: a tile's place is wanted to a fraction of a pixel."""

ABOUT = """\
Train the two networks of the reader from drawn pictures alone.

It draws lessons, teaches the finder on them, cuts out what that finder finds
and teaches the namer on it.  finder.onnx and namer.onnx, in eight bits, are
written at the end, both or neither; with --keep-finder the namer alone.  The
same seed, numbers and installed fonts draw the same lessons again.
"""


def main(words: Sequence[str] | None = None) -> None:
    """Train both networks; where that cannot be, say why and exit with the error's status."""
    parser = parser_of("calibration.training", ABOUT)
    parser.add_argument("--lessons", type=count, default=10000, help="scenes to draw (10000)")
    parser.add_argument(
        "--finder-steps", type=count, default=6000, help="batches for the finder's first course (6000)"
    )
    parser.add_argument("--namer-epochs", type=count, default=5, help="times the namer sees each crop (5)")
    keep = "teach the namer alone, on what the reader's own finder cuts out"
    parser.add_argument("--keep-finder", action="store_true", help=keep)
    run(parser, train, words)


def parser_of(module: str, about: str) -> argparse.ArgumentParser:
    """Return a parser of what every training can be told."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=about,
        epilog=fill(
            f"The fonts are packages of Debian: apt-get install {' '.join(PACKAGES)}", break_on_hyphens=False
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=count, default=1, help="where every choice comes from (1)")
    out = "folder for what is learnt (the reader's own)"
    parser.add_argument("--out", type=Path, default=FOLDER, help=out)
    return parser


def run(
    parser: argparse.ArgumentParser,
    training: Callable[[argparse.Namespace], None],
    words: Sequence[str] | None,
) -> None:
    """Train as the words of a command say; where that cannot be, say why and exit with the error's status."""
    args = parser.parse_args(words)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        training(args)
    except CompanionError as error:
        parser.exit(error.exit_status, f"{parser.prog}: {error}\n")


def count(word: str) -> int:
    """Return a number of 1 to a million; raise ArgumentTypeError where it is none."""
    number = int(word) if word.isdecimal() and len(word) <= len(str(MOST)) else 0
    if not 1 <= number <= MOST:
        raise argparse.ArgumentTypeError(f"a number from 1 to {MOST} is needed; got {word[:20]!r}")
    return number


def train(args: argparse.Namespace) -> None:
    """Train both networks and write them; raise NoFonts or BadOutput."""
    if names := lacking():
        log.warning(
            "some fonts are not installed, so other lessons than usual are drawn: %s", " ".join(names)
        )
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=args.out) as desk:
            for path in _trained(args, Path(desk)):
                path.replace(args.out / path.name)
    except OSError as error:
        raise BadOutput(f"the networks cannot be written to {args.out}: {error}") from error


def _trained(args: argparse.Namespace, desk: Path) -> list[Path]:
    """Return the networks that were taught, written to a folder."""
    talk = Console(stderr=True)
    drawn = list(track(lessons(args.lessons, args.seed), "drawing lessons", args.lessons, console=talk))
    found = FOLDER / "finder.onnx" if args.keep_finder else _finder(drawn, args, desk)
    cuts = list(track(all_cuts(drawn, found, args.seed), "cutting tiles", len(drawn), console=talk))
    named = _namer(cuts, args, desk)
    return [named] if args.keep_finder else [found, named]


def _finder(drawn: Sequence[Lesson], args: argparse.Namespace, desk: Path) -> Path:
    """Return a finder taught on lessons."""
    exact, found = desk / "exact.onnx", desk / "finder.onnx"
    taught = finder.train(drawn, args.finder_steps, args.seed)
    write(taught, torch.zeros(1, 1, 64, 64), exact, {0: "patches", 2: "height", 3: "width"})
    patches = [(one.patch[None, None] / 255).astype(np.float32) for one in drawn[:EXAMPLES]]
    write_eight_bit(exact, patches, found, FINDER_EXACT)
    return found


def _namer(cuts: Sequence[Cuts], args: argparse.Namespace, desk: Path) -> Path:
    """Return a namer taught on what a finder cut out of lessons."""
    exact, named = desk / "exact.onnx", desk / "namer.onnx"
    crops, labels = np.concatenate([c for c, _ in cuts]), np.concatenate([y for _, y in cuts])
    taught = namer.train(crops, labels, args.namer_epochs, args.seed)
    write(taught, torch.zeros(2, 1, 32, 32), exact, {0: "tiles"})
    lots = np.random.default_rng(args.seed).integers(len(crops), size=(EXAMPLES, 32))
    write_eight_bit(exact, [standardised(crops[lot]) for lot in lots], named, NAMER_EXACT)
    return named


def write(net: torch.nn.Module, example: torch.Tensor, path: Path, free: dict[int, str]) -> None:
    """Write a network as ONNX, its free axes named."""
    with warnings.catch_warnings():
        # Both say that the exporter is an old one; the new one needs one more package.
        for start in ("You are using the legacy TorchScript", "The feature will be removed"):
            warnings.filterwarnings("ignore", start, DeprecationWarning)
        torch.onnx.export(
            net,
            (example,),
            str(path),
            input_names=["x"],
            output_names=["y"],
            dynamic_axes={"x": free, "y": free},
            dynamo=False,
        )


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
