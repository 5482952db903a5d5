"""The services of a table: typed interfaces from which client and server are derived.

An operation is a method here and in the class that implements its service.  The client sends its arguments by
name as JSON; the dispatcher checks them against the signature, so that nothing else reaches the table.
One argument, or the answer, may be bytes.  Every operation raises a CompanionError with a text for the user.
"""
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from companion.model.phrases import Text
from companion.model.seats import MAX_SEATS
from companion.model.set_up import ZONE_KIND_NAMES, SetUpPicture, SheetKind, Spot, WizardStatus, ZoneAt
from companion.model.status import Answer, Checkup, CloseUp, PictureKind, Status, TileSets

Method = TypeVar("Method", bound=Callable[..., Any])
Check = Callable[[Any], None]
"""Raises ValueError for an invalid argument."""


EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})


MAX_WORD_CHARS = 24
"""Longest name of a part of the table on a picture, in characters: what fits beside a zone."""

MAX_ZONES = MAX_CORNERS = 32
"""Most zones of a table, and most corners of one: more than anybody drags on a phone."""

MAX_SYMBOLS = 200
"""Most symbols of a tile set: more than any alphabet or syllabary on tiles has."""


@dataclass(frozen=True, slots=True)
class Within:
    """A check of every number in an argument, however it is nested; ``None`` passes, NaN does not."""

    low: float
    high: float
    unit: str = ""

    def __call__(self, given: Any) -> None:
        """Raise ValueError for a number out of bounds."""
        if isinstance(given, Iterable):
            for one in given:
                self(one)
        elif given is not None and not self.low <= given <= self.high:
            unit = f" {self.unit}" if self.unit else ""
            raise ValueError(f"must be {self.low:g} to {self.high:g}{unit}; got {given:g}")


@dataclass(frozen=True, slots=True)
class Lines:
    """A check of a text of one line, or of at most ``most`` of them."""

    longest: int
    most: int = 1

    def __call__(self, given: str | Sequence[str]) -> None:
        """Raise ValueError for too many lines, or for one that is too long or not printable."""
        texts = [given] if isinstance(given, str) else given
        if len(texts) > self.most:
            raise ValueError(f"must be at most {self.most}; got {len(texts)}")
        for text in texts:
            if len(text) > self.longest or not text.isprintable():
                raise ValueError(f"must be one line of at most {self.longest} signs; got {text[:40]!r}")


def check_drawn_words(words: Mapping[str, str]) -> None:
    """Check the words that name the parts of the table on a picture."""
    if strange := set(words) - set(ZONE_KIND_NAMES):
        raise ValueError(
            f"words are drawn for {', '.join(ZONE_KIND_NAMES)}; got {str(sorted(strange))[:100]}"
        )
    for word in words.values():
        if not word:
            raise ValueError("a word that is drawn is not empty")
        Lines(MAX_WORD_CHARS)(word)


def check_zones(zones: Sequence[ZoneAt]) -> None:
    """Check the number of zones and corners, and that these are pixels."""
    if len(zones) > MAX_ZONES or any(len(zone.corners) > MAX_CORNERS for zone in zones):
        raise ValueError(f"a table has at most {MAX_ZONES} zones of {MAX_CORNERS} corners")
    for zone in zones:
        IN_PIXELS(zone.corners)


IN_PIXELS = Within(-40_000, 40_000)
"""Twice the width of the largest picture, on either side: a zone may reach beyond it."""

IN_MM = Within(1, 5000, "mm")
"""Bounds of lengths on a table."""

Pixel = Annotated[Spot | None, IN_PIXELS]
Corners = Annotated[tuple[Spot, Spot, Spot, Spot], IN_PIXELS]
Size = Annotated[Spot, IN_MM]
OptionalSize = Annotated[Spot | None, IN_MM]
Seats = Annotated[int, Within(1, MAX_SEATS)]
Width = Annotated[int, Within(16, 8192, "pixels")]
StepWidth = Annotated[int, Within(16, 4096, "pixels")]
Symbol = Annotated[str, Lines(20)]


def timeout(seconds: float) -> Callable[[Method], Method]:
    """Return a decorator that sets how many seconds the answer to an operation may take."""

    def marked(method: Method) -> Method:
        method.timeout_s = seconds  # type: ignore[attr-defined]
        return method

    return marked


