"""One reading over many frames: what lies still is read, what is hidden is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadPicture
from companion.model.reading import Reading, Tile
from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import DOUBT, WEAK, upright_crops
from companion.vision.detector.detections import Detections
from companion.vision.grid.volcano import Volcano
from companion.vision.picture import as_grey
from companion.vision.pipeline.frame import Box, FrameDetections, translated
from companion.vision.tracking.block_grid import BlockGrid, Mask, Picture, connected_parts
from companion.vision.tracking.publish import LayoutReader, Publisher, TrackedReading
from companion.vision.tracking.scene import Scene
from companion.vision.tracking.track import SAME, Numbers, merged

SETTLE_NS = 150_000_000
"""What has not changed for so long lies still."""

AGAIN_NS = 60_000_000_000
"""How often the whole picture is looked at again, whatever changed."""

TILES_BROAD = 60
"""A picture in which no tile was seen is taken to be so many tiles broad."""

WIDE, MANY = 0.5, 6
"""Where more than this share of the picture, or more places than so many, changed, all of it is looked at."""

OTHER = 1.07
"""A second look is at a scale so much larger: tiles fall otherwise on the cells of the detector's grid."""

DOUBTS = 3
"""Doubted tiles looked at again with each quiet frame."""


class FrameReader(LayoutReader, Protocol):
    """What reads single pictures, as a ``Reader`` does."""

    @property
    def typical_side(self) -> float | None:
        """Breadth of a tile, in pixels, where a calibration knows it."""

    def detect(self, frame: Picture, known: FrameDetections | None = None) -> FrameDetections:
        """Return the tiles in a picture of which something was known before."""

    def detect_region(self, frame: Picture, box: Box, known: FrameDetections) -> FrameDetections:
        """Return the tiles in a part of a picture, at the scale that is known."""

    def classify(self, grey: Picture, detections: Detections) -> ClassProbabilities:
        """Return what lies on the tiles found in a grey picture."""


class SecondReader(Protocol):
    """Reads tiles in its own time, as an ``OcrClient`` does."""

    def ask(self, number: int, crop: NDArray[np.uint8], symbols: tuple[str, ...]) -> bool:
        """Ask what a tile shows, and return whether there was room for the question."""
        ...

    def answers(self) -> Iterable[tuple[int, NDArray[np.float64]]]:
        """Return the numbers of tiles that were read since, and how likely each symbol is, (symbols,)."""
        ...


