"""One table, as its configuration file describes it: the game, the seats, what sees and what lights up."""

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
from companion.model.seats import MOST_SEATS

Policy = Literal["strict", "advise", "off"]

MOST_CAMERAS = 4
LONGEST_NAME = 40
LONGEST_WAIT_S = 60


USUAL: Mapping[str, tuple[int, int]] = {"scrabble": (15, 15), "volcano": (5, 5)}
"""Rows and columns of the boards that the reader finds by itself."""


@dataclass(frozen=True, slots=True)
class BoardConfig:
    """A board that all players share.

    ``kind`` is ``scrabble`` for a printed board of 15 x 15 squares and ``volcano`` for one of 5 x 5 with
    pyramids, both of which the reader finds by itself, or ``squares`` for ``rows`` x ``cols`` equal squares:
    those of the profile's board zone, or without one, of the largest block of tiles.

    ``colours`` are those of the seats' pieces, from the first seat on.
    """

    kind: Literal["scrabble", "volcano", "squares"] = "scrabble"
    rows: int = 0
    cols: int = 0
    colours: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        usual, given = USUAL.get(self.kind), (self.rows, self.cols)
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
        """How many rows and columns it has."""
        return (self.rows, self.cols) if self.kind == "squares" else USUAL[self.kind]


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures kept as evidence of calls: at most ``megabytes`` beside the log; 0 for none.

    The oldest go first.

    ``width`` is that of the pictures in pixels, ``quality`` that of their JPEG, 1 to 100.
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

    ``game`` names the rules and ``options`` their switches; ``policy`` is the short way to the switch of that
    name.  ``seats`` are the players' names, clockwise; there may be fewer than places with buttons.
    ``words`` names the list that judges: ``default`` is the one that comes with the companion, empty is the
    one the host chose with ``companion words use``.

    ``log`` is the file that all games are kept in and ``socket`` the line to the pages; empty ones lie where
    the service keeps its state.  Paths are meant from where the configuration lies.

    ``tile_set`` says which tiles lie there, and ``board`` whether they lie on a board that all share.
    ``facing_deg``, for a table that is not calibrated, is how far each seat's reading direction is turned
    clockwise from the picture's left to right; where it is empty the first seat is at the lower edge and the
    others follow clockwise, evenly spread.

    ``ocr`` says whether Tesseract, where it is installed, reads the tiles in doubt once more in the
    background.

    ``wait_s`` is how long a call may wait, in seconds, until its tiles are seen at rest; after that it stands
    without being confirmed, and the referee is told.

    ``hall`` is where the table publishes; without it nothing leaves the table.
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
        if not 1 <= len(self.seats) <= MOST_SEATS:
            raise BadConfig(f"seats: a table has 1 to {MOST_SEATS} of them; got {len(self.seats)}")
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > LONGEST_NAME:
            raise BadConfig(
                f"name: must have 1 to {LONGEST_NAME} printable characters; got {self.name[:50]!r}"
            )
        if len(self.cameras) > MOST_CAMERAS:
            raise BadConfig(f"cameras: a table has at most {MOST_CAMERAS}; got {len(self.cameras)}")
        if len({camera.called for camera in self.cameras}) != len(self.cameras):
            raise BadConfig("cameras: two have the same name; give each its own")
        self._check_facing()
        if not 0 <= self.wait_s <= LONGEST_WAIT_S:
            raise BadConfig(f"wait_s: must be 0 to {LONGEST_WAIT_S} seconds; got {self.wait_s}")
        if self.policy and self.options.get("policy", self.policy) != self.policy:
            raise BadConfig(f"policy: is {self.policy}, but options.policy is {self.options['policy']}")

    def _check_facing(self) -> None:
        """Raise BadConfig unless the seats' directions are none or one a seat."""
        if self.facing_deg and len(self.facing_deg) != len(self.seats):
            raise BadConfig(f"facing_deg: must be one a seat; got {len(self.facing_deg)}")
        if not all(math.isfinite(one) for one in self.facing_deg):
            raise BadConfig("facing_deg: must be numbers of degrees")

    @property
    def switches(self) -> dict[str, Any]:
        """All options of the game as the host has set them, ``policy`` among them."""
        return {**self.options, **({"policy": self.policy} if self.policy else {})}

    def from_folder(self, folder: Path) -> TableConfig:
        """Return the configuration with its paths meant from a folder."""
        cameras = tuple(camera_from(camera, folder) for camera in self.cameras)
        tiles = at(folder, self.tile_set) if self.tile_set.endswith(".json") else self.tile_set
        log, socket = at(folder, self.log), at(folder, self.socket)
        hall = self.hall and replace(
            self.hall,
            password=at(folder, self.hall.password),
            authority=at(folder, self.hall.authority),
        )
        return replace(self, log=log, socket=socket, cameras=cameras, tile_set=tiles, hall=hall)


def load(path: Path) -> TableConfig:
    """Return the table that a TOML file describes; raise BadConfig with all its faults."""
    return parsed(read(path), TableConfig, str(path)).from_folder(path.absolute().parent)


def at(folder: Path, name: str) -> str:
    """Return a path meant from a folder, an empty one as it is; raise BadConfig where it cannot be used."""
    try:
        found = str(folder / Path(name).expanduser()) if name else ""
    except RuntimeError as error:
        raise BadConfig(f"{name[:40]!r}: there is no such user's home") from error
    if why := path_problem(found):
        raise BadConfig(f"{name[:40]!r} cannot be used: {why}")
    return found


def camera_from(camera: CameraConfig, folder: Path) -> CameraConfig:
    """Return a camera whose files are meant from a folder."""
    profile = at(folder, camera.profile) if camera.profile else camera.profile
    if camera.kind in {CameraKind.FILM, CameraKind.FOLDER}:
        return replace(camera, profile=profile, where=at(folder, str(camera.where)))
    return replace(camera, profile=profile)
