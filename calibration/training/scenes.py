"""Training scenes: drawn pictures with labels, at full size and at the detector's scale."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.boards import (
    SQUARES_PER_SIDE,
    BoardSheet,
    board_squares,
    draw_flat,
    random_board,
)
from calibration.drawing.camera import View, camera
from calibration.drawing.equations import EquationScene, Variation, equation_game
from calibration.drawing.layout import FreeSpace, Jitter, PlacedTile, Word, crossword, place_grid, place_loose
from calibration.drawing.light import out_of_focus, with_hard_shadow
from calibration.drawing.materials import HAND, coloured, object_labels
from calibration.drawing.paint import Picture
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import (
    CaptureConditions,
    Scene,
    SceneContents,
    draw_on_background,
    draw_scene,
    visible_shares,
    with_objects,
)
from calibration.drawing.tile_style import random_style
from calibration.drawing.volcano import VolcanoScene, volcano_game
from companion.model.tiles import tile_set
from companion.vision.camera_frame import grey
from companion.vision.classifier import ACCENTED, LATIN, SIGNS

BOARD_REACH = 7
"""Largest distance of a crossword's tiles from the board's middle, in squares."""
BLANK_SHARE = 0.12
"""Share of the tiles that show no symbol."""

PROCESSES = len(os.sched_getaffinity(0))
"""Number of processes that draw: one for each processor."""

PATCH_SIDE_PX = 320
"""Side of the detector's training patch, in pixels."""

OTHER_BOARD_SHARE, USUAL_BOARD_SHARE, VOLCANO_SCENE_SHARE = 0.12, 0.18, 0.15
"""Shares of the scenes that show a board of any pattern, the usual board, and Martian Boggle."""
CAMOUFLAGE_SHARE, CAMOUFLAGE_SPREAD = 0.3, 0.15
"""Share of the usual boards with squares of the tiles' colour, and the largest standard deviation of that
colour in logarithms."""
MAX_CLUTTER_ROUNDS, MAX_LINE_PX = 3, 5
"""Largest number of rounds of clutter below the usual board; of the pixels of a line, to either side."""

MAX_TILT_DEG, MAX_VOLCANO_TILT_DEG = 62.0, 25.0
"""Largest tilt of a camera, and of one above a game of Martian Boggle."""

WORD_LENGTH = 5
"""Letters of a word of Martian Boggle."""

CONFUSABLE_SHARE = 0.15
"""Share of the scenes without a board in which all symbols are easily confused: hard examples."""

CONFUSABLE_SETS = ("+÷", "+÷", "+÷x-=/", "-÷=", "-÷", "+x÷", "OQ", "CG", "OQCGD", "IL1")
"""The symbols of such scenes."""

AnyScene = Scene | EquationScene | VolcanoScene

Key = tuple[int, int]
"""The seed and the number of a scene."""

SAME_SYMBOL = {"÷": "/"}
"""Symbols with the label of another symbol, of which they are another glyph."""

SHADOW_SHARE, BURNT_SHARE, BLUR_SHARE = 0.3, 0.1, 0.15
"""Shares of the scenes partly in a hard shadow, of overexposed ones, and of blurred ones."""
MAX_OVEREXPOSURE = 2.2
"""Largest factor on the light of an overexposed picture."""

HEAP_SHARE = 0.4
"""Share of the scenes whose loose tiles are pushed together."""


