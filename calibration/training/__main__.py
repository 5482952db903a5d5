"""Train the reader's networks: ``python -m calibration.training``."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import cv2
import numpy as np
import torch
from rich.progress import track

from calibration.training import finder, namer
from calibration.training.cuts import all_cuts
from calibration.training.lessons import lessons
from companion.reading.networks import FOLDER


def main() -> None:
    """Draw lessons, teach the finder on them and the namer on what it finds, and write both beside the reader."""
    parser = argparse.ArgumentParser(prog="python -m calibration.training", description=main.__doc__)
    parser.add_argument("--lessons", type=int, default=8000, help="drawn scenes to learn from (8000)")
    parser.add_argument(
        "--finder-steps", type=int, default=5000, help="batches that the finder learns from (5000)"
    )
    parser.add_argument(
        "--namer-epochs", type=float, default=4.0, help="times that the namer sees every crop (4)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FOLDER, help="where to write the networks")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    args.out.mkdir(parents=True, exist_ok=True)
    drawn = list(track(lessons(args.lessons, args.seed), "drawing lessons", args.lessons))
    taught = finder.train(drawn, args.finder_steps, args.seed)
    write(
        taught, torch.zeros(1, 1, 64, 64), args.out / "finder.onnx", {0: "patches", 2: "height", 3: "width"}
    )
    cuts = list(track(all_cuts(drawn, args.out / "finder.onnx", args.seed), "cutting tiles", len(drawn)))
    named = namer.train(
        np.concatenate([c for c, _ in cuts]),
        np.concatenate([y for _, y in cuts]),
        args.namer_epochs,
        args.seed,
    )
    write(named, torch.zeros(2, 1, 32, 32), args.out / "namer.onnx", {0: "tiles"})


def write(net: torch.nn.Module, example: torch.Tensor, path: Path, free: dict[int, str]) -> None:
    """Write a network as ONNX, its free axes named."""
    net = net.to(memory_format=torch.contiguous_format)
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
