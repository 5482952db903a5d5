"""A game's events as JSON, and as lines of a readable record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from companion.model.calls import SECOND
from companion.model.seats import Seat
from companion.rules import event as ev
from companion.rules.state import State


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(field.name for field in fields(kind))


def to_jsonable(value: Any) -> Any:
    """Return a value as JSON has it: dataclasses as objects, tuples as lists; raise TypeError for others."""
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple | list):
        return [to_jsonable(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): to_jsonable(one) for key, one in value.items()}
    if is_dataclass(value):
        return {name: to_jsonable(getattr(value, name)) for name in field_names(value.__class__)}
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def first_refusal(events: Sequence[ev.Stamped]) -> ev.CallRefused | None:
    """Return the first refusal among events, or ``None``."""
    return next((one.event for one in events if isinstance(one.event, ev.CallRefused)), None)


def step_json(state: State, at_ns: int, events: Sequence[ev.Stamped]) -> dict[str, Any]:
    """Return the result of one input: whether it was accepted, the state after it, and its events."""
    no = first_refusal(events)
    return {
        "accepted": no is None,
        "reason": no.reason if no else None,
        "phase": state.phase.value,
        "round": state.round,
        "pool": state.pool,
        "seats": [seat_json(seat) for seat in state.seats],
        "winner": state.winner,
        "turn": state.turn,
        "clock_s": state.clock.elapsed(at_ns) / SECOND,
        "clock_shown_s": clock_shown(state, at_ns) / SECOND,
        "events": [event_json(one) for one in events],
    }


def clock_shown(state: State, at_ns: int) -> int:
    """Return what the round's clock shows, in nanoseconds: the time played, or what is left of the cap."""
    ran = state.clock.elapsed(at_ns)
    cap_s = state.options["cap_s"]
    return cap_s * SECOND - ran if cap_s and state.options["clock"] == "down" else ran


def seat_json(seat: Seat) -> dict[str, Any]:
    """Return a seat in the JSON of ``companion referee``."""
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


def event_json(one: ev.Stamped) -> dict[str, Any]:
    """Return an event's number, name and fields."""
    return {"number": one.number, "event": type(one.event).__name__, **to_jsonable(one.event)}


def clock_time(at_ns: int) -> str:
    """Return a stamp as minutes, seconds and milliseconds."""
    seconds, ms = divmod(at_ns // 1_000_000, 1000)
    return f"{seconds // 60}:{seconds % 60:02}.{ms:03}"


def record(state: State, events: Sequence[ev.Stamped]) -> list[str]:
    """Return one line for each event that the readable record has."""
    return [
        f"{clock_time(one.at_ns)}  {record_line(state, one.event)}" for one in events if one.event.in_record
    ]


def record_line(state: State, event: ev.Event) -> str:
    """Return one event as a line of a game record."""
    number = getattr(event, "seat", None)
    who = state.seat(number).name if number else "table"
    match event:
        case ev.GameSetUp():
            return f"{event.game}: {', '.join(event.seats)}; words: {event.words}; " + options_text(
                event.options
            )
        case ev.HostOrdered():
            return f"host: {event.order}"
        case ev.CallAccepted():
            return f"{who}: {event.call}" + "".join(
                f" {value_text(value)}" for value in event.details.values()
            )
        case ev.CallRefused():
            return f"{who if number else 'host'}: {event.call} refused: {event.reason}"
        case ev.Announced() | ev.SightLost() | ev.SightBack():
            return f"table: {event.text}"
        case ev.Ruled():
            details = "".join(f" {name} {value_text(value)}" for name, value in event.details.items())
            return f"referee: {event.ruling}{f' {who}' if number else ''}{details}: {event.reason}"
        case _:
            return f"{who}: {event_text(event)}"


def options_text(options: Mapping[str, Any]) -> str:
    """Return all options of a game with their values."""
    return ", ".join(f"{name} {value_text(value)}" for name, value in options.items())


def event_text(event: ev.Event) -> str:
    """Return an event's name in words, followed by its fields."""
    words = "".join(
        f" {letter.lower()}" if letter.isupper() else letter for letter in type(event).__name__
    ).strip()
    fields = {name: value for name, value in to_jsonable(event).items() if name != "seat"}
    return words + "".join(f", {name} {value_text(value)}" for name, value in fields.items())


def value_text(value: Any) -> str:
    """Return a value as text, without the brackets and quotation marks of JSON."""
    if isinstance(value, list | tuple):
        return " ".join(value_text(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
