"""Lights and sounds for events that are in the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.model.calls import SECOND
from companion.model.patterns import Pattern
from companion.rules import event as ev
from companion.rules.state import Phase, State
from companion.table.devices import Lights, Sound

WARNING_DURATION_NS = 4 * SECOND
"""Time for which a light shows a warning, in ns."""


class Feedback:
    """Shows events by lights and sounds, never before they are in the log."""

    def __init__(self, lights: Lights, sound: Sound) -> None:
        self.lights, self._sound = lights, sound
        self._shown: dict[int, Pattern] = {}
        self._warned: dict[int, int] = {}

    def acknowledge(self, seat: int) -> None:
        """Show at once that a press was received; its outcome is shown once it is in the log."""
        self.lights.show(Pattern.HEARD, seat)

    def show(self, stamped: Sequence[ev.Stamped], state: State, now_ns: int) -> None:
        """Show events by lights and sounds, then the resting pattern of every seat."""
        events = [one.event for one in stamped]
        for event in events:
            self._show(event, state, now_ns)
        if (pattern := most_important_sound(events)) is not None:
            self._sound.play(pattern, clips(events, state))
        self.settle(state, now_ns)

    def settle(self, state: State, now_ns: int) -> None:
        """Show each seat's changed resting pattern; a warning ends after ``WARNING_DURATION_NS``."""
        for seat in state.numbers:
            warned = now_ns - self._warned.get(seat, -WARNING_DURATION_NS) < WARNING_DURATION_NS
            light = Pattern.WARNING if warned else resting_pattern(state, seat)
            if self._shown.get(seat) is not light:
                self._shown[seat] = light
                self.lights.show(light, seat)

    def forget(self, seat: int) -> None:
        """Show a seat's resting pattern again, as after a test of its lights."""
        self._shown.pop(seat, None)

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
        """Show each seat the number of tiles that it has to draw or turn over, if any."""
        for seat, count in enumerate(counts, 1):
            if count > 0:
                self.lights.show(pattern, seat, count)


SOUNDS: Mapping[type[ev.Event], Pattern] = {
    ev.GameEnded: Pattern.WINNER,
    ev.TimeUp: Pattern.WARNING,
    ev.TimeWarned: Pattern.WARNING,
    ev.CallRefused: Pattern.REFUSED,
    ev.CallAccepted: Pattern.ACCEPTED,
}
"""The tune of each event, the most important first: one decision plays one tune."""


def most_important_sound(events: Sequence[ev.Event]) -> Pattern | None:
    """Return the tune of some events, or ``None``."""
    there = {type(event) for event in events}
    return next((light for kind, light in SOUNDS.items() if kind in there), None)


def clips(events: Sequence[ev.Event], state: State) -> list[str]:
    """Return the clips that speak some events, with the state after them: "Peel, seven left, ...".

    "Flip, X left" counts the tiles that everyone still has face down (chew.txt).
    """
    spoken: list[str] = []
    for event in events:
        match event:
            case ev.CallAccepted():
                spoken.append(event.call)
            case ev.CallRefused(seat=int()):
                spoken.append("refused")
            case ev.TilesDrawn() if any(count > 0 for count in event.counts):
                drawing = [count for count in event.counts if count > 0]
                everybody = len(drawing) > 1 and len(set(drawing)) == 1
                spoken += [f"left_{state.pool}", *([f"draw_{drawing[0]}"] if everybody else [])]
            case ev.TilesTurned():
                spoken.append(f"left_{max(seat.face_down for seat in state.seats if not seat.out)}")
            case ev.TimeWarned():
                spoken.append(f"warn_{event.left_s}")
            case ev.TimeUp():
                spoken.append("time_up")
            case ev.GameEnded(winner=int()):
                spoken.append("winner")
            case ev.HostOrdered(order="pause" | "resume" as order):
                spoken.append(order)
            case _:
                continue
    return spoken


def resting_pattern(state: Any, seat: int) -> Pattern:
    """Return the pattern that a seat's light shows while nothing happens."""
    if state.seat(seat).out or state.phase is Phase.OVER:
        return Pattern.OFF
    verdict = state.seat(seat).verdict
    asked = (verdict is not None and verdict.doubts) or (state.board is not None and state.board.doubts)
    return Pattern.DOUBT if asked and state.phase in {Phase.PLAYING, Phase.JUDGING} else Pattern.IDLE
