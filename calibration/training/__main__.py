"""Train the reader's networks: ``python -m calibration.training``."""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from calibration.drawing.fonts import PACKAGES, lacking
from calibration.training import classifier, detector, fine_classifier
from calibration.training.cuts import Cuts, all_cuts
from calibration.training.eight_bit import add_features, write_eight_bit
from calibration.training.evidence import fit_evidence
from calibration.training.lessons import Lesson, lessons
from companion.errors import BadOutput, CompanionError
from companion.vision.classifier import FINE_CROP, SIDE
from companion.vision.networks import FOLDER, standardised
from companion.vision.pipeline.board_evidence import MODEL

log = logging.getLogger(__name__)

MOST = 1_000_000
"""Largest number that the command takes."""

EXAMPLES = 128
"""Patches, and a thirty-second of the crops, from which the ranges of the eight bits are taken."""
DETECTOR_EXACT, CLASSIFIER_EXACT, FINE_CLASSIFIER_EXACT = 1, 0, 0
"""Last layers that are left in floating point: a tile's place is wanted to a fraction of a pixel."""

ABOUT = """\
Train the three networks of the reader, and the model of boards' colours, from drawn pictures alone.

It draws lessons, teaches the detector on them, cuts out what that detector finds
and teaches classifier and fine classifier on it.  detector.onnx, classifier.onnx and
fine_classifier.onnx, in eight bits, are written then, all or none.  At last
board_evidence.json is fitted to drawn boards as the reader's own networks see them.
--only teaches some of them, on what the reader's own detector cuts out.  The same
seed, numbers and installed fonts draw the same lessons again.
"""


def main(words: Sequence[str] | None = None) -> None:
    """Train networks and fit evidence; where that cannot be, say why and exit with the error's status."""
    parser = parser_of("calibration.training", ABOUT)
    parser.add_argument("--lessons", type=count, default=10000, help="scenes to draw (10000)")
    parser.add_argument(
        "--detector-steps", type=count, default=6000, help="batches for the detector's first course (6000)"
    )
    parser.add_argument(
        "--classifier-epochs", type=count, default=5, help="times the classifier sees each crop (5)"
    )
    parser.add_argument(
        "--fine-classifier-steps", type=count, default=24000, help="batches for the fine classifier (24000)"
    )
    parser.add_argument("--boards", type=count, default=400, help="boards that evidence is fitted to (400)")
    only = "teach this one alone, the others stay; can be said twice"
    parser.add_argument("--only", action="append", choices=(*COURSES, EVIDENCE), default=[], help=only)
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
    """Train the networks and write them; raise NoFonts or BadOutput."""
    if names := lacking():
        log.warning(
            "some fonts are not installed, so other lessons than usual are drawn: %s", " ".join(names)
        )
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=args.out) as desk:
            for path in _trained(args, Path(desk)) if args.only != [EVIDENCE] else ():
                path.replace(args.out / path.name)
        if EVIDENCE in (args.only or [EVIDENCE]):
            fit_evidence(args.boards, args.seed, args.out / MODEL.name)
    except OSError as error:
        raise BadOutput(f"the networks cannot be written to {args.out}: {error}") from error


def _trained(args: argparse.Namespace, desk: Path) -> list[Path]:
    """Return the networks that were taught, written to a folder."""
    talk = Console(stderr=True)
    drawn = list(track(lessons(args.lessons, args.seed), "drawing lessons", args.lessons, console=talk))
    own = [] if args.only else [_detector(drawn, args, desk)]
    found = own[0] if own else FOLDER / "detector.onnx"
    cuts = together(track(all_cuts(drawn, found, args.seed), "cutting tiles", len(drawn), console=talk))
    asked = args.only or COURSES
    return [*own, *(teach(cuts, args, desk) for name, teach in COURSES.items() if name in asked)]


def _detector(drawn: Sequence[Lesson], args: argparse.Namespace, desk: Path) -> Path:
    """Return a detector taught on lessons."""
    exact, found = desk / "exact.onnx", desk / "detector.onnx"
    taught = detector.train(drawn, args.detector_steps, args.seed)
    write(taught, torch.zeros(1, 1, 64, 64), exact, {0: "patches", 2: "height", 3: "width"})
    patches = [(one.patch[None, None] / 255).astype(np.float32) for one in drawn[:EXAMPLES]]
    write_eight_bit(exact, patches, found, DETECTOR_EXACT)
    return found


def together(cuts: Iterable[Cuts]) -> Cuts:
    """Return the crops of all lessons; what was given is let go part by part, as it takes much room."""
    parts = [list(part) for part in zip(*cuts, strict=True)]
    return Cuts(*(np.concatenate(parts.pop(0)) for _ in Cuts._fields))


def _classifier(cuts: Cuts, args: argparse.Namespace, desk: Path) -> Path:
    """Return a classifier taught on what a detector cut out of lessons."""
    exact, named = desk / "exact.onnx", desk / "classifier.onnx"
    taught = classifier.train(cuts.small, cuts.labels, args.classifier_epochs, args.seed)
    write(taught, torch.zeros(2, 1, SIDE, SIDE), exact, {0: "tiles"})
    some = [standardised(cuts.small[lot]) for lot in _lots(cuts, args.seed)]
    write_eight_bit(exact, some, named, CLASSIFIER_EXACT)
    add_features(named)
    return named


def _fine_classifier(cuts: Cuts, args: argparse.Namespace, desk: Path) -> Path:
    """Return a fine classifier taught on what a detector cut out of lessons."""
    exact, told = desk / "exact.onnx", desk / "fine_classifier.onnx"
    taught = fine_classifier.train(cuts.wide, cuts.labels, args.fine_classifier_steps, args.seed)
    write(taught, torch.zeros(2, 1, FINE_CROP[0], FINE_CROP[0]), exact, {0: "tiles"})
    rng = np.random.default_rng(args.seed)
    some = (fine_classifier.shown(cuts.wide[lot], cuts.labels[lot], rng) for lot in _lots(cuts, args.seed))
    write_eight_bit(exact, [crops.numpy() for crops, _ in some], told, FINE_CLASSIFIER_EXACT)
    return told


def _lots(cuts: Cuts, seed: int) -> NDArray[np.int64]:
    """Return which crops a network is shown from which the ranges of its eight bits are taken, lot by lot."""
    return np.random.default_rng(seed).integers(len(cuts.labels), size=(EXAMPLES, 32))


CLASSIFIER, FINE_CLASSIFIER, EVIDENCE = "classifier", "fine_classifier", "evidence"
COURSES = {CLASSIFIER: _classifier, FINE_CLASSIFIER: _fine_classifier}
"""Who teaches which network on crops."""


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