class TableService:
    """The operations of a table at play."""

    @timeout(60.0)
    def order(self, order: str) -> Answer:
        """Submit the host's order: start, pause, resume, confirm, next_round or end.

        The first start runs the readiness checks.
        """

    def call(
        self, seat: int, call: str, details: Mapping[str, Any] = EMPTY_MAPPING, by: str = "phone"
    ) -> Answer:
        """Submit a player's call that was not made by a button; ``by`` is its source.

        ``details`` are the call's fields, in the form of a script.
        """

    def ruling(
        self, ruling: str, reason: str, seat: int | None = None, details: Mapping[str, Any] = EMPTY_MAPPING
    ) -> Answer:
        """Submit a referee's ruling."""

    def settle(self, seat: int, cell: tuple[int, int], symbol: str, shown: str | None = None) -> Answer:
        """Submit a reading of a tile in doubt; seat 0 is the shared board.

        ``shown`` is the symbol that the reader was shown: if another tile lies there by now, the reading is
        refused.
        """

    def status(self) -> Status:
        """Return the table's status."""

    @timeout(60.0)
    def checkup(self) -> Checkup:
        """Run the readiness checks of a game; during a game only those that cost nothing."""

    def picture(self, kind: PictureKind = PictureKind.PLAIN, width: Width = 1280, camera: int = 0) -> bytes:
        """Return the newest picture of a camera (counted from 0) as JPEG, at most ``width`` pixels wide."""

    def evidence(self, number: int) -> bytes:
        """Return the picture of the call that is event ``number`` of the present game, as JPEG."""

    def close_up(self, seat: int) -> CloseUp:
        """Return where each tile of a seat, or of the board (0), lies, in a picture from straight above."""

    def close_up_picture(self, number: int) -> bytes:
        """Return the picture of a recent close-up, as JPEG."""

    def tile_picture(self, seat: int, cell: tuple[int, int]) -> bytes:
        """Return the present picture of one tile, upright and with its surroundings, as JPEG."""

    def lights_test(self, seat: int) -> None:
        """Show every pattern on a seat's lights, one after the other."""

    def set_up(
        self,
        game: str,
        seats: Sequence[str],
        options: Mapping[str, Any] = EMPTY_MAPPING,
        words: str = "default",
        tiles: str = "",
    ) -> Answer:
        """Begin another game, refused while one is played; ``tiles`` default to those chosen for it."""

    def tile_sets(self, game: str) -> TileSets:
        """Return the tile sets that a game can be set up with."""

    @timeout(300.0)
    def restore(self, backup: bytes, *, keep: bool = True) -> Answer:
        """Restore the games of a backup that the log lacks; refused while a game is played.

        With ``keep`` the log is copied before.
        """


class WizardService:
    """The steps that set a table up; every successful step is saved.  ``camera`` counts from 0."""

    def state(self, camera: int = 0) -> WizardStatus:
        """Return the state of the setup."""

    def shown(
        self,
        camera: int,
        kind: SetUpPicture,
        width: StepWidth,
        words: Annotated[Mapping[str, str], check_drawn_words] = EMPTY_MAPPING,
    ) -> bytes:
        """Return a picture as JPEG, at most ``width`` pixels wide; ``words`` name its zones, by kind."""

    def sheet(self, kind: SheetKind, paper: str, seats: Seats, url: Annotated[str, Lines(200)]) -> bytes:
        """Return a sheet to print, as PDF; ``url`` is the pages' address for the seats' QR codes."""

    def light(self, camera: int) -> Text:
        """Check the light and return the result."""

    def guide(self, camera: int, *, on: bool) -> Text:
        """Start or stop measuring the lens; meanwhile each ``SetUpPicture.LENS`` is a measurement."""

    def lens(self, camera: int) -> Text:
        """Save the measured lens; the table's corners must be found again then."""

    def markers(
        self,
        camera: int,
        size_mm: OptionalSize = None,
        ruler_mm: Annotated[float | None, Within(50, 150, "mm")] = None,
    ) -> Text:
        """Find the table by its printed markers, and return what was found.

        ``size_mm`` is the measured distance between their outer corners; ``ruler_mm`` the measured length of
        the sheet's 100 mm; either may be unknown.
        """

    def taps(self, camera: int, corners: Corners, size_mm: Size) -> Text:
        """Save the table's four corners as tapped, clockwise from the top left, in pixels."""

    def tile(self, camera: int, tile_mm: Annotated[float | None, Within(5, 100, "mm")] = None) -> Text:
        """Save the width of a tile; without a number it is measured in the picture."""

    def seats(self, camera: int, seats: Seats, board_mm: OptionalSize = None) -> Text:
        """Divide the table among seats, with a board of the given size in its middle, if there is one."""

    def zones(self, camera: int, zones: Annotated[Sequence[ZoneAt], check_zones]) -> Text:
        """Save zones as edited."""

    def drift(self, camera: int) -> Text:
        """Check whether the camera has moved, and return the result."""

    def mend(self, camera: int, tap: Pixel = None) -> Text:
        """Save the table's new place after a bump; ``tap`` is its top left corner if it is not found."""

    def learn(
        self, name: Annotated[str, Lines(60)], order: Annotated[Sequence[str], Lines(20, MAX_SYMBOLS)]
    ) -> Text:
        """Begin to enrol a tile set of one's own."""

    def example(self, camera: int, symbol: Symbol) -> Text:
        """Add the tiles in the newest picture as examples of one symbol."""

    def learnt(self) -> Text:
        """Save the enrolled tile set, and return how well it is read."""


OPERATION_PREFIXES: Mapping[type, str] = {TableService: "", WizardService: "wizard_"}
"""The prefix of the names of each service's operations on the socket."""
