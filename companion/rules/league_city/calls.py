"""The calls of League City's rules."""

from __future__ import annotations

from companion.model.calls import Called
from companion.model.phrases import phrase, phrase_n
from companion.rules import event as ev
from companion.rules.crossword import exchanged, invalid_reason, tableau_fault, unclear_reason
from companion.rules.interface import Events, Words, refused
from companion.rules.league_city.rounds import penalty, tiles_drawn_by_seat, withdraw_done
from companion.rules.league_city.values import DoneDrawn, LeagueCityState, is_tied
from companion.rules.policy import objection, warnings
from companion.rules.state import Phase


def go(state: LeagueCityState, called: Called, _words: Words) -> Events:
    """Return the round's start; refuse GO if a player has not drawn all tiles."""
    doubt = undrawn_reason(state)
    if reason := objection(state, None, doubt):
        return [refused(called, reason)]
    return [*warnings(state, called, doubt), ev.PlayBegun(), ev.Announced("GO!")]


def undrawn_reason(state: LeagueCityState) -> str | None:
    """Return who has not drawn all tiles, or ``None``; one tile may be missing, as a finger may hide it."""
    missing = {}
    for number in state.watched:
        seat = state.seat(number)
        seen = seat.sighting
        if seen is not None and seen.face_down is not None:
            missing[number] = max(0, seat.hand - seen.face_down - seen.placed - len(seen.loose))
    if sum(missing.values()) <= 1:
        return None
    number = max(missing, key=lambda n: missing[n])
    seat = state.seat(number)
    return phrase_n(
        "%(name)s has %(drawn)s of %(count)s tile: GO comes when all have drawn",
        "%(name)s has %(drawn)s of %(count)s tiles: GO comes when all have drawn",
        seat.hand,
        name=seat.name,
        drawn=seat.hand - missing[number],
    )


def trade(state: LeagueCityState, called: Called, _words: Words) -> Events:
    """Return one tile put back and three drawn, or what is left, by the option ``trade_return``."""
    first = state.options["trade_return"] == "return_first"
    if not tradable(state):
        return [refused(called, phrase("the pool is empty: there is nothing to draw for your tile"))]
    return exchanged(state, called.seat, return_first=first)


def tradable(state: LeagueCityState) -> bool:
    """Return whether there is anything to draw for a tile traded in."""
    return bool(state.pool) or state.options["trade_return"] == "return_first"


def done(state: LeagueCityState, called: Called, _words: Words) -> Events:
    """Return two tiles drawn by everybody, once for tied DONEs, or the round's end."""
    if state.phase is Phase.JUDGING:
        return finished_too(state, called)
    if is_tied(state, state.drawn_ns, called.at_ns):
        return same_done(state, called)
    counts = tiles_drawn_by_seat(state, called.seat)
    if not any(counts):
        return finished(state, called)
    doubt = tableau_fault(state.seat(called.seat))
    if reason := objection(state, called.seat, doubt):
        return [refused(called, reason)]
    return [
        *warnings(state, called, doubt),
        DoneDrawn(called.seat, counts),
        ev.TilesDrawn(counts),
        ev.Announced(announcement(counts)),
    ]


def announcement(counts: tuple[int, ...]) -> str:
    """Return the announcement of a DONE at which everybody draws."""
    most = max(counts)
    alike = all(count in {0, most} for count in counts) and most == 2
    return (
        phrase("DONE: two tiles each")
        if alike
        else phrase_n(
            "DONE: the last tile is shared out", "DONE: the last %(count)s tiles are shared out", sum(counts)
        )
    )


def same_done(state: LeagueCityState, called: Called) -> Events:
    """Return a DONE tied with the one that all drew for; it is valid if the tiles held before were placed."""
    doubt = tableau_fault(state.seat(called.seat), spare=state.drawn[called.seat - 1])
    if reason := objection(state, called.seat, doubt):
        return [refused(called, reason)]
    return [*warnings(state, called, doubt), ev.Announced(phrase("the same DONE: tiles are drawn once"))]


def finished(state: LeagueCityState, called: Called) -> Events:
    """Return the end of the round, or its refusal; a false one may cost points."""
    seat = state.seat(called.seat)
    unclear = unclear_reason(seat)
    if reason := objection(state, called.seat, unclear):
        return [refused(called, reason)]
    wrong = invalid_reason(seat.verdict) if seat.verdict else None
    if reason := objection(state, called.seat, wrong):
        return [refused(called, reason), *penalty(state, called.seat)]
    ended = (
        [ev.RoundEnded(phrase("%(name)s: %(call)s!", name=seat.name, call="DONE"))]
        if state.phase is Phase.PLAYING
        else []
    )
    return [*warnings(state, called, unclear or wrong), ev.SeatDone(called.seat), *ended]


def finished_too(state: LeagueCityState, called: Called) -> Events:
    """Return a final DONE tied with the first one, or its refusal."""
    seats = [seat for seat in state.seats if seat.done_ns is not None]
    first = min(seats, key=lambda seat: seat.done_ns or 0, default=None)
    if first is None or state.confirmed:
        return [refused(called, phrase("the round has ended and is being judged"))]
    late = state.options["tie"] == "edge" or not is_tied(state, first.done_ns, called.at_ns)
    if late or state.seat(called.seat).done_ns is not None:
        return [refused(called, phrase("%(name)s was first and is being judged", name=first.name))]
    return finished(state, called)


def not_done(state: LeagueCityState, called: Called, _words: Words) -> Events:
    """Return the withdrawal of a player's own final DONE: the group has found an invalid word."""
    if state.seat(called.seat).done_ns is None:
        return [refused(called, phrase("you have not finished"))]
    if state.confirmed:
        return [refused(called, phrase("the scores are confirmed; ask the referee"))]
    return withdraw_done(state, called.seat)
