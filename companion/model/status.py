"""The status of a table at play, as pages show it."""

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
    """A tile in a close-up: its row and column, from 0, and its corners in pixels, clockwise."""

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
    """The answer to a call, an order or a ruling.

    ``accepted`` is ``None`` while it is not decided: the call waits until the table is seen at rest, and the
    decision will be in the log.  ``text`` is for the user; ``number`` is that of the event in the log.
    """

    accepted: bool | None
    text: Text = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """The status of a camera.

    ``state`` is ok, waiting, black, frozen, slow, gone or misfit; ``says`` tells people what to do about it.
    ``frame_age_s`` is how old a picture is, in seconds, before a newer one is read, ``None`` before the
    first; ``reads_per_s`` and ``fps`` are averages of the last seconds; ``still`` is whether nothing moves in
    the picture.
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

    ``notes`` are sentences for the player about what is wrong before the seat now.
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
    """The last button press: its seat, gesture and call, and its stamp on the game's clock in ns."""

    seat: int
    button: int
    gesture: str
    call: str | None
    at_ns: int


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One line of a readiness check: the part, whether it is fine (``None``: unknown), and a sentence.

    ``mend`` says how to fix it.  No game should start while an ``essential`` line is not fine.
    """

    part: Text
    what: Text
    fine: bool | None
    says: Text
    mend: Text = ""
    essential: bool = False

    @property
    def grave(self) -> bool:
        """Whether it forbids the start of a game."""
        return self.essential and self.fine is False


@dataclass(frozen=True, slots=True)
class Checkup:
    """The readiness check of a game."""

    lines: tuple[CheckLine, ...]


@dataclass(frozen=True, slots=True)
class TileSets:
    """The names of the tile sets that a game can be set up with.

    ``chosen`` is the default; ``known`` come with the companion or are in the table's file, ``own`` were
    enrolled.
    """

    chosen: str
    known: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Face:
    """A symbol that tiles can have (``""``: a blank), and the sign printed for it."""

    symbol: str
    printed: str


@dataclass(frozen=True, slots=True)
class Status:
    """The status of the table.

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
