"""Train the reader's networks: ``python -m calibration.training``."""

from __future__ import annotations

import argparse
import logging
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from rich.progress import track

import companion.reading
from calibration.training import finder, namer
from calibration.training.lessons import Lesson, lessons


def main() -> None:
    """Draw the lessons, teach both networks and write them beside the reader."""
    parser = argparse.ArgumentParser(prog="python -m calibration.training", description=main.__doc__)
    parser.add_argument("--lessons", type=int, default=9000, help="drawn scenes to learn from (9000)")
    parser.add_argument("--finder-epochs", type=float, default=6.0)
    parser.add_argument("--namer-epochs", type=float, default=6.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["finder", "namer"], help="teach just one of the two")
    parser.add_argument("--out", type=Path, default=Path(companion.reading.__file__).with_name("networks"))
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    drawn = list(track(islice(lessons(args.lessons, args.seed), args.lessons), "drawing lessons", args.lessons))
    args.out.mkdir(parents=True, exist_ok=True)
    if args.only != "finder":
        teach_namer(drawn, args.namer_epochs, args.seed, args.out)
    if args.only != "namer":
        teach_finder(drawn, args.finder_epochs, args.seed, args.out)


def teach_namer(drawn: list[Lesson], epochs: float, seed: int, out: Path) -> None:
    """Teach the namer and write it."""
    cuts = np.concatenate([lesson.cuts for lesson in drawn])
    labels = np.concatenate([lesson.labels for lesson in drawn])
    write(namer.train(cuts, labels, epochs, seed), torch.zeros(2, 1, 32, 32), out / "namer.onnx", {0: "tiles"})


def teach_finder(drawn: list[Lesson], epochs: float, seed: int, out: Path) -> None:
    """Teach the finder and write it."""
    taught = finder.train(drawn, epochs, seed)
    write(taught, torch.zeros(1, 1, 64, 64), out / "finder.onnx", {0: "patches", 2: "height", 3: "width"})


def write(net: torch.nn.Module, example: torch.Tensor, path: Path, free: dict[int, str]) -> None:
    """Write a network as ONNX, its free axes named."""
    net = net.to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        net, (example,), str(path), input_names=["x"], output_names=["y"], dynamic_axes={"x": free, "y": free}, dynamo=False
    )


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
