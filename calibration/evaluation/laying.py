"""Accuracy of tracking: a hand lays the tiles of labelled photographs and drawn boards, a few at a time.

A photograph whose tiles are filled in from around (Telea, Journal of Graphics Tools 9(1), 2004) is the empty
table; a board is drawn with and without its tiles.  Ten frames a second show them as a camera would, with
noise and an exposure that drifts; every other game's camera shakes.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.clutter import hand_shape
from calibration.drawing.light import body_shadow
from calibration.drawing.paint import as_shares
from calibration.drawing.rng import Rng
from calibration.evaluation.boards import binary
from calibration.evaluation.metric import Metric, Progress, cpu_timed
from calibration.evaluation.oblique import (
    Source,
    labelled_photographs,
    median_side,
    random_sources,
    warped_tile,
)
from calibration.evaluation.results import EvaluationResults, Targets, fault_metrics, pyramid_metrics
from calibration.evaluation.scoring import Score, score
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.reading import Reading
from companion.vision.camera_frame import Frame, to_bgr
from companion.vision.grid.homography import shift_homography
from companion.vision.picture import decode
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import Tracker

SEED, BOARD_SEED = 70_000, 71_000
"""Game k is played from (SEED, k), on a board from (BOARD_SEED, k)."""

SCENES_PER_GAME, SCENES_PER_BOARD = 3, 12
"""Number of scenes that are asked for per game, and per game on a board: a game has some hundred frames."""
FRAME_PX = 1600
"""Longer side of a frame in pixels, or less."""
FRAME_NS = 100_000_000
"""Time from frame to frame, in ns."""
MOST_AT_ONCE = 3
"""Largest number of tiles that a hand lays at once."""
HAND_FRAMES, REST_FRAMES, LATER_FRAMES = 3, 9, 20
"""Number of frames with a hand, of those until its tiles shall be read, and of those after a disturbance."""
NOISE_GREY, DRIFT, HAND_GAIN = 2.5, 0.03, 1.05
"""Noise in grey levels, and relative changes of the exposure: by itself, and as a hand comes."""
SHAKE_PX = 1.0
"""Shake of every other game's camera from frame to frame, in pixels."""
SKIN = (110.0, 140.0, 200.0)
"""Colour of a hand: blue, green, red."""
TREMBLE = 0.4
"""How far a hand moves from frame to frame, in tile sides."""
REACH = 0.85
"""Radius about its middle within which a pixel may belong to a tile, in its sides."""
LAMP = (1.15, 1.5)
"""Gain of the light at the picture's left and right edge under a lamp that is lit."""
KNOCK_TILES, KNOCK_DEG = (0.5, -0.3), 0.6
"""Shift to the right and down in tile sides, and turn in degrees, after a knock against the camera."""

PUSH_TILES, PUSH_DEG = (0.3, 2.0), 10.0
"""Least and largest shift of tiles that are pushed aside, in their sides, and the spread of their turn."""

LEAN_SHARE = 0.5
"""Chance that somebody leans over the table, or back, as a hand lays tiles again."""

Colours = NDArray[np.float32]
"""A picture of blue, green, red, (h, w, 3), 0 to 255."""

FULL_LIGHT: Colours = np.ones((1, 1, 1), np.float32)
"""The share of the light without a shadow, for every pixel."""


