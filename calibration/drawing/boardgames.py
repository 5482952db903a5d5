"""Drawn games on a printed board: tiles in its squares, blanks among them, racks beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.drawing.backgrounds import background
from calibration.drawing.boards import BoardSheet, board, lay_flat
from calibration.drawing.camera import View, camera
from calibration.drawing.chance import Rng
from calibration.drawing.layout import Floor, Hand, Laid, Word, crossword, lay, scatter
from calibration.drawing.looks import random_look
from calibration.drawing.paint import Picture
from calibration.drawing.scene import Scene, Shot, tiled

SQUARES = 15
REACH = 7
"""The crossword keeps within so many squares of the board's middle."""
BLANKS = 0.12
"""Share of the tiles that show no symbol."""


def board_game(rng: Rng, view: View, words: Sequence[Word], letters: Sequence[str], shot: Shot) -> Scene:
    """Return a scene of a game on a board of 15 by 15 squares, seen from nearly straight above."""
    grid = crossword(rng, int(rng.integers(10, 70)), words, 0.4)
    middle = np.round(np.mean(list(grid), axis=0)).astype(int)
    held = {c: s for c, s in grid.items() if np.abs(np.subtract(c, middle)).max() < REACH}
    pitch, turn, at = float(rng.uniform(1.03, 1.2)), float(rng.uniform(0, 2 * np.pi)), rng.uniform(-2, 2, 2)
    hand = Hand(pitch, float(rng.uniform(0, 0.04)), float(rng.uniform(0, 0.03)), 0.0)
    laid = lay(rng, held, (float(at[0]), float(at[1])), turn, hand, 0)
    laid = [blank_at_times(rng, tile) for tile in laid]
    floor = Floor(view.width / view.tile_px / 2 - 0.2, view.height / view.tile_px / 2 - 0.2)
    floor.use(laid)
    rack = [str(letters[k]) for k in rng.integers(len(letters), size=int(rng.integers(0, 6)))]
    laid += scatter(rng, floor, [*rack, *[None] * int(rng.integers(0, 6))])
    picture = background(rng, view.width, view.height, view.tile_px)
    # the crossword is laid about the mean of its cells: the board's middle square lies off it by the rest
    off = (middle - np.mean(list(held), axis=0))[::-1] * pitch
    c, s = np.cos(turn), np.sin(turn)
    place = at + np.array([[c, -s], [s, c]]) @ off
    lay_board(picture, board(rng, SQUARES), view, (float(place[0]), float(place[1]), turn), pitch)
    return tiled(rng, picture, view, laid, random_look(rng), shot)


def blank_at_times(rng: Rng, tile: Laid) -> Laid:
    """Return a tile, now and then without its symbol."""
    return Laid(tile.x, tile.y, tile.turn, None, tile.group, tile.cell) if rng.random() < BLANKS else tile


def lay_board(
    picture: Picture, sheet: BoardSheet, view: View, pose: tuple[float, float, float], pitch: float
) -> None:
    """Lay a board with its middle at (x, y), turned clockwise, its squares ``pitch`` tiles broad."""
    lay_flat(picture, sheet.picture, camera(view), pose, pitch * sheet.breadth)
