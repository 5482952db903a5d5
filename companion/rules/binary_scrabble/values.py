"""What Binary Number Scrabble knows and tells beyond the shared values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from companion.model.phrases import Text, phrase
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import Tile
from companion.rules.changes import evolve_shared
from companion.rules.state import Phase, State, with_seat


@dataclass(frozen=True, slots=True)
class EquationsMade(ev.Event):
    """A turn's tiles, the equations that they form, their points, and what is wrong with them, if anything.

    ``drawn`` tiles will fill the hand up again.
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
    """The last play does not stand: its tiles go back to the hand, its points are gone."""

    mood: ClassVar[str] = "ruled"
    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return what the player does."""
        return phrase("takes the play back")


@dataclass(frozen=True, slots=True)
class PlayUpheld(ev.Event):
    """The last play was challenged and stands."""

    mood: ClassVar[str] = "good"
    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return what the player does."""
        return phrase("keeps the play")


@dataclass(frozen=True, slots=True)
class TurnForfeited(ev.Event):
    """A seat will miss its next turn."""

    mood: ClassVar[str] = "bad"
    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return what follows for the player."""
        return phrase("will miss the next turn")


@dataclass(frozen=True, slots=True)
class TurnMissed(ev.Event):
    """A seat's turn goes by."""

    seat: int

    def says(self, names: Sequence[str]) -> Text:
        """Return what the player does."""
        return phrase("misses this turn")


@dataclass(frozen=True, slots=True)
class UnplayedCounted(ev.Event):
    """What the unplayed tiles bring each seat after one has gone out."""

    mood: ClassVar[str] = "said"
    points: tuple[int, ...]

    def says(self, names: Sequence[str]) -> Text:
        """Return the points, by player."""
        each = ", ".join(f"{name} {points:+}" for name, points in zip(names, self.points, strict=True))
        return phrase("Unplayed tiles: %(points)s", points=each)


OWN = (EquationsMade, PlayTakenBack, PlayUpheld, TurnForfeited, TurnMissed, UnplayedCounted)


@dataclass(frozen=True, slots=True)
class BinaryScrabbleState(State):
    """What Binary Number Scrabble knows besides.

    Parameters
    ----------
    lying
        The tiles of all plays that stand.
    earned
        Each seat's points, minutes of overtime not yet taken off.
    scoreless
        Turns since the last one that brought points.
    last, scoreless_before
        The last play while it may be challenged, and ``scoreless`` before it.
    forfeits
        Seats that will miss their next turn.
    out
        The seat that has gone out.
    counted
        Whether the unplayed tiles have been counted.
    """

    lying: tuple[Tile, ...] = ()
    earned: tuple[Score, ...] = ()
    scoreless: int = 0
    last: EquationsMade | None = None
    scoreless_before: int = 0
    forfeits: tuple[int, ...] = ()
    out: int | None = None
    counted: bool = False

    @property
    def laid(self) -> int:
        """Tiles on the board by count."""
        return len(self.lying)


TURNS = frozenset({"play", "exchange", "pass"})
"""Calls that take a turn: the play before them may be challenged no more."""


def evolve(state: BinaryScrabbleState, event: ev.Event, at_ns: int) -> BinaryScrabbleState:
    """Return the state after an event."""
    match event:
        case ev.RoundStarted():
            return opened(state, event, at_ns)
        case ev.CallAccepted(call=call) if call in TURNS:
            state = replace(state, last=None, scoreless=state.scoreless + (call != "play"))
        case ev.Disqualified(seat=seat):
            state = left(state, seat)
        case ev.Ruled(ruling="set_score"):
            return rescored(evolve_shared(state, event, at_ns), event)
    return evolve_shared(own_evolved(state, event), event, at_ns)


def own_evolved(state: BinaryScrabbleState, event: ev.Event) -> BinaryScrabbleState:
    """Return the state after an event of this game's own; the shared ones leave it as it is."""
    match event:
        case EquationsMade():
            return made(state, event)
        case PlayTakenBack():
            return taken_back(state)
        case PlayUpheld():
            return replace(state, last=None)
        case TurnForfeited():
            return replace(state, forfeits=(*state.forfeits, event.seat))
        case TurnMissed():
            rest = list(state.forfeits)
            rest.remove(event.seat)
            return replace(state, forfeits=tuple(rest), scoreless=state.scoreless + 1)
        case UnplayedCounted():
            return replace(earning(state, event.points), counted=True)
    return state


def opened(state: BinaryScrabbleState, event: ev.RoundStarted, at_ns: int) -> BinaryScrabbleState:
    """Return a board with nothing played on it, seen as it was; all tiles are in the middle again."""
    seen = state.board
    state = evolve_shared(replace(state, pool=state.pool + state.laid), event, at_ns)
    return replace(
        state,
        board=seen,
        lying=(),
        earned=(0,) * len(state.seats),
        scoreless=0,
        last=None,
        scoreless_before=0,
        forfeits=(),
        out=None,
        counted=False,
    )


def made(state: BinaryScrabbleState, play: EquationsMade) -> BinaryScrabbleState:
    """Return the state with a play's tiles on the board and its points earned."""
    seat = state.seat(play.seat)
    state = with_seat(state, play.seat, hand=seat.hand - len(play.tiles))
    state = earning(state, tuple(play.points if n == play.seat else 0 for n in state.numbers))
    return replace(
        state,
        lying=(*state.lying, *play.tiles),
        last=play,
        scoreless_before=state.scoreless,
        scoreless=0 if play.points else state.scoreless + 1,
        out=None if state.pool or state.seat(play.seat).hand else play.seat,
    )


def taken_back(state: BinaryScrabbleState) -> BinaryScrabbleState:
    """Return the state with the last play's tiles back in the hand and its points gone."""
    play = state.last
    if play is None:
        raise ValueError("there is no play to take back")
    hand = state.seat(play.seat).hand + len(play.tiles)
    state = with_seat(state, play.seat, hand=hand)
    state = earning(state, tuple(-play.points if n == play.seat else 0 for n in state.numbers))
    lying = tuple(tile for tile in state.lying if tile not in play.tiles)
    scoreless = state.scoreless + (state.scoreless_before + 1 if play.points else 0)
    return replace(state, lying=lying, last=None, scoreless=scoreless, out=None)


def earning(state: BinaryScrabbleState, points: Sequence[Score]) -> BinaryScrabbleState:
    """Return the state with points added to those earned."""
    return replace(state, earned=tuple(old + more for old, more in zip(state.earned, points, strict=True)))


def left(state: BinaryScrabbleState, seat: int) -> BinaryScrabbleState:
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
    for event in events:
        state = evolve(state, event, at_ns)
    return state
