"""One table, as its configuration file describes it: the game, the seats, what sees and what lights up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls
from companion.config.parse import parsed, read
from companion.errors import BadConfig

Policy = Literal["strict", "advise", "off"]

MOST_SEATS = 13
MOST_CAMERAS = 4
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class BoardConfig:
    """A board that all players share.

    ``kind`` is ``scrabble`` for a printed 15x15 board, which the reader finds by itself, or ``squares`` for
    ``rows`` x ``cols`` equal squares: those of the profile's board zone, or without one, of the largest block
    of tiles.
    """

    kind: Literal["scrabble", "squares"] = "scrabble"
    rows: int = 15
    cols: int = 15

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= 30 and 1 <= self.cols <= 30):
            raise BadConfig(f"a board has 1 to 30 rows and columns; got {self.rows} x {self.cols}")
        if self.kind == "scrabble" and (self.rows, self.cols) != (15, 15):
            raise BadConfig(f"a scrabble board has 15 x 15 squares; got {self.rows} x {self.cols}")


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures kept as evidence of calls: at most ``megabytes`` beside the log, 0 for none; the oldest go.

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
    name.  ``seats`` are the players' names, clockwise.  ``words`` names the list that judges: ``default`` is
    the one that comes with the companion, empty is the one the host chose with ``companion words use``.

    ``log`` is the file that all games are kept in and ``socket`` the line to the pages; empty ones lie where
    the service keeps its state.  Paths are meant from where the configuration lies.

    ``tile_set`` says which tiles lie there, and ``board`` whether they lie on a board that all share.
    ``facing_deg``, for a table that is not calibrated, is how far each seat's reading direction is turned
    clockwise from the picture's left to right; where it is empty the first seat is at the lower edge and the
    others follow clockwise, evenly spread.

    ``wait_ms`` is how long a call may wait until its tiles are seen at rest.
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
    wait_ms: int = 1000

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
        if len(self.controls.seats) > len(self.seats):
            raise BadConfig(
                f"controls: there are {len(self.controls.seats)} seats with buttons or lights, "
                f"but {len(self.seats)} players"
            )
        self._check_facing()
        if not 0 <= self.wait_ms <= 5000:
            raise BadConfig(f"wait_ms: must be 0 to 5000; got {self.wait_ms}")
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
        return replace(self, log=at(folder, self.log), socket=at(folder, self.socket), cameras=cameras)


def load(path: Path) -> TableConfig:
    """Return the table that a TOML file describes; raise BadConfig with all its faults."""
    return parsed(read(path), TableConfig, str(path)).from_folder(path.absolute().parent)


def at(folder: Path, name: str) -> str:
    """Return a path meant from a folder; an empty one stays empty."""
    return str(folder / Path(name).expanduser()) if name else ""


def camera_from(camera: CameraConfig, folder: Path) -> CameraConfig:
    """Return a camera whose files are meant from a folder."""
    profile = at(folder, camera.profile) if camera.profile else camera.profile
    if camera.kind in {CameraKind.FILM, CameraKind.FOLDER}:
        return replace(camera, profile=profile, where=at(folder, str(camera.where)))
    return replace(camera, profile=profile)
