"""Doubts that outlast the tracker's own looks are shown to a second reader, which answers when it can."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Reading, Tile
from companion.vision.decoding import DOUBT, upright_crops
from companion.vision.pipeline.frame import translated
from companion.vision.pipeline.reader import as_grey
from companion.vision.tracking.block_grid import Mask, Picture
from companion.vision.tracking.scene import Scene


class SecondReader(Protocol):
    """Reads tiles in its own time, as an ``OcrClient`` does."""

    def ask(self, number: int, crop: NDArray[np.uint8], symbols: tuple[str, ...]) -> bool:
        """Ask what a tile shows, and return whether there was room for the question."""
        ...

    def answers(self) -> Iterable[tuple[int, NDArray[np.float64]]]:
        """Return the numbers of tiles that were read since, and how likely each symbol is, (symbols,)."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """How a tile was shown: in which of its frame's quarter turns, and how the frame lay then, in radians."""

    quarter: int
    frame: float


class Recheck:
    """Asks a second reader once about each tile that stays in doubt, and takes in what it says.

    An answer about a tile that has moved, or is another one by now, is dropped.
    """

    def __init__(self, second: SecondReader) -> None:
        self._second = second
        self._shown: dict[int, Shown] = {}
        self._asked: set[int] = set()

    def ask(self, scene: Scene, reading: Reading, doubted: Mask, frame: Picture) -> None:
        """Ask about the ``doubted`` tiles, (n,), of a reading that more looks do not help."""
        ids = scene.known.ids
        self._asked &= set(ids.tolist())
        for k in np.flatnonzero(doubted & scene.looked_enough).tolist():
            number = int(ids[k])
            if number in self._asked or not unread(reading.tiles[k]):
                continue
            if not self._ask(scene, k, reading.tiles[k], frame):
                return
            self._asked.add(number)

    def hear(self, scene: Scene) -> None:
        """Take in what was answered since."""
        for number, said in self._second.answers():
            shown = self._shown.pop(number, None)
            tiles = np.flatnonzero(scene.known.ids == number)
            if shown is None or not len(tiles) or not said.any():
                continue
            look = scene.known.look.kept(tiles)
            second = np.zeros(look.probabilities.second.shape)
            turned = round((look.detections.turns[0] - shown.frame) / (np.pi / 2))
            second[0, :, (shown.quarter - turned) % 4] = said
            scene.hear(tiles, second)

    def _ask(self, scene: Scene, k: int, tile: Tile, frame: Picture) -> bool:
        """Ask about one tile, and return whether there was room."""
        left, top, right, bottom = scene.box_of(k)
        look = scene.known.look.kept(np.array([k]))
        quarter = corner_of(tile, look.detections.quads()[0])
        part, here = (
            as_grey(frame[top:bottom, left:right]),
            translated(look.detections, -np.array([left, top])),
        )
        (crop,) = upright_crops(part, here, np.array([quarter]))
        number = int(scene.known.ids[k])
        self._shown[number] = Shown(quarter, float(look.detections.turns[0]))
        return self._second.ask(number, crop, look.probabilities.symbols)


def unread(tile: Tile) -> bool:
    """Return whether a tile's symbol is in doubt, and not only its place or whether there is a tile."""
    return tile.doubt and bool(tile.symbol) and tile.confidence < DOUBT


def corner_of(tile: Tile, quad: NDArray[np.float64]) -> int:
    """Return which corner of an outline, (4, 2), is the own top left of a tile's symbol."""
    return int(np.hypot(*(quad - tile.corners[0]).T).argmin())
