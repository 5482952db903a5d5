"""A game as it is told: one object for every line of a script, or one line of a readable record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.model.calls import SECOND
from companion.model.seats import Seat
from companion.rules import event as ev
from companion.rules.plain import plain
from companion.rules.state import State


def refusal(events: Sequence[ev.Stamped]) -> ev.CallRefused | None:
    """Return the refusal among events, if there is one."""
    return next((one.event for one in events if isinstance(one.event, ev.CallRefused)), None)


def told(state: State, at_ns: int, events: Sequence[ev.Stamped]) -> dict[str, Any]:
    """Return what stands after a line: whether it was accepted, the counts, the seats, the events."""
    no = refusal(events)
    return {
        "accepted": no is None,
        "reason": no.reason if no else None,
        "phase": state.phase.value,
        "round": state.round,
        "pool": state.pool,
        "seats": [seat_told(seat) for seat in state.seats],
        "winner": state.winner,
        "turn": state.turn,
        "clock_s": state.clock.elapsed(at_ns) / SECOND,
        "clock_shown_s": clock_shown(state, at_ns) / SECOND,
        "events": [event_told(one) for one in events],
    }


def clock_shown(state: State, at_ns: int) -> int:
    """Return what the round's clock shows, in nanoseconds: what has run, or what is left of the cap."""
    ran = state.clock.elapsed(at_ns)
    cap_s = state.options["cap_s"]
    return cap_s * SECOND - ran if cap_s and state.options["clock"] == "down" else ran


def seat_told(seat: Seat) -> dict[str, Any]:
    """Return a seat as the contract of ``companion referee`` has it."""
    verdict = seat.verdict and {
        "valid": seat.valid,
        "invalid_words": list(seat.verdict.invalid_words),
        "islands": seat.verdict.islands,
        "loose": seat.verdict.loose,
        "doubts": len(seat.verdict.doubts),
    }
    return {
        "name": seat.name,
        "hand": seat.hand,
        "face_down": seat.face_down,
        "placed": seat.placed,
        "verdict": verdict,
        "place": seat.place,
        "score": seat.score,
        "total": seat.total,
        "handicap": seat.handicap,
    }


def event_told(one: ev.Stamped) -> dict[str, Any]:
    """Return an event with its number and name in front."""
    return {"number": one.number, "event": type(one.event).__name__, **plain(one.event)}


def clock_time(at_ns: int) -> str:
    """Return a stamp as minutes, seconds and milliseconds."""
    seconds, ms = divmod(at_ns // 1_000_000, 1000)
    return f"{seconds // 60}:{seconds % 60:02}.{ms:03}"


def record(state: State, events: Sequence[ev.Stamped]) -> list[str]:
    """Return the readable lines of some events."""
    return [f"{clock_time(one.at_ns)}  {sentence(state, one.event)}" for one in events if one.event.told]


def sentence(state: State, event: ev.Event) -> str:
    """Return one event as a line of a game record."""
    number = getattr(event, "seat", None)
    who = state.seat(number).name if number else "table"
    match event:
        case ev.GameSetUp():
            return f"{event.game}: {', '.join(event.seats)}; words: {event.words}; " + options_told(
                event.options
            )
        case ev.HostOrdered():
            return f"host: {event.order}"
        case ev.CallAccepted():
            return f"{who}: {event.call}" + "".join(f" {listed(value)}" for value in event.details.values())
        case ev.CallRefused():
            return f"{who if number else 'host'}: {event.call} refused: {event.reason}"
        case ev.Announced() | ev.SightLost() | ev.SightBack():
            return f"table: {event.text}"
        case ev.Ruled():
            told = "".join(f" {name} {listed(value)}" for name, value in event.details.items())
            return f"referee: {event.ruling}{f' {who}' if number else ''}{told}: {event.reason}"
        case _:
            return f"{who}: {plainly(event)}"


def options_told(options: Mapping[str, Any]) -> str:
    """Return all options of a game with their values."""
    return ", ".join(f"{name} {listed(value)}" for name, value in options.items())


def plainly(event: ev.Event) -> str:
    """Return an event's name in words, with its fields."""
    words = "".join(
        f" {letter.lower()}" if letter.isupper() else letter for letter in type(event).__name__
    ).strip()
    fields = {name: value for name, value in plain(event).items() if name != "seat"}
    return words + "".join(f", {name} {listed(value)}" for name, value in fields.items())


def listed(value: Any) -> str:
    """Return a value without the signs of JSON."""
    if isinstance(value, list | tuple):
        return " ".join(listed(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
