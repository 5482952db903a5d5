"""The trained networks, as functions from arrays to arrays."""

from __future__ import annotations

import os
from enum import IntEnum
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # onnxruntime reads it when it is imported

import onnxruntime as ort

MODELS_FOLDER = Path(__file__).with_name("models")
CLASSIFIER_PATH = MODELS_FOLDER / "classifier.onnx"
FINE_CLASSIFIER_PATH = MODELS_FOLDER / "fine_classifier.onnx"
DETECTOR_PATH = MODELS_FOLDER / "detector.onnx"
STRIDE_PX, CROP_STRIDE_PX = 4, 2
"""Side of the blocks of pixels that the detector, and a network of crops, take as channels."""
OUTPUT_CHANNELS, CHROMA_CHANNELS = 8, 2
"""Values of each class in one output of the detector; channels of its input of colour."""
SHAPE_PX = 16.0
"""The detector's unit of shapes, in pixels."""
BLOCK_PX, OVERLAP_PX = 1024, 64
"""Side of the blocks into which a large picture is divided, which bounds the memory, and their overlap on
every side, which hides their borders, in pixels.
"""
BATCH_CROPS = 256
"""Number of crops classified at once, which bounds the memory."""


def blocks(pictures: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return pictures (n, h, w) with the pixels of each block as channels: (n, side², h / side, w / side)."""
    count, height, width = pictures.shape
    parts = pictures.reshape(count, height // side, side, width // side, side).transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(parts).reshape(count, side**2, height // side, width // side)


def standardised(cut: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return crops (n, h, w), each standardised, as float32 (n, 4, h / 2, w / 2); flat ones stay near 0."""
    parts = blocks(cut, CROP_STRIDE_PX)
    x = parts.reshape(len(cut), cut.shape[1] * cut.shape[2]).astype(np.float32)
    x -= x.mean(1, keepdims=True)
    x /= np.sqrt(np.vecdot(x, x) / x.shape[1])[:, None] + 6.0
    return x.reshape(parts.shape)


@cache
def share_memory() -> None:
    """Let all networks of the process take their memory from one arena: each keeps the most it ever took."""
    place = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    ort.create_and_register_allocator(place, None)


def session(path: Path) -> ort.InferenceSession:
    """Return a network, ready to run on one thread of the processor."""
    share_memory()
    options = ort.SessionOptions()
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # the one layer in floating point is not worth another order of the channels
    options.add_session_config_entry("optimization.disable_specified_optimizers", "NchwcTransformer")
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def outputs(
    network: ort.InferenceSession, cut: NDArray[np.uint8], names: list[str] | None = None
) -> list[NDArray[np.float32]]:
    """Return outputs of a network, by default all, for crops (n, side, side): float32 (n, values) each."""
    lots = [cut[k : k + BATCH_CROPS] for k in range(0, max(1, len(cut)), BATCH_CROPS)]
    parts = [network.run(names, {"x": standardised(lot)}) for lot in lots]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


class DetectorClass(IntEnum):
    """What the detector detects: tiles, bases of pyramids, and squares of a board, covered or not."""

    TILE = 0
    PYRAMID = 1
    SQUARE = 2


class Detector:
    """The network that detects tiles, pyramids and squares; safe to call from several threads."""

    def __init__(self, path: Path = DETECTOR_PATH) -> None:
        self._session = session(path)

    def values(
        self, picture: NDArray[np.uint8], chroma: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """Return the network's output at a stride of 4 pixels, float32 (classes, 8, h / 4, w / 4).

        ``picture`` is grey, (h, w) with h and w multiples of 8, a tile 9 to 24 pixels wide; ``chroma``, (2,
        h / 4, w / 4), the logarithms of blue and of red over green, ``None`` where there is no colour.  The
        channels of each ``DetectorClass`` are the logit of a centre, its offset right and down in pixels, the
        shape (xx, yy, xy) in units of ``SHAPE_PX``, and cosine and sine of four times the turn.
        """
        height, width = picture.shape
        cells = height // STRIDE_PX, width // STRIDE_PX
        if chroma is None:
            chroma = np.zeros((CHROMA_CHANNELS, *cells), np.float32)
        if height * width <= (BLOCK_PX + 2 * OVERLAP_PX) ** 2:  # no more than the largest block
            return self._run(picture, chroma)
        out = np.empty((len(DetectorClass), OUTPUT_CHANNELS, *cells), np.float32)
        block, overlap = BLOCK_PX // STRIDE_PX, OVERLAP_PX // STRIDE_PX
        for top, left in product(range(0, cells[0], block), range(0, cells[1], block)):
            rows, cols = (slice(max(0, first - overlap), first + block + overlap) for first in (top, left))
            pixels = (slice(one.start * STRIDE_PX, one.stop * STRIDE_PX) for one in (rows, cols))
            values = self._run(picture[*pixels], chroma[:, rows, cols])
            part = out[..., top : top + block, left : left + block]
            own = values[..., top - rows.start :, left - cols.start :]
            part[:] = own[..., : part.shape[-2], : part.shape[-1]]
        return out

    def _run(self, picture: NDArray[np.uint8], chroma: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values of a picture, or of a block of one."""
        x = blocks(picture[None], STRIDE_PX) / np.float32(255)
        values = np.asarray(self._session.run(None, {"x": x, "chroma": chroma[None]})[0], np.float32)
        return values.reshape(len(DetectorClass), OUTPUT_CHANNELS, *values.shape[2:])


class ClassifierNetwork:
    """A network that classifies crops, coarsely or finely; safe to call from several threads."""

    def __init__(self, path: Path = CLASSIFIER_PATH) -> None:
        self._session = session(path)

    def logits(self, cut: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the logits of each class for crops: (n, classes).

        They are (n, 32, 32) for the classifier, (n, 48, 48) for the fine one.
        """
        return outputs(self._session, cut, ["y"])[0]

    def embed(self, cut: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits, (n, classes), and the last layer's inputs, (n, features), for crops (n, 32, 32)."""
        logits, features = outputs(self._session, cut)
        return logits, features


def softmax(logits: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of logits, (n, classes)."""
    grown = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True, initial=-np.inf))
    return np.asarray(grown / grown.sum(1, keepdims=True))