class Tracker:
    """Reads a table over the frames of one camera that stands still.

    Parameters
    ----------
    reader
        Reads single pictures.
    settle_ns
        How long a place must look the same before it is read; 0 where every frame shows a table at rest.
    again_ns
        How often the whole picture is looked at again, to guard against drift.
    second
        Who is asked about doubts that stay, if anybody; it is never waited for.
    """

    def __init__(
        self,
        reader: FrameReader,
        settle_ns: int = SETTLE_NS,
        again_ns: int = AGAIN_NS,
        second: SecondReader | None = None,
    ) -> None:
        self._reader, self._settle_ns, self._again_ns = reader, settle_ns, again_ns
        self._recheck = Recheck(second) if second else None
        self._publisher = Publisher(reader)
        self._scene: Scene | None = None
        self._shape: tuple[int, ...] = ()
        self._again_at = self._latest_at = self._whole_ns = 0
        self._asked = False

    def update(self, frame: Picture, at_ns: int) -> TrackedReading:
        """Return what is known of the table after one more frame.

        Parameters
        ----------
        frame
            uint8, (h, w) grey or (h, w, 3) blue, green, red.
        at_ns
            When it was taken, in ns; later than the frame before.

        Raises
        ------
        BadPicture
            Where the frame is no picture, or is not later than the one before.
        """
        last = self._publisher.latest
        if last and at_ns <= last.at_ns:
            raise BadPicture(f"frames must come in their order: {at_ns} ns is not after {last.at_ns} ns")
        if self._scene is None or frame.shape != self._shape or frame.dtype != np.uint8:
            scene = self._begin(frame, at_ns, self._whole(frame, at_ns))
        else:
            self._scene.see(self._scene.grid.downsample(frame), at_ns, self._settle_ns)
            if self._recheck:
                self._recheck.hear(self._scene)
            scene = self._looked(self._scene, frame, at_ns)
        return self._publisher.publish(scene, at_ns, self._whole_ns)

    def look_again(self) -> None:
        """Have the whole picture looked at again with the next frame, otherwise than before."""
        self._again_at = self._latest_at = 0
        self._asked = True

    def _begin(self, frame: Picture, since_ns: int, look: FrameDetections) -> Scene:
        """Start anew from a look at the whole picture, which is so since a stamp in ns."""
        side = float(np.median(look.detections.sides)) if len(look.detections) else self._reader.typical_side
        grid = BlockGrid.of(frame, side or frame.shape[1] / TILES_BROAD)
        first_id = self._scene.known.next_id if self._scene else 0
        self._scene, self._shape = Scene(grid, grid.downsample(frame), look, since_ns, first_id), frame.shape
        self._again_at = self._latest_at = since_ns + self._again_ns
        return self._scene

    def _looked(self, scene: Scene, frame: Picture, at_ns: int) -> Scene:
        """Look at what has changed, or at all that is due, or at what is in doubt; return the scene."""
        if scene.shaken():
            return self._shaken(scene, frame, at_ns) if scene.calm else scene
        board = scene.known.look.board
        if not isinstance(board, Volcano):  # a tile under a pyramid may look as if gone
            scene.lift()
        todo = scene.todo
        if todo.any() and at_ns >= self._latest_at:  # something moves all the time
            self._look_at_all(scene, frame, at_ns)
        elif todo.any():
            if scene.known.look.scale is None:
                return self._begin(frame, scene.newest(todo), self._whole(frame, at_ns))
            within = scene.around(todo)
            scene.take(self._look_within(scene, frame, within), within, scene.open_to(todo), at_ns)
        elif at_ns >= self._again_at:
            self._look_at_all(scene, frame, at_ns)
        elif not scene.news and len(uncovered := scene.uncovered) and not isinstance(board, Volcano):
            scene.name_again(uncovered, self._named(scene, frame, uncovered))
        elif not scene.news:
            self._look_at_doubts(scene, frame)
        return scene

    def _look_at_all(self, scene: Scene, frame: Picture, at_ns: int) -> None:
        """Look at the whole picture again, whatever has changed."""
        whole = np.ones(scene.grid.shape, bool)
        may_change = scene.open_to(scene.todo) | (scene.resting & ~scene.hidden)
        known, self._whole_ns = scene.known.look, at_ns
        if self._asked and known.scale is not None and known.board is None:
            look = self._otherwise(frame, (0, 0, scene.grid.width, scene.grid.height), known)
        else:
            look = self._whole(frame, at_ns, known)
        self._asked = False
        scene.take(look, whole, may_change, at_ns)
        self._again_at = self._latest_at = at_ns + self._again_ns

    def _shaken(self, scene: Scene, frame: Picture, at_ns: int) -> Scene:
        """Look at all of a picture that has changed altogether; start anew unless most tiles are hidden."""
        look, todo = self._whole(frame, at_ns), scene.todo
        if 2 * len(look.detections) >= max(1, len(scene.known)):
            return self._begin(frame, scene.newest(todo), look)
        scene.take(look, scene.around(todo), scene.open_to(todo), at_ns)
        return scene

    def _whole(self, frame: Picture, at_ns: int, known: FrameDetections | None = None) -> FrameDetections:
        """Return a look at the whole of a frame of which something was known before."""
        self._whole_ns = at_ns
        return self._reader.detect(frame, known)

    def _look_within(self, scene: Scene, frame: Picture, within: Mask) -> FrameDetections:
        """Return a look at some blocks of a frame."""
        known, grid = scene.known.look, scene.grid
        labels, bounds = connected_parts(within)
        if len(bounds) > MANY or within.mean() > WIDE:
            return self._reader.detect_region(frame, (0, 0, grid.width, grid.height), known)
        looks = []
        for number, bound in enumerate(bounds, 1):
            look = self._reader.detect_region(frame, grid.box(bound), known)
            known = replace(known, board=look.board or known.board)
            look = look.kept(labels.flat[grid.at(look.detections.centres)] == number)
            bare = not len(look.detections) and not scene.on(labels == number).any()
            if bare and not isinstance(known.board, Volcano):  # something came to lie here
                look = self._otherwise(frame, grid.box(bound), known)
                look = look.kept(labels.flat[grid.at(look.detections.centres)] == number)
            looks.append(look)
        return reduce(merged, looks)

    def _otherwise(self, frame: Picture, box: Box, known: FrameDetections) -> FrameDetections:
        """Return a second look at a part of a frame: what the first just overlooked, this one is to see."""
        scale = known.scale or 1.0
        look = self._reader.detect_region(frame, box, replace(known, scale=OTHER * scale))
        return replace(look, scale=known.scale)

    def _look_at_doubts(self, scene: Scene, frame: Picture) -> None:
        """Look again at a few tiles that are in doubt and plainly to be seen."""
        latest = self._publisher.latest
        doubted = np.array([tile.doubt for tile in latest.reading.tiles] if latest else [], bool)
        if latest is None or not doubted.any():
            return
        for tile in np.flatnonzero(doubted & scene.worth_a_look)[:DOUBTS]:
            one = np.array([tile])
            named = self._named(scene, frame, one)
            scene.name_again(one, named, self._scored_again(scene, frame, int(tile)))
        if self._recheck and not scene.news:
            self._recheck.ask(scene, latest.reading, doubted, frame)

    def _named(self, scene: Scene, frame: Picture, tiles: Numbers) -> ClassProbabilities:
        """Return what lies on some known tiles in a frame, in their order."""
        left, top, right, bottom = scene.box_of(tiles)
        detections = translated(scene.known.look.detections.kept(tiles), -np.array([left, top]))
        return self._reader.classify(as_grey(frame[top:bottom, left:right]), detections)

    def _scored_again(self, scene: Scene, frame: Picture, tile: int) -> float | None:
        """Return the detector's score of a tile that it hardly saw, 0 where it overlooks it now.

        It is looked for at a larger and a smaller scale by turns: one score says little, as it depends on how
        a tile falls on the cells of the detector's grid.  ``None`` for a tile that was plainly found.
        """
        known = scene.known.look
        detections, chance = known.detections, 1 - known.probabilities.p_background
        if detections.scores[tile] * chance[tile] >= WEAK or isinstance(known.board, Volcano):
            return None
        scale = (known.scale or 1.0) * (OTHER if scene.known.looks[tile] % 2 else 1 / OTHER)
        found = self._reader.detect_region(frame, scene.box_of(tile), replace(known, scale=scale)).detections
        away = np.linalg.norm(found.centres - detections.centres[tile], axis=1)
        return float(found.scores[away < SAME * detections.sides[tile]].max(initial=0.0))


