"""A simulated table as a configuration has it: drawn, wired in memory, with a profile as if calibrated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from calibration.profile import write_profile
from companion.bots import PLAYERS
from companion.bots.player import Likes
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls, LightKind
from companion.config.table import TableConfig
from companion.errors import BadSetUp
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from companion.model.squares import SIDE, square
from companion.table import NextGame
from hardware.simulated.draw_cards import lay_cards
from hardware.simulated.draw_table import Bytes, Mat, Print, Square, table_top
from hardware.simulated.seating import Area, Console, Seating, around, at_board
from hardware.wiring.wires import laid_out

WIDTH, HEIGHT = 1920, 1440
"""The simulated camera's picture, in pixels."""

TILE_MM = 20.0
"""Side of a tile."""

PITCH = 1.08
"""Side of a board's squares, in tile sides."""

PRINTED = {
    ".": Square((122, 140, 104)),
    "W": Square((66, 66, 206), ("TRIPLE", "EQUATION")),
    "w": Square((168, 160, 236), ("DOUBLE", "EQUATION")),
    "L": Square((178, 112, 44), ("TRIPLE", "TILE")),
    "l": Square((222, 190, 140), ("DOUBLE", "TILE")),
}
"""How the squares of a board are printed: darker than tiles, which may be blank."""

CARD = (158, 172, 140)

WIDE_PITCH, BASE = 1.66, 1.5
"""Side of the squares that pyramids stand on, and breadth of a large pyramid, in tile sides."""

PLAID = "ababab"
PLAIDS = {"a": Square((60, 58, 62)), "b": Square((84, 80, 86))}
DARK = (40, 38, 42)

NAMES = ("Ada", "Ben", "Chloe", "Dev", "Elif", "Finn", "Grace", "Hugo")


GAMES: Mapping[str, Likes] = {name: player.likes for name, player in PLAYERS.items()}
"""The games of the demo, in their order."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A game to be played at a simulated table.

    ``options`` are the game's; ``folder`` is the scratch folder of log, line and profile; ``most_calls`` as
    in ``Likes``.  A table that is ``uncalibrated`` has marker cards at its corners and no profile yet.
    ``seats`` are the players' names, where somebody gave them; ``words`` names the list that judges.
    """

    game: str
    players: int
    seed: int
    folder: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    most_calls: int = 0
    uncalibrated: bool = False
    seats: tuple[str, ...] = ()
    words: str = "default"

    @classmethod
    def asked(cls, asked: NextGame, seed: int, folder: Path) -> Self | None:
        """Return a plan for a game that a host asks for, ``None`` where simulated players cannot play it."""
        if asked.game not in GAMES or asked.tiles != GAMES[asked.game].tile_set:
            return None
        try:
            plan = cls.of(asked.game, len(asked.seats), seed, folder)
        except BadSetUp:
            return None
        return replace(plan, seats=asked.seats, options=asked.options, words=asked.words)

    @classmethod
    def of(cls, game: str, players: int | None, seed: int, folder: Path) -> Self:
        """Return a plan for a game; raise BadSetUp for a number of players that find no room."""
        likes = GAMES[game]
        if players is not None and not likes.least <= players <= likes.most:
            raise BadSetUp(f"the demo of {game} is for {likes.least} to {likes.most} players; got {players}")
        return cls(game, players or likes.players, seed, folder, likes.options, likes.most_calls)

    @property
    def seating(self) -> Seating:
        """Who sits where."""
        board = GAMES[self.game].board
        if board is None:
            return around(self.players)
        return at_board(board.size[0], PITCH) if board.kind == "scrabble" else at_board(5, WIDE_PITCH, 5.6)

    @property
    def pyramids(self) -> tuple[str, ...]:
        """The colours of the players' pyramids, where the game has such."""
        board = GAMES[self.game].board
        return board.colours if board else ()

    @property
    def tile_px(self) -> float:
        """Breadth of a tile in the picture."""
        return WIDTH / self.seating.size[0]

    def top(self) -> Bytes:
        """Return the empty table, drawn."""
        middle, board = self.seating.middle, self.seating.board
        things: list[Mat | Print | Console] = [Mat(middle.x, middle.y, middle.broad, middle.deep)]
        things += [self.seating.console(seat) for seat in range(self.players)]
        if board and not self.pyramids:
            rows = ["".join(square((row, col)) for col in range(SIDE)) for row in range(SIDE)]
            things.append(Print(board.x, board.y, board.pitch, rows, PRINTED, CARD))
        if board and self.pyramids:
            rows = [PLAID[row % 2 : row % 2 + board.squares] for row in range(board.squares)]
            things.append(Print(board.x, board.y, board.pitch, rows, PLAIDS, DARK, 0.3))
        top = table_top(np.random.default_rng(self.seed), self.seating.size, self.tile_px, *things)
        if self.uncalibrated:
            lay_cards(top, self.tile_px, TILE_MM)
        return top

    def config(self) -> TableConfig:
        """Return the table's configuration; its profile is written to the folder, if it has one already."""
        path = self.folder / f"{self.game}.profile.toml"
        if not self.uncalibrated:
            write_profile(self.profile(), path)
        camera = CameraConfig(
            CameraKind.SIMULATED, width=WIDTH, height=HEIGHT, colour=True, profile=str(path)
        )
        return TableConfig(
            game=self.game,
            seats=self.seats or NAMES[: self.players],
            name="demo",
            options=dict(self.options),
            words=self.words,
            log=str(self.folder / "games.db"),
            socket=str(self.folder / "line"),
            tile_set=GAMES[self.game].tile_set,
            board=GAMES[self.game].board,
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
        if self.seating.board:
            zones = zones[-1:]
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
