"""The state of a table that is being set up, as pages show it.

Pixels are those of the camera's upright picture, from its top left corner; lengths on the table are in mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.phrases import Text
from companion.model.profile import ZoneKind

Spot = tuple[float, float]
"""x and y."""


class SetUpPicture(StrEnum):
    """Which picture: the newest one, the newest with the table drawn on it, or the last result of a step."""

    PLAIN = "plain"
    TABLE = "table"
    LIGHT = "light"
    TILES = "tiles"
    LENS = "lens"


ZONE_KIND_NAMES = tuple(map(str, ZoneKind))
"""Kinds of zones whose words can be drawn on a picture."""


class SheetKind(StrEnum):
    """Sheets that can be printed."""

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
class TableGeometry:
    """The measured table: its size, and the error of its worst corner in mm (0: there is nothing to check).

    ``corners`` are the table's, clockwise from the top left, in pixels; ``markers`` is the number of printed
    markers that it was found by, 0 if its corners were tapped.
    """

    width_mm: float
    height_mm: float
    error_mm: float
    markers: int
    corners: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class LightFinding:
    """A finding about the light: its aspect, its grade (good, fair, bad, unknown), a sentence, and advice."""

    aspect: str
    grade: str
    says: Text
    mend: Text


@dataclass(frozen=True, slots=True)
class LightStatus:
    """The last check of the light, made with a number of tiles."""

    grade: str
    tiles: int
    findings: tuple[LightFinding, ...]


@dataclass(frozen=True, slots=True)
class LensProgress:
    """Progress of measuring the lens: advice, pictures kept, and the covered percentage of the picture."""

    says: Text
    kept: int
    covered: int
    enough: bool


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Whether the camera has moved: still, moved or lost; how far, in mm; and a sentence."""

    stand: str
    moved_mm: float | None
    says: Text


@dataclass(frozen=True, slots=True)
class EnrolmentProgress:
    """A tile set that is being enrolled: its symbols in order, and the number of examples of each."""

    name: str
    order: tuple[str, ...]
    examples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WizardStatus:
    """The state of a table's setup, as one camera sees it.

    ``cameras`` are all names, ``camera`` the number of this one (from 0), ``width`` and ``height`` its
    picture's in pixels (0 before the first), ``sees`` its fault, if any.  ``table`` is ``None`` before it was
    measured.  ``pressed`` are the buttons that were pressed since the table was started, as seat and button.
    ``busy`` says why nothing can be changed now, if so; ``kept`` is the path of the profile.  ``guide`` is
    the progress of measuring the lens, while that goes on; ``broken`` says why the stored profile cannot be
    read, if so.
    """

    cameras: tuple[str, ...]
    camera: int
    width: int
    height: int
    sees: Text
    table: TableGeometry | None
    zones: tuple[ZoneAt, ...]
    seats: int
    lens: bool
    tile_px: float | None
    kept: str
    made_at: str
    light: LightStatus | None
    drift: DriftReport | None
    tiles: EnrolmentProgress | None
    pressed: tuple[tuple[int, int], ...]
    busy: Text = ""
    guide: LensProgress | None = None
    broken: Text = ""
