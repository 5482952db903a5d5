"""A simple table and its reader: light tiles on a grey table, letters as dots of different greys."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.vision.camera_frame import CameraFrame, ImagePyramid, as_grey, grey_crop, halved
from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.detector.perspective import TileSize
from companion.vision.grid.homography import Box
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading, Tracker

Picture = NDArray[np.uint8]
Place = tuple[int, int]

SIDE = 32
LETTERS = "ABCDE"
FACE, TABLE, SKIN, FOLDS = 230, 100, 160, 3
MS = 1_000_000
STEP = 100 * MS
"""Time from frame to frame, in ns."""

_RNG = np.random.default_rng(7)
WOOD = cv2.GaussianBlur(_RNG.normal(0, 60, (600, 800)).astype(np.float32), (0, 0), 4)
GRAIN = _RNG.normal(0, 1, 800 * 600).astype(np.float32)


@dataclass
class Table:
    """What lies on a table of 800 x 600 pixels: letters by the middle of their tiles, and things on top.

    ``over`` are the boxes that hands and cups cover, ``gain`` and ``noise`` the light and the camera's.
    """

    tiles: dict[Place, str] = field(default_factory=dict)
    over: list[Box] = field(default_factory=list)
    gain: float = 1.0
    noise: float = 0.0
    frames: int = 0

    def drawn(self) -> Picture:
        """Return the table as a frame."""
        frame = TABLE + WOOD
        for (x, y), letter in self.tiles.items():
            half = SIDE // 2
            frame[y - half : y + half, x - half : x + half] = FACE
            frame[y - 9 : y + 9, x - 9 : x + 9] = 20 + 30 * LETTERS.index(letter)
        for left, top, right, bottom in self.over:
            frame[top:bottom, left:right] = SKIN + FOLDS * WOOD[: bottom - top, : right - left]
        self.frames += 1
        grain = np.roll(GRAIN, 7919 * self.frames).reshape(frame.shape)
        return np.clip(frame * self.gain + grain * self.noise, 0, 255).astype(np.uint8)

    def row(self, word: str, at: Place) -> None:
        """Lay a word, its first tile at a place."""
        for k, letter in enumerate(word):
            self.tiles[at[0] + (SIDE + 1) * k, at[1]] = letter


class SimpleReader(Reader):
    """Reads such tables; half a tile it takes for an E, as a poor reader would, and it counts its looks.

    ``sure`` is the chance that it gives to what it reads, look by look and then always the last; letters in
    ``blind`` it does not see, and those in ``faint`` only at another scale than that of its first look.
    ``alike`` are letters that it reads as others: tiles exchanged for some that look the same from afar.
    ``scale`` is that at which it finds tiles in whole pictures.
    ``scores`` are how plainly it sees a letter at that scale and at any other; else it sees all plainly.
    """

    def __init__(self, *sure: float, tile_size: float | None = None) -> None:
        self.tile_set, self.board, self.tile_size = TileSet("simple", tuple(LETTERS)), None, tile_size
        self.sure, self.blind, self.faint = list(sure or (0.99,)), set[str](), set[str]()
        self.alike: dict[str, str] = {}
        self.scores: dict[str, tuple[float, float]] = {}
        self.scale = 1.0
        self.whole = self.within = self.named = 0
        self.told_sizes: list[TileSize | None] = []

    def detect(self, frame: CameraFrame, known: FrameDetections | None = None) -> FrameDetections:
        self.whole += 1
        self.told_sizes.append(known.tile_size if known else None)
        detections, probabilities = self._seen(as_grey(frame), (0, 0), self.blind | self.faint, 0)
        return FrameDetections(
            (frame.shape[1], frame.shape[0]),
            detections,
            probabilities,
            self.scale if len(detections) else None,
        )

    def reads_parts(self, known: FrameDetections) -> bool:
        return True

    def detect_region(
        self, frame: CameraFrame, box: Box, known: FrameDetections, times: float = 1.0
    ) -> FrameDetections:
        self.within += 1
        unseen = self.blind | (self.faint if times == 1.0 else set())
        grey, other = grey_crop(frame, box), int(times != 1.0)
        detections, probabilities = self._seen(grey, box[:2], unseen, other)
        return FrameDetections(known.size, detections, probabilities, known.scale)

    def classify(self, grey: Picture | ImagePyramid, detections: Detections) -> ClassProbabilities:
        grey = halved(grey, 0)
        self.named += len(detections)
        sure = self.sure.pop(0) if len(self.sure) > 1 else self.sure[0]
        chance = np.zeros((len(detections), len(LETTERS), 4))
        for k, (x, y) in enumerate(np.round(detections.centres).astype(int)):
            dot = float(np.median(grey[y - 3 : y + 4, x - 3 : x + 4]))
            chance[k, :, 0] = (1 - sure) / (len(LETTERS) - 1)
            letter = LETTERS[np.abs(20 + 30 * np.arange(len(LETTERS)) - dot).argmin()]
            chance[k, LETTERS.index(self.alike.get(letter, letter)), 0] = sure
        none = np.zeros(len(detections))
        return ClassProbabilities(tuple(LETTERS), chance, none, none.copy())

    def _seen(
        self, grey: Picture, corner: Place, unseen: set[str], scale: int
    ) -> tuple[Detections, ClassProbabilities]:
        """Return every light frame that is as broad as a tile and at least half as high, or the other way.

        ``scale`` is 0 for that of the first look, 1 for any other.
        """
        _, _, bounds, _ = cv2.connectedComponentsWithStats((grey > FACE - 35).astype(np.uint8))
        shapes = bounds[1:, 2:4]
        tiles = bounds[1:][
            (shapes.max(1) > SIDE - 5) & (shapes.min(1) > SIDE / 2) & (shapes.max(1) < SIDE + 5)
        ]
        centres = tiles[:, :2] + (tiles[:, 2:4] - 1) / 2
        n = len(tiles)
        detections = Detections(centres, np.tile(np.eye(2) * SIDE, (n, 1, 1)), np.zeros(n), np.full(n, 0.95))
        probabilities = self.classify(grey, detections)
        letters = [LETTERS[k] for k in probabilities.p_symbol[:, :, 0].argmax(1)]
        seen = np.array([letter not in unseen for letter in letters], bool)
        scores = np.array([self.scores.get(letter, (0.95, 0.95))[scale] for letter in letters])
        found = replace(detections, centres=centres + corner, scores=scores)
        return found.kept(seen), probabilities.kept(seen)


class Watch:
    """A table before a camera that takes ten frames a second."""

    def __init__(self, *sure: float, refresh_ns: int = 3600 * 1000 * MS, settle_ns: int = 150 * MS) -> None:
        self.table, self.reader = Table(), SimpleReader(*sure)
        self.steady = Tracker(self.reader, settle_ns, refresh_ns)
        self.now = 0

    def see(self, frames: int = 1) -> TrackedReading:
        """Take so many frames and return the last reading."""
        for _ in range(frames - 1):
            self.frame()
        return self.frame()

    def frame(self) -> TrackedReading:
        self.now += STEP
        return self.steady.update(self.table.drawn(), self.now)

    def rests(self) -> TrackedReading:
        """Let everything rest for a while."""
        return self.see(4)


def word(reading: TrackedReading) -> str:
    """Return the letters from left to right."""
    tiles = sorted(reading.reading.tiles, key=lambda tile: tile.centre)
    return "".join(tile.symbol or "_" for tile in tiles)


def letters(reading: TrackedReading, numbers: tuple[int, ...]) -> set[str | None]:
    """Return the letters of some tiles."""
    return {reading.reading.tiles[k].symbol for k in numbers}
