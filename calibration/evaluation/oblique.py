"""Accuracy under strong perspective, on small tiles, in hard shadows and out of focus.

Labelled photographs are warped by the homography of a tilted pinhole camera, tables are drawn in such a
camera's perspective, and photographs are shrunk until their tiles are small, shaded or blurred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View
from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.light import out_of_focus, with_hard_shadow
from calibration.drawing.paint import UNIT_SQUARE
from calibration.drawing.rng import Rng
from calibration.drawing.scene import Scene, SceneContents, draw_scene
from calibration.evaluation.drawn import MIN_VISIBLE_SHARE, true_tile, vocabulary
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.reliability import reliability_metrics
from calibration.evaluation.results import LabelledPicture, ReaderFactory, Targets, evaluate, score_metrics
from calibration.evaluation.scoring import side_of
from calibration.evaluation.truth import Grid, TrueTile, Truth, truths_in
from companion.model.tiles import BLANK, tile_set
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import affine_homography, project, shift_homography, zoom_homography
from companion.vision.picture import decode

SEED = 40_000
"""Picture k of a kind is made from (SEED, number of the kind, k)."""

KEYSTONE, FAR_KEYSTONE = (2.0, 4.0), (1.2, 2.0)
"""Least and largest ratio of the distances of a photograph's far and near edges, from nearby and from afar:
there tiles are foreshortened, but nearly equally large.
"""
TILT_DEG = 40.0, 65.0
"""Least and largest tilt of the camera from straight down, in degrees."""
FOCAL = 0.72
"""Focal length of a phone's main camera, in picture widths: 26 mm of a 36 mm frame."""
CANVAS = 2400, 1800
"""Width and height of a drawn picture, in pixels."""
MEDIAN_TILE_PX_RANGE = 24.0, 60.0
"""Least and largest median side of tiles in an oblique photograph, in pixels."""
SMALL_TILE_PX_RANGE = 20.0, 35.0
"""Least and largest median side of tiles in a shrunk picture, in pixels."""
MIN_TILE_PX = 14.0
"""Least side of a tile, in pixels; a smaller one counts as covered."""
MARGIN_PX = 2.0
"""Least distance of a tile from the picture's edge, in pixels; a nearer one counts as covered."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Source:
    """A labelled photograph."""

    name: str
    path: Path
    truth: Truth


def oblique_metrics(
    shared: Path | None, scenes: int, reader_for: ReaderFactory, progress: Progress
) -> Iterator[Metric]:
    """Yield the metrics of ``scenes`` pictures of each kind; raise NoFonts, BadTruth or BadPicture."""
    sources = [] if shared is None else labelled_photographs(shared)
    if not sources:
        yield Metric.not_measured("photographs seen aslant", "there are no labelled photographs")
    for name, tables in labelled_sets(sources, scenes):
        yield from score_metrics(name, evaluate(tables, reader_for, progress), Targets())
    for name, tables in labelled_sets(sources, scenes):
        yield from reliability_metrics(name, tables, reader_for, progress)


def labelled_sets(sources: Sequence[Source], scenes: int) -> Iterator[tuple[str, Iterator[LabelledPicture]]]:
    """Yield the name of each kind, and its labelled pictures; those of photographs where there are any."""
    if sources:
        near = partial(random_perspective, keystone_range=KEYSTONE)
        yield "photographs seen aslant", warped_photographs(sources, near, (SEED, 0), scenes)
        far = partial(random_perspective, keystone_range=FAR_KEYSTONE)
        yield "photographs seen aslant from afar", warped_photographs(sources, far, (SEED, 3), scenes)
    yield (
        "drawn tables seen aslant",
        (drawn_oblique_table((SEED, 1, k), k + 1, scenes) for k in range(scenes)),
    )
    if sources:
        yield "photographs of small tiles", warped_photographs(sources, random_shrink, (SEED, 2), scenes)
        yield "photographs in hard shadow", spoilt_photographs(sources, with_hard_shadow, (SEED, 4), scenes)
        yield "photographs out of focus", spoilt_photographs(sources, out_of_focus, (SEED, 5), scenes)


def labelled_photographs(shared: Path) -> list[Source]:
    """Return the photographs and path-traced scenes of a folder whose truth has the tiles' places."""
    found = [*truths_in(shared / "photos/bananagrams_fi"), *truths_in(shared / "scenes", "tableau_")]
    return [Source(path.stem, path, truth) for path, truth in found if truth.tiles]


