"""Tracks the tiles over frames: changed places at rest are read, occluded tiles are remembered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadPicture
from companion.model.reading import Reading
from companion.vision.camera_frame import CameraFrame, grey_crop
from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import MIN_CONFIDENCE, upright_crops
from companion.vision.detector.detections import WORKING_TILE_SIDE_PX, Detections
from companion.vision.grid.homography import Box, distances_in_tiles
from companion.vision.grid.volcano import Volcano
from companion.vision.pipeline.frame import (
    FrameDetections,
    concatenate_frames,
    translated,
    without_duplicates,
)
from companion.vision.tracking.block_grid import (
    TILE_BLOCKS,
    BlockGrid,
    Mask,
    Picture,
    connected_parts,
    dilated,
)
from companion.vision.tracking.occluders import MIN_OCCLUDER_BLOCKS, with_covered_letters
from companion.vision.tracking.publish import LayoutReader, Publisher, TrackedReading
from companion.vision.tracking.scene import SMALL_STATIC_NS, Scene
from companion.vision.tracking.track import (
    MATCH_DISTANCE,
    MAX_OBSERVATIONS,
    RESCALE_FACTOR,
    RESCORE_SCALES,
    Numbers,
    has_moved_board,
    has_other_size,
    merge_detections,
    misfits_blocks,
)

SETTLE_NS = 150_000_000
"""Time without changes after which a place is at rest, in ns."""

REFRESH_NS = 60_000_000_000
"""Period of the detection pass over the whole frame, in ns."""

SEARCH_NS = 5_000_000_000
"""Period of that pass while few tiles show how large tiles are, and something else appears, in ns."""

DEFAULT_TILES_ACROSS = 60
"""Width of a frame without tiles, in tiles."""

MAX_CHANGED_SHARE, MAX_CHANGED_PARTS = 0.5, 6
"""Largest share of changed blocks, and number of changed parts, of a pass over less than the whole frame."""

DOUBTS_PER_FRAME = 3
"""Number of tiles in doubt, or less sure, that are classified again with each frame without changes."""

MIN_SINGLE_CONFIDENCE = 0.95
"""Confidence below which a tile is classified in more than one frame: each has noise of its own."""


class FrameReader(LayoutReader, Protocol):
    """Reads single pictures, as a ``Reader`` does."""

    @property
    def typical_side(self) -> float | None:
        """Width of a tile in pixels, ``None`` without a calibration."""

    def detect(self, frame: CameraFrame, known: FrameDetections | None = None) -> FrameDetections:
        """Return the detections in a picture, given those ``known`` before."""

    def reads_parts(self, known: FrameDetections) -> bool:
        """Return whether a part of a picture can be read alone, given those ``known`` before."""

    def detect_region(
        self, frame: CameraFrame, box: Box, known: FrameDetections, times: float = 1.0
    ) -> FrameDetections:
        """Return the detections in a part of a picture, at ``times`` the known scale."""

    def classify(self, grey: Picture, detections: Detections) -> ClassProbabilities:
        """Return the class probabilities of detections in a grey picture."""


class SecondReader(Protocol):
    """Reads tiles asynchronously, as an ``OcrClient`` does."""

    def ask(self, number: int, crop: NDArray[np.uint8], symbols: tuple[str, ...]) -> bool:
        """Ask what a tile shows, and return whether there was room for the question."""
        ...

    def answers(self) -> Iterable[tuple[int, NDArray[np.float64]]]:
        """Return the numbers of newly read tiles, each with the probability of each symbol, (symbols,)."""
        ...


class Tracker:
    """Reads a table over the frames of one fixed camera.

    Parameters
    ----------
    reader
        Reads single pictures.
    settle_ns
        Time in ns for which a place must be unchanged before it is read; 0 where every frame is at rest.
    refresh_ns
        Period of the detection pass over the whole frame in ns, against drift.
    second
        Second reader of lasting doubts, or ``None``; it is never waited for.
    """

    def __init__(
        self,
        reader: FrameReader,
        settle_ns: int = SETTLE_NS,
        refresh_ns: int = REFRESH_NS,
        second: SecondReader | None = None,
    ) -> None:
        self._reader, self._settle_ns, self._refresh_ns = reader, settle_ns, refresh_ns
        self._recheck = Recheck(second) if second else None
        self._publisher = Publisher(reader)
        self._scene: Scene | None = None
        self._shape: tuple[int, ...] = ()
        self._refresh_at_ns = self._refresh_by_ns = self._whole_ns = 0
        self._requested = False

    def update(self, frame: CameraFrame, at_ns: int) -> TrackedReading:
        """Return the state of the table after one more frame.

        Parameters
        ----------
        frame
            As for ``Reader.read``.
        at_ns
            Time at which it was taken, in ns; later than the frame before.

        Raises
        ------
        BadPicture
            Where the frame is no picture, or is not later than the one before.
        """
        last = self._publisher.latest
        if last and at_ns <= last.at_ns:
            raise BadPicture(f"frames must come in their order: {at_ns} ns is not after {last.at_ns} ns")
        if self._scene is None or frame.shape != self._shape or frame.dtype != np.uint8:
            scene = self._begin(frame, at_ns, self._detect_whole(frame, at_ns))
            self._shape = frame.shape
        else:
            self._scene.update(frame, at_ns, self._settle_ns)
            if self._recheck:
                self._recheck.apply_answers(self._scene)
            scene = self._detect_changes(self._scene, frame)
        return self._publisher.publish(scene, at_ns, self._whole_ns)

    def request_detection(self) -> None:
        """Request a pass over the whole of the next frame, at another scale than the last.

        Without a calibration the size of tiles is searched for, too.
        """
        self._refresh_at_ns = self._refresh_by_ns = 0
        self._requested = True

    def restart(self) -> None:
        """Read the next frame as the first one, as where the reader's ``tile_size`` has changed."""
        self._shape = ()

    def _begin(
        self, frame: CameraFrame, since_ns: int, detected: FrameDetections, bare: bool = False
    ) -> Scene:
        """Restart from the detections of a whole frame, whose state began at a stamp in ns.

        A ``bare`` frame shows the table before the tiles came: a later one shall bring them.
        """
        side = self._reader.typical_side
        if len(detected.detections):
            side = float(np.median(detected.detections.sides))
        elif side is None and detected.scale is not None:  # a board tells it
            side = WORKING_TILE_SIDE_PX / detected.scale
        grid = BlockGrid.of(frame, side or frame.shape[1] / DEFAULT_TILES_ACROSS)
        first_id = self._scene.tracks.next_id if self._scene else 0
        tracked = detected.kept(np.zeros(len(detected.detections), bool)) if bare else detected
        self._scene = Scene(grid, grid.downsample(frame), tracked, since_ns, first_id)
        self._refresh_at_ns = self._refresh_by_ns = since_ns + self._refresh_ns
        return self._scene

    def _detect_changes(self, scene: Scene, frame: CameraFrame) -> Scene:
        """Detect in changed blocks, or everywhere if due, or classify doubted tiles; return the scene."""
        if scene.background.camera_moved():
            return self._after_camera_move(scene, frame) if scene.at_rest else scene
        board = scene.tracks.detected.board
        if not isinstance(board, Volcano):  # a tile under a pyramid may look gone
            scene.remove_uncovered()
        pending = scene.pending
        due = scene.background.ripened >= MIN_OCCLUDER_BLOCKS or scene.at_ns >= self._refresh_by_ns
        if pending.any() and due:  # what is large is no hand; or movement has no end
            scene = self._detect_everywhere(scene, frame)
        elif pending.any():
            detect = self._detect_first if scene.tracks.detected.scale is None else self._detect_pending
            scene = detect(scene, frame, pending)
        elif scene.at_ns >= self._refresh_at_ns:
            scene = self._detect_everywhere(scene, frame)
        elif not scene.dirty and len(uncovered := scene.uncovered) and not isinstance(board, Volcano):
            scene.reclassify(uncovered, self._classify(scene, scene.background.stabilised(frame), uncovered))
        elif not scene.dirty:
            self._recheck_doubts(scene, frame)
        return scene

    def _detect_first(self, scene: Scene, frame: CameraFrame, pending: Mask) -> Scene:
        """Run the detector on a table without tiles; the hand that lays the first is not learnt as table."""
        before, detected = scene, self._detect_whole(frame, scene.at_ns)
        if isinstance(detected.board, Volcano) or (detected.board and not len(detected.detections)):
            return self._begin(frame, scene.newest(pending), detected)
        if detected.scale is not None:
            known = before.grid.upsampled(before.background.known)
            scene = self._begin(known, before.since_ns, detected, bare=True)
            scene.update(frame, before.at_ns, self._settle_ns, before)
        scene.apply_detections(detected, np.ones(scene.grid.shape, bool), np.zeros(0, bool))
        if scene is not before and not len(scene.tracks):  # a hand is near, or it was one
            before.background.judge(pending, before.at_ns + SMALL_STATIC_NS, again=True)
            self._scene = scene = before
        return scene

    def _detect_pending(self, scene: Scene, frame: CameraFrame, pending: Mask) -> Scene:
        """Run the detector around blocks that wait for it; where it may miss a tile, soon everywhere."""
        within, tiles, may_change = scene.around(pending), scene.tracks.blocks(), scene.changeable
        detected = self._detect_within(scene, scene.background.stabilised(frame), within)
        if scene.at_rest and scene.has_moved(detected):
            return self._after_camera_move(scene, frame)
        scene.apply_detections(detected, within, may_change)
        others = pending & ~dilated(tiles | scene.tracks.blocks())
        few = self._reader.typical_side is None and not scene.tracks.detected.tells_size
        if few and np.count_nonzero(others) >= TILE_BLOCKS**2:  # perhaps a tile of another size
            self._refresh_at_ns = min(self._refresh_at_ns, self._whole_ns + SEARCH_NS)
        return scene

    def _detect_everywhere(self, scene: Scene, frame: CameraFrame) -> Scene:
        """Run the detector over the whole frame, whatever has changed; restart if tiles have another size."""
        scene.background.rebase(frame)
        may_change = scene.changeable | (scene.resting & ~scene.hidden)
        known, self._whole_ns = scene.tracks.detected, scene.at_ns
        if self._requested and known.scale is not None and known.board is None:
            whole = (0, 0, scene.grid.width, scene.grid.height)
            detected = self._reader.detect_region(frame, whole, known, RESCALE_FACTOR)
            if self._reader.typical_side is None:  # the search for their size may show more by now
                detected = without_duplicates(concatenate_frames(self._reader.detect(frame), detected))
        else:
            detected = self._reader.detect(frame, known)
        self._requested = False
        moved = has_moved_board(detected, known) and not isinstance(known.board, Volcano)
        resized = has_other_size(detected, known) or misfits_blocks(detected, known, scene.grid)
        if resized or moved:  # letters under pyramids are better remembered
            return self._begin(frame, scene.at_ns, detected)
        scene.apply_detections(detected, np.ones(scene.grid.shape, bool), may_change)
        if detected.scale is not None:
            scene.tracks.detected = replace(scene.tracks.detected, scale=detected.scale, table=detected.table)
        self._refresh_at_ns = self._refresh_by_ns = scene.at_ns + self._refresh_ns
        return scene

    def _after_camera_move(self, scene: Scene, frame: CameraFrame) -> Scene:
        """Detect in a frame that has changed all over; restart unless most tiles are occluded.

        Where the board alone seems to have changed, restart only if it lies elsewhere.
        """
        detected, pending = self._detect_whole(frame, scene.at_ns), scene.pending
        known = scene.tracks.detected
        all_over = known.board is None or scene.background.camera_moved()
        many = all_over and 2 * len(detected.detections) >= max(1, len(scene.tracks))
        if many or has_moved_board(detected, known):
            return self._begin(frame, scene.newest(pending), with_covered_letters(detected, known))
        scene.apply_detections(detected, scene.around(pending), scene.changeable)
        return scene

    def _detect_whole(self, frame: CameraFrame, at_ns: int) -> FrameDetections:
        """Return the detections in the whole of a frame."""
        self._whole_ns = at_ns
        return self._reader.detect(frame)

    def _detect_within(self, scene: Scene, frame: CameraFrame, within: Mask) -> FrameDetections:
        """Return the detections in some blocks of a frame."""
        known, grid = scene.tracks.detected, scene.grid
        labels, bounds = connected_parts(within)
        many = len(bounds) > MAX_CHANGED_PARTS or within.mean() > MAX_CHANGED_SHARE
        if many or not self._reader.reads_parts(known):
            return self._reader.detect_region(frame, (0, 0, grid.width, grid.height), known)
        parts = []
        for number, bound in enumerate(bounds, 1):
            here, box = labels == number, grid.box(bound)
            detected = self._reader.detect_region(frame, box, known)
            known = replace(known, board=detected.board or known.board)
            inside = here.flat[grid.at(detected.detections.centres)]
            if not (inside.any() or scene.on(here).any() or isinstance(known.board, Volcano)):
                # as an object has appeared here
                detected = self._reader.detect_region(frame, box, known, RESCALE_FACTOR)
                inside = here.flat[grid.at(detected.detections.centres)]
            parts.append(detected.kept(inside))
        return reduce(merge_detections, parts)

    def _recheck_doubts(self, scene: Scene, frame: CameraFrame) -> None:
        """Classify a few visible tiles that are in doubt, or not quite sure, again in the newest frame."""
        tiles = latest.reading.tiles if (latest := self._publisher.latest) else ()
        doubted = np.array([tile.doubt for tile in tiles], bool)
        unsure = doubted | (np.array([tile.confidence for tile in tiles]) < MIN_SINGLE_CONFIDENCE)
        if latest is None or not unsure.any():
            return
        frame = scene.background.stabilised(frame)
        unsure &= scene.visible & (scene.tracks.observations < MAX_OBSERVATIONS)
        for tile in np.flatnonzero(unsure)[:DOUBTS_PER_FRAME][::-1]:  # some may go
            scene.reclassify(np.array([tile]), self._look_again(scene, frame, int(tile)))
        if self._recheck and not scene.dirty:
            self._recheck.ask(scene, latest.reading, doubted, frame)

    def _classify(self, scene: Scene, frame: CameraFrame, tiles: Numbers) -> FrameDetections:
        """Return some tracked tiles, in their order, as classified in a frame."""
        known, box = scene.tracks.detected.kept(tiles), scene.tracks.box_of(tiles)
        detections = translated(known.detections, -np.array(box[:2]))
        return replace(known, probabilities=self._reader.classify(grey_crop(frame, box), detections))

    def _look_again(self, scene: Scene, frame: CameraFrame, tile: int) -> FrameDetections:
        """Return a tile as classified in this frame, with a new score of the detector, if any, 0 for a miss.

        What shows no symbol is detected again, at each of ``RESCORE_SCALES`` in turn: one score says little.
        """
        known = scene.tracks.detected
        here = known.kept(one := np.array([tile]))
        if here.shows_symbol[0] or isinstance(known.board, Volcano):
            return self._classify(scene, frame, one)
        times = RESCORE_SCALES[scene.tracks.observations[tile] % len(RESCORE_SCALES)]
        found = self._reader.detect_region(frame, scene.tracks.box_of(tile), known, times)
        away = distances_in_tiles(found.detections.centres, here.detections.centres, here.detections.shapes)
        if away.min(initial=np.inf) >= MATCH_DISTANCE:
            return replace(here, detections=replace(here.detections, scores=np.zeros(1)))
        seen = found.kept(np.array([away[:, 0].argmin()]))
        turned = seen.probabilities.rotated(here.detections.turns - seen.detections.turns)
        detections = replace(here.detections, scores=seen.detections.scores)
        return replace(here, detections=detections, probabilities=turned)


