"""Drawn few-shot tasks: each has its own handwriting and signs, with crops from two pictures."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View
from calibration.drawing.fonts import fonts_named, glyph, training_fonts
from calibration.drawing.handmade import Handwriting, contrast, hand_table, random_handwriting, warped
from calibration.drawing.layout import FreeSpace, crossword, place_grid, place_loose, random_jitter
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import Scene
from calibration.drawing.strokes import doodle
from calibration.training.scenes import PROCESSES
from companion.vision.classifier import crops
from companion.vision.detector.detections import WORKING_TILE_SIDE_PX, detect_at_scale, fit_shapes
from companion.vision.networks import Detector

SIGNS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abdefghjmnqrtyß+-=/×?!&$€%<>#@ΓΔΘΛΞΠΣΦΨΩБДЖИЙЛУЦЧШЩЪЫЭЮЯ")
"""Signs that most fonts have; small letters that look like capitals are left out."""
SCRIPTS = {
    "Adlam": (0x1E900, 0x1E943),
    "Armenian": (0x531, 0x586),
    "Bengali": (0x985, 0x9B9),
    "CanadianAboriginal": (0x1401, 0x1676),
    "Cherokee": (0x13A0, 0x13F4),
    "Coptic": (0x2C80, 0x2CB1),
    "Devanagari": (0x905, 0x939),
    "Ethiopic": (0x1200, 0x1357),
    "Georgian": (0x10D0, 0x10FA),
    "Glagolitic": (0x2C00, 0x2C2E),
    "Gujarati": (0xA85, 0xAB9),
    "Gurmukhi": (0xA05, 0xA39),
    "Hebrew": (0x5D0, 0x5EA),
    "Javanese": (0xA984, 0xA9B2),
    "Kannada": (0xC85, 0xCB9),
    "Khmer": (0x1780, 0x17B3),
    "Lao": (0xE81, 0xEAE),
    "LinearB": (0x10000, 0x1003F),
    "Malayalam": (0xD05, 0xD39),
    "Myanmar": (0x1000, 0x102A),
    "Oriya": (0xB05, 0xB39),
    "Runic": (0x16A0, 0x16EA),
    "Sinhala": (0xD85, 0xDC6),
    "Tamil": (0xB85, 0xBB9),
    "Telugu": (0xC05, 0xC39),
    "Thai": (0xE01, 0xE2E),
    "Tifinagh": (0x2D30, 0x2D67),
    "Vai": (0xA500, 0xA60B),
}
"""Scripts for training: first and last character.  Japanese is left out, as the evaluation uses it."""
SCRIPT_SHARE, DOODLE_SHARE, WORDS_SHARE = 0.4, 0.2, 0.3
"""Shares of the tasks in another script; of the others, those with made-up signs, and those with words."""
WORDS = "AND OR NOT XOR NAND NOR ED ING QU ER IN TH SCH CH LL RR NY IJ DZ EST RE UN THE ON".split()
MAX_WARP_STD_PX = 2.5
"""Largest standard deviation of the warp that makes a task's own shape of a glyph, in mask pixels."""
SIGNS_PER_TASK, CROSSWORD_TILES, LOOSE_TILES, LOOSE_BLANKS = 16, 34, 26, 4
"""Signs of a task; tiles in each picture's crossword, loose ones, and loose blank ones."""
PICTURES = 2
TILE_PX = (26.0, 66.0)
WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX = 56, 36
"""Side of a crop and of the tile in its middle, in pixels."""
MIN_VISIBLE_SHARE, MIN_INK_CONTRAST_GREY = 0.96, 12.0
"""Least visible share of a tile, and least contrast of its ink in grey levels, that give an example."""
DOODLE_PREFIX = "doodle "
"""Beginning of the names of made-up signs, which each task has of its own."""
BACKGROUND, BLANK = -1, -2
"""Labels of a crop without a tile, and of a tile without a sign."""


@dataclass(frozen=True, slots=True)
class FewShotTask:
    """Labelled crops of one task, upright: (n, 56, 56) uint8 with a tile of 36 pixels in the middle.

    ``shows`` (n,) is the index in ``signs``, -2 for a blank face and -1 for no tile; ``picture`` (n,) the
    index of the picture that it was cut from.
    """

    crops: NDArray[np.uint8]
    shows: NDArray[np.int16]
    picture: NDArray[np.int16]
    signs: tuple[str, ...]