def warped_photographs(
    sources: Sequence[Source],
    change: Callable[[Rng, Source], tuple[Matrix, tuple[int, int]]],
    seed: tuple[int, ...],
    count: int,
) -> Iterator[LabelledPicture]:
    """Yield ``count`` photographs, of each folder in turn, warped by a random homography."""
    for source, rng in random_sources(sources, seed, count):
        matrix, size = change(rng, source)
        yield warped_picture(source, matrix, size)


def spoilt_photographs(
    sources: Sequence[Source],
    spoil: Callable[[Frame, Rng, float], Frame],
    seed: tuple[int, ...],
    count: int,
) -> Iterator[LabelledPicture]:
    """Yield ``count`` photographs, of each folder in turn, in bad light or blurred at random.

    ``spoil`` takes a picture, a generator and the side of a tile in pixels.
    """
    for source, rng in random_sources(sources, seed, count):
        yield source.name, spoil(decode(source.path), rng, median_side(source)), source.truth


def random_sources(
    sources: Sequence[Source], seed: tuple[int, ...], count: int
) -> Iterator[tuple[Source, Rng]]:
    """Yield ``count`` random photographs, of each folder in turn, each with its own generator."""
    folders = sorted({source.path.parent for source in sources})
    for k in range(count):
        rng = np.random.default_rng((*seed, k))
        here = [source for source in sources if source.path.parent == folders[k % len(folders)]]
        yield here[int(rng.integers(len(here)))], rng


def median_side(source: Source) -> float:
    """Return the median side of a photograph's tiles, in pixels."""
    return float(np.median([tile.side for tile in source.truth.tiles or () if tile.side]))


def random_perspective(
    rng: Rng, source: Source, keystone_range: tuple[float, float]
) -> tuple[Matrix, tuple[int, int]]:
    """Return a random homography of a tilted camera for a photograph, (3, 3), and the picture's size."""
    height, width = decode(source.path).shape
    turn, tilt = float(rng.uniform(0, 2 * np.pi)), np.radians(float(rng.uniform(*TILT_DEG)))
    keystone = float(np.exp(rng.uniform(*np.log(keystone_range))))
    c, s = np.cos(turn), np.sin(turn)
    middle = (width - 1) / 2, (height - 1) / 2
    turned = affine_homography([[c, -s], [s, c]]) @ shift_homography(np.negative(middle))
    outline = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], float)
    half = np.abs(project(turned, outline)[:, 1]).max()
    distance = half * np.sin(tilt) * (keystone + 1) / (keystone - 1)
    tilted = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, -np.sin(tilt), distance]]) @ turned
    sides = [side_of(project(tilted, square_of(tile))) for tile in source.truth.tiles or () if tile.side]
    zoom = float(np.exp(rng.uniform(*np.log(MEDIAN_TILE_PX_RANGE)))) / float(np.median(sides))
    seen = zoom * project(tilted, outline)
    left, top = seen.min(0)
    wide, high = np.ceil(np.ptp(seen, axis=0)).astype(int).tolist()
    return shift_homography((-left, -top)) @ np.diag([zoom, zoom, 1.0]) @ tilted, (wide, high)


def random_shrink(rng: Rng, source: Source) -> tuple[Matrix, tuple[int, int]]:
    """Return the homography that shrinks a photograph until its tiles are small, and the picture's size."""
    height, width = decode(source.path).shape
    share = min(1.0, float(rng.uniform(*SMALL_TILE_PX_RANGE)) / median_side(source))
    return zoom_homography(share), (round(width * share), round(height * share))


