"""The configuration of a table: game, seats, cameras, controls."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls
from companion.config.hall import HallConfig
from companion.config.parse import parsed, read
from companion.errors import BadConfig
from companion.model.files import path_problem
from companion.model.seats import MAX_SEATS

Policy = Literal["strict", "advise", "off"]

MAX_CAMERAS = 4
MAX_NAME_CHARS = 40
MAX_WAIT_S = 60


BOARD_SIZES: Mapping[str, tuple[int, int]] = {"scrabble": (15, 15), "volcano": (5, 5)}
"""Rows and columns of the boards that the reader detects."""


@dataclass(frozen=True, slots=True)
class BoardConfig:
    """A shared board.

    ``kind`` is ``scrabble`` for a printed board of 15 x 15 squares or ``volcano`` for one of 5 x 5 with
    pyramids, which the reader detects, or ``squares`` for ``rows`` x ``cols`` equal squares of the profile's
    board zone, or without a zone of the largest block of tiles.

    ``colours`` are the colours of the seats' pieces, from the first seat on.
    """

    kind: Literal["scrabble", "volcano", "squares"] = "scrabble"
    rows: int = 0
    cols: int = 0
    colours: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        usual, given = BOARD_SIZES.get(self.kind), (self.rows, self.cols)
        if usual and given not in {(0, 0), usual}:
            raise BadConfig(
                f"a {self.kind} board has {usual[0]} x {usual[1]} squares; got {given[0]} x {given[1]}"
            )
        if not all(1 <= side <= 30 for side in self.size):
            raise BadConfig(f"rows and cols must be 1 to 30; got {given[0]} x {given[1]}")
        if len(set(self.colours)) != len(self.colours):
            raise BadConfig("colours: two seats have pieces of the same colour")

    @property
    def size(self) -> tuple[int, int]:
        """Its rows and columns."""
        return (self.rows, self.cols) if self.kind == "squares" else BOARD_SIZES[self.kind]


@dataclass(frozen=True, slots=True)
class Pictures:
    """The stored pictures of calls: at most ``megabytes`` beside the log, 0 for none; the oldest are deleted.

    ``width`` is the width of the pictures in pixels, ``quality`` their JPEG quality, 1 to 100.
    """

    megabytes: int = 500
    width: int = 1920
    quality: int = 80

    def __post_init__(self) -> None:
        if not 0 <= self.megabytes <= 1_000_000:
            raise BadConfig(f"megabytes must be 0 to 1,000,000; got {self.megabytes}")
        if not 160 <= self.width <= 8192:
            raise BadConfig(f"width must be 160 to 8192 pixels; got {self.width}")
        if not 1 <= self.quality <= 100:
            raise BadConfig(f"quality must be 1 to 100; got {self.quality}")


@dataclass(frozen=True, slots=True)
class TableConfig:
    """One table.

    ``game`` names the rules, ``options`` has their options; ``policy`` is a shortcut for the option of that
    name.  ``seats`` are the players' names, clockwise; there may be fewer than seats with buttons.  ``words``
    names the word list: ``default`` is the built-in one, empty the one chosen with ``companion words use``.

    ``log`` is the file of all games and ``socket`` the Unix socket of the pages; empty ones are in the
    service's state folder.  Paths are relative to the configuration's folder.

    ``tile_set`` names the tiles, and ``board`` the shared board, if any.  ``facing_deg``, for a table that is
    not calibrated, is the turn of each seat's reading direction, clockwise from the picture's left to right;
    where it is empty, the first seat is at the lower edge and the others follow clockwise, evenly spread.

    ``ocr`` has Tesseract, where it is installed, read tiles in doubt again in the background.

    ``wait_s`` is how long a call may wait until its tiles are seen at rest, in seconds; then it is
    accepted unconfirmed, with a warning to the referee.

    ``hall`` is where the table publishes; without it the table publishes nothing.
    """

    game: str
    seats: tuple[str, ...]
    name: str = "table"
    options: Mapping[str, Any] = field(default_factory=dict)
    policy: Policy | None = None
    words: str = "default"
    log: str = ""
    socket: str = ""
    tile_set: str = "bananagrams-en"
    board: BoardConfig | None = None
    facing_deg: tuple[float, ...] = ()
    cameras: tuple[CameraConfig, ...] = ()
    controls: Controls = field(default_factory=Controls)
    pictures: Pictures = field(default_factory=Pictures)
    wait_s: float = 5.0
    ocr: bool = True
    hall: HallConfig | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.seats) <= MAX_SEATS:
            raise BadConfig(f"seats: a table has 1 to {MAX_SEATS} of them; got {len(self.seats)}")
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > MAX_NAME_CHARS:
            raise BadConfig(
                f"name: must have 1 to {MAX_NAME_CHARS} printable characters; got {self.name[:50]!r}"
            )
        if len(self.cameras) > MAX_CAMERAS:
            raise BadConfig(f"cameras: a table has at most {MAX_CAMERAS}; got {len(self.cameras)}")
        if len({camera.called for camera in self.cameras}) != len(self.cameras):
            raise BadConfig("cameras: two have the same name; give each its own")
        self._check_facing()
        if not 0 <= self.wait_s <= MAX_WAIT_S:
            raise BadConfig(f"wait_s: must be 0 to {MAX_WAIT_S} seconds; got {self.wait_s}")
        if self.policy and self.options.get("policy", self.policy) != self.policy:
            raise BadConfig(f"policy: is {self.policy}, but options.policy is {self.options['policy']}")

    def _check_facing(self) -> None:
        """Raise BadConfig unless there are no directions, or one for each seat."""
        if self.facing_deg and len(self.facing_deg) != len(self.seats):
            raise BadConfig(f"facing_deg: must be one a seat; got {len(self.facing_deg)}")
        if not all(math.isfinite(one) for one in self.facing_deg):
            raise BadConfig("facing_deg: must be numbers of degrees")

    @property
    def switches(self) -> dict[str, Any]:
        """All configured options of the game, with ``policy``."""
        return {**self.options, **({"policy": self.policy} if self.policy else {})}

    def for_game(self, game: str, seats: tuple[str, ...], options: Mapping[str, Any]) -> TableConfig:
        """Return the configuration for another game; directions of another number of seats are left out.

        Raises BadConfig for too many seats.
        """
        facing = self.facing_deg if len(seats) == len(self.seats) else ()
        return replace(self, game=game, seats=seats, options=options, policy=None, facing_deg=facing)

    def from_folder(self, folder: Path) -> TableConfig:
        """Return the configuration with its relative paths resolved from a folder."""
        cameras = tuple(camera_from(camera, folder) for camera in self.cameras)
        tiles = resolve_path(folder, self.tile_set) if self.tile_set.endswith(".json") else self.tile_set
        log, socket = resolve_path(folder, self.log), resolve_path(folder, self.socket)
        hall = self.hall and replace(
            self.hall,
            password=resolve_path(folder, self.hall.password),
            authority=resolve_path(folder, self.hall.authority),
        )
        return replace(self, log=log, socket=socket, cameras=cameras, tile_set=tiles, hall=hall)


def load(path: Path) -> TableConfig:
    """Return the configuration of a TOML file; raise BadConfig with all its faults."""
    return parsed(read(path), TableConfig, str(path)).from_folder(path.absolute().parent)


def resolve_path(folder: Path, name: str) -> str:
    """Return a path resolved from a folder, an empty one unchanged; raise BadConfig for an invalid path."""
    try:
        found = str(folder / Path(name).expanduser()) if name else ""
    except RuntimeError as error:
        raise BadConfig(f"{name[:40]!r}: there is no such user's home") from error
    if why := path_problem(found):
        raise BadConfig(f"{name[:40]!r} cannot be used: {why}")
    return found


def camera_from(camera: CameraConfig, folder: Path) -> CameraConfig:
    """Return a camera with its relative paths resolved from a folder."""
    profile = resolve_path(folder, camera.profile) if camera.profile else camera.profile
    if camera.kind in {CameraKind.FILM, CameraKind.FOLDER}:
        return replace(camera, profile=profile, where=resolve_path(folder, str(camera.where)))
    return replace(camera, profile=profile)