def board_game(
    rng: Rng, view: View, words: Sequence[Word], letters: Sequence[str], shot: CaptureConditions
) -> Scene:
    """Return a scene of a game on a board of 15 by 15 squares."""
    grid = crossword(rng, int(rng.integers(10, 70)), words, 0.4)
    middle = np.round(np.mean(list(grid), axis=0)).astype(int)
    held = {c: s for c, s in grid.items() if np.abs(np.subtract(c, middle)).max() < BOARD_REACH}
    pitch, turn, at = float(rng.uniform(1.03, 1.2)), float(rng.uniform(0, 2 * np.pi)), rng.uniform(-2, 2, 2)
    hand = Jitter(pitch, float(rng.uniform(0, 0.04)), float(rng.uniform(0, 0.03)), 0.0)
    laid = place_grid(rng, held, (float(at[0]), float(at[1])), turn, hand, 0)
    laid = [sometimes_blank(rng, tile) for tile in laid]
    floor = FreeSpace(view.width / view.tile_px / 2 - 0.2, view.height / view.tile_px / 2 - 0.2)
    floor.occupy(laid)
    rack = [str(letters[k]) for k in rng.integers(len(letters), size=int(rng.integers(0, 6)))]
    laid += place_loose(rng, floor, [*rack, *[None] * int(rng.integers(0, 6))])
    picture = background(rng, view.width, view.height, view.tile_px)
    bare = picture.copy()
    # the crossword is laid about the mean of its cells: the board's middle square lies off it by the rest
    off = (middle - np.mean(list(held), axis=0))[::-1] * pitch
    c, s = np.cos(turn), np.sin(turn)
    place = at + np.array([[c, -s], [s, c]]) @ off
    pose = float(place[0]), float(place[1]), turn
    draw_board_at(picture, random_board(rng, SQUARES_PER_SIDE), view, pose, pitch)
    labels = object_labels(bare, picture)
    scene = with_objects(draw_on_background(rng, picture, view, laid, random_style(rng), shot), labels)
    return replace(scene, squares=board_squares(camera(view), pose, pitch))


def sometimes_blank(rng: Rng, tile: PlacedTile) -> PlacedTile:
    """Return a tile, blank with a probability of ``BLANK_SHARE``."""
    return (
        PlacedTile(tile.x, tile.y, tile.turn, None, tile.group, tile.cell)
        if rng.random() < BLANK_SHARE
        else tile
    )


def draw_board_at(
    picture: Picture, sheet: BoardSheet, view: View, pose: tuple[float, float, float], pitch: float
) -> None:
    """Draw a board; ``pose`` is its centre (x, y) and its clockwise rotation, ``pitch`` a square's side in
    tiles.
    """
    draw_flat(picture, sheet.picture, camera(view), pose, pitch * sheet.breadth)


class Outlines(NamedTuple):
    """What is to be detected: corners in picture pixels, (n, 4, 2) float32 clockwise, and the visible share
    of each, (n,) float32, 0 to 1.
    """

    quads: NDArray[np.float32]
    seen: NDArray[np.float32]


NOTHING = Outlines(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))
"""Outlines of a class that a scene does not show."""


