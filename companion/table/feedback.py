"""From events that are safe in the log to lights and sounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.model.calls import SECOND
from companion.model.patterns import Pattern
from companion.rules import event as ev
from companion.rules.state import Phase, State
from companion.table.devices import Lights, Sound

WARNS_NS = 4 * SECOND
"""How long a light warns."""


class Feedback:
    """Lets the table show what has happened: never before it is in the log."""

    def __init__(self, lights: Lights, sound: Sound) -> None:
        self.lights, self._sound = lights, sound
        self._stays: dict[int, Pattern] = {}
        self._warned: dict[int, int] = {}

    def heard(self, seat: int) -> None:
        """Show at once that a press was heard; what comes of it is shown once it is safe."""
        self.lights.show(Pattern.HEARD, seat)

    def tell(self, stamped: Sequence[ev.Stamped], state: State, now_ns: int) -> None:
        """Show what has happened, say it, and show how the seats stand after it."""
        events = [one.event for one in stamped]
        for event in events:
            self._show(event, state, now_ns)
        if (pattern := loudest(events)) is not None:
            self._sound.play(pattern, clips(events, state))
        self.settle(state, now_ns)

    def settle(self, state: State, now_ns: int) -> None:
        """Show what stays before each seat, where that has changed; a warning is over after a while."""
        for seat in state.numbers:
            warned = now_ns - self._warned.get(seat, -WARNS_NS) < WARNS_NS
            light = Pattern.WARNING if warned else staying(state, seat)
            if self._stays.get(seat) is not light:
                self._stays[seat] = light
                self.lights.show(light, seat)

    def forget(self, seat: int) -> None:
        """Show anew what stays before a seat, as after a test of its lights."""
        self._stays.pop(seat, None)

    def _show(self, event: ev.Event, state: State, now_ns: int) -> None:
        """Show one event."""
        match event:
            case ev.CallAccepted():
                self.lights.show(Pattern.ACCEPTED, event.seat)
            case ev.CallRefused(seat=int(seat)):
                self.lights.show(Pattern.REFUSED, seat)
            case ev.TilesDrawn(counts=counts) | ev.RoundStarted(hands=counts):
                self._count(Pattern.DRAW, counts)
            case ev.TilesTurned(counts=counts):
                self._count(Pattern.TURN, counts)
            case ev.TimeWarned() | ev.TimeUp():
                seats = state.numbers if event.seat is None else (event.seat,)
                self._warned |= dict.fromkeys(seats, now_ns)
            case ev.Warned():
                self._warned[event.seat] = now_ns
            case ev.WinnerNamed(seat=int(seat)) | ev.GameEnded(winner=int(seat)):
                self.lights.show(Pattern.WINNER, seat)
            case _:
                return

    def _count(self, pattern: Pattern, counts: Sequence[int]) -> None:
        """Show each seat how many tiles it has to draw or turn over, where it has any."""
        for seat, count in enumerate(counts, 1):
            if count > 0:
                self.lights.show(pattern, seat, count)


LOUD: Mapping[type[ev.Event], Pattern] = {
    ev.GameEnded: Pattern.WINNER,
    ev.TimeUp: Pattern.WARNING,
    ev.TimeWarned: Pattern.WARNING,
    ev.CallRefused: Pattern.REFUSED,
    ev.CallAccepted: Pattern.ACCEPTED,
}
"""What is heard, the most important first: one tune for all that happened at once."""


def loudest(events: Sequence[ev.Event]) -> Pattern | None:
    """Return what is to be heard of some events, or ``None``."""
    there = {type(event) for event in events}
    return next((light for kind, light in LOUD.items() if kind in there), None)


def clips(events: Sequence[ev.Event], state: State) -> list[str]:
    """Return what is spoken of some events that led to a state: "Peel, seven left, everybody draws one".

    "Flip, X left" counts the tiles that everyone still has face down (chew.txt).
    """
    said: list[str] = []
    for event in events:
        match event:
            case ev.CallAccepted():
                said.append(event.call)
            case ev.CallRefused(seat=int()):
                said.append("refused")
            case ev.TilesDrawn() if any(count > 0 for count in event.counts):
                drawing = [count for count in event.counts if count > 0]
                everybody = len(drawing) > 1 and len(set(drawing)) == 1
                said += [f"left_{state.pool}", *([f"draw_{drawing[0]}"] if everybody else [])]
            case ev.TilesTurned():
                said.append(f"left_{max(seat.face_down for seat in state.seats if not seat.out)}")
            case ev.TimeWarned():
                said.append(f"warn_{event.left_s}")
            case ev.TimeUp():
                said.append("time_up")
            case ev.GameEnded(winner=int()):
                said.append("winner")
            case ev.HostOrdered(order="pause" | "resume" as order):
                said.append(order)
            case _:
                continue
    return said


def staying(state: Any, seat: int) -> Pattern:
    """Return what the light of a seat says while nothing happens."""
    if state.seat(seat).out or state.phase is Phase.OVER:
        return Pattern.OFF
    verdict = state.seat(seat).verdict
    asked = (verdict is not None and verdict.doubts) or (state.board is not None and state.board.doubts)
    return Pattern.DOUBT if asked and state.phase in {Phase.PLAYING, Phase.JUDGING} else Pattern.IDLE
