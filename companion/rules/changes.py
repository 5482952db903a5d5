"""How each shared event changes the state of a game: the evolve function of events that all games share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from companion.model.seats import Seat
from companion.model.sightings import Cell
from companion.model.tiles import BLANK
from companion.rules import event as ev
from companion.rules.clock import Clock, overtime
from companion.rules.state import Phase, S, with_each, with_seat
from companion.rules.tile_readings import TileReading, moved_readings


def evolve_shared(state: S, event: ev.Event, at_ns: int) -> S:
    """Return the state after an event; events that only one game has leave it unchanged."""
    change = CHANGES.get(type(event))
    return state if change is None else change(state, event, at_ns)


def after_events(
    evolve: Callable[[S, ev.Event, int], S], state: S, events: Iterable[ev.Event], at_ns: int = 0
) -> S:
    """Return the state after events that are not in the log yet, all stamped ``at_ns``."""
    for event in events:
        state = evolve(state, event, at_ns)
    return state


def round_started(state: S, event: ev.RoundStarted, at_ns: int) -> S:
    """Deal the hands from a full pool and reset all clocks."""
    whole = state.pool + sum(seat.hand for seat in state.seats)
    seats = tuple(
        replace(
            Seat(seat.name, hand, down, total=seat.total, handicap=seat.handicap, out=seat.withdrawn),
            penalty=seat.penalty,
            warnings=seat.warnings,
            withdrawn=seat.withdrawn,
            former=seat.former,
        )
        for seat, hand, down in zip(state.seats, event.hands, event.face_down, strict=True)
    )
    state = replace(
        state,
        seats=seats,
        pool=whole - sum(event.hands),
        phase=Phase.SETUP,
        round=event.round,
        winner=None,
        turn=event.turn,
        started=True,
        confirmed=False,
        board=None,
        tile_readings=(),
        clock=Clock(),
        clocks=tuple(Clock() for _ in seats),
    )
    return with_clocks_running(replace(state, phase=Phase.PLAYING), at_ns) if event.playing else state


def play_begun(state: S, _event: ev.PlayBegun, at_ns: int) -> S:
    """Turn all tiles face up and start the clocks."""
    state = with_each(state, face_down=(0,) * len(state.seats))
    return with_clocks_running(replace(state, phase=Phase.PLAYING), at_ns)


def with_clocks_running(state: S, at_ns: int) -> S:
    """Return the state with the round's clock and the clock of the seat on turn running."""
    clocks = tuple(
        clock.started(at_ns) if number == state.turn else clock.stopped(at_ns)
        for number, clock in enumerate(state.clocks, 1)
    )
    return replace(state, clock=state.clock.started(at_ns), clocks=clocks)


def with_clocks_stopped(state: S, at_ns: int) -> S:
    """Return the state with all clocks stopped."""
    clocks = tuple(clock.stopped(at_ns) for clock in state.clocks)
    return replace(state, clock=state.clock.stopped(at_ns), clocks=clocks)


def play_paused(state: S, _event: ev.PlayPaused, at_ns: int) -> S:
    """Pause play and stop all clocks."""
    return with_clocks_stopped(replace(state, phase=Phase.PAUSED, before_pause=state.phase), at_ns)


def play_resumed(state: S, _event: ev.PlayResumed, at_ns: int) -> S:
    """Go back to the phase before the pause."""
    state = replace(state, phase=state.before_pause)
    return with_clocks_running(state, at_ns) if state.phase is Phase.PLAYING else state


def tiles_drawn(state: S, event: ev.TilesDrawn, _at_ns: int) -> S:
    """Move tiles between the pool and the hands."""
    hands = tuple(seat.hand + count for seat, count in zip(state.seats, event.counts, strict=True))
    return replace(with_each(state, hand=hands), pool=state.pool - sum(event.counts))


def tiles_turned(state: S, event: ev.TilesTurned, _at_ns: int) -> S:
    """Turn face-down tiles face up."""
    return with_each(
        state,
        face_down=tuple(seat.face_down - n for seat, n in zip(state.seats, event.counts, strict=True)),
    )


def in_phase(state: S, phase: Phase, at_ns: int) -> S:
    """Return the state in a phase, its clocks running or stopped; a paused game enters it when resumed."""
    if state.phase is Phase.PAUSED:
        return replace(state, before_pause=phase)
    state = replace(state, phase=phase)
    return with_clocks_running(state, at_ns) if phase is Phase.PLAYING else with_clocks_stopped(state, at_ns)


def round_ended(state: S, _event: ev.RoundEnded, at_ns: int) -> S:
    """Stop the clocks; the round is judged."""
    return in_phase(state, Phase.JUDGING, at_ns)


def play_reopened(state: S, _event: ev.PlayReopened, at_ns: int) -> S:
    """Resume play without a winner."""
    return in_phase(replace(state, winner=None), Phase.PLAYING, at_ns)