@dataclass(frozen=True, slots=True)
class TrainingScene:
    """One drawn scene with its labels.

    ``picture`` is the drawn picture, (h, h) uint8; ``patch`` the same in colour, shrunk to (320, 320, 3)
    uint8 BGR, in which a tile is 9 to 24 pixels wide; one patch pixel is ``patch_scale`` picture pixels.
    ``tiles`` begin at the symbol's own top left; ``symbols`` are theirs, ``""`` face down or blank.
    ``printed`` are outlines of printed squares without a tile, (m, 4, 2): hard negatives.  ``pyramids`` are
    the bases of pyramids, ``squares`` those of a board, with a tile on them or without.
    """

    patch: NDArray[np.uint8]
    picture: NDArray[np.uint8]
    patch_scale: float
    tiles: Outlines
    symbols: tuple[str, ...]
    printed: NDArray[np.float32]
    pyramids: Outlines = NOTHING
    squares: Outlines = NOTHING

    def in_patch(self, quads: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return corners in patch pixels, (n, 4, 2)."""
        return ((quads + 0.5) / self.patch_scale - 0.5).astype(np.float32)


def training_scenes(count: int, seed: int, workers: int = PROCESSES) -> Iterator[TrainingScene]:
    """Yield ``count`` scenes, the same for the same seed, drawn by several processes."""
    with get_context("forkserver").Pool(workers, cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap(training_scene, ((seed, k) for k in range(count)), chunksize=8)


def training_scene(key: Key) -> TrainingScene:
    """Draw one scene; ``key`` is the seed and the number of the scene."""
    rng = np.random.default_rng(key)
    tile_px = float(np.exp(rng.uniform(np.log(9), np.log(24))))
    side = round(PATCH_SIDE_PX * float(rng.uniform(1.5, 2.5)))
    finer = side / PATCH_SIDE_PX
    view, contents = _view(rng, side, tile_px * finer), _contents(rng, PATCH_SIDE_PX / tile_px)
    scene = _scene(rng, view, contents)
    size = PATCH_SIDE_PX, PATCH_SIDE_PX
    colours, levels = (
        _spoilt(np.random.default_rng((*key, 2)), shown, tile_px * finer)
        for shown in (_in_colour(scene, key), grey(scene.picture))
    )
    patch = cv2.resize(colours, size, interpolation=cv2.INTER_AREA)
    quads = np.array([tile.corners for tile in scene.tiles], np.float32).reshape(-1, 4, 2)
    near = _within(quads, side, tile_px * finer)  # the others lie wholly outside the picture
    printed = scene.printed.astype(np.float32) if isinstance(scene, EquationScene) else quads[:0]
    return TrainingScene(
        np.asarray(patch, np.uint8),
        levels,
        finer,
        Outlines(quads[near], np.array([scene.tiles[k].visible for k in near], np.float32)),
        tuple(SAME_SYMBOL.get(symbol := scene.tiles[k].symbol or "", symbol) for k in near),
        printed[_within(printed, side, -tile_px * finer)],
        _pyramids(scene),
        _squares(scene),
    )


def _spoilt(rng: Rng, picture: NDArray[np.uint8], tile_px: float) -> NDArray[np.uint8]:
    """Return a picture that may be partly in shadow, blurred or burnt, by the state of ``rng``."""
    shadow, burnt, blur = rng.random(3) < (SHADOW_SHARE, BURNT_SHARE, BLUR_SHARE)
    picture = with_hard_shadow(picture, rng, tile_px) if shadow else picture
    picture = out_of_focus(picture, rng, tile_px) if blur else picture
    gain = float(rng.uniform(1, MAX_OVEREXPOSURE)) if burnt else 1.0
    return np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)


def _pyramids(scene: AnyScene) -> Outlines:
    """Return the bases of pyramids in a scene."""
    if not isinstance(scene, VolcanoScene):
        return NOTHING
    bases = scene.bases[_within(scene.bases, len(scene.picture), 0)].astype(np.float32)
    return Outlines(bases, np.ones(len(bases), np.float32))


def _squares(scene: AnyScene) -> Outlines:
    """Return the squares of a board in a scene; those under a hand are hidden."""
    if isinstance(scene, VolcanoScene):
        return NOTHING
    squares = scene.squares[_within(scene.squares, len(scene.picture), 0)]
    cover = np.zeros(scene.picture.shape[:2], np.uint8)
    if isinstance(scene, Scene) and scene.labels is not None:
        cover[scene.labels == HAND] = 255
    return Outlines(squares.astype(np.float32), visible_shares(squares, cover).astype(np.float32))


def _in_colour(scene: AnyScene, key: Key) -> NDArray[np.uint8]:
    """Return a scene's picture in colour, (h, w, 3); one drawn in grey is coloured at random."""
    if isinstance(scene, Scene) and scene.labels is not None:
        return coloured(scene.picture, scene.labels, np.random.default_rng((*key, 1)))
    return scene.picture


def _within(quads: NDArray[np.floating], side: int, beyond: float) -> NDArray[np.intp]:
    """Return the indices of outlines with their centres in a square picture, or
    ``beyond`` pixels outside it.
    """
    return np.flatnonzero(np.abs(quads.mean(1) - side / 2).max(1) < side / 2 + beyond)


def _scene(rng: Rng, view: View, contents: SceneContents) -> AnyScene:
    """Return a scene of a random kind: a free table or one of three boards."""
    kind, severity = rng.random(), float(rng.uniform(0.5, 1.6))
    if kind < OTHER_BOARD_SHARE:
        shot = CaptureConditions(contents.hands, severity)
        return board_game(rng, view, contents.words, contents.letters, shot)
    if kind < OTHER_BOARD_SHARE + USUAL_BOARD_SHARE:
        return _usual_board(rng, view, contents)
    if kind < OTHER_BOARD_SHARE + USUAL_BOARD_SHARE + VOLCANO_SCENE_SHARE:
        level = replace(view, tilt_deg=min(view.tilt_deg, MAX_VOLCANO_TILT_DEG), stretch=(1.0, 1.0))
        words = ["".join(rng.choice(LATIN, WORD_LENGTH)) for _ in range(8)]
        return volcano_game(rng, level, LATIN, words)
    return draw_scene(rng, view, contents, severity=severity)


def _usual_board(rng: Rng, view: View, contents: SceneContents) -> EquationScene:
    """Return a scene of a game on the usual board, with equations or letters at random."""
    name = "binary" if rng.random() < 0.5 else "scrabble-en"
    counts = tile_set(name).counts or {}
    letters = sorted(counts)
    words = [] if name == "binary" else [[choose(rng, letters) for _ in word] for word in contents.words]
    spread = float(rng.uniform(0, CAMOUFLAGE_SPREAD))
    varied = Variation(
        words,
        int(rng.integers(MAX_CLUTTER_ROUNDS + 1)),
        spread if rng.random() < CAMOUFLAGE_SHARE else None,
        int(rng.integers(MAX_LINE_PX + 1)),
    )
    return equation_game(rng, view, counts, None, varied)


def _view(rng: Rng, side: int, tile_px: float) -> View:
    """Return a random camera: often straight above, sometimes oblique, sometimes with a stretched picture."""
    tilt = float(abs(rng.normal(0, 14))) if rng.random() < 0.6 else float(rng.uniform(10, MAX_TILT_DEG))
    stretch = (1.0, float(np.exp(rng.uniform(-0.3, 0.3)))) if rng.random() < 0.4 else (1.0, 1.0)
    turn, distortion = float(rng.uniform(0, 360)), float(rng.normal(0, 0.03))
    return View(side, side, tile_px, min(tilt, MAX_TILT_DEG), turn, distortion, stretch)


def _contents(rng: Rng, across: float) -> SceneContents:
    """Return random contents of a table that is ``across`` tiles wide."""
    room = across * across
    letters = _letters(rng)
    lots = rng.integers(len(letters), size=(150, 8)).tolist()
    words = [[letters[k] for k in lot[: rng.integers(2, 9)]] for lot in lots]
    tableaux = int(rng.integers(0, 4))
    size = int(min(45, rng.uniform(0.05, 0.2) * room + 3))
    most = 2 + int(room * 0.06)
    loose = int(rng.integers(0, most)) if rng.random() < 0.8 else 0
    face_down = int(rng.integers(0, most)) if rng.random() < 0.55 else 0
    jumbled = bool(rng.random() < HEAP_SHARE)
    hands = int(rng.random() < 0.3)
    return SceneContents(
        words, letters, tableaux, size, 2 * loose if jumbled else loose, face_down, hands, 0.4, jumbled
    )


def _letters(rng: Rng) -> list[str]:
    """Return the symbols of one scene: letters, letters with accents, signs, or a confusable few."""
    if rng.random() < CONFUSABLE_SHARE:
        return list(choose(rng, CONFUSABLE_SETS))
    kind = rng.random()
    if kind < 0.6:
        return list(LATIN) + list("IIEAOSNRZQQJ")
    if kind < 0.82:
        return list(LATIN) + list(ACCENTED) + list("ÄÖÜÅÄÖÜÄÖ")
    return list(SIGNS) * 2 + list("01=01x/-") + ["AND", "NOT", "OR"]
