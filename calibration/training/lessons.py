"""Drawn lessons: pictures whose tiles are known, as a camera takes them and as the detector sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.boards import BoardSheet, draw_flat, random_board
from calibration.drawing.camera import View, camera
from calibration.drawing.equations import EquationScene, equation_game
from calibration.drawing.layout import FreeSpace, Jitter, PlacedTile, Word, crossword, place_grid, place_loose
from calibration.drawing.paint import Picture
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import CaptureConditions, Scene, SceneContents, draw_on_background, draw_scene
from calibration.drawing.tile_style import random_style
from calibration.drawing.volcano import VolcanoScene, volcano_game
from companion.model.tiles import tile_set
from companion.vision.classifier import ACCENTED, LATIN, SIGNS
from companion.vision.picture import grey

SQUARES = 15
REACH = 7
"""The crossword keeps within so many squares of the board's middle."""
BLANKS = 0.12
"""Share of the tiles that show no symbol."""

PATCH = 320
"""Side of the detector's training patch, in pixels."""

ON_BOARD, EQUATIONS, VOLCANO = 0.1, 0.09, 0.07
"""Share of the lessons that show words on a board, Binary Number Scrabble, Martian Boggle."""

BOARD_TILT_DEG = 25.0
"""A camera above those two boards hangs at most so far aslant."""

SPELT = 5
"""Letters of a word of Martian Boggle."""

DRILLED = 0.15
"""Share of the lessons in which there are only symbols that look alike, beside those on boards."""

DRILLS = ("+÷", "+÷", "+÷x-=/", "-÷=", "-÷", "+x÷", "OQ", "CG", "OQCGD", "IL1")
"""What such lessons show."""

WRITTEN = {"÷": "/"}
"""Symbols that are only another way to write one."""

JUMBLED = 0.4
"""Share of the lessons whose loose tiles are pushed together."""


def board_game(
    rng: Rng, view: View, words: Sequence[Word], letters: Sequence[str], shot: CaptureConditions
) -> Scene:
    """Return a scene of a game on a board of 15 by 15 squares, seen from nearly straight above."""
    grid = crossword(rng, int(rng.integers(10, 70)), words, 0.4)
    middle = np.round(np.mean(list(grid), axis=0)).astype(int)
    held = {c: s for c, s in grid.items() if np.abs(np.subtract(c, middle)).max() < REACH}
    pitch, turn, at = float(rng.uniform(1.03, 1.2)), float(rng.uniform(0, 2 * np.pi)), rng.uniform(-2, 2, 2)
    hand = Jitter(pitch, float(rng.uniform(0, 0.04)), float(rng.uniform(0, 0.03)), 0.0)
    laid = place_grid(rng, held, (float(at[0]), float(at[1])), turn, hand, 0)
    laid = [blank_at_times(rng, tile) for tile in laid]
    floor = FreeSpace(view.width / view.tile_px / 2 - 0.2, view.height / view.tile_px / 2 - 0.2)
    floor.occupy(laid)
    rack = [str(letters[k]) for k in rng.integers(len(letters), size=int(rng.integers(0, 6)))]
    laid += place_loose(rng, floor, [*rack, *[None] * int(rng.integers(0, 6))])
    picture = background(rng, view.width, view.height, view.tile_px)
    # the crossword is laid about the mean of its cells: the board's middle square lies off it by the rest
    off = (middle - np.mean(list(held), axis=0))[::-1] * pitch
    c, s = np.cos(turn), np.sin(turn)
    place = at + np.array([[c, -s], [s, c]]) @ off
    lay_board(picture, random_board(rng, SQUARES), view, (float(place[0]), float(place[1]), turn), pitch)
    return draw_on_background(rng, picture, view, laid, random_style(rng), shot)


def blank_at_times(rng: Rng, tile: PlacedTile) -> PlacedTile:
    """Return a tile, now and then without its symbol."""
    return (
        PlacedTile(tile.x, tile.y, tile.turn, None, tile.group, tile.cell) if rng.random() < BLANKS else tile
    )


def lay_board(
    picture: Picture, sheet: BoardSheet, view: View, pose: tuple[float, float, float], pitch: float
) -> None:
    """Lay a board with its middle at (x, y), turned clockwise, its squares ``pitch`` tiles broad."""
    draw_flat(picture, sheet.picture, camera(view), pose, pitch * sheet.breadth)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One drawn scene.

    ``patch`` is the picture shrunk to (320, 320) uint8, a tile 9 to 24 pixels
    broad, and ``picture`` as taken, (h, h) uint8; ``finer`` pixels of the
    picture are one of the patch.  ``quads`` are the tiles' corners in picture
    pixels, (n, 4, 2) float32, clockwise from the symbol's own top left;
    ``symbols`` what each shows, ``""`` face down; ``seen`` the share that
    shows, (n,) float32.  ``printed`` are outlines like ``quads`` of printed
    squares in which no tile lies, (m, 4, 2).
    """

    patch: NDArray[np.uint8]
    picture: NDArray[np.uint8]
    finer: float
    quads: NDArray[np.float32]
    symbols: tuple[str, ...]
    seen: NDArray[np.float32]
    printed: NDArray[np.float32]

    @property
    def patch_quads(self) -> NDArray[np.float32]:
        """The tiles' corners in patch pixels, (n, 4, 2)."""
        return ((self.quads + 0.5) / self.finer - 0.5).astype(np.float32)


