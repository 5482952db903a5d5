"""A drawn board between two players, under two cameras that see it from opposite sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.bootstrap.simulated.game import GAMES, PYRAMID_BASE, TILE_MM, SimulatedGame
from companion.model.profile import CameraId, Profile, TableMap
from companion.vision.camera_frame import Frame
from hardware.simulated.draw import Canvas
from hardware.simulated.world import PlacedTile, Pyramid, World

WIDTH, HEIGHT = 1120, 840
Cells = Mapping[tuple[int, int], str]
Matrix = NDArray[np.float64]
Pieces = Mapping[str, Sequence[tuple[int, int]]]
Awards = Sequence[tuple[tuple[str, str], tuple[int, int]]]
"""Colour and size of pyramids beside the board, and the row and column in which they stand."""

BASES = {"small": 0.85, "medium": 1.17}

KEYSTONE = np.array([[0.97, 0.02, 14.0], [-0.01, 0.95, 20.0], [1e-6, 2e-5, 1.0]])
"""What a camera that hangs a little aslant does to a picture."""

TURNED = np.array([[-1.0, 0.0, WIDTH - 1], [0.0, -1.0, HEIGHT - 1], [0.0, 0.0, 1.0]])
SEES: Mapping[str, Matrix] = {"near": np.eye(3), "far": KEYSTONE @ TURNED}
"""From the table's picture to each camera's: the second sees everything upside down."""


class Drawn:
    """A table for a game on a board, drawn as both cameras see it."""

    def __init__(self, game: str, folder: Path, sees: Mapping[str, Matrix] = SEES) -> None:
        self.plan, self.sees = SimulatedGame.of(game, None, 1, folder), sees
        self.board = GAMES[game].board
        self._top = self.plan.table_image()

    def pictures(self, cells: Cells, pieces: Pieces | None = None, awards: Awards = ()) -> dict[str, Frame]:
        """Return what each camera sees of tiles, of large pyramids by colour, and of awards."""
        seating, chance = self.plan.seating, np.random.default_rng(5)
        world = World(
            seating.size,
            [
                PlacedTile(symbol, *seating.square(*at), float(chance.normal(0, 0.02)), up=True)
                for at, symbol in cells.items()
            ],
            [],
        )
        standing = [
            Pyramid(colour, "large", PYRAMID_BASE, *seating.square(*at))
            for colour, squares in (pieces or {}).items()
            for at in squares
        ]
        standing += [Pyramid(*look, BASES[look[1]], *seating.square(*at)) for look, at in awards]
        world.pyramids.update(enumerate(standing))
        frame = Canvas(world, self._top, self.plan.tile_px, 2).frame()
        small = np.asarray(cv2.resize(frame, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        return {name: self._seen(small, name) for name in self.sees}

    def _seen(self, table: Frame, name: str) -> Frame:
        """Return the table's picture as a camera sees it."""
        seen = cv2.warpPerspective(table, self.sees[name], (WIDTH, HEIGHT), borderValue=(60, 60, 60))
        return np.asarray(seen, np.uint8)

    def profile(self, name: str) -> Profile:
        """Return what calibration would know of a camera."""
        broad, high = (side * TILE_MM for side in self.plan.seating.size)
        matrix = np.diag([broad / WIDTH, broad / WIDTH, 1.0]) @ np.linalg.inv(self.sees[name])
        found = TableMap(tuple((matrix / matrix[2, 2]).ravel().tolist()), broad, high, 0.0)
        camera = CameraId(name, WIDTH, HEIGHT)
        return Profile(camera, "2026-11-21", None, found, self.plan.tile_px * WIDTH / 1920)


def glaring(frame: Frame, middle: tuple[int, int], radius: int) -> Frame:
    """Return a picture with a lamp's reflection in it, white in the middle and fading."""
    y, x = np.mgrid[: frame.shape[0], : frame.shape[1]]
    far = np.hypot(x - middle[0], y - middle[1]) / radius
    shine = np.clip(1.6 - 1.6 * far, 0, 1)[..., None]
    return np.asarray(frame + (255 - frame) * shine, np.uint8)


def veiled(frame: Frame, box: tuple[int, int, int, int]) -> Frame:
    """Return a picture in which a sleeve lies over a part: left, top, right, bottom."""
    left, top, right, bottom = box
    out = frame.copy()
    out[top:bottom, left:right] = (70, 90, 150)
    return out
