"""What a table that is being set up tells its pages.

Pixels are those of the camera's upright picture, from its top left corner; lengths on the table are in mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.phrases import Text
from companion.model.profile import ZoneKind

Spot = tuple[float, float]
"""x and y."""


class Shown(StrEnum):
    """Which picture: the newest as it is, with the table drawn on it, or what a step understood last."""

    PLAIN = "plain"
    TABLE = "table"
    LIGHT = "light"
    TILES = "tiles"
    LENS = "lens"


DRAWN = tuple(map(str, ZoneKind))
"""Parts of the table that a picture calls by words."""


class SheetKind(StrEnum):
    """What can be printed."""

    MARKERS = "markers"
    BOARD = "board"
    LENS = "lens"
    SEATS = "seats"
    TILES = "tiles"


@dataclass(frozen=True, slots=True)
class ZoneAt:
    """A part of the table in the picture: ``seat``, ``pool`` or ``board``, its corners clockwise in pixels.

    ``seat`` is given for a seat's; ``facing_deg`` is how far its player's reading direction is turned
    clockwise from the table's left to right.
    """

    kind: str
    seat: int | None
    corners: tuple[Spot, ...]
    facing_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class TableTold:
    """Where the table lies: its size, the worst corner measured in mm (0: nothing to check it by), by what.

    ``corners`` are its own, clockwise from the top left, in pixels; ``markers`` how many printed markers
    showed it, 0 where somebody tapped its corners.
    """

    width_mm: float
    height_mm: float
    error_mm: float
    markers: int
    corners: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class FindingTold:
    """One thing about the light: what, how good (good, fair, bad, unknown), in words, and what to do."""

    aspect: str
    grade: str
    says: Text
    mend: Text


@dataclass(frozen=True, slots=True)
class LightTold:
    """What the last look at the light found, over so many tiles."""

    grade: str
    tiles: int
    findings: tuple[FindingTold, ...]


@dataclass(frozen=True, slots=True)
class LensTold:
    """How the measuring of the lens goes: what to do next, pictures kept, per cent of the picture covered."""

    says: Text
    kept: int
    covered: int
    enough: bool


@dataclass(frozen=True, slots=True)
class DriftTold:
    """Whether the camera stands as it did: still, moved or lost; how far, in mm; and in words."""

    stand: str
    moved_mm: float | None
    says: Text


@dataclass(frozen=True, slots=True)
class TilesTold:
    """A tile set that is being learnt: its symbols in order, and how many examples there are of each."""

    name: str
    order: tuple[str, ...]
    examples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WizardStatus:
    """How far a table is set up, as one camera sees it.

    ``cameras`` are all names, ``camera`` the number of this one (from 0), ``width`` and ``height`` its
    picture's in pixels (0 before the first), ``sees`` what ails it, if anything.  ``table`` is unknown
    before it was measured.  ``pressed`` are the buttons that were pressed since the table was started, as
    seat and button.  ``busy`` says why nothing can be changed now, or nothing; ``kept`` where the profile
    lies.  ``guide`` leads whoever measures the lens, while somebody does.
    """

    cameras: tuple[str, ...]
    camera: int
    width: int
    height: int
    sees: Text
    table: TableTold | None
    zones: tuple[ZoneAt, ...]
    seats: int
    lens: bool
    tile_px: float | None
    kept: str
    made_at: str
    light: LightTold | None
    drift: DriftTold | None
    tiles: TilesTold | None
    pressed: tuple[tuple[int, int], ...]
    busy: Text = ""
    guide: LensTold | None = None
