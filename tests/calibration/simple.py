"""Drawn things of which a person can say beforehand what they look like."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import Camera, View, camera
from calibration.drawing.fonts import training_fonts
from calibration.drawing.layout import PlacedTile
from calibration.drawing.paint import Picture
from calibration.drawing.tile_style import TileStyle
from calibration.drawing.tiles import DrawnTile, draw_tiles

WORDS = (
    "AN AT BE BEAD BEAN BEAT BET CAB CAT CUT DOG EAT GO GOAT HAT HEAR HEAT HEN HOT IN IS IT LINE LOT MAN "
    "MEAT NET NO NOTE ON OR PEEL PEN PIN PLAN RAN RAT RED ROT SEAT SET SIT SO STONE TABLE TAN TEN TILE TO TON"
).split()


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def look(thickness: float = 0.2, face: float = 255.0, capital: float = 0.6) -> TileStyle:
    """Return square white tiles with black letters and black side walls, without any wear."""
    return TileStyle(
        font=training_fonts().plain[0],
        ink=0.0,
        face=face,
        wall=0.0,
        capital=capital,
        stretch=1.0,
        shift=(0.0, 0.0),
        weight=0,
        shine=0.0,
        value=False,
        rounding=0.02,
        bevel=0.0,
        grain=0.0,
        aspect=1.0,
        thickness=thickness,
    )


def above(side: int = 200, tile_px: float = 40.0, tilt_deg: float = 0.0, turn_deg: float = 0.0) -> Camera:
    """Return a camera over the middle of the table."""
    return camera(View(side, side, tile_px, tilt_deg, turn_deg))


def on_black(
    laid: list[PlacedTile], view: Camera, thickness: float = 0.2, side: int = 200
) -> tuple[Picture, list[DrawnTile]]:
    """Return a picture of white tiles on a black table, and the tiles."""
    picture = np.zeros((side, side), np.float32)
    return picture, draw_tiles(picture, laid, look(thickness), view, rng())


def straightened(picture: Picture, corners: NDArray[np.float64], side: int = 64) -> Picture:
    """Return what lies inside four corners, shape (side, side)."""
    target = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * side - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target.astype(np.float32))
    return np.asarray(cv2.warpPerspective(picture, matrix, (side, side)), np.float32)
