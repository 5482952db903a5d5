"""How tiles are shared out, and how a round in League City is counted and decides the game."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.calls import Ruling
from companion.model.phrases import phrase
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.crossword import unsure
from companion.rules.interface import Events
from companion.rules.league_city.scores import round_places, round_scores
from companion.rules.league_city.values import PenaltyGiven, Race, evolve
from companion.rules.policy import policy
from companion.rules.state import Phase, each

EACH = 2
"""Tiles that all draw at a DONE."""


def opening_hand(players: int) -> int:
    """Return the suggested number of starting tiles: 21, 15 or 11 by players (SETTLED.md, League City)."""
    return 21 if players <= 4 else 15 if players <= 6 else 11


def dealt(state: Race, caller: int) -> tuple[int, ...]:
    """Return the tiles that each seat draws at a DONE; all 0 where no more can be shared out."""
    active = state.active
    whole, rest = divmod(state.pool, len(active))
    if whole >= EACH or state.options["remainder"] == "equal_only":
        return each(state, min(EACH, whole))
    from_left = [n for n in active if n > caller] + [n for n in active if n <= caller]
    lucky = set(from_left[:rest])
    return tuple(
        count + (number in lucky) for number, count in zip(state.numbers, each(state, whole), strict=True)
    )


def penalty(state: Race, number: int) -> list[ev.Event]:
    """Return the points off for a false final DONE, where the house takes any."""
    points = state.options["false_done_penalty"]
    return [PenaltyGiven(number, points)] if points else []


def withdrawn(state: Race, number: int) -> Events:
    """Return a final DONE that was none: play resumes unless another finished in the same moment."""
    gone = [ev.DoneWithdrawn(number), *penalty(state, number)]
    return [*gone, *reopened(state, number)]


def reopened(state: Race, number: int) -> list[ev.Event]:
    """Return that play goes on without a seat's DONE, where nobody else has finished."""
    others = any(n != number and state.seat(n).done_ns is not None for n in state.numbers)
    finished = state.seat(number).done_ns is not None
    return [] if others or not finished else [ev.PlayReopened(phrase("the final DONE was not valid"))]


def overturned(state: Race, ruling: Ruling) -> Events:
    """Return a final DONE that the referee finds to be none; confirmed scores are set instead."""
    number = int(ruling.seat or 0)
    if state.seat(number).done_ns is None:
        return [
            ev.CallRefused(
                number, ruling.ruling, phrase("%(name)s has not finished", name=state.seat(number).name)
            )
        ]
    if state.confirmed:
        return [
            ev.CallRefused(number, ruling.ruling, phrase("the scores are confirmed; set them with set_score"))
        ]
    return withdrawn(state, number)


def disqualified(state: Race, number: int, reason: str) -> Events:
    """Return a seat out of the round with its tiles before it; play resumes where it alone had finished."""
    gone = ev.Disqualified(number, 0, reason)
    if not evolve(state, gone, 0).active:
        return [gone, ev.RoundVoided(phrase("nobody is left"))]
    open_again = state.stage is Phase.JUDGING and not state.confirmed
    return [gone, *(reopened(state, number) if open_again else [])]


def recounted(state: Race) -> Events:
    """Return the round's scores, places and winner where they are not as the tables stand.

    Once the scores are confirmed only the referee changes them, and places
    and the game's winner follow.
    """
    scores = tuple(seat.score for seat in state.seats)
    if state.confirmed:
        return [*ranked(state, scores, ended=True), *decided(state)]
    if state.phase is Phase.OVER:
        return []
    ended = state.stage is Phase.JUDGING
    found = round_scores(state, ended=ended)
    done = [number for number in state.numbers if state.seat(number).done_ns is not None]
    winner = done[0] if len(done) == 1 else None
    return [
        *([ev.ScoresGiven(found)] if found != scores else []),
        *ranked(state, found, ended=ended),
        *([ev.WinnerNamed(winner)] if winner != state.winner else []),
    ]


def ranked(state: Race, scores: Sequence[Score], *, ended: bool) -> list[ev.Event]:
    """Return the places that scores bring, where they are not given yet."""
    places = round_places(state, scores, ended=ended)
    return [ev.PlacesGiven(places)] if places != tuple(seat.place for seat in state.seats) else []


def leaders(state: Race) -> list[int]:
    """Return who has the highest total of those who have not withdrawn."""
    best = max((state.seat(number).total for number in state.playing), default=0)
    return [number for number in state.playing if state.seat(number).total == best]


def over(state: Race) -> bool:
    """Return whether a total is strictly over the target."""
    return any(state.seat(number).total > state.options["target"] for number in state.playing)


def decided(state: Race) -> Events:
    """Return the game's end where the totals decide it, and its new winner where they have been set anew."""
    first = leaders(state)
    winner = first[0] if len(first) == 1 else None
    if state.phase is Phase.OVER:
        return [] if winner == state.winner else [ev.GameEnded(winner)]
    return [ev.GameEnded(winner)] if over(state) and winner else []


def uncounted(state: Race) -> list[tuple[int, str]]:
    """Return the seats whose tableau cannot be counted yet, with the reason; set scores need no counting."""
    fixed = {number for number, _ in state.fixed_scores}
    found: list[tuple[int, str]] = []
    for number in state.active:
        seat = state.seat(number)
        reason = unsure(seat.verdict) if seat.verdict else None
        if reason and number not in fixed:
            found.append((number, phrase("%(name)s: %(reason)s", name=seat.name, reason=reason)))
    return found


def unseen(state: Race) -> list[ev.Event]:
    """Return a warning for every seat that is counted without having been seen."""
    fixed = {number for number, _ in state.fixed_scores}
    return [
        ev.Warned(
            number,
            phrase("the camera has not seen %(name)s's tiles: set the score", name=state.seat(number).name),
        )
        for number in state.active
        if number not in fixed and state.seat(number).sighting is None
    ]


def confirmed(state: Race) -> Events:
    """Return the round's scores booked; refuse it while the referee has to settle a tile or a word."""
    doubts = [(number, reason) for number, reason in uncounted(state) if number not in state.blind]
    if doubts and policy(state, None) == "strict":
        return [ev.CallRefused(None, "confirm", doubts[0][1])]
    warned = [*(ev.Warned(number, reason) for number, reason in doubts), *unseen(state)]
    booked = ev.RoundConfirmed(tuple(seat.total + seat.score for seat in state.seats))
    after = evolve(state, booked, 0)
    tied = over(after) and len(leaders(after)) > 1
    again = [ev.Announced(phrase("tied over the target: another round decides"))] if tied else []
    return [*(warned if policy(state, None) != "off" else []), booked, *again]