def round_confirmed(state: S, event: ev.RoundConfirmed, _at_ns: int) -> S:
    """Set the totals and mark the round's scores as confirmed."""
    return replace(with_each(state, total=event.totals), confirmed=True)


def round_voided(state: S, _event: ev.RoundVoided, at_ns: int) -> S:
    """Clear the round's scores, places and winner."""
    state = with_each(state, score=(0,) * len(state.seats), place=(None,) * len(state.seats))
    return in_phase(replace(state, winner=None), Phase.JUDGING, at_ns)


def game_ended(state: S, event: ev.GameEnded, at_ns: int) -> S:
    """End the game."""
    return with_clocks_stopped(replace(state, phase=Phase.OVER, winner=event.winner), at_ns)


def disqualified(state: S, event: ev.Disqualified, _at_ns: int) -> S:
    """Put a seat out of the round; who withdraws after its confirmation keeps the place in it."""
    seat = state.seat(event.seat)
    hand = seat.hand - event.returned
    down = min(seat.face_down, hand)
    played = state.confirmed and event.withdrawn
    state = with_seat(
        state,
        event.seat,
        out=True,
        hand=hand,
        face_down=down,
        place=seat.place if played else None,
        done_ns=seat.done_ns if played else None,
        returned=seat.returned + event.returned,
        withdrawn=seat.withdrawn or event.withdrawn,
    )
    return replace(state, pool=state.pool + event.returned)


def reinstated(state: S, event: ev.Reinstated, _at_ns: int) -> S:
    """Put a seat back into the round with the tiles it takes."""
    seat = state.seat(event.seat)
    state = with_seat(state, event.seat, out=False, withdrawn=False, hand=seat.hand + event.taken, returned=0)
    return replace(state, pool=state.pool - event.taken)


def points_taken(state: S, event: ev.PointsTaken, _at_ns: int) -> S:
    """Take points off a seat's total."""
    seat, points = state.seat(event.seat), event.points
    return with_seat(state, event.seat, total=seat.total - points, penalty=seat.penalty + points)


def player_substituted(state: S, event: ev.PlayerSubstituted, _at_ns: int) -> S:
    """Change the player's name at a seat and keep the former one."""
    seat = state.seat(event.seat)
    return with_seat(state, event.seat, name=event.name, former=(*seat.former, seat.name))


def clock_set(state: S, event: ev.ClockSet, at_ns: int) -> S:
    """Correct a clock, and remember the correction for an undo."""
    return replace(
        with_clock_shifted(state, event.seat, event.by_ns, at_ns), corrected=(event.seat, event.by_ns)
    )


def with_clock_shifted(state: S, number: int | None, by_ns: int, at_ns: int) -> S:
    """Return the state with ``by_ns`` added to the time used of a seat's clock; ``None``: of the round's."""
    warn_s = state.options["warn_s"]
    if number is None:
        return replace(state, clock=state.clock.corrected(by_ns, at_ns, state.options["cap_s"], warn_s))
    limit_s, clocks = state.options["player_s"], list(state.clocks)
    clock = clocks[number - 1] = clocks[number - 1].corrected(by_ns, at_ns, limit_s, warn_s)
    state = replace(state, clocks=tuple(clocks))
    return with_seat(state, number, overtime=overtime(clock.elapsed(at_ns), limit_s))


def time_warned(state: S, event: ev.TimeWarned, _at_ns: int) -> S:
    """Count the warning, so that it is given only once."""
    return with_warning_counted(state, event.seat)


def with_warning_counted(state: S, number: int | None) -> S:
    """Return the state with one more warning counted on a seat's clock, or on the round's (``None``)."""
    if number is None:
        return replace(state, clock=replace(state.clock, warned=state.clock.warned + 1))
    clocks = list(state.clocks)
    clocks[number - 1] = replace(clocks[number - 1], warned=clocks[number - 1].warned + 1)
    return replace(state, clocks=tuple(clocks))


def time_up(state: S, event: ev.TimeUp, _at_ns: int) -> S:
    """Count a minute of overtime on a player's clock."""
    state = replace(with_warning_counted(state, event.seat), moved=True)
    return state if event.seat is None else with_seat(state, event.seat, overtime=event.minute)


def turn_passed(state: S, event: ev.TurnPassed, at_ns: int) -> S:
    """Give a seat the turn; its clock runs and the others stop."""
    state = replace(state, turn=event.seat)
    return with_clocks_running(state, at_ns) if state.phase is Phase.PLAYING else state


