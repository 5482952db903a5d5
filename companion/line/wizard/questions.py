"""The questions that pages may ask a table that is being set up, checked before the table hears of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from companion.errors import BadLine
from companion.line.wizard.desk import WizardDesk
from companion.line.wizard.values import DRAWN, SheetKind, Shown, Spot, ZoneAt

Answered = tuple[Any, bytes]
"""What is told as JSON, and a picture's or a sheet's bytes."""

MOST_ZONES, MOST_CORNERS, MOST_SYMBOLS = 32, 32, 200
LARGEST_PX, LARGEST_MM = 40_000.0, 5000.0
LONGEST_WORD = 24


def within(most: float, *numbers: float) -> None:
    """Raise BadLine unless all numbers are such as a table can have."""
    if not all(math.isfinite(one) and abs(one) <= most for one in numbers):
        raise BadLine(f"numbers must be at most {most:g}; got {numbers[:8]}")


def spots(corners: Iterable[Spot]) -> None:
    """Raise BadLine unless these are pixels."""
    for x, y in corners:
        within(LARGEST_PX, x, y)


def length(text: str, most: int) -> None:
    """Raise BadLine unless a text is one line that is short enough."""
    if len(text) > most or not (text.isprintable() or not text):
        raise BadLine(f"a text must be one line of at most {most} signs; got {text[:40]!r}")


@dataclass(frozen=True, slots=True)
class WizardQuestion(ABC):
    """Something asked of a table that is being set up; ``ask`` names it on the line."""

    ask: ClassVar[str]

    @abstractmethod
    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""


@dataclass(frozen=True, slots=True)
class AskState(WizardQuestion):
    """How far the table is set up."""

    ask: ClassVar[str] = "wizard_state"
    camera: int = 0

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return asdict(wizard.state(self.camera)), b""


@dataclass(frozen=True, slots=True)
class AskShown(WizardQuestion):
    """A picture."""

    ask: ClassVar[str] = "wizard_shown"
    camera: int = 0
    kind: Shown = Shown.PLAIN
    width: int = 1280
    words: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 16 <= self.width <= 4096:
            raise BadLine(f"width must be 16 to 4096 pixels; got {self.width}")
        if strange := set(self.words) - set(DRAWN):
            raise BadLine(f"words are drawn for {', '.join(DRAWN)}; got {sorted(strange)}"[:200])
        if not all(0 < len(word) <= LONGEST_WORD and word.isprintable() for word in self.words.values()):
            raise BadLine(f"a word that is drawn has 1 to {LONGEST_WORD} printable characters")

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return None, wizard.shown(self.camera, self.kind, self.width, self.words)


@dataclass(frozen=True, slots=True)
class AskSheet(WizardQuestion):
    """Something to print."""

    ask: ClassVar[str] = "wizard_sheet"
    kind: SheetKind
    paper: str = "a4"
    seats: int = 4
    url: str = ""

    def __post_init__(self) -> None:
        length(self.url, 200)
        if not 1 <= self.seats <= 12:
            raise BadLine(f"seats must be 1 to 12; got {self.seats}")

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return None, wizard.sheet(self.kind, self.paper, self.seats, self.url)


@dataclass(frozen=True, slots=True)
class AskLight(WizardQuestion):
    """A look at the light."""

    ask: ClassVar[str] = "wizard_light"
    camera: int = 0

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.light(self.camera), b""


@dataclass(frozen=True, slots=True)
class AskGuide(WizardQuestion):
    """The measuring of the lens, begun or left."""

    ask: ClassVar[str] = "wizard_guide"
    on: bool
    camera: int = 0

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.guide(self.camera, on=self.on), b""


@dataclass(frozen=True, slots=True)
class AskLens(WizardQuestion):
    """The lens that was measured, to be kept."""

    ask: ClassVar[str] = "wizard_lens"
    camera: int = 0

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.lens(self.camera), b""


@dataclass(frozen=True, slots=True)
class AskMarkers(WizardQuestion):
    """The table by its markers."""

    ask: ClassVar[str] = "wizard_markers"
    camera: int = 0
    size_mm: Spot | None = None
    ruler_mm: float | None = None

    def __post_init__(self) -> None:
        within(LARGEST_MM, *(self.size_mm or ()))
        if self.ruler_mm is not None and not 50 <= self.ruler_mm <= 150:
            raise BadLine(f"the sheet's 100 mm measure 50 to 150; got {self.ruler_mm:g}")

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.markers(self.camera, self.size_mm, self.ruler_mm), b""


@dataclass(frozen=True, slots=True)
class AskTaps(WizardQuestion):
    """The table by four taps."""

    ask: ClassVar[str] = "wizard_taps"
    corners: tuple[Spot, Spot, Spot, Spot]
    size_mm: Spot
    camera: int = 0

    def __post_init__(self) -> None:
        spots(self.corners)
        within(LARGEST_MM, *self.size_mm)
        if min(self.size_mm) <= 0:
            raise BadLine("say how broad and how deep the table is between the corners, in mm")

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.taps(self.camera, self.corners, self.size_mm), b""


@dataclass(frozen=True, slots=True)
class AskTile(WizardQuestion):
    """How broad a tile is."""

    ask: ClassVar[str] = "wizard_tile"
    camera: int = 0
    tile_mm: float | None = None

    def __post_init__(self) -> None:
        if self.tile_mm is not None and not 5 <= self.tile_mm <= 100:
            raise BadLine(f"a tile is 5 to 100 mm broad; got {self.tile_mm:g}")

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.tile(self.camera, self.tile_mm), b""


@dataclass(frozen=True, slots=True)
class AskSeats(WizardQuestion):
    """The table shared among its seats anew."""

    ask: ClassVar[str] = "wizard_seats"
    seats: int
    camera: int = 0
    board_mm: Spot | None = None

    def __post_init__(self) -> None:
        within(LARGEST_MM, *(self.board_mm or ()))
        if not 1 <= self.seats <= 12:
            raise BadLine(f"a table has 1 to 12 seats; got {self.seats}")

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.seats(self.camera, self.seats, self.board_mm), b""


@dataclass(frozen=True, slots=True)
class AskZones(WizardQuestion):
    """Zones as somebody has moved them."""

    ask: ClassVar[str] = "wizard_zones"
    zones: tuple[ZoneAt, ...]
    camera: int = 0

    def __post_init__(self) -> None:
        if len(self.zones) > MOST_ZONES or any(len(one.corners) > MOST_CORNERS for one in self.zones):
            raise BadLine(f"a table has at most {MOST_ZONES} zones of {MOST_CORNERS} corners")
        for zone in self.zones:
            spots(zone.corners)

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.zones(self.camera, self.zones), b""


@dataclass(frozen=True, slots=True)
class AskDrift(WizardQuestion):
    """Whether the camera stands as it did."""

    ask: ClassVar[str] = "wizard_drift"
    camera: int = 0

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.drift(self.camera), b""


@dataclass(frozen=True, slots=True)
class AskMend(WizardQuestion):
    """Where the table is now, kept."""

    ask: ClassVar[str] = "wizard_mend"
    camera: int = 0
    tap: Spot | None = None

    def __post_init__(self) -> None:
        spots([self.tap] if self.tap else [])

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.mend(self.camera, self.tap), b""


@dataclass(frozen=True, slots=True)
class AskLearn(WizardQuestion):
    """A tile set that is to be learnt."""

    ask: ClassVar[str] = "wizard_learn"
    name: str
    order: tuple[str, ...]

    def __post_init__(self) -> None:
        length(self.name, 60)
        if len(self.order) > MOST_SYMBOLS:
            raise BadLine(f"a tile set has at most {MOST_SYMBOLS} symbols; got {len(self.order)}")
        for symbol in self.order:
            length(symbol, 20)

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.learn(self.name, self.order), b""


@dataclass(frozen=True, slots=True)
class AskExample(WizardQuestion):
    """Examples of one symbol."""

    ask: ClassVar[str] = "wizard_example"
    symbol: str
    camera: int = 0

    def __post_init__(self) -> None:
        length(self.symbol, 20)

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.example(self.camera, self.symbol), b""


@dataclass(frozen=True, slots=True)
class AskLearnt(WizardQuestion):
    """The tile set that was learnt, to be kept."""

    ask: ClassVar[str] = "wizard_learnt"

    def put(self, wizard: WizardDesk) -> Answered:
        """Put it to the table."""
        return wizard.learnt(), b""


WIZARD_QUESTIONS: Mapping[str, type[WizardQuestion]] = {
    kind.ask: kind for kind in WizardQuestion.__subclasses__()
}
"""Every such question by the name it has on the line."""
