"""The questions that pages may ask, each a value that is checked before the table hears of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from companion.errors import BadLine
from companion.line.desk import Desk
from companion.line.values import PictureKind

Answered = tuple[Any, bytes]
"""What is told as JSON, and a picture's bytes."""

BROUGHT = "brought"
"""The field of a question whose bytes come after its line."""


@dataclass(frozen=True, slots=True)
class Question(ABC):
    """Something asked on the line; ``ask`` names it there."""

    ask: ClassVar[str]

    @abstractmethod
    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""


@dataclass(frozen=True, slots=True)
class AskOrder(Question):
    """The host's order."""

    ask: ClassVar[str] = "order"
    order: str

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.order(self.order)), b""


@dataclass(frozen=True, slots=True)
class AskCall(Question):
    """A player's call."""

    ask: ClassVar[str] = "call"
    seat: int
    call: str
    details: Mapping[str, Any] = field(default_factory=dict)
    by: str = "phone"

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.call(self.seat, self.call, self.details, self.by)), b""


@dataclass(frozen=True, slots=True)
class AskRuling(Question):
    """A referee's ruling."""

    ask: ClassVar[str] = "ruling"
    ruling: str
    reason: str
    seat: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.ruling(self.ruling, self.reason, self.seat, self.details)), b""


@dataclass(frozen=True, slots=True)
class AskSettle(Question):
    """A doubt settled by somebody who looked."""

    ask: ClassVar[str] = "settle"
    seat: int
    cell: tuple[int, int]
    symbol: str

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.settle(self.seat, self.cell, self.symbol)), b""


@dataclass(frozen=True, slots=True)
class AskStatus(Question):
    """How the table does."""

    ask: ClassVar[str] = "status"

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.status()), b""


@dataclass(frozen=True, slots=True)
class AskCheckup(Question):
    """Whether a game can start."""

    ask: ClassVar[str] = "checkup"

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.checkup()), b""


@dataclass(frozen=True, slots=True)
class AskPicture(Question):
    """The newest picture of the table."""

    ask: ClassVar[str] = "picture"
    kind: PictureKind = PictureKind.PLAIN
    width: int = 1280
    camera: int = 0

    def __post_init__(self) -> None:
        if not 16 <= self.width <= 8192:
            raise BadLine(f"width must be 16 to 8192 pixels; got {self.width}")

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return None, desk.picture(self.kind, self.width, self.camera)


@dataclass(frozen=True, slots=True)
class AskEvidence(Question):
    """The picture kept for a call."""

    ask: ClassVar[str] = "evidence"
    number: int

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return None, desk.evidence(self.number)


@dataclass(frozen=True, slots=True)
class AskLightsTest(Question):
    """A test of a seat's lights."""

    ask: ClassVar[str] = "lights_test"
    seat: int

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        desk.lights_test(self.seat)
        return None, b""


@dataclass(frozen=True, slots=True)
class AskSetUp(Question):
    """Another game."""

    ask: ClassVar[str] = "set_up"
    game: str
    seats: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    words: str = "default"
    tiles: str = ""

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.set_up(self.game, self.seats, self.options, self.words, self.tiles)), b""


@dataclass(frozen=True, slots=True)
class AskTileSets(Question):
    """The tile sets that a game may be set up with."""

    ask: ClassVar[str] = "tile_sets"
    game: str

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.tile_sets(self.game)), b""


@dataclass(frozen=True, slots=True)
class AskRestore(Question):
    """Games of a backup, to be written where the log lacks them."""

    ask: ClassVar[str] = "restore"
    brought: bytes

    def put(self, desk: Desk) -> Answered:
        """Put it to the table."""
        return asdict(desk.restore(self.brought)), b""


def to_send(name: str, told: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Return a question as it goes over the line: what it brings, if anything, comes after the line."""
    return {"ask": name, **{key: told[key] for key in told if key != BROUGHT}}, told.get(BROUGHT, b"")


def as_sent(message: Mapping[str, Any], brought: bytes) -> dict[str, Any]:
    """Return the fields of a question that came over the line."""
    given = {key: value for key, value in message.items() if key not in {"ask", BROUGHT}}
    return given | {BROUGHT: brought} if brought else given


QUESTIONS: Mapping[str, type[Question]] = {kind.ask: kind for kind in Question.__subclasses__()}
"""Every question by the name it has on the line."""