def lessons(count: int, seed: int, workers: int = 2) -> Iterator[Lesson]:
    """Yield ``count`` lessons, the same for the same seed, drawn by several processes."""
    with get_context("forkserver").Pool(workers, cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap(lesson, ((seed, k) for k in range(count)), chunksize=8)


def lesson(key: tuple[int, int]) -> Lesson:
    """Draw one lesson; ``key`` is the seed and the number of the lesson."""
    rng = np.random.default_rng(key)
    tile_px = float(np.exp(rng.uniform(np.log(9), np.log(24))))
    side = round(PATCH * float(rng.uniform(1.5, 2.5)))
    finer = side / PATCH
    view, contents = _view(rng, side, tile_px * finer), _contents(rng, PATCH / tile_px)
    scene = _scene(rng, view, contents)
    picture = grey(scene.picture)
    patch = cv2.resize(picture, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    quads = np.array([tile.corners for tile in scene.tiles], np.float32).reshape(-1, 4, 2)
    near = _within(quads, side, tile_px * finer)  # the others are out of the picture, all of them
    printed = scene.printed.astype(np.float32) if isinstance(scene, EquationScene) else quads[:0]
    return Lesson(
        np.asarray(patch, np.uint8),
        picture,
        finer,
        quads[near],
        tuple(WRITTEN.get(symbol := scene.tiles[k].symbol or "", symbol) for k in near),
        np.array([scene.tiles[k].visible for k in near], np.float32),
        printed[_within(printed, side, -tile_px * finer)],
    )


def _within(quads: NDArray[np.float32], side: int, beyond: float) -> NDArray[np.intp]:
    """Return which outlines have their middles in a square picture, or so many pixels beyond its edge."""
    return np.flatnonzero(np.abs(quads.mean(1) - side / 2).max(1) < side / 2 + beyond)


def _scene(rng: Rng, view: View, contents: SceneContents) -> Scene | EquationScene | VolcanoScene:
    """Return a scene of one of the kinds that the reader meets."""
    kind, severity = rng.random(), float(rng.uniform(0.5, 1.6))
    level = replace(view, tilt_deg=min(view.tilt_deg, BOARD_TILT_DEG), stretch=(1.0, 1.0))
    if kind < ON_BOARD:
        above = replace(level, tilt_deg=float(abs(rng.normal(0, 3))), distortion=0.0)
        return board_game(
            rng, above, contents.words, contents.letters, CaptureConditions(contents.hands, severity)
        )
    if kind < ON_BOARD + EQUATIONS:
        return equation_game(rng, level, tile_set("binary").counts or {})
    if kind < ON_BOARD + EQUATIONS + VOLCANO:
        words = ["".join(rng.choice(LATIN, SPELT)) for _ in range(8)]
        return volcano_game(rng, level, LATIN, words)
    return draw_scene(rng, view, contents, severity=severity)


def _view(rng: Rng, side: int, tile_px: float) -> View:
    """Return a random camera: often straight above, sometimes oblique, sometimes a stretched picture."""
    tilt = float(abs(rng.normal(0, 14))) if rng.random() < 0.6 else float(rng.uniform(10, 50))
    stretch = (1.0, float(np.exp(rng.uniform(-0.3, 0.3)))) if rng.random() < 0.4 else (1.0, 1.0)
    turn, distortion = float(rng.uniform(0, 360)), float(rng.normal(0, 0.03))
    return View(side, side, tile_px, min(tilt, 50.0), turn, distortion, stretch)


def _contents(rng: Rng, across: float) -> SceneContents:
    """Return what to lay on a table that is ``across`` tiles broad."""
    room = across * across
    letters = _letters(rng)
    lots = rng.integers(len(letters), size=(150, 8)).tolist()
    words = [[letters[k] for k in lot[: rng.integers(2, 9)]] for lot in lots]
    tableaux = int(rng.integers(0, 4))
    size = int(min(45, rng.uniform(0.05, 0.2) * room + 3))
    most = 2 + int(room * 0.06)
    loose = int(rng.integers(0, most)) if rng.random() < 0.8 else 0
    face_down = int(rng.integers(0, most)) if rng.random() < 0.55 else 0
    jumbled = bool(rng.random() < JUMBLED)
    hands = int(rng.random() < 0.3)
    return SceneContents(
        words, letters, tableaux, size, 2 * loose if jumbled else loose, face_down, hands, 0.4, jumbled
    )


def _letters(rng: Rng) -> list[str]:
    """Return the symbols of one lesson's tile set: letters, letters with accents, signs, or a few alike."""
    if rng.random() < DRILLED:
        return list(choose(rng, DRILLS))
    kind = rng.random()
    if kind < 0.6:
        return list(LATIN) + list("IIEAOSNRZQQJ")
    if kind < 0.82:
        return list(LATIN) + list(ACCENTED) + list("ÄÖÜÅÄÖÜÄÖ")
    return list(SIGNS) * 2 + list("01=01x/-") + ["AND", "NOT", "OR"]
