"""The state and the events that Binary Number Scrabble adds to the shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from companion.model.phrases import Text, phrase
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import Tile, turned, turned_cell
from companion.rules.changes import after_events, evolve_shared
from companion.rules.state import Phase, State, with_seat


@dataclass(frozen=True, slots=True)
class EquationsMade(ev.Event):
    """A play: its tiles, the equations that they form, their points, and their fault, if any.

    ``drawn`` is the number of tiles that fill the hand up again.
    """

    version: ClassVar[int] = 2
    compatible_since: ClassVar[int | None] = 1
    in_record: ClassVar[bool] = False
    seat: int
    tiles: tuple[Tile, ...]
    equations: tuple[str, ...]
    points: int
    drawn: int
    fault: Text | None


@dataclass(frozen=True, slots=True)
class PlayTakenBack(ev.Event):
    """The last play is undone: its tiles go back to the hand, and its points are removed."""

    mood: ClassVar[str] = "ruled"
    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return the sentence for pages."""
        return phrase("takes the play back")


@dataclass(frozen=True, slots=True)
class PlayUpheld(ev.Event):
    """The last play was challenged and stands."""

    mood: ClassVar[str] = "good"
    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return the sentence for pages."""
        return phrase("keeps the play")


@dataclass(frozen=True, slots=True)
class TurnForfeited(ev.Event):
    """A seat will miss its next turn."""

    mood: ClassVar[str] = "bad"
    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return the sentence for pages."""
        return phrase("will miss the next turn")


@dataclass(frozen=True, slots=True)
class TurnMissed(ev.Event):
    """A seat misses its turn."""

    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return the sentence for pages."""
        return phrase("misses this turn")


@dataclass(frozen=True, slots=True)
class UnplayedCounted(ev.Event):
    """Each seat's points for unplayed tiles, after one has gone out."""

    mood: ClassVar[str] = "said"
    points: tuple[int, ...]

    def says(self, names: Sequence[str]) -> Text:
        """Return the points, by player."""
        each = ", ".join(f"{name} {points:+}" for name, points in zip(names, self.points, strict=True))
        return phrase("Unplayed tiles: %(points)s", points=each)


@dataclass(frozen=True, slots=True)
class BoardTurned(ev.Event):
    """The camera reads the board turned against the tiles of the plays, by ``quarters`` clockwise.

    Tiles that look alike both ways, as in ``0+0=0``, do not show which way up they are; later ones do.
    """

    in_record: ClassVar[bool] = False
    quarters: int


OWN_EVENTS = (
    EquationsMade,
    PlayTakenBack,
    PlayUpheld,
    TurnForfeited,
    TurnMissed,
    UnplayedCounted,
    BoardTurned,
)


@dataclass(frozen=True, slots=True)
class BinaryScrabbleState(State):
    """The state of Binary Number Scrabble.

    Parameters
    ----------
    board_tiles
        The tiles of all plays on the board.
    earned
        Each seat's points, minutes of overtime not yet taken off.
    scoreless
        Turns since the last one with points.
    last, scoreless_before
        The last play while it can be challenged, and ``scoreless`` before it.
    forfeits
        Seats that will miss their next turn.
    out
        The seat that has gone out.
    counted
        Whether the unplayed tiles have been counted.
    """

    board_tiles: tuple[Tile, ...] = ()
    earned: tuple[Score, ...] = ()
    scoreless: int = 0
    last: EquationsMade | None = None
    scoreless_before: int = 0
    forfeits: tuple[int, ...] = ()
    out: int | None = None
    counted: bool = False

    @property
    def laid(self) -> int:
        """The number of tiles on the board."""
        return len(self.board_tiles)


TURN_CALLS = frozenset({"play", "exchange", "pass"})
"""Calls that take a turn; after them the last play can no longer be challenged."""


def evolve(state: BinaryScrabbleState, event: ev.Event, at_ns: int) -> BinaryScrabbleState:
    """Return the state after an event."""
    match event:
        case ev.RoundStarted():
            return with_round_started(state, event, at_ns)
        case ev.CallAccepted(call=call) if call in TURN_CALLS:
            state = replace(state, last=None, scoreless=state.scoreless + (call != "play"))
        case ev.Disqualified(seat=seat):
            state = without_seat(state, seat)
        case ev.Ruled(ruling="set_score"):
            return rescored(evolve_shared(state, event, at_ns), event)
    return evolve_shared(evolve_own(state, event), event, at_ns)