def ruled(state: S, event: ev.Ruled, _at_ns: int) -> S:
    """Keep the state before the ruling, and its changes of words and tiles."""
    details = event.details
    words, readings = state.ruled_words, state.tile_readings
    if event.ruling == "rule_word":
        words = {**words, str(details["word"]).lower(): bool(details["valid"])}
    if event.ruling == "read_tile":
        readings = with_reading(state, event.seat or 0, tuple(details["cell"]), str(details["symbol"]))
    return replace(
        state, before_ruling=state, corrected=None, moved=False, ruled_words=words, tile_readings=readings
    )


def with_reading(state: S, seat: int, cell: Cell, symbol: str) -> tuple[TileReading, ...]:
    """Return the tile readings with one more; a second reading of a tile keeps the first one's ``shown``."""
    shown = (state.seat(seat).symbol_at(cell) if seat else None) or BLANK
    first = next((one.shown for one in state.tile_readings if (one.seat, one.cell) == (seat, cell)), shown)
    others = (one for one in state.tile_readings if (one.seat, one.cell) != (seat, cell))
    return (*others, TileReading(seat, cell, first, symbol))


def tiles_seen(state: S, event: ev.TilesSeen, _at_ns: int) -> S:
    """Set a seat's sighting and verdict; the referee's readings move with their tiles."""
    known = state.seat(event.seat).sighting
    readings = moved_readings(state.tile_readings, event.seat, known, event.sighting)
    state = replace(state, tile_readings=readings)
    return with_seat(state, event.seat, sighting=event.sighting, verdict=event.verdict)


def ruling_undone(state: Any, _event: ev.RulingUndone, at_ns: int) -> Any:
    """Restore the state before the last ruling, except for clocks and sightings."""
    before = state.before_ruling
    seen = tuple(
        replace(old, sighting=new.sighting) for old, new in zip(before.seats, state.seats, strict=True)
    )
    readings = before.tile_readings
    for number, (old, new) in enumerate(zip(before.seats, seen, strict=True), 1):
        readings = moved_readings(readings, number, old.sighting, new.sighting)
    before = replace(before, seats=seen, clock=state.clock, clocks=state.clocks, board=state.board)
    before = replace(before, tile_readings=readings, blind=state.blind)
    if state.corrected is not None:
        number, by_ns = state.corrected
        before = with_clock_shifted(before, number, -by_ns, at_ns)
    return (
        with_clocks_running(before, at_ns)
        if before.phase is Phase.PLAYING
        else with_clocks_stopped(before, at_ns)
    )


CHANGES: Mapping[type[ev.Event], Callable[[Any, Any, int], Any]] = {
    ev.RoundStarted: round_started,
    ev.PlayBegun: play_begun,
    ev.PlayPaused: play_paused,
    ev.PlayResumed: play_resumed,
    ev.TilesSeen: tiles_seen,
    ev.BoardSeen: lambda state, e, _: replace(state, board=e.board),
    ev.SightLost: lambda state, e, _: replace(
        state, blind=tuple(sorted({*state.blind, *state.named(e.seats)}))
    ),
    ev.SightBack: lambda state, e, _: replace(
        state, blind=tuple(sorted(set(state.blind) - state.named(e.seats)))
    ),
    ev.VerdictChanged: lambda state, e, _: with_seat(state, e.seat, verdict=e.verdict),
    ev.CallAccepted: lambda state, _e, _: replace(state, moved=True),
    ev.HostOrdered: lambda state, _e, _: replace(state, moved=True),
    ev.TilesDrawn: tiles_drawn,
    ev.TilesTurned: tiles_turned,
    ev.TurnPassed: turn_passed,
    ev.SeatDone: lambda state, e, at_ns: with_seat(state, e.seat, done_ns=at_ns),
    ev.DoneWithdrawn: lambda state, e, _: with_seat(state, e.seat, done_ns=None, place=None),
    ev.PlacesGiven: lambda state, e, _: with_each(state, place=e.places),
    ev.ScoresGiven: lambda state, e, _: with_each(state, score=e.scores),
    ev.HandicapsGiven: lambda state, e, _: with_each(state, handicap=e.handicaps),
    ev.WinnerNamed: lambda state, e, _: replace(state, winner=e.seat),
    ev.RoundEnded: round_ended,
    ev.PlayReopened: play_reopened,
    ev.RoundConfirmed: round_confirmed,
    ev.RoundVoided: round_voided,
    ev.GameEnded: game_ended,
    ev.Disqualified: disqualified,
    ev.Reinstated: reinstated,
    ev.PointsTaken: points_taken,
    ev.WarningGiven: lambda state, e, _: with_seat(state, e.seat, warnings=state.seat(e.seat).warnings + 1),
    ev.PlayerSubstituted: player_substituted,
    ev.ClockSet: clock_set,
    ev.TimeWarned: time_warned,
    ev.TimeUp: time_up,
    ev.Ruled: ruled,
    ev.RulingUndone: ruling_undone,
}
"""The change of each shared event; events that are missing here change nothing."""
