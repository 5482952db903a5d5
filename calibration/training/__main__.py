"""Command to train the reader's networks from a seed: ``python -m calibration.training``."""

from __future__ import annotations

import argparse
import logging
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

from calibration.drawing.fonts import PACKAGES, missing_training_fonts
from calibration.training import detector
from calibration.training.classifiers import augmented_batch, train_classifier, train_fine_classifier
from calibration.training.crops import LabelledCrops, crops_of_scenes
from calibration.training.evidence import fit_evidence
from calibration.training.export import add_feature_output, example_crops, write_onnx, write_quantized
from calibration.training.optimise import DEVICE
from calibration.training.scenes import PROCESSES, TrainingScene, training_scenes
from companion.errors import BadOutput, CompanionError
from companion.vision.classifier import CROP, FINE_CROP
from companion.vision.networks import (
    CLASSIFIER_PATH,
    DETECTOR_PATH,
    FINE_CLASSIFIER_PATH,
    MODELS_FOLDER,
    standardised,
)
from companion.vision.pipeline.evidence import MODEL_PATH

log = logging.getLogger(__name__)

MAX_COUNT = 1_000_000
"""Largest number that the command takes."""

CALIBRATION_BATCHES = 128
"""Inputs (patches, or batches of 32 crops) from which the ranges of quantized activations are taken."""
DETECTOR_FLOAT_LAYERS, CLASSIFIER_FLOAT_LAYERS, FINE_CLASSIFIER_FLOAT_LAYERS = 1, 0, 0
"""Last layers that stay in floating point: the detector's places need sub-pixel accuracy."""

ABOUT = """\
Train the detector, the classifier and the fine classifier of the reader from drawn pictures alone, and fit
the model of colours and edges.  The fourth network, signs.onnx, has a command of its own, to be called after
this one: python -m calibration.training.signs.

Steps: draw scenes (--lessons); train the detector on their tiles, pyramids and squares, in grey and in
colour; cut out the tiles that it finds; train the classifier and the fine classifier on these crops; export
all three to ONNX, quantize them to eight bits, and replace detector.onnx, classifier.onnx and
fine_classifier.onnx in --out, all or none; fit evidence.json to drawn boards and tables as the networks in
the reader's own folder (not those in another --out) see them.

--only trains the named ones alone, classifiers on what the shipped detector finds; the other files stay as
they are.  --resume goes on from the networks that the reader loads, so that two cores teach the classifiers
something more in half an hour.  The same seed, numbers, installed fonts and library versions draw the same
scenes and, on the same device, start the same training.

It needs 24 GB of memory and a night on two cores, or an hour on a GPU with 16; every core draws.  In a
checkout: pip install -e '.[training]'.
"""


def main(words: Sequence[str] | None = None) -> None:
    """Run the command; where it fails, print the error and exit with its status."""
    parser = parser_of("calibration.training", ABOUT)
    parser.add_argument("--lessons", type=count, default=12000, help="scenes to draw (12000)")
    parser.add_argument("--detector-steps", type=count, default=3000, help="steps of the detector (3000)")
    parser.add_argument("--classifier-epochs", type=count, default=5, help="epochs of the classifier (5)")
    parser.add_argument(
        "--fine-classifier-steps", type=count, default=24000, help="steps of the fine classifier (24000)"
    )
    boards = "boards that the evidence is fitted to; every fifth is held out (1500)"
    parser.add_argument("--boards", type=count, default=1500, help=boards)
    tables = "tables without a board that it is fitted to, likewise (2000)"
    parser.add_argument("--tables", type=count, default=2000, help=tables)
    resumed = "go on from the networks that the reader loads, at a low learning rate, not from nothing"
    parser.add_argument("--resume", action="store_true", help=resumed)
    only = "train this one alone, the others stay; can be given several times"
    choices = (DETECTOR, *TRAINERS, EVIDENCE)
    parser.add_argument("--only", action="append", choices=choices, default=[], help=only)
    run(parser, train, words)


def parser_of(module: str, about: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every training command has."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=about,
        epilog=fill(
            f"The fonts are packages of Debian: apt-get install {' '.join(PACKAGES)}", break_on_hyphens=False
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=count, default=1, help="seed of all random choices (1)")
    out = "folder of the networks (default: where the reader loads them from, companion/vision/models)"
    parser.add_argument("--out", type=Path, default=MODELS_FOLDER, help=out)
    return parser


def run(
    parser: argparse.ArgumentParser,
    training: Callable[[argparse.Namespace], None],
    words: Sequence[str] | None,
) -> None:
    """Parse the words and train; where that fails, print the error and exit with its status.

    A warning names the fonts that are missing.
    """
    args = parser.parse_args(words)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        if names := missing_training_fonts():
            log.warning("fonts are missing, so other scenes than usual are drawn: %s", " ".join(names))
        training(args)
    except CompanionError as error:
        parser.exit(error.exit_status, f"{parser.prog}: {error}\n")


def count(word: str) -> int:
    """Return a number of 1 to a million; raise ArgumentTypeError for anything else."""
    number = int(word) if word.isdecimal() and len(word) <= len(str(MAX_COUNT)) else 0
    if not 1 <= number <= MAX_COUNT:
        raise argparse.ArgumentTypeError(f"a number from 1 to {MAX_COUNT} is needed; got {word[:20]!r}")
    return number


def train(args: argparse.Namespace) -> None:
    """Train the networks and write them; raise NoFonts or BadOutput."""
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=args.out) as folder:
            for path in _trained(args, Path(folder)):
                path.replace(args.out / path.name)
        if EVIDENCE in (args.only or [EVIDENCE]):
            fit_evidence((args.boards, args.tables), args.seed, args.out / MODEL_PATH.name)
    except OSError as error:
        raise BadOutput(f"the networks cannot be written to {args.out}: {error}") from error