def evolve_own(state: BinaryScrabbleState, event: ev.Event) -> BinaryScrabbleState:
    """Return the state after an event of this game; shared events leave it unchanged."""
    match event:
        case EquationsMade():
            return with_play(state, event)
        case PlayTakenBack():
            return without_last_play(state)
        case PlayUpheld():
            return replace(state, last=None)
        case TurnForfeited():
            return replace(state, forfeits=(*state.forfeits, event.seat))
        case TurnMissed():
            rest = list(state.forfeits)
            rest.remove(event.seat)
            return replace(state, forfeits=tuple(rest), scoreless=state.scoreless + 1)
        case UnplayedCounted():
            return replace(with_points(state, event.points), counted=True)
        case BoardTurned():
            return with_board_turned(state, event.quarters)
    return state


def with_round_started(state: BinaryScrabbleState, event: ev.RoundStarted, at_ns: int) -> BinaryScrabbleState:
    """Return the state with no tile played and all tiles in the pool; the board's sighting stays."""
    seen = state.board
    state = evolve_shared(replace(state, pool=state.pool + state.laid), event, at_ns)
    return replace(
        state,
        board=seen,
        board_tiles=(),
        earned=(0,) * len(state.seats),
        scoreless=0,
        last=None,
        scoreless_before=0,
        forfeits=(),
        out=None,
        counted=False,
    )


def with_play(state: BinaryScrabbleState, play: EquationsMade) -> BinaryScrabbleState:
    """Return the state with a play's tiles on the board and its points added."""
    seat = state.seat(play.seat)
    state = with_seat(state, play.seat, hand=seat.hand - len(play.tiles))
    state = with_points(state, tuple(play.points if n == play.seat else 0 for n in state.numbers))
    return replace(
        state,
        board_tiles=(*state.board_tiles, *play.tiles),
        last=play,
        scoreless_before=state.scoreless,
        scoreless=0 if play.points else state.scoreless + 1,
        out=None if state.pool or state.seat(play.seat).hand else play.seat,
    )


def without_last_play(state: BinaryScrabbleState) -> BinaryScrabbleState:
    """Return the state with the last play's tiles back in the hand and its points removed."""
    play = state.last
    if play is None:
        raise ValueError("there is no play to take back")
    hand = state.seat(play.seat).hand + len(play.tiles)
    state = with_seat(state, play.seat, hand=hand)
    state = with_points(state, tuple(-play.points if n == play.seat else 0 for n in state.numbers))
    board_tiles = tuple(tile for tile in state.board_tiles if tile not in play.tiles)
    scoreless = state.scoreless + (state.scoreless_before + 1 if play.points else 0)
    return replace(state, board_tiles=board_tiles, last=None, scoreless=scoreless, out=None)


def with_board_turned(state: BinaryScrabbleState, quarters: int) -> BinaryScrabbleState:
    """Return the state with what is known of the board turned clockwise by quarters."""
    last = state.last
    return replace(
        state,
        board_tiles=tuple(turned(tile, quarters) for tile in state.board_tiles),
        last=last and replace(last, tiles=tuple(turned(tile, quarters) for tile in last.tiles)),
        tile_readings=tuple(
            replace(one, cell=turned_cell(one.cell, quarters)) for one in state.tile_readings
        ),
    )


def with_points(state: BinaryScrabbleState, points: Sequence[Score]) -> BinaryScrabbleState:
    """Return the state with points added to ``earned``."""
    return replace(state, earned=tuple(old + more for old, more in zip(state.earned, points, strict=True)))


def without_seat(state: BinaryScrabbleState, seat: int) -> BinaryScrabbleState:
    """Return the state with nothing left to do for a seat that is out of the game."""
    return replace(
        state,
        last=None if state.last and state.last.seat == seat else state.last,
        forfeits=tuple(number for number in state.forfeits if number != seat),
        out=None if state.out == seat else state.out,
    )


def rescored(state: BinaryScrabbleState, ruling: ev.Ruled) -> BinaryScrabbleState:
    """Return the state with a seat's points as the referee has set them."""
    overtime = deduction(state, ruling.seat or 0) if state.stage is not Phase.PLAYING else 0
    score = ruling.details["score"] + overtime
    return replace(
        state,
        earned=tuple(score if n == ruling.seat else old for n, old in enumerate(state.earned, 1)),
    )


def deduction(state: BinaryScrabbleState, seat: int) -> int:
    """Return a seat's points off for the minutes begun beyond its own clock."""
    return int(state.seat(seat).overtime * state.options["overtime_points"])


def after(state: BinaryScrabbleState, events: Sequence[ev.Event], at_ns: int = 0) -> BinaryScrabbleState:
    """Return the state after events that are not in the log yet."""
    return after_events(evolve, state, events, at_ns)