@dataclass(frozen=True, slots=True, eq=False)
class LaidTable:
    """A picture with and without its tiles; ``owners`` (h, w) is the tile of each pixel, -1 for none."""

    picture: Colours
    bare: Colours
    owners: NDArray[np.int16]
    truth: Truth
    side: float

    @classmethod
    def of(cls, source: Source) -> LaidTable:
        """Return the table of a labelled photograph, which is shrunk to a camera's size."""
        frame = to_bgr(decode(source.path, colour=True))
        share = min(1.0, FRAME_PX / max(frame.shape[:2]))
        height, width = (round(length * share) for length in frame.shape[:2])
        picture = np.asarray(cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        matrix = np.diag([share, share, 1.0])
        tiles = tuple(warped_tile(tile, matrix, (width, height)) for tile in source.truth.tiles or ())
        owners = nearest_tiles(tiles, (height, width))
        truth = Truth(source.truth.tile_set, tiles=tiles, ignore_boxes=source.truth.ignore_boxes)
        return cls(
            picture.astype(np.float32), filled_in(picture, owners), owners, truth, share * median_side(source)
        )

    @classmethod
    def of_board(cls, seed: tuple[int, ...]) -> LaidTable:
        """Return the table of a drawn game of equations on a board; raise NoFonts."""
        game, empty = (binary(np.random.default_rng(seed), most=most) for most in (None, 0))
        picture, bare = (one.picture.astype(np.float32) for one in (game, empty))
        tiles = game.truth.tiles or ()
        owners = nearest_tiles(tiles, (picture.shape[0], picture.shape[1]))
        side = float(np.median([tile.side for tile in tiles if tile.side]))
        return cls(picture, bare, owners, replace(game.truth, grids=()), side)

    def with_tiles(self, laid: Sequence[int]) -> Colours:
        """Return the table with some of its tiles, and with those that were covered in the photograph."""
        shown = [*laid, -1, *(k for k, tile in enumerate(self.truth.tiles or ()) if tile.covered)]
        return np.where(np.isin(self.owners, shown)[..., None], self.picture, self.bare)

    def pushed(self, laid: Sequence[int], matrix: NDArray[np.float64]) -> Colours:
        """Return the table with some of its tiles, moved by a homography that is affine, (3, 3)."""
        size = self.owners.shape[1], self.owners.shape[0]
        moved = cv2.warpAffine(self.picture, matrix[:2], size, borderMode=cv2.BORDER_REPLICATE)
        tiles = cv2.warpAffine(np.isin(self.owners, laid).astype(np.float32), matrix[:2], size)
        return np.where(tiles[..., None] > 0.5, moved, self.with_tiles(()))

    def middle(self, tiles: Sequence[int]) -> NDArray[np.float64]:
        """Return the middle of some tiles in pixels, (2,)."""
        every = self.truth.tiles or ()
        return np.asarray(np.mean([every[k].centre for k in tiles], 0))

    def truth_of(self, laid: Sequence[int], asked: Sequence[int]) -> Truth:
        """Return the truth while some tiles lie there: those that are not ``asked`` for do not count."""
        tiles = enumerate(self.truth.tiles or ())
        kept = (
            replace(tile, covered=tile.covered or k not in asked)
            for k, tile in tiles
            if tile.covered or k in laid
        )
        return replace(self.truth, tiles=tuple(kept))


def nearest_tiles(tiles: Sequence[TrueTile], size: tuple[int, int]) -> NDArray[np.int16]:
    """Return the index of the tile to which each pixel of a picture of (height, width) belongs, or -1."""
    owners, away, (height, width) = np.full(size, -1, np.int16), np.full(size, REACH, np.float32), size
    for k, tile in enumerate(tiles):
        side = tile.side or 0.0
        (x, y), reach = tile.centre, int(REACH * side) + 1
        left, top = max(0, int(x) - reach), max(0, int(y) - reach)
        right, low = min(width, int(x) + reach + 1), min(height, int(y) + reach + 1)
        part = np.s_[top : max(top, low), left : max(left, right)]
        rows, cols = np.ogrid[part]
        here = np.hypot(rows - y, cols - x) / max(side, 1.0)
        nearer = here < away[part]
        owners[part][nearer], away[part][nearer] = k, here[nearer]
    return owners


def filled_in(picture: Frame, owners: NDArray[np.int16]) -> Colours:
    """Return a picture with the pixels of tiles filled in from around, at a quarter of the resolution."""
    height, width = owners.shape
    size = max(1, width // 4), max(1, height // 4)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    holes = cv2.resize((owners >= 0).astype(np.uint8), size, interpolation=cv2.INTER_AREA)
    holes = cv2.dilate(holes, np.ones((3, 3), np.uint8))
    filled = cv2.inpaint(small, holes, 3, cv2.INPAINT_TELEA)
    return cv2.resize(filled, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32)


class TrackedGame:
    """A camera that may shake, and a tracker; it keeps the processor time of each frame in ms.

    ``side`` is that of the table's tiles, in pixels.
    """

    def __init__(self, side: float, reader: Reader, rng: Rng, shake_px: float = 0.0) -> None:
        self.took_ms: list[float] = []
        self._shake_px = shake_px
        self.side, self._tracker, self._rng = side, Tracker(reader), rng
        self._now, self._phase = 0, rng.uniform(0, 2 * np.pi)

    def rest(self, picture: Colours, frames: int) -> Reading:
        """Return the reading after so many frames that show a picture at rest."""
        reading = self._show(picture)
        for _ in range(frames - 1):
            reading = self._show(picture)
        return reading

    def reach(self, before: Colours, after: Colours, at: NDArray[np.float64]) -> None:
        """Show a hand over a point, (2,), while one picture becomes another."""
        angle, shape = self._rng.uniform(0, 2 * np.pi), int(self._rng.integers(2**31))
        wrist = at + 2 * self.side * np.array([np.cos(angle), np.sin(angle)])
        size, skin = (before.shape[0], before.shape[1]), np.array(SKIN, np.float32)
        for k in range(HAND_FRAMES):
            place = wrist + self._rng.normal(0, TREMBLE * self.side, 2)
            cover = hand_shape(np.random.default_rng(shape), size, place, angle, self.side)
            picture = before if 2 * k < HAND_FRAMES else after
            self._show(np.float32(HAND_GAIN) * (picture + (skin - picture) * as_shares(cover)[..., None]))

    def _show(self, picture: Colours) -> Reading:
        """Return the reading after one more frame."""
        self._now += FRAME_NS
        if self._shake_px:
            by, size = self._rng.normal(0, self._shake_px, 2), (picture.shape[1], picture.shape[0])
            matrix = shift_homography(by)[:2]
            shaken = cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
            picture = np.asarray(shaken, np.float32)
        gain = 1 + DRIFT * np.sin(self._now / 1e9 + self._phase)
        noise = self._rng.normal(0, NOISE_GREY, picture.shape[:2])[..., None]
        frame = np.clip(gain * picture + noise, 0, 255).astype(np.uint8)
        tracked, ms = cpu_timed(lambda: self._tracker.update(frame, self._now))
        self.took_ms.append(ms)
        return tracked.reading


def played(table: LaidTable, game: TrackedGame, rng: Rng) -> Iterator[tuple[str, Score]]:
    """Lay all tiles of a table, disturb it, and take some up; yield scores by the name of their stage."""
    left = [k for k, tile in enumerate(table.truth.tiles or ()) if not tile.covered]
    rng.shuffle(left)
    laid, picture = list[int](), table.with_tiles(())
    game.rest(picture, REST_FRAMES)
    while left:
        new = [left.pop() for _ in range(min(len(left), int(rng.integers(1, MOST_AT_ONCE + 1))))]
        laid, before = laid + new, picture
        picture = table.with_tiles(laid)
        game.reach(before, picture, table.middle(new))
        reading = game.rest(picture, REST_FRAMES)
        yield "tiles a second after they were laid", score_of_new(table, laid, new, reading)
    yield "tables at last", score(table.truth_of(laid, laid), game.rest(picture, LATER_FRAMES))
    yield from disturbed("tables", game, picture, table.truth_of(laid, laid), table.side)
    taken, stay = laid[: len(laid) // 4 + 1], laid[len(laid) // 4 + 1 :]
    game.reach(picture, table.with_tiles(stay), table.middle(taken))
    reading = game.rest(table.with_tiles(stay), LATER_FRAMES)
    yield "tables from which tiles were taken", score(table.truth_of(stay, stay), reading)
    yield from laid_again(table, game, rng, stay, taken)


def disturbed(
    what: str, game: TrackedGame, picture: Colours, truth: Truth, side: float
) -> Iterator[tuple[str, Score]]:
    """Light a lamp beside a table with tiles of a ``side``, knock against the camera, and turn it back."""
    lit = picture * np.linspace(*LAMP, picture.shape[1], dtype=np.float32)[:, None]
    yield f"{what} under a lamp", score(truth, game.rest(lit, LATER_FRAMES))
    size = picture.shape[1], picture.shape[0]
    matrix = rigid_motion(np.array(size) / 2, KNOCK_DEG, side * np.array(KNOCK_TILES))
    shown = cv2.warpAffine(picture, matrix[:2], size, borderMode=cv2.BORDER_REPLICATE)
    moved = tuple(warped_tile(tile, matrix, size) for tile in truth.tiles or ())
    reading = game.rest(np.asarray(shown, np.float32), LATER_FRAMES)
    yield f"{what} after a knock against the camera", score(replace(truth, tiles=moved), reading)
    game.rest(picture, LATER_FRAMES)


def score_of_new(table: LaidTable, laid: Sequence[int], new: Sequence[int], reading: Reading) -> Score:
    """Return the score of the ``new`` ones of the laid tiles; inventions count once all are laid."""
    return replace(score(table.truth_of(laid, new), reading), invented=0)


def laid_again(
    table: LaidTable, game: TrackedGame, rng: Rng, laid: list[int], left: list[int]
) -> Iterator[tuple[str, Score]]:
    """Lay the tiles that are left beside those laid, while people lean over and back; then push all aside."""
    light, picture = FULL_LIGHT, table.with_tiles(laid)
    while left:
        new, left = left[:MOST_AT_ONCE], left[MOST_AT_ONCE:]
        laid, before = laid + new, picture
        light = next_light(rng, light, picture, table.side)
        picture = table.with_tiles(laid) * light
        game.reach(before, picture, table.middle(new))
        reading = game.rest(picture, REST_FRAMES)
        yield "tiles a second after they were laid in a shadow", score_of_new(table, laid, new, reading)
    yield "tables in a shadow", score(table.truth_of(laid, laid), game.rest(picture, LATER_FRAMES))
    if table.truth.board:
        return  # its squares stay where they are
    matrix, truth = push(table, rng, laid), table.truth_of(laid, laid)
    game.reach(picture, pushed := table.pushed(laid, matrix) * light, table.middle(laid))
    size = picture.shape[1], picture.shape[0]
    moved = tuple(tile if tile.covered else warped_tile(tile, matrix, size) for tile in truth.tiles or ())
    reading = game.rest(pushed, REST_FRAMES)
    yield "tables a second after they were pushed aside", score(replace(truth, tiles=moved), reading)


def next_light(rng: Rng, light: Colours, picture: Colours, side: float) -> Colours:
    """Return the share of the light, (h, w, 1), after somebody may have leant over a table, or back."""
    if rng.random() >= LEAN_SHARE:
        return light
    if light is not FULL_LIGHT and rng.random() < LEAN_SHARE:
        return FULL_LIGHT
    return body_shadow(rng, (picture.shape[1], picture.shape[0]), side)[..., None]


def push(table: LaidTable, rng: Rng, laid: Sequence[int]) -> NDArray[np.float64]:
    """Return the homography by which a hand moves some tiles, (3, 3)."""
    middle = np.mean([tile.centre for k, tile in enumerate(table.truth.tiles or ()) if k in laid], 0)
    turn_deg, angle = float(rng.normal(0, PUSH_DEG)), rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(angle), np.sin(angle)]) * table.side * rng.uniform(*PUSH_TILES)
    return rigid_motion(middle, turn_deg, way)


def rigid_motion(
    middle: NDArray[np.float64], turn_deg: float, way: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the homography of a turn about a point, (2,), and then a shift, (2,), in pixels, (3, 3)."""
    turn = np.vstack([cv2.getRotationMatrix2D(middle.tolist(), turn_deg, 1.0), [0, 0, 1]])
    return np.asarray(shift_homography(way) @ turn)


ReaderFor = Callable[[str, str | None], Reader]
"""Returns the reader for a tile set and a board."""


class Game(NamedTuple):
    """A game's name, the tile set and board, the side of its tiles in pixels, and what happens in stages."""

    name: str
    kind: tuple[str, str | None]
    side: float
    rng: Rng
    stages: Callable[[TrackedGame], Iterator[tuple[str, Score]]]

    @classmethod
    def of(cls, name: str, table: LaidTable, rng: Rng) -> Game:
        """Return the game in which the tiles of a table are laid."""
        return cls(
            name,
            (table.truth.tile_set, table.truth.board),
            table.side,
            rng,
            partial(played, table, rng=rng),
        )


def laying_metrics(
    shared: Path | None, scenes: int, reader_for: ReaderFor, progress: Progress
) -> Iterator[Metric]:
    """Yield the metrics of games on the tables of photographs; raise BadTruth or BadPicture."""
    sources = [] if shared is None else labelled_photographs(shared)
    if not sources:
        yield Metric.not_measured("tiles laid one after another", "there are no labelled photographs")
        return
    games = random_sources(sources, (SEED,), max(1, scenes // SCENES_PER_GAME))
    each = (Game.of(source.name, LaidTable.of(source), rng) for source, rng in games)
    yield from game_metrics("", each, reader_for, progress)


def board_laying_metrics(scenes: int, reader_for: ReaderFor, progress: Progress) -> Iterator[Metric]:
    """Yield the metrics of games on drawn boards; raise NoFonts."""
    seeds = [(BOARD_SEED, k) for k in range(max(1, scenes // SCENES_PER_BOARD))]
    each = (
        Game.of(f"board {k + 1} of {len(seeds)}", LaidTable.of_board(seed), np.random.default_rng((*seed, 1)))
        for k, seed in enumerate(seeds)
    )
    yield from game_metrics("boards: ", each, reader_for, progress)


def game_metrics(
    prefix: str, games: Iterable[Game], reader_for: ReaderFor, progress: Progress
) -> Iterator[Metric]:
    """Yield the metrics of each stage of some games."""
    stages, took_ms = dict[str, dict[str, Score]](), list[float]()
    for number, game in enumerate(games):
        progress(f"playing {game.name}")
        tracked = TrackedGame(game.side, reader_for(*game.kind), game.rng, number % 2 * SHAKE_PX)
        for stage, one in game.stages(tracked):
            so_far = stages.setdefault(prefix + stage, {})
            so_far[game.name] = so_far.get(game.name, Score()) + one
        took_ms += tracked.took_ms
    for stage, each in stages.items():
        results = EvaluationResults(tuple(each), tuple(each.values()), ())
        yield from fault_metrics(stage, results, Targets())
        yield from pyramid_metrics(stage, results, Targets())
    yield Metric(f"{prefix}a frame", statistics.median(took_ms), "ms", how="median of all, CPU time")
