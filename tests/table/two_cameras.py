"""A drawn table under two cameras, each of which sees two thirds of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import cast

import cv2
import numpy as np

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.layout import PlacedTile
from calibration.drawing.light import captured, with_uneven_light
from calibration.drawing.tile_style import random_style
from calibration.drawing.tiles import draw_tiles
from companion.bootstrap.devices import Hardware, Simulation
from companion.config.cameras import CameraConfig
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from companion.table.devices import NoLights, NoSound
from companion.vision.camera_frame import Frame
from hardware.cameras import Camera
from tests.table.playing import FakeHealth, FakeShot

SIDE_MM = 20.0
TABLE_MM = (920.0, 480.0)
VIEW = View(896, 672, 28, 6.0, 0.0)
MIDDLES_MM = {"left": (320.0, 240.0), "right": (600.0, 240.0)}
"""What each camera's middle looks at; a picture is 640 mm broad there."""

ZONES = (
    Zone(ZoneKind.SEAT, 1, ((0, 170), (290, 170), (290, 480), (0, 480))),
    Zone(ZoneKind.SEAT, 2, ((310, 170), (610, 170), (610, 480), (310, 480))),
    Zone(ZoneKind.SEAT, 3, ((630, 170), (920, 170), (920, 480), (630, 480))),
    Zone(ZoneKind.SEAT, 4, ((0, 0), (920, 0), (920, 160), (0, 160))),
)
WORDS = {1: "CRANE", 2: "TIGER", 3: "WALKS", 4: "COUNTERREVOLUTIONS"}
PLACES_MM = {1: (100.0, 300.0), 2: (410.0, 300.0), 3: (730.0, 300.0), 4: (280.0, 100.0)}
"""Where the first letters lie.  The left camera alone sees the first word, the right one the third, both see
the second, and none all of the fourth."""


def laid(words: dict[int, str] = WORDS) -> list[PlacedTile]:
    """Return the tiles of each seat's word, laid by hand, in tile sides of the table's frame."""
    tiles: list[PlacedTile] = []
    for seat, word in words.items():
        rng = np.random.default_rng(seat)
        x, y = (mm / SIDE_MM for mm in PLACES_MM[seat])
        for col, letter in enumerate(word):
            dx, dy, turn = rng.normal(0, 0.02, 3)
            tiles.append(PlacedTile(x + 1.04 * col + dx, y + dy, turn, letter, seat, (0, col)))
    return tiles


def picture(name: str, tiles: Sequence[PlacedTile], seed: int = 3) -> Frame:
    """Return what a camera sees of tiles on the table."""
    x, y = (mm / SIDE_MM for mm in MIDDLES_MM[name])
    look = random_style(np.random.default_rng(seed))
    tile, light = (np.random.default_rng((seed, len(name), k)) for k in range(2))
    before = [PlacedTile(t.x - x, t.y - y, t.turn, t.symbol, t.group, t.cell) for t in tiles]
    table = background(light, VIEW.width, VIEW.height, VIEW.tile_px)
    draw_tiles(table, before, look, camera(VIEW), tile)
    return captured(with_uneven_light(table, light), light, 0.3)


def profile(name: str, zones: tuple[Zone, ...] = ZONES) -> Profile:
    """Return what calibration would know of a camera."""
    corners = np.array([(-12, -9), (12, -9), (12, 9), (-12, 9)], float)
    pixels = camera(VIEW).pixels(np.column_stack([corners, np.zeros(4)]))
    places = corners * SIDE_MM + MIDDLES_MM[name]
    matrix = cv2.getPerspectiveTransform(pixels.astype(np.float32), places.astype(np.float32))
    table = TableMap(tuple(matrix.ravel().tolist()), *TABLE_MM, 0.0)
    return Profile(
        CameraId(name, VIEW.width, VIEW.height), "2026-11-21", None, table, float(VIEW.tile_px), zones
    )


class DrawnCamera:
    """Takes a picture of a drawn table whenever it is told to."""

    def __init__(self) -> None:
        self.fares = FakeHealth()
        self.shot: FakeShot | None = None
        self.changed = threading.Condition()

    def newest(self, after_ns: int, wait_s: float) -> FakeShot | None:
        with self.changed:
            self.changed.wait_for(lambda: self.shot is not None and self.shot.at_ns > after_ns, wait_s)
            return self.shot if self.shot is not None and self.shot.at_ns > after_ns else None

    def health(self) -> FakeHealth:
        return self.fares

    def takes(self, frame: Frame, at_ns: int) -> None:
        with self.changed:
            self.shot = FakeShot(frame, at_ns)
            self.changed.notify_all()


def watched_by(devices: Sequence[tuple[CameraConfig, DrawnCamera]]) -> Hardware:
    """Return the hardware of a table with drawn cameras, which are open from the start."""
    cameras = [(config, cast("Camera", camera)) for config, camera in devices]
    return Hardware(cameras, NoLights(), NoSound(), Simulation())
