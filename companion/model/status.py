"""What the table tells its pages when they ask."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.phrases import Text


class PictureKind(StrEnum):
    """Which picture of the table: as the camera sees it, or with what was read drawn on it."""

    PLAIN = "plain"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a tile is seen in a close-up: row and column, from 0, and its corners in pixels, clockwise."""

    row: int
    col: int
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class CloseUp:
    """A photograph of one player's tiles, or of the board, seen from above, and each tile in it.

    ``number`` names its picture, which is ``width`` x ``height`` pixels large and kept for a while.
    """

    number: int
    width: int
    height: int
    tiles: tuple[Outline, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a call, an order or a ruling.

    ``accepted`` is ``None`` while nothing is decided yet: the call waits for the table to be seen at rest,
    and the log will say.  ``text`` is for the person who asked; ``number`` that of the event in the log.
    """

    accepted: bool | None
    text: Text = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """How a camera does.

    ``state`` is ok, waiting, black, frozen, slow or gone; ``says`` tells people what to do about it.
    ``frame_age_s`` is how old pictures become before a newer one is read, ``None`` before the first;
    ``reads_per_s`` and ``fps`` are those of the last seconds; ``still`` says whether nothing moves in the
    picture.
    """

    name: str
    state: str
    says: Text = ""
    fps: float = 0.0
    reads_per_s: float = 0.0
    frame_age_s: float | None = None
    width: int = 0
    height: int = 0
    still: bool = False


@dataclass(frozen=True, slots=True)
class SeatStatus:
    """A seat's devices: ``light`` is the pattern shown now, with its ``number`` (tiles to draw).

    ``notes`` are what the table sees amiss before the seat now, in sentences for its player.
    """

    seat: int
    name: str
    light: str = "off"
    number: int = 0
    buttons: int = 0
    stuck: bool = False
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Pressed:
    """The last button pressed: by whom, how, what it called, and when on the game's clock (ns)."""

    seat: int
    button: int
    gesture: str
    call: str | None
    at_ns: int


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One thing that was looked at: of which part, whether it is fine (``None``: nobody can tell), how it is.

    ``mend`` says how to make it fine.  Without what is ``essential`` no game should start.
    """

    part: Text
    what: Text
    fine: bool | None
    says: Text
    mend: Text = ""
    essential: bool = False

    @property
    def grave(self) -> bool:
        """Whether no game should start."""
        return self.essential and self.fine is False


@dataclass(frozen=True, slots=True)
class Checkup:
    """Everything that was looked at before a game."""

    lines: tuple[CheckLine, ...]


@dataclass(frozen=True, slots=True)
class TileSets:
    """The tile sets that a game may be set up with, by their names.

    ``chosen`` is the one that is taken where nobody asks for another; ``known`` came with the companion or
    stand in the table's file, ``own`` were learnt.
    """

    chosen: str
    known: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Face:
    """What a tile may show: its symbol (``""``: a blank), and how that is printed on the tile."""

    symbol: str
    printed: str


@dataclass(frozen=True, slots=True)
class Status:
    """How the table does.

    ``game`` and ``title`` name the rules; ``match`` is its name in the log, ``number`` its newest event.
    ``at_ns`` is the game's clock now, the one that stamps events.  ``waiting`` are the seats whose call waits
    for their tiles to be seen at rest, and those that wait behind one.  ``notes`` are what the host should
    know now, in sentences.

    ``behind_s`` is how old the newest picture is by which calls are judged, of the slowest camera that sees;
    ``None`` where none does.  ``pool_seen`` is how many tiles the cameras see in the pool, ``None`` where
    none looks at it; ``pool_counted`` is how many lie there by count.
    ``faces`` are what the tiles in play may show.
    """

    match: str
    game: str
    title: str
    policy: str
    words: str
    number: int
    at_ns: int
    log: str = ""
    cameras: tuple[CameraStatus, ...] = ()
    seats: tuple[SeatStatus, ...] = ()
    last_press: Pressed | None = None
    waiting: tuple[int, ...] = ()
    temperature_c: float | None = None
    started_s: float = 0.0
    notes: tuple[Text, ...] = ()
    behind_s: float | None = None
    pool_seen: int | None = None
    pool_counted: int = 0
    faces: tuple[Face, ...] = ()
