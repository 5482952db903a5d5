"""How a round by Chew's rules is ranked, ends and is booked."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.phrases import phrase
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.chew.scores import finishers, handicaps_after, places, points, standings, stragglers
from companion.rules.chew.values import ChewState, TieLeft, after, evolve, window
from companion.rules.interface import Events
from companion.rules.state import Phase


def withdrawn(state: ChewState, number: int) -> Events:
    """Return a Done that was none: the player builds on, and all rights return."""
    gone = ev.DoneWithdrawn(number)
    rest = evolve(state, gone, 0)
    if state.confirmed:
        given = ranking(rest, everybody=True)
        return [gone, ev.PlacesGiven(given), *settled(rest, given)]
    reopened = state.stage is Phase.JUDGING and not complete(rest)
    return [gone, *([ev.PlayReopened(phrase("a Done was not valid"))] if reopened else []), *progress(rest)]


def complete(state: ChewState) -> bool:
    """Return whether so many are done that the round ends."""
    left = sum(state.seat(number).done_ns is None for number in state.active)
    return left <= (0 if state.options["play_to_end"] or len(state.seats) == 1 else 1)


def progress(state: ChewState) -> Events:
    """Return the places as they stand, a tie for the referee, and the round's end where it is due."""
    ending = complete(state)
    given = ranking(state, everybody=ending)
    events: list[ev.Event] = [*ties(state), ev.PlacesGiven(given)]
    if ending:
        stop = [ev.RoundEnded(phrase("all but one are done"))] if state.stage is Phase.PLAYING else []
        return [*events, *stop, *settled(state, given)]
    scored = any(seat.score for seat in state.seats)
    return [*events, ev.ScoresGiven((0,) * len(given))] if scored else events


def ties(state: ChewState) -> Events:
    """Return the Dones that the referee must put in order, where the house wants that."""
    if state.options["tie"] != "referee" or state.tied:
        return []
    fixed = {number for number, _ in state.fixed}
    groups = [
        group for group in finishers(state.seats, window(state)) if len(group) > 1 and not fixed & set(group)
    ]
    return [TieLeft(tuple(group)) for group in groups]


def ranking(state: ChewState, *, everybody: bool) -> tuple[int | None, ...]:
    """Return the places by Done, then (for everybody) by unplaced tiles; those that the referee set stand."""
    groups = finishers(state.seats, window(state)) + (stragglers(state.seats) if everybody else [])
    found = places(groups, len(state.seats))
    for number, place in state.fixed:
        found[number - 1] = place
    return tuple(found)


def settled(state: ChewState, given: tuple[int | None, ...]) -> list[ev.Event]:
    """Return the points and the winner that places give, and what follows where they are booked already."""
    first = [number for number in state.numbers if given[number - 1] == 1]
    scores = points(given)
    events = [ev.ScoresGiven(scores), ev.WinnerNamed(first[0] if len(first) == 1 else None)]
    return [*events, *(booked(state, given, scores, *state.before) if state.confirmed else [])]


def booked(
    state: ChewState,
    given: tuple[int | None, ...],
    scores: Sequence[Score],
    totals: Sequence[Score],
    handicaps: Sequence[int | None],
) -> list[ev.Event]:
    """Return a round's points added to totals, the handicaps, and the game's end where it was the last."""
    added = tuple(old + score for old, score in zip(totals, scores, strict=True))
    events = [ev.RoundConfirmed(added), ev.HandicapsGiven(handicaps_after(given, handicaps))]
    last = state.stage is Phase.OVER or state.round == state.options["rounds"]
    return [*events, *([ev.GameEnded(champion(after(state, events)))] if last else [])]


def stopped(state: ChewState, reason: str) -> Events:
    """Return the round's end with those not done ranked by their unplaced tiles."""
    given = ranking(state, everybody=True)
    return [ev.RoundEnded(reason), ev.PlacesGiven(given), *settled(state, given)]


def standing(state: ChewState) -> list[list[int]]:
    """Return the seats from first to last: most points, most rounds won, head to head, else together.

    Who has withdrawn comes behind all others.
    """
    found = standings([seat.total for seat in state.seats], state.history)
    halves = (
        [n for n in group if state.seat(n).withdrawn is gone] for gone in (False, True) for group in found
    )
    return [group for group in halves if group]


def champion(state: ChewState) -> int | None:
    """Return who has won the game, or ``None`` where the win is shared."""
    best = standing(state)[0]
    return best[0] if len(best) == 1 else None