class Recheck:
    """Asks a second reader once about each tile that stays in doubt, and takes in what it says.

    An answer about a tile that has moved, or is another one by now, is dropped.
    """

    def __init__(self, second: SecondReader) -> None:
        self._second = second
        self._shown: dict[int, tuple[int, float]] = {}  # the symbol's quarter turn, the frame's in radians
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
        for number, answer in self._second.answers():
            shown = self._shown.pop(number, None)
            tiles = np.flatnonzero(scene.known.ids == number)
            if shown is None or not len(tiles) or not answer.any():
                continue
            quarter, frame_rad = shown
            look = scene.known.look.kept(tiles)
            second = np.zeros(look.probabilities.second.shape)
            turned = round((look.detections.turns[0] - frame_rad) / (np.pi / 2))
            second[0, :, (quarter - turned) % 4] = answer
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
        self._shown[number] = quarter, float(look.detections.turns[0])
        return self._second.ask(number, crop, look.probabilities.symbols)


def unread(tile: Tile) -> bool:
    """Return whether a tile's symbol is in doubt, and not only its place or whether there is a tile."""
    return tile.doubt and bool(tile.symbol) and tile.confidence < DOUBT


def corner_of(tile: Tile, quad: NDArray[np.float64]) -> int:
    """Return which corner of an outline, (4, 2), is the own top left of a tile's symbol."""
    return int(np.hypot(*(quad - tile.corners[0]).T).argmin())
