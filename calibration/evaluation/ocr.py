"""Accuracy of Tesseract on single tiles, alone and where the network is in doubt.

Tiles are drawn upright with evaluation fonts, and degraded more than usual, so that the network has many
doubts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from shutil import which

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.light import captured
from calibration.drawing.rng import Rng
from calibration.drawing.tile_style import FACE_SIDE_PX, TileStyle, draw_face, face_mask, random_style
from calibration.evaluation.metric import Metric, cpu_timed, percent
from calibration.training.crops import jittered_quad
from companion.model.tiles import TileSet
from companion.vision.classifier import LATIN, TrainedClassifier, crops
from companion.vision.decoding import MIN_CONFIDENCE, SymbolReader, agree, symbol_likelihoods
from companion.vision.networks import FINE_CLASSIFIER_PATH, ClassifierNetwork
from companion.vision.ocr import Tesseract

SEED = 7
DRAWN_TILES = 8320
"""Number of drawn tiles, among which the doubts are found."""

OCR_ALONE_TILES = 520
"""Number of them that Tesseract reads alone."""

SEVERITY = 1.5
"""Factor of blur and noise over those of the training."""

TILE_WIDTH_RANGE_PX = (13.0, 36.0)
"""Least and largest width of a tile, in pixels."""

BACKGROUND_SIDE_PX = 112
"""Side of the background of a tile, in texture pixels."""

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class LabelledTiles:
    """Upright tiles with their labels and the network's probabilities.

    ``cuts`` (n, 32, 32), uint8; ``truth`` (n,) indices of symbols; ``network`` (n, symbols) probabilities.
    """

    symbols: tuple[str, ...]
    cuts: Grey
    truth: NDArray[np.intp]
    network: NDArray[np.float64]

    def subset(self, keep: NDArray[np.bool_]) -> LabelledTiles:
        """Return the tiles of a mask, (n,)."""
        return LabelledTiles(self.symbols, self.cuts[keep], self.truth[keep], self.network[keep])

    def probabilities_of(self, reader: SymbolReader) -> NDArray[np.float64]:
        """Return the probabilities of another reader, (n, symbols)."""
        return reader.symbol_probabilities(self.cuts, self.symbols)


def ocr_metrics(count: int = DRAWN_TILES) -> Iterator[Metric]:
    """Yield the accuracy of Tesseract alone, and on the network's doubts; raise NoFonts."""
    if which("tesseract") is None:
        yield Metric.not_measured("second reader", "install it: apt-get install tesseract-ocr")
        return
    tiles, reader = labelled_tiles(count), Tesseract(most=count)
    yield from ocr_alone_metrics(tiles.subset(np.arange(count) < OCR_ALONE_TILES), reader)
    yield from doubt_metrics(tiles.subset(tiles.network.max(1) < MIN_CONFIDENCE), reader)


def ocr_alone_metrics(tiles: LabelledTiles, reader: SymbolReader) -> Iterator[Metric]:
    """Yield accuracy and time of another reader on upright tiles."""
    second, spent_ms = cpu_timed(lambda: tiles.probabilities_of(reader))
    right = second.any(1) & (second.argmax(1) == tiles.truth)
    yield percent_metric("Tesseract alone: right", right)
    yield percent_metric("Tesseract alone: silent", second.max(1) == 0)
    yield percent_metric("Tesseract alone: wrong where sure", ~right[second.max(1) > MIN_CONFIDENCE])
    yield Metric(
        "Tesseract alone: a tile", spent_ms / len(tiles.truth), "ms", how="CPU time, many tiles a process"
    )


def doubt_metrics(doubts: LabelledTiles, reader: SymbolReader) -> Iterator[Metric]:
    """Yield how another reader agrees with the network on tiles that the network doubts."""
    second = doubts.probabilities_of(reader)
    truth, first, other = doubts.truth, doubts.network.argmax(1), second.argmax(1)
    same = second.any(1) & (other == first)
    differ = second.any(1) & ~same
    sure = np.array([agree(one, two) for one, two in zip(doubts.network, second, strict=True)], bool)
    yield percent_metric("doubts: network right", first == truth)
    yield percent_metric("doubts: both agree", same)
    yield percent_metric("doubts: both agree and are wrong", (first != truth)[same])
    yield percent_metric("doubts: both agree surely, so settled", sure)
    yield percent_metric("doubts: settled and wrong", (first != truth)[sure])
    yield percent_metric(
        "doubts: both differ, truth among those named", ((first == truth) | (other == truth))[differ]
    )


def percent_metric(what: str, found: NDArray[np.bool_]) -> Metric:
    """Return the share of true elements in per cent."""
    return Metric(what, percent(int(found.sum()), len(found)), "%", how=f"{found.sum()} of {len(found)}")


def labelled_tiles(count: int) -> LabelledTiles:
    """Return ``count`` drawn tiles, equally many of each letter."""
    rng = np.random.default_rng(SEED)
    classifier = TrainedClassifier(
        ClassifierNetwork(), ClassifierNetwork(FINE_CLASSIFIER_PATH), TileSet("drawn", LATIN)
    )
    truth = np.arange(count) % len(LATIN)
    seen = [drawn_tile(LATIN[k], rng) for k in truth]
    cuts = np.concatenate([crops(picture, quad[None]) for picture, quad in seen])
    probabilities = [classifier.classify(picture, quad[None]) for picture, quad in seen]
    return LabelledTiles(
        LATIN,
        cuts,
        truth,
        np.concatenate([symbol_likelihoods(name, np.zeros(1, np.intp)) for name in probabilities]),
    )


def drawn_tile(symbol: str, rng: Rng) -> tuple[Grey, NDArray[np.float64]]:
    """Return a picture of one upright tile, and its jittered corners, (4, 2)."""
    face, style = legible_face(symbol, rng)
    table = np.full((BACKGROUND_SIDE_PX, BACKGROUND_SIDE_PX), float(rng.uniform(20, 200)), np.float32)
    edge = (BACKGROUND_SIDE_PX - FACE_SIDE_PX) // 2
    place = table[edge : edge + FACE_SIDE_PX, edge : edge + FACE_SIDE_PX]
    place += (face - place) * face_mask(style)
    side = round(BACKGROUND_SIDE_PX * float(rng.uniform(*TILE_WIDTH_RANGE_PX)) / FACE_SIDE_PX)
    small = np.asarray(cv2.resize(table, (side, side), interpolation=cv2.INTER_AREA), np.float32)
    corners = (
        np.array([[0, 0], [FACE_SIDE_PX, 0], [FACE_SIDE_PX, FACE_SIDE_PX], [0, FACE_SIDE_PX]], float) + edge
    )
    return captured(small, rng, SEVERITY), jittered_quad(rng, corners * side / BACKGROUND_SIDE_PX - 0.5)


def legible_face(symbol: str, rng: Rng) -> tuple[NDArray[np.float32], TileStyle]:
    """Return a face with a symbol, and a random style that has the symbol."""
    while True:
        style = random_style(rng, evaluation_fonts())
        face, able = draw_face(style, symbol, rng)
        if able:
            return face, style
