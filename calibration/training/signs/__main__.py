"""Train the network that sees signs: ``python -m calibration.training.signs``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import torch
from rich.console import Console
from rich.progress import track

from calibration.training.__main__ import count, parser_of, run, write
from calibration.training.eight_bit import write_eight_bit
from calibration.training.signs.families import Family, families
from calibration.training.signs.network import Signs
from calibration.training.signs.teaching import ERRORS, SIZES, train
from calibration.training.varied import varied
from companion.errors import BadOutput
from companion.vision.fewshot.embedding import CROP

EXAMPLES = 64
"""Families from whose tiles the ranges of the eight bits are taken."""
EXACT = 1
"""Last layers that are left in floating point: distances between signs are wanted finely."""

ABOUT = """\
Train the network behind sets of one's own from drawn families alone: each has
a hand, its own signs, and two pictures of its tiles.  signs.onnx, in eight
bits, is written at the end.  The same seed, numbers and installed fonts draw
the same families again.
"""


def main(words: Sequence[str] | None = None) -> None:
    """Train the network; where that cannot be, say why and exit with the error's status."""
    parser = parser_of("calibration.training.signs", ABOUT)
    parser.add_argument("--families", type=count, default=4000, help="families to draw (4000)")
    parser.add_argument("--steps", type=count, default=9000, help="batches to learn from (9000)")
    run(parser, taught, words)


def taught(args: argparse.Namespace) -> None:
    """Train the network and write it; raise NoFonts or BadOutput."""
    drawing = families(args.families, args.seed)
    drawn = list(track(drawing, "drawing families", args.families, console=Console(stderr=True)))
    net = train(drawn, args.steps, args.seed)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=args.out) as desk:
            kept(net, drawn, Path(desk)).replace(args.out / "signs.onnx")
    except OSError as error:
        raise BadOutput(f"the network cannot be written to {args.out}: {error}") from error


def kept(net: Signs, drawn: Sequence[Family], desk: Path) -> Path:
    """Return the network's file in eight bits, written into a folder."""
    exact, out = desk / "exact.onnx", desk / "signs.onnx"
    write(net, torch.zeros(2, 1, CROP, CROP), exact, {0: "tiles"})
    rng = np.random.default_rng(0)
    lots = [
        varied(one.crops[:64], rng.integers(4, size=len(one.crops[:64])), ERRORS, SIZES, rng)
        for one in drawn[:EXAMPLES]
    ]
    write_eight_bit(exact, [lot.numpy() for lot in lots], out, EXACT)
    return out


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
