"""How a round of Chew's rules is ranked, ended and confirmed."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.phrases import phrase
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.chew.scores import finishers, handicaps_after, places, points, standings, stragglers
from companion.rules.chew.values import ChewState, TieLeft, after, evolve, tie_window_ns
from companion.rules.interface import Events
from companion.rules.state import Phase, with_each


def withdraw_done(state: ChewState, number: int) -> Events:
    """Return the withdrawal of a Done that was not valid: the player builds on, with all rights."""
    gone = ev.DoneWithdrawn(number)
    rest = evolve(state, gone, 0)
    if state.confirmed:
        out = tuple(seat.out and seat.place is None for seat in state.seats)
        given = ranking(with_each(rest, out=out), everybody=True)
        return [gone, ev.PlacesGiven(given), *score_events(rest, given)]
    reopened = state.stage is Phase.JUDGING and not is_round_complete(rest)
    return [
        gone,
        *([ev.PlayReopened(phrase("a Done was not valid"))] if reopened else []),
        *progress_events(rest),
    ]


def is_round_complete(state: ChewState) -> bool:
    """Return whether enough players are done for the round to end."""
    left = sum(state.seat(number).done_ns is None for number in state.active)
    return left <= (0 if state.options["play_to_end"] or len(state.seats) == 1 else 1)


def progress_events(state: ChewState) -> Events:
    """Return the places so far, a tie that the referee must decide, and the round's end if it is complete."""
    ending = is_round_complete(state)
    given = ranking(state, everybody=ending)
    events: list[ev.Event] = [*tie_events(state), ev.PlacesGiven(given)]
    if ending:
        stop = [ev.RoundEnded(phrase("all but one are done"))] if state.stage is Phase.PLAYING else []
        return [*events, *stop, *score_events(state, given)]
    scored = any(seat.score for seat in state.seats)
    return [*events, ev.ScoresGiven((0,) * len(given))] if scored else events


def tie_events(state: ChewState) -> Events:
    """Return the tied Dones that the referee must put in order, if the option ``tie`` says so."""
    if state.options["tie"] != "referee" or state.tied:
        return []
    fixed = {number for number, _ in state.fixed}
    groups = [
        group
        for group in finishers(state.seats, tie_window_ns(state))
        if len(group) > 1 and not fixed & set(group)
    ]
    return [TieLeft(tuple(group)) for group in groups]


def ranking(state: ChewState, *, everybody: bool) -> tuple[int | None, ...]:
    """Return the places by Done, then (``everybody``) by unplaced tiles; places set by the referee stay."""
    groups = finishers(state.seats, tie_window_ns(state)) + (stragglers(state.seats) if everybody else [])
    found = places(groups, len(state.seats))
    for number, place in state.fixed:
        found[number - 1] = place
    return tuple(found)


def score_events(state: ChewState, given: tuple[int | None, ...]) -> list[ev.Event]:
    """Return the points and the winner of places; if the round is confirmed, also its totals again."""
    first = [number for number in state.numbers if given[number - 1] == 1]
    scores = points(given)
    events = [ev.ScoresGiven(scores), ev.WinnerNamed(first[0] if len(first) == 1 else None)]
    return [*events, *(confirm_events(state, given, scores, *state.before) if state.confirmed else [])]


def confirm_events(
    state: ChewState,
    given: tuple[int | None, ...],
    scores: Sequence[Score],
    totals: Sequence[Score],
    handicaps: Sequence[int | None],
) -> list[ev.Event]:
    """Return the totals with a round's points, the handicaps, and the game's end if it was the last round.

    Handicaps that the referee has set after an earlier confirmation stay.
    """
    added = tuple(old + score for old, score in zip(totals, scores, strict=True))
    own = {**dict(enumerate(handicaps_after(given, handicaps), 1)), **dict(state.set_handicaps)}
    events = [ev.RoundConfirmed(added), ev.HandicapsGiven(tuple(own.values()))]
    last = state.stage is Phase.OVER or state.round == state.options["rounds"]
    return [*events, *([ev.GameEnded(champion(after(state, events)))] if last else [])]


def stop_round(state: ChewState, reason: str) -> Events:
    """Return the round's end; players who are not done are ranked by their unplaced tiles."""
    given = ranking(state, everybody=True)
    return [ev.RoundEnded(reason), ev.PlacesGiven(given), *score_events(state, given)]


def ranked_seats(state: ChewState) -> list[list[int]]:
    """Return the seats from first to last: by points, then rounds won, then head to head; ties in one list.

    Players who have withdrawn come last.
    """
    found = standings([seat.total for seat in state.seats], state.history)
    halves = (
        [n for n in group if state.seat(n).withdrawn is gone] for gone in (False, True) for group in found
    )
    return [group for group in halves if group]


def champion(state: ChewState) -> int | None:
    """Return the winner of the game, or ``None`` if several share the first place."""
    best = ranked_seats(state)[0]
    return best[0] if len(best) == 1 else None