def few_shot_tasks(count: int, seed: int, workers: int = PROCESSES) -> Iterator[FewShotTask]:
    """Yield ``count`` tasks, the same for the same seed, drawn by several processes."""
    with get_context("forkserver").Pool(workers, cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap(few_shot_task, ((seed, k) for k in range(count)), chunksize=4)


def few_shot_task(key: tuple[int, int]) -> FewShotTask:
    """Draw one task; ``key`` is the seed and its number."""
    rng = np.random.default_rng(key)
    signs, hand = random_signs(rng)
    lots = [labelled_crops(rng, task_scene(rng, signs, hand), signs) for _ in range(PICTURES)]
    return FewShotTask(
        np.concatenate([crops for crops, _ in lots]),
        np.concatenate([shows for _, shows in lots]),
        np.repeat(np.arange(len(lots)), [len(shows) for _, shows in lots]).astype(np.int16),
        signs,
    )


def random_signs(rng: Rng) -> tuple[tuple[str, ...], Handwriting]:
    """Return the random signs and the handwriting of a task."""
    fonts, script = training_fonts(), rng.random() < SCRIPT_SHARE
    if script:
        name = choose(rng, sorted(SCRIPTS))
        font = choose(rng, fonts_named((f"NotoSans{name}-",)))
        every = script_letters(font, name)
    else:
        font = choose(rng, fonts.plain if rng.random() < 0.7 else fonts.serifed)
        every = tuple(sign for sign in SIGNS if glyph(font, sign) is not None)
        if rng.random() < WORDS_SHARE:
            words = [str(word) for word in rng.choice(WORDS, 5, replace=False)]
            every = (*(str(sign) for sign in rng.choice(every, SIGNS_PER_TASK - 5, replace=False)), *words)
    signs = tuple(str(sign) for sign in rng.choice(every, min(SIGNS_PER_TASK, len(every)), replace=False))
    hand = random_handwriting(rng, signs, (font,))
    masks = {sign: mask for sign in signs if (mask := glyph(font, sign)) is not None}
    if not script and rng.random() < DOODLE_SHARE:
        masks = {f"{DOODLE_PREFIX}{k}": doodle(rng) for k in range(SIGNS_PER_TASK)}
    far = float(rng.uniform(0, MAX_WARP_STD_PX))
    own = tuple((sign, warped(rng, mask, far)) for sign, mask in masks.items())
    return tuple(masks), hand.with_masks(own)


@cache
def script_letters(font: Path, script: str) -> tuple[str, ...]:
    """Return the letters of a script that a font has."""
    first, last = SCRIPTS[script]
    found = (chr(k) for k in range(first, last + 1) if unicodedata.category(chr(k)).startswith("L"))
    return tuple(sign for sign in found if glyph(font, sign) is not None)


def task_scene(rng: Rng, signs: tuple[str, ...], hand: Handwriting) -> Scene:
    """Return a picture of a task's tiles: a crossword, loose tiles and blank ones, at any rotation."""
    tile_px = float(np.exp(rng.uniform(*np.log(TILE_PX))))
    side = round(18 * tile_px)
    view = View(side, side, tile_px, float(abs(rng.normal(0, 8))), float(rng.normal(0, 3)))
    words = [[signs[k] for k in lot] for lot in rng.integers(len(signs), size=(150, 4)).tolist()]
    grid = crossword(rng, CROSSWORD_TILES, words, touching_share=0.3, max_extent=10)
    at = (float(rng.uniform(-2, 2)), float(rng.uniform(-2, 2)))
    laid = place_grid(rng, grid, at, float(rng.uniform(0, 2 * np.pi)), random_jitter(rng), 0)
    floor = FreeSpace(8.4, 8.4)
    floor.occupy(laid)
    loose = [signs[k] for k in rng.integers(len(signs), size=LOOSE_TILES)] + [None] * LOOSE_BLANKS
    return hand_table(rng, view, laid + place_loose(rng, floor, loose, gap=1.5), hand)


def labelled_crops(
    rng: Rng, scene: Scene, signs: tuple[str, ...]
) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return the crops of one picture and their labels."""
    quads, shows = [], []
    for tile in scene.tiles:
        if tile.visible > MIN_VISIBLE_SHARE and not (
            tile.symbol and contrast(scene.picture, tile.corners) < MIN_INK_CONTRAST_GREY
        ):
            quads.append(tile.corners)
            shows.append(signs.index(tile.symbol) if tile.symbol else BLANK)
    empty = background_quads(rng, scene)
    every = [*quads, *empty]
    return crops(scene.picture, np.array(every), WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX), np.array(
        shows + [BACKGROUND] * len(empty), np.int16
    )


def background_quads(rng: Rng, scene: Scene) -> list[NDArray[np.float64]]:
    """Return up to 40 outlines without a tile: false detections, and places between tiles."""
    tiles = np.array([tile.corners for tile in scene.tiles]).reshape(-1, 4, 2)
    middles, side = tiles.mean(1), scene.tile_px
    detections = fit_shapes(
        detect_at_scale(
            _detector(), scene.picture, float(rng.uniform(0.8, 1.2)) * WORKING_TILE_SIDE_PX / side
        )
    )
    found = list(detections.quads())
    for k in rng.integers(len(tiles), size=12):
        way = float(rng.uniform(0, 2 * np.pi))
        far = float(rng.uniform(0.55, 1.0)) * side * np.array([np.cos(way), np.sin(way)])
        found.append(np.asarray(tiles[k] + far))
    return [quad for quad in found if np.hypot(*(middles - quad.mean(0)).T).min() > 0.5 * side][:40]


@cache
def _detector() -> Detector:
    """Return the detector of this process."""
    return Detector()
