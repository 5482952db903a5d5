"""Rulings about players and clocks: penalties, warnings, who leaves and who comes, incidents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.model.calls import SECOND, Ruling
from companion.model.phrases import phrase
from companion.rules import event as ev
from companion.rules.interface import Events, RuleSystem, Words, not_ruled
from companion.rules.state import Phase, State

Rules = RuleSystem[Any]


def penalize(game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return points taken off a seat's total, and what that changes where play or the game is over."""
    taken = ev.PointsTaken(int(ruling.seat or 0), ruling.details["points"])
    then = game.evolve(state, taken, ruling.at_ns)
    return [taken, *(crowned_anew(game, then) if state.phase is Phase.OVER else game.rerank(then))]


def crowned_anew(game: Rules, state: State) -> list[ev.Event]:
    """Return the winner of a game that is over, where the totals name another one now."""
    first = game.standings(state)[0]
    winner = first[0] if len(first) == 1 else None
    return [] if winner == state.winner else [ev.GameEnded(winner)]


def warn(_game: Rules, _state: State, ruling: Ruling, _words: Words) -> Events:
    """Return a warning given."""
    return [ev.WarningGiven(int(ruling.seat or 0))]


def note_incident(_game: Rules, _state: State, _ruling: Ruling, _words: Words) -> Events:
    """Return nothing more: the ruling's reason is the note."""
    return []


def withdraw(game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return a player out of the game, the tiles where a disqualified player's go."""
    number = int(ruling.seat or 0)
    seat = state.seat(number)
    if state.phase is Phase.OVER:
        return not_ruled(ruling, phrase("the game is over"))
    if seat.withdrawn:
        return not_ruled(ruling, phrase("%(name)s has withdrawn already", name=seat.name))
    if seat.out or state.confirmed:
        return [ev.Disqualified(number, 0, ruling.reason, withdrawn=True)]
    return [
        replace(event, withdrawn=True) if isinstance(event, ev.Disqualified) else event
        for event in game.disqualify(state, number, ruling.reason)
    ]


def substitute(_game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return another player at a seat."""
    name = ruling.details["player"]
    if any(name.casefold() == seat.name.casefold() for seat in state.seats):
        return not_ruled(ruling, phrase("%(name)s sits at the table already", name=name))
    return [ev.PlayerSubstituted(int(ruling.seat or 0), name)]


def set_clock(_game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return a clock set so that it shows what the referee says."""
    if state.stage not in {Phase.SETUP, Phase.PLAYING}:
        return not_ruled(ruling, phrase("the round has ended; set the score with set_score"))
    shown_ns = ruling.details["seconds"] * SECOND
    if ruling.seat is None:
        return set_round(state, ruling, shown_ns)
    limit_s = state.options.get("player_s", 0)
    if not limit_s:
        return not_ruled(ruling, phrase("players have no clocks of their own in this game"))
    spent_ns = state.clocks[ruling.seat - 1].elapsed(ruling.at_ns)
    return [ev.ClockSet(ruling.seat, limit_s * SECOND - shown_ns - spent_ns)]


def set_round(state: State, ruling: Ruling, shown_ns: int) -> Events:
    """Return the round's clock set: it shows what has run or, where it counts down, what is left."""
    cap_s = state.options["cap_s"]
    down = cap_s and state.options["clock"] == "down"
    used_ns = cap_s * SECOND - shown_ns if down else shown_ns
    if shown_ns < 0 or used_ns < 0 or (cap_s and used_ns >= cap_s * SECOND):
        return not_ruled(
            ruling,
            phrase(
                "the round's clock shows %(least)s to %(most)s",
                least=told_s(1 if down else 0),
                most=told_s(cap_s if down else cap_s - 1) if cap_s else phrase("any time"),
            ),
        )
    return [ev.ClockSet(None, used_ns - state.clock.elapsed(ruling.at_ns))]


def told_s(seconds: int) -> str:
    """Return seconds as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02}"
