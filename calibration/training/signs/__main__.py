"""Command to train the sign network from a seed: ``python -m calibration.training.signs``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

from calibration.training.__main__ import count, parser_of, run
from calibration.training.augmentation import augment
from calibration.training.export import example_crops, write_onnx, write_quantized
from calibration.training.signs.embedding import AUGMENTATION, SIZES, SignNetwork, train
from calibration.training.signs.tasks import FewShotTask, few_shot_tasks
from companion.errors import BadOutput
from companion.vision.fewshot.embedding import SIGN_CROP

CALIBRATION_TASKS = 64
"""Tasks whose crops set the ranges of quantized activations."""
FLOAT_LAYERS = 1
"""Last layers that stay in floating point: embeddings need full precision."""

ABOUT = """\
Train the sign network, which embeds the tiles of enrolled sets, from drawn few-shot tasks alone.  Each task
(--families) has its own handwriting and signs, and two pictures of its tiles.  signs.onnx, in eight bits, is
written at the end.  The same seed, numbers, installed fonts and library versions draw the same tasks.  Crops
of what is no tile come from the detector that ships, so train that first.

It needs what python -m calibration.training needs.
"""


def main(words: Sequence[str] | None = None) -> None:
    """Run the command; where it fails, print the error and exit with its status."""
    parser = parser_of("calibration.training.signs", ABOUT)
    parser.add_argument("--families", type=count, default=4000, help="tasks to draw (4000)")
    parser.add_argument("--steps", type=count, default=9000, help="steps of four tasks (9000)")
    run(parser, train_and_write, words)


def train_and_write(args: argparse.Namespace) -> None:
    """Train the network and write it; raise NoFonts or BadOutput."""
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=args.out) as folder:
            drawing = few_shot_tasks(args.families, args.seed)
            tasks = list(track(drawing, "drawing tasks", args.families, console=Console(stderr=True)))
            net = train(tasks, args.steps, args.seed)
            exported(net, tasks, Path(folder)).replace(args.out / "signs.onnx")
    except OSError as error:
        raise BadOutput(f"the network cannot be written to {args.out}: {error}") from error


def exported(net: SignNetwork, tasks: Sequence[FewShotTask], folder: Path) -> Path:
    """Return the file of the network in eight bits, written into a folder."""
    exact, out = folder / "exact.onnx", folder / "signs.onnx"
    write_onnx(net, example_crops(SIGN_CROP[0]), exact, {0: "tiles"})
    rng = np.random.default_rng(0)
    batches = [
        augment(one.crops[:64], rng.integers(4, size=len(one.crops[:64])), AUGMENTATION, SIZES, rng)
        for one in tasks[:CALIBRATION_TASKS]
    ]
    write_quantized(exact, [{"x": one.numpy()} for one in batches], out, FLOAT_LAYERS)
    return out


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
