"""A simulated table as a configuration has it: drawn, wired in memory, with a profile as if calibrated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from calibration.profile import write_profile
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls, LightKind
from companion.config.table import TableConfig
from companion.errors import BadSetUp
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from hardware.simulated.draw_table import Bytes, Mat, table_top
from hardware.simulated.seating import Area, Seating, around
from hardware.wiring.layout import laid_out

WIDTH, HEIGHT = 1920, 1440
"""The simulated camera's picture, in pixels."""

TILE_MM = 20.0
"""Side of a tile."""

NAMES = ("Ada", "Ben", "Chloe", "Dev", "Elif", "Finn", "Grace", "Hugo")


@dataclass(frozen=True, slots=True)
class Likes:
    """How many play a game in a demo: usually, and at least and at most; and its options."""

    players: int
    least: int
    most: int
    options: Mapping[str, Any] = field(default_factory=dict)


GAMES: Mapping[str, Likes] = {
    "bananagrams": Likes(4, 1, 8),
    "chew": Likes(4, 2, 6, {"rounds": 1}),
    "league_city": Likes(4, 1, 8, {"target": 20}),
}
"""The games of the demo, in their order."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A game to be played at a simulated table.

    ``options`` are the game's; ``folder`` is the scratch folder of log, line and profile.
    """

    game: str
    players: int
    seed: int
    folder: Path
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, game: str, players: int | None, seed: int, folder: Path) -> Self:
        """Return a plan for a game; raise BadSetUp for a number of players that find no room."""
        likes = GAMES[game]
        if players is not None and not likes.least <= players <= likes.most:
            raise BadSetUp(f"the demo of {game} is for {likes.least} to {likes.most} players; got {players}")
        return cls(game, players or likes.players, seed, folder, likes.options)

    @property
    def seating(self) -> Seating:
        """Who sits where."""
        return around(self.players)

    @property
    def tile_px(self) -> float:
        """Breadth of a tile in the picture."""
        return WIDTH / self.seating.size[0]

    def top(self) -> Bytes:
        """Return the empty table, drawn."""
        middle = self.seating.middle
        mat = Mat(middle.x, middle.y, middle.broad, middle.deep)
        return table_top(np.random.default_rng(self.seed), self.seating.size, self.tile_px, mat)

    def config(self) -> TableConfig:
        """Return the table's configuration; its profile is written to the folder."""
        path = self.folder / f"{self.game}.profile.toml"
        write_profile(self.profile(), path)
        camera = CameraConfig(
            CameraKind.SIMULATED, width=WIDTH, height=HEIGHT, colour=True, profile=str(path)
        )
        return TableConfig(
            game=self.game,
            seats=NAMES[: self.players],
            name="demo",
            options=dict(self.options),
            log=str(self.folder / "games.db"),
            socket=str(self.folder / "line"),
            cameras=(camera,),
            controls=controls(self.players),
        )

    def profile(self) -> Profile:
        """Return what a calibration of this table would have found."""
        broad, high = self.seating.size
        per_px = TILE_MM / self.tile_px
        found = TableMap(
            (per_px, 0.0, 0.0, 0.0, per_px, 0.0, 0.0, 0.0, 1.0), broad * TILE_MM, high * TILE_MM, 0.0
        )
        seats = [zone(area, ZoneKind.SEAT, n) for n, area in enumerate(self.seating.seats, 1)]
        zones = (*seats, zone(self.seating.middle, ZoneKind.POOL, None))
        camera = CameraId("simulated table", WIDTH, HEIGHT)
        return Profile(camera, "2026-01-01T00:00:00+00:00", None, found, self.tile_px, zones)


def zone(area: Area, kind: ZoneKind, seat: int | None) -> Zone:
    """Return a part of the table as calibration writes it down."""
    corners = tuple((x * TILE_MM, y * TILE_MM) for x, y in area.corners)
    return Zone(kind, seat, corners, 90.0 * area.quarter if kind is ZoneKind.SEAT else 0.0)


def controls(seats: int) -> Controls:
    """Return buttons and lights for a table: three buttons and a coloured light each while the pins last."""
    if seats <= 4:
        return laid_out(seats, 3, LightKind.RGB)
    return laid_out(seats, 2, LightKind.STRIP)