class Recheck:
    """Asks a second reader once about each tile that stays in doubt, and applies its answers.

    An answer about a tile that has moved or was replaced is dropped.
    """

    def __init__(self, second: SecondReader) -> None:
        self._second = second
        self._asked: dict[int, tuple[int, float]] = {}  # the symbol's quarter turn, the frame's in radians

    def ask(self, scene: Scene, reading: Reading, doubted: Mask, frame: CameraFrame) -> None:
        """Ask about the ``doubted`` tiles, (n,), of a reading that more observations do not help."""
        ids = scene.tracks.ids
        self._asked = {number: turns for number, turns in self._asked.items() if number in ids}
        lasting = doubted & scene.visible & (scene.tracks.observations >= MAX_OBSERVATIONS)
        for k in np.flatnonzero(lasting).tolist():
            number, tile = int(ids[k]), reading.tiles[k]
            if number in self._asked or not tile.symbol or tile.confidence >= MIN_CONFIDENCE:
                continue  # asked, or only its place or existence is in doubt
            box, detected = scene.tracks.box_of(k), scene.tracks.detected.kept(np.array([k]))
            (quad,) = detected.detections.quads()
            quarter = int(np.hypot(*(quad - tile.corners[0]).T).argmin())  # the symbol's top left is there
            here = translated(detected.detections, -np.array(box[:2]))
            (crop,) = upright_crops(grey_crop(frame, box), here, np.array([quarter]))
            if not self._second.ask(number, crop, detected.probabilities.symbols):
                return
            self._asked[number] = quarter, float(detected.detections.turns[0])

    def apply_answers(self, scene: Scene) -> None:
        """Apply the answers since the last call."""
        for number, answer in self._second.answers():
            tiles = np.flatnonzero(scene.tracks.ids == number)
            if number not in self._asked or not len(tiles) or not answer.any():
                continue
            quarter, frame_rad = self._asked[number]
            detected = scene.tracks.detected.kept(tiles)
            second = np.zeros(detected.probabilities.second.shape)
            turned = round((detected.detections.turns[0] - frame_rad) / (np.pi / 2))
            second[0, :, (quarter - turned) % 4] = answer
            scene.tracks.set_second(tiles, second)
            scene.dirty = True
