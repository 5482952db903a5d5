"""Events that all games share.

An event says what happened; its envelope (``Stamped``) has the time and the number in the log.  A list with
one entry for each seat is in the order of the seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from companion.model.phrases import Text
from companion.model.seats import Score
from companion.model.sightings import Board, Sighting
from companion.model.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a game.

    ``version`` is that of its fields: raise it when they change, and give the class an
    ``upgraded(body, version)`` that returns the new fields of an older body.  Bodies since the version
    ``compatible_since`` are read as they are; ``added_fields`` are fields that older bodies lack, with the
    values that they would have, as JSON.  ``in_record`` is whether the readable record has the event, and
    ``mood`` how pages show it: ``good``, ``bad``, ``said``, ``ruled`` or ``plain``.
    """

    version: ClassVar[int] = 1
    compatible_since: ClassVar[int | None] = None
    added_fields: ClassVar[Mapping[str, Any]] = {}
    in_record: ClassVar[bool] = True
    mood: ClassVar[str] = "plain"

    def says(self, names: Sequence[str]) -> Text | None:
        """Return a sentence for pages, given the players' names; ``None``: its name and fields are shown."""
        return None

    @classmethod
    def upgraded(cls, body: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        """Return the current fields of a body that was written under an older version."""
        if cls.compatible_since is not None and version >= cls.compatible_since:
            return body
        if cls.added_fields:
            return {**cls.added_fields, **body}
        raise ValueError(f"{cls.__name__} has no version {version}")


class WithText(Event):
    """An event with a text for people; in its first version all texts were plain strings."""

    __slots__ = ()
    version: ClassVar[int] = 2
    compatible_since: ClassVar[int | None] = 1


@dataclass(frozen=True, slots=True)
class Stamped:
    """An event with its place in the game (from 1) and its time in nanoseconds."""

    number: int
    at_ns: int
    event: Event


@dataclass(frozen=True, slots=True)
class GameSetUp(Event):
    """The game, its seats and its options; ``words`` names the list that judges, ``program`` the version."""

    version: ClassVar[int] = 2
    added_fields: ClassVar[Mapping[str, Any]] = {"program": ""}

    game: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    words: str
    pool: int
    program: str = ""


@dataclass(frozen=True, slots=True)
class RoundStarted(Event):
    """All tiles lie in the middle except those dealt; the round's clock runs if ``playing``."""

    round: int
    hands: tuple[int, ...]
    face_down: tuple[int, ...]
    playing: bool = True
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class PlayBegun(Event):
    """The tiles dealt are turned up and the round's clock runs."""


@dataclass(frozen=True, slots=True)
class PlayPaused(Event):
    """All clocks are stopped; calls are refused."""


@dataclass(frozen=True, slots=True)
class PlayResumed(Event):
    """The clocks run again."""


@dataclass(frozen=True, slots=True)
class TilesSeen(Event):
    """A seat's tiles as the camera saw them, and the verdict on them."""

    in_record: ClassVar[bool] = False
    seat: int
    sighting: Sighting
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class BoardSeen(Event):
    """The shared board as the camera saw it."""

    version: ClassVar[int] = 2
    in_record: ClassVar[bool] = False

    board: Board

    @classmethod
    def upgraded(cls, body: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        """Return a board for which it is unknown since when its tiles lie there."""
        return {"board": {**body["board"], "since": []}}


@dataclass(frozen=True, slots=True)
class VerdictChanged(Event):
    """A seat's tableau, judged again after a ruling."""

    in_record: ClassVar[bool] = False
    seat: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class CallAccepted(Event):
    """A call that was accepted."""

    seat: int
    call: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HostOrdered(Event):
    """An accepted order of the host; its consequences are separate events."""

    order: str


@dataclass(frozen=True, slots=True)
class CallRefused(WithText):
    """A call, order (no seat) or ruling that the rules refuse, with a reason that a player understands."""

    seat: int | None
    call: str
    reason: Text


@dataclass(frozen=True, slots=True)
class Announced(WithText):
    """An announcement of the table."""

    text: Text


@dataclass(frozen=True, slots=True)
class SightLost(Event):
    """The table cannot see the tiles of some seats (none named: of all); people judge them."""

    version: ClassVar[int] = 3
    added_fields: ClassVar[Mapping[str, Any]] = {"seats": []}

    text: Text
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SightBack(Event):
    """The table sees the tiles of some seats (none named: of all) again."""

    version: ClassVar[int] = 3
    added_fields: ClassVar[Mapping[str, Any]] = {"seats": []}

    text: Text
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Warned(WithText):
    """A warning about an accepted call."""

    seat: int
    text: Text


@dataclass(frozen=True, slots=True)
class TilesDrawn(Event):
    """Tiles go from the middle to the hands, face up; negative numbers are tiles that go back."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TilesTurned(Event):
    """Face-down tiles of the hands are turned face up."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnPassed(Event):
    """The next player's turn begins, and with it that player's clock."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatDone(Event):
    """A seat has ended its round."""

    in_record: ClassVar[bool] = False
    seat: int


@dataclass(frozen=True, slots=True)
class DoneWithdrawn(Event):
    """A seat's Done is withdrawn: the player builds on."""

    seat: int


@dataclass(frozen=True, slots=True)
class PlacesGiven(Event):
    """Ranks in the round."""

    places: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ScoresGiven(Event):
    """Points of the round so far, of each seat; they stay until others are given or a round starts."""

    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class HandicapsGiven(Event):
    """New numbers of tiles in the handicap sets."""

    handicaps: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class WinnerNamed(Event):
    """The current winner; ``None`` if the round is open, void or shared."""

    seat: int | None


@dataclass(frozen=True, slots=True)
class RoundEnded(WithText):
    """Play stops; the tableaux and the scores are judged."""

    reason: Text


@dataclass(frozen=True, slots=True)
class PlayReopened(WithText):
    """Play goes on after its end."""

    reason: Text


@dataclass(frozen=True, slots=True)
class RoundConfirmed(Event):
    """The round's scores are final; ``totals`` are the new totals."""

    totals: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class RoundVoided(WithText):
    """The round counts for nobody."""

    reason: Text


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over."""

    winner: int | None


@dataclass(frozen=True, slots=True)
class Disqualified(Event):
    """A seat is out of the round; if it has ``withdrawn``, out of the game.

    ``returned`` is how many of its tiles go back to the middle.
    """

    version: ClassVar[int] = 3
    added_fields: ClassVar[Mapping[str, Any]] = {"withdrawn": False}

    seat: int
    returned: int
    reason: Text
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Reinstated(Event):
    """A seat is in again and takes ``taken`` tiles from the middle."""

    seat: int
    taken: int


@dataclass(frozen=True, slots=True)
class PointsTaken(Event):
    """Points that the referee takes off a seat's total in the game."""

    in_record: ClassVar[bool] = False
    seat: int
    points: Score


@dataclass(frozen=True, slots=True)
class WarningGiven(Event):
    """A warning of the referee's, which is counted."""

    in_record: ClassVar[bool] = False
    seat: int


@dataclass(frozen=True, slots=True)
class PlayerSubstituted(Event):
    """Another player goes on at a seat, with its tiles and points."""

    in_record: ClassVar[bool] = False
    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class ClockSet(Event):
    """The time used of a seat's own clock, or of the round's (no seat), is corrected by ``by_ns``."""

    in_record: ClassVar[bool] = False
    seat: int | None
    by_ns: int


@dataclass(frozen=True, slots=True)
class TimeWarned(Event):
    """``left_s`` seconds are left on the round's clock (no seat), or on a seat's own."""

    seat: int | None
    left_s: int


@dataclass(frozen=True, slots=True)
class TimeUp(Event):
    """The round's clock (no seat) or a seat's own has run out; ``minute`` counts a seat's overtime."""

    seat: int | None
    minute: int = 0


@dataclass(frozen=True, slots=True)
class Ruled(Event):
    """A referee's ruling and its reason; its consequences are separate events."""

    ruling: str
    reason: str
    seat: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RulingUndone(Event):
    """The last ruling is undone: everything except the clocks is as before it."""

    reason: str


SHARED_EVENTS: tuple[type[Event], ...] = tuple(
    kind for kind in (*Event.__subclasses__(), *WithText.__subclasses__()) if kind.__name__ != "WithText"
)
"""Every event that all games have; also classes that dataclasses with slots have replaced."""