def _trained(args: argparse.Namespace, folder: Path) -> list[Path]:
    """Return the files of the trained networks, written to a folder."""
    wanted = args.only or (DETECTOR, *TRAINERS)
    if set(wanted) <= {EVIDENCE}:
        return []
    console = Console(stderr=True)
    log.info("drawing with %d processes, training on %s", PROCESSES, DEVICE)
    drawing = training_scenes(args.lessons, args.seed)
    scenes = list(track(drawing, "drawing scenes", args.lessons, console=console))
    detectors = [_detector(scenes, args, folder)] if DETECTOR in wanted else []
    trainers = [trainer for name, trainer in TRAINERS.items() if name in wanted]
    if not trainers:
        return detectors
    cutting = crops_of_scenes(scenes, (*detectors, DETECTOR_PATH)[0], args.seed)
    crops = concatenated(track(cutting, "cutting out tiles", len(scenes), console=console))
    return [*detectors, *(trainer(crops, args, folder) for trainer in trainers)]


def _detector(scenes: Sequence[TrainingScene], args: argparse.Namespace, folder: Path) -> Path:
    """Return the file of a detector trained on scenes."""
    exact, quantized = folder / "exact.onnx", folder / DETECTOR_PATH.name
    net = detector.train(scenes, args.detector_steps, args.seed, DETECTOR_PATH if args.resume else None)
    patches = [detector.inputs(one) for one in scenes[:CALIBRATION_BATCHES]]
    example = {key: torch.from_numpy(part) for key, part in patches[0].items()}
    write_onnx(net, example, exact, {0: "patches", 2: "height", 3: "width"})
    write_quantized(exact, patches, quantized, DETECTOR_FLOAT_LAYERS)
    return quantized


def concatenated(parts: Iterable[LabelledCrops]) -> LabelledCrops:
    """Return the crops of all scenes; the parts are freed one field at a time, to limit the peak memory."""
    fields = [list(field) for field in zip(*parts, strict=True)]
    return LabelledCrops(*(np.concatenate(fields.pop(0)) for _ in LabelledCrops._fields))


def _classifier(crops: LabelledCrops, args: argparse.Namespace, folder: Path) -> Path:
    """Return the file of a classifier trained on labelled crops."""
    exact, quantized = folder / "exact.onnx", folder / CLASSIFIER_PATH.name
    start = CLASSIFIER_PATH if args.resume else None
    net = train_classifier(crops.small, crops.labels, args.classifier_epochs, args.seed, start)
    write_onnx(net, example_crops(CROP[0]), exact, {0: "tiles"})
    inputs = [{"x": standardised(crops.small[rows])} for rows in _calibration_rows(crops, args.seed)]
    write_quantized(exact, inputs, quantized, CLASSIFIER_FLOAT_LAYERS)
    add_feature_output(quantized)
    return quantized


def _fine_classifier(crops: LabelledCrops, args: argparse.Namespace, folder: Path) -> Path:
    """Return the file of a fine classifier trained on labelled crops."""
    exact, quantized = folder / "exact.onnx", folder / FINE_CLASSIFIER_PATH.name
    start = FINE_CLASSIFIER_PATH if args.resume else None
    net = train_fine_classifier(crops.wide, crops.labels, args.fine_classifier_steps, args.seed, start)
    write_onnx(net, example_crops(FINE_CROP[0]), exact, {0: "tiles"})
    rng = np.random.default_rng(args.seed)
    batches = (
        augmented_batch(crops.wide[rows], crops.labels[rows], rng)
        for rows in _calibration_rows(crops, args.seed)
    )
    write_quantized(exact, [{"x": x.numpy()} for x, _ in batches], quantized, FINE_CLASSIFIER_FLOAT_LAYERS)
    return quantized


def _calibration_rows(crops: LabelledCrops, seed: int) -> NDArray[np.int64]:
    """Return the rows of random crops for quantization, (batches, 32)."""
    return np.random.default_rng(seed).integers(len(crops.labels), size=(CALIBRATION_BATCHES, 32))


DETECTOR, EVIDENCE = "detector", "evidence"
CLASSIFIER, FINE_CLASSIFIER = "classifier", "fine_classifier"
TRAINERS = {CLASSIFIER: _classifier, FINE_CLASSIFIER: _fine_classifier}
"""The function that trains each network on crops."""


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