def warped_picture(source: Source, matrix: Matrix, size: tuple[int, int]) -> LabelledPicture:
    """Return a photograph and its truth warped by a homography into a picture of (width, height)."""
    truth = source.truth
    frame = supersampled(decode(source.path), matrix, size)
    tiles = tuple(warped_tile(tile, matrix, size) for tile in truth.tiles or ())
    whole = all(tile.covered == old.covered for tile, old in zip(tiles, truth.tiles or (), strict=True))
    covered = truth.covered if whole else frozenset(range(len(truth.grids)))
    return source.name, frame, replace(truth, tiles=tiles, covered=covered, face_down=None)


def supersampled(picture: Frame, matrix: Matrix, size: tuple[int, int]) -> Frame:
    """Return a picture warped by a homography with 3 x 3 samples a pixel.

    The outside of the picture has its median brightness.
    """
    times = 3
    finer = zoom_homography(times) @ matrix
    beyond = float(np.median(picture))
    large = cv2.warpPerspective(
        picture, finer, (size[0] * times, size[1] * times), borderMode=cv2.BORDER_CONSTANT, borderValue=beyond
    )
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA), np.uint8)


def warped_tile(tile: TrueTile, matrix: Matrix, size: tuple[int, int]) -> TrueTile:
    """Return a true tile warped by a homography; one that is cut off or too small is covered."""
    seen = project(matrix, square_of(tile))
    x, y = project(matrix, np.array([tile.centre]))[0]
    side = side_of(seen)
    inside = bool(((seen >= MARGIN_PX) & (seen <= np.array(size) - 1 - MARGIN_PX)).all())
    covered = tile.covered or not inside or side < MIN_TILE_PX
    return TrueTile(tile.symbol, (float(x), float(y)), side, covered)


def square_of(tile: TrueTile) -> Matrix:
    """Return the corners of a square as large as a tile, about its middle, (4, 2)."""
    return UNIT_SQUARE * (tile.side or 0.0) + tile.centre


def drawn_oblique_table(seed: tuple[int, ...], number: int, many: int) -> LabelledPicture:
    """Return a labelled drawn table in a tilted phone camera's perspective."""
    rng = np.random.default_rng(seed)
    tilt, turn = float(rng.uniform(*TILT_DEG)), float(rng.uniform(0, 360))
    view = View(*CANVAS, float(rng.uniform(40, 75)), tilt, turn, focal=FOCAL)
    box = tile_set("bananagrams-en")
    lots = vocabulary()
    words = [lots[k] for k in rng.integers(len(lots), size=200) if len(lots[k]) < 9]
    letters = sorted(box.counts or {})
    scene = draw_scene(rng, view, SceneContents(words, letters, 3, 30, 12, 6), evaluation_fonts())
    return f"drawn aslant, {number} of {many}", scene.picture, truth_of(scene, box.name)


def truth_of(scene: Scene, name: str) -> Truth:
    """Return the ground truth of a drawn table: tiles and grids."""
    tiles, grids = [], dict[int, Grid]()
    hidden = set()
    for drawn in scene.tiles:
        tile = true_tile(drawn)
        side = side_of(drawn.corners)
        small = side < MIN_TILE_PX or drawn.visible < MIN_VISIBLE_SHARE
        tiles.append(replace(tile, side=side, covered=small))
        if drawn.placed.group >= 0:
            grids[drawn.placed.group] = {
                **grids.get(drawn.placed.group, {}),
                drawn.placed.cell: drawn.symbol or BLANK,
            }
            hidden |= {drawn.placed.group} if small else set()
    order = sorted(grids)
    return Truth(
        name,
        grids=tuple(grids[group] for group in order),
        tiles=tuple(tiles),
        covered=frozenset(k for k, group in enumerate(order) if group in hidden),
    )
