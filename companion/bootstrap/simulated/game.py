"""The configuration, drawing and camera profile of a simulated table for a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from calibration.profile import write_profile
from companion.bots import BOT_CLASSES
from companion.bots.player import GameSettings
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls, LightKind
from companion.config.table import TableConfig
from companion.errors import BadSetUp
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from companion.model.squares import BOARD_SIDE_SQUARES, square
from companion.table import NextGame
from hardware.simulated.draw_table import Bytes, Mat, Print, Square, draw_marker_cards, table_top
from hardware.simulated.seating import Area, Console, Seating, seating_at_board, seating_for_players
from hardware.wiring.wires import default_controls

PICTURE_WIDTH_PX, PICTURE_HEIGHT_PX = 1920, 1440
"""Size of the simulated camera's picture, in pixels."""

TILE_MM = 20.0
"""Side of a tile, in millimetres."""

BOARD_PITCH = 1.08
"""Side of a printed board's squares, in tile sides."""

PRINTED_SQUARES = {
    ".": Square((122, 140, 104)),
    "W": Square((66, 66, 206), ("TRIPLE", "EQUATION")),
    "w": Square((168, 160, 236), ("DOUBLE", "EQUATION")),
    "L": Square((178, 112, 44), ("TRIPLE", "TILE")),
    "l": Square((222, 190, 140), ("DOUBLE", "TILE")),
}
"""Colours (blue, green, red) and captions of the board's squares: darker than tiles, which may be blank."""

BOARD_CARD = (158, 172, 140)

PYRAMID_PITCH, PYRAMID_BASE = 1.66, 1.5
"""Side of the squares of a board with pyramids, and of a large pyramid's base, in tile sides."""

CHECKERED_ROW = "ababab"
CHECKERED = {"a": Square((60, 58, 62)), "b": Square((84, 80, 86))}
BOARD_EDGE = (40, 38, 42)

PLAYER_NAMES = ("Ada", "Ben", "Chloe", "Dev", "Elif", "Finn", "Grace", "Hugo")


GAMES: Mapping[str, GameSettings] = {name: player.settings for name, player in BOT_CLASSES.items()}
"""Settings of each game that bots can play, by name, in the order of the demo."""


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """A game to be played at a simulated table.

    ``options`` are the game's; ``folder`` is the scratch folder of log, socket and profile; ``most_calls`` as
    in ``GameSettings``.  An ``uncalibrated`` table has marker cards at its corners and no profile yet.
    ``seats`` are the players' names, empty for the default ones; ``words`` names the word list.
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
    def from_request(cls, from_request: NextGame, seed: int, folder: Path) -> Self | None:
        """Return the plan for a game that a host requested, ``None`` where bots cannot play it."""
        if from_request.game not in GAMES or from_request.tiles != GAMES[from_request.game].tile_set:
            return None
        try:
            plan = cls.of(from_request.game, len(from_request.seats), seed, folder)
        except BadSetUp:
            return None
        return replace(plan, seats=from_request.seats, options=from_request.options, words=from_request.words)

    @classmethod
    def of(cls, game: str, players: int | None, seed: int, folder: Path) -> Self:
        """Return the plan for a game; raise BadSetUp for a number of players that the game does not take."""
        settings = GAMES[game]
        if players is not None and not settings.min_players <= players <= settings.max_players:
            raise BadSetUp(
                f"the demo of {game} is for {settings.min_players} to {settings.max_players} players; "
                f"got {players}"
            )
        return cls(game, players or settings.players, seed, folder, settings.options, settings.most_calls)

    @property
    def seating(self) -> Seating:
        """The areas of seats, pool and board."""
        board = GAMES[self.game].board
        if board is None:
            return seating_for_players(self.players)
        return (
            seating_at_board(board.size[0], BOARD_PITCH)
            if board.kind == "scrabble"
            else seating_at_board(5, PYRAMID_PITCH, 5.6)
        )

    @property
    def pyramids(self) -> tuple[str, ...]:
        """The colours of the players' pyramids; empty for a game without."""
        board = GAMES[self.game].board
        return board.colours if board else ()

    @property
    def tile_px(self) -> float:
        """Side of a tile in the picture, in pixels."""
        return PICTURE_WIDTH_PX / self.seating.size[0]

    def table_image(self) -> Bytes:
        """Return the drawn empty table, uint8, shape (h, w, 3), blue, green, red."""
        middle, board = self.seating.middle, self.seating.board
        things: list[Mat | Print | Console] = [Mat(middle.x, middle.y, middle.width, middle.depth)]
        things += [self.seating.console(seat) for seat in range(self.players)]
        if board and not self.pyramids:
            rows = [
                "".join(square((row, col)) for col in range(BOARD_SIDE_SQUARES))
                for row in range(BOARD_SIDE_SQUARES)
            ]
            things.append(Print(board.x, board.y, board.pitch, rows, PRINTED_SQUARES, BOARD_CARD))
        if board and self.pyramids:
            rows = [CHECKERED_ROW[row % 2 : row % 2 + board.squares] for row in range(board.squares)]
            things.append(Print(board.x, board.y, board.pitch, rows, CHECKERED, BOARD_EDGE, 0.3))
        table_image = table_top(np.random.default_rng(self.seed), self.seating.size, self.tile_px, *things)
        if self.uncalibrated:
            draw_marker_cards(table_image, self.tile_px, TILE_MM)
        return table_image

    def config(self) -> TableConfig:
        """Return the table's configuration; write its profile to the folder unless it is uncalibrated."""
        path = self.folder / f"{self.game}.profile.toml"
        if not self.uncalibrated:
            write_profile(self.profile(), path)
        camera = CameraConfig(
            CameraKind.SIMULATED,
            width=PICTURE_WIDTH_PX,
            height=PICTURE_HEIGHT_PX,
            colour=True,
            profile=str(path),
        )
        return TableConfig(
            game=self.game,
            seats=self.seats or PLAYER_NAMES[: self.players],
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
        """Return the profile that a calibration of this table would give."""
        broad, high = self.seating.size
        per_px = TILE_MM / self.tile_px
        found = TableMap(
            (per_px, 0.0, 0.0, 0.0, per_px, 0.0, 0.0, 0.0, 1.0), broad * TILE_MM, high * TILE_MM, 0.0
        )
        seats = [zone(area, ZoneKind.SEAT, n) for n, area in enumerate(self.seating.seats, 1)]
        zones = (*seats, zone(self.seating.middle, ZoneKind.POOL, None))
        if self.seating.board:
            zones = zones[-1:]
        camera = CameraId("simulated table", PICTURE_WIDTH_PX, PICTURE_HEIGHT_PX)
        return Profile(camera, "2026-01-01T00:00:00+00:00", None, found, self.tile_px, zones)


def zone(area: Area, kind: ZoneKind, seat: int | None) -> Zone:
    """Return an area of the table as a profile's zone, in millimetres."""
    corners = tuple((x * TILE_MM, y * TILE_MM) for x, y in area.corners)
    return Zone(kind, seat, corners, 90.0 * area.quarter_turns if kind is ZoneKind.SEAT else 0.0)


def controls(seats: int) -> Controls:
    """Return the controls: 3 buttons and an RGB LED a seat, for more than four seats 2 and a strip."""
    if seats <= 4:
        return default_controls(seats, 3, LightKind.RGB)
    return default_controls(seats, 2, LightKind.STRIP)
