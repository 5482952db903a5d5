"""How tiles are shared out in League City, and the scores of a round and of the game."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.calls import Ruling
from companion.model.grid import Place, Run, islands, runs
from companion.model.phrases import phrase
from companion.model.seats import Score, Seat
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.crossword import undecided_reason
from companion.rules.interface import Events
from companion.rules.league_city.values import LeagueCityState, PenaltyGiven, evolve
from companion.rules.policy import policy
from companion.rules.state import Phase, amount_for_active_seats

DIFFICULT_LETTERS = frozenset("JQXZ")

FINISH_BONUS_POINTS = 5
"""Points of the player who finished first."""

POINTS_PER_DIFFICULT_TILE = 3
"""Daronian points of a difficult tile, counted once even if two words use it."""

TILES_DRAWN_PER_DONE = 2
"""Tiles that each player draws at a DONE."""


def word_points(letters: int) -> int:
    """Return the points of a word: 2 for two letters, else one less than its letters."""
    return 2 if letters == 2 else letters - 1


def is_difficult(symbol: str) -> bool:
    """Return whether a tile shows a letter that is difficult to use."""
    return symbol.upper() in DIFFICULT_LETTERS


def jamesian_points(words: Sequence[Run]) -> int:
    """Return the points of words; those with a difficult letter count twice."""
    return sum(word_points(len(run.symbols)) * (1 + any(map(is_difficult, run.symbols))) for run in words)


def daronian_points(words: Sequence[Run]) -> int:
    """Return the points of words, and three for each difficult tile."""
    used = {
        place
        for run in words
        for place, symbol in zip(run.places, run.symbols, strict=True)
        if is_difficult(symbol)
    }
    return sum(word_points(len(run.symbols)) for run in words) + POINTS_PER_DIFFICULT_TILE * len(used)


SCORING_METHODS = {"jamesian": jamesian_points, "daronian": daronian_points}
"""The two ways to score difficult letters."""


def largest(seen: Sighting) -> list[frozenset[Place]]:
    """Return the largest connected group of tiles, or all of that size."""
    groups = islands(seen.cells())
    return [group for group in groups if len(group) == len(groups[0])]


def good_words(seen: Sighting, verdict: Verdict, group: frozenset[Place]) -> list[Run]:
    """Return the words of a group that are certainly valid."""
    bad, doubts = {*verdict.invalid_words, *verdict.undecided_words}, set(verdict.doubts)
    cells = {place: symbol for place, symbol in seen.cells().items() if place in group}
    return [run for run in runs(cells) if run.text not in bad and doubts.isdisjoint(run.places)]


def tableau_points(seat: Seat, scoring: str) -> int:
    """Return the points of the valid words in the largest group; of equal groups the best one counts."""
    seen, verdict = seat.sighting, seat.verdict
    if seen is None or verdict is None:
        return 0
    return max(
        (SCORING_METHODS[scoring](good_words(seen, verdict, group)) for group in largest(seen)), default=0
    )


def leftover(seat: Seat) -> int:
    """Return how many tiles lie outside the largest group; 0 if the seat was not seen."""
    if seat.sighting is None:
        return 0
    used = max(map(len, largest(seat.sighting)), default=0)
    return max(0, seat.hand - used)


def round_score(state: LeagueCityState, number: int) -> Score:
    """Return a seat's points of a round that has ended, from its last sighting."""
    seat = state.seat(number)
    if seat.out:
        return 0
    points = tableau_points(seat, state.options["scoring"])
    penalty = state.penalties[number - 1] if state.penalties else 0
    if seat.done_ns is not None:
        return points + FINISH_BONUS_POINTS - penalty
    counted = points if state.options["losers_score"] == "valid_words" else 0
    return counted - penalty - leftover(seat) * int(state.options["leftover_penalty"])


def round_scores(state: LeagueCityState, *, ended: bool) -> tuple[Score, ...]:
    """Return all points of the round; those set by the referee stay."""
    found = {number: round_score(state, number) if ended else 0 for number in state.numbers}
    return tuple({**found, **dict(state.fixed_scores)}.values())


def round_places(state: LeagueCityState, scores: Sequence[Score], *, ended: bool) -> tuple[int | None, ...]:
    """Return the places by points, shared if equal; those set by the referee stay.

    A player who has withdrawn after the round keeps the place in it.
    """
    ranked = [n for n, seat in enumerate(state.seats, 1) if not seat.out or seat.place is not None]
    found = {
        number: 1 + sum(scores[other - 1] > scores[number - 1] for other in ranked)
        if ended and number in ranked
        else None
        for number in state.numbers
    }
    return tuple({**found, **dict(state.fixed_places)}.values())


def tiles_drawn_by_seat(state: LeagueCityState, caller: int) -> tuple[int, ...]:
    """Return the tiles that each seat draws at a DONE, all 0 if the pool does not suffice."""
    active = state.active
    whole, rest = divmod(state.pool, len(active))
    if whole >= TILES_DRAWN_PER_DONE or state.options["remainder"] == "equal_only":
        return amount_for_active_seats(state, min(TILES_DRAWN_PER_DONE, whole))
    from_left = [n for n in active if n > caller] + [n for n in active if n <= caller]
    lucky = set(from_left[:rest])
    return tuple(
        count + (number in lucky)
        for number, count in zip(state.numbers, amount_for_active_seats(state, whole), strict=True)
    )


def penalty(state: LeagueCityState, number: int) -> list[ev.Event]:
    """Return the penalty for a false final DONE, if the option has one."""
    points = state.options["false_done_penalty"]
    return [PenaltyGiven(number, points)] if points else []


def withdraw_done(state: LeagueCityState, number: int) -> Events:
    """Return the withdrawal of a final DONE: play resumes unless another player has finished too."""
    gone = [ev.DoneWithdrawn(number), *penalty(state, number)]
    return [*gone, *reopen_events(state, number)]


def reopen_events(state: LeagueCityState, number: int) -> list[ev.Event]:
    """Return that play resumes without a seat's DONE, if nobody else has finished."""
    others = any(n != number and state.seat(n).done_ns is not None for n in state.numbers)
    finished = state.seat(number).done_ns is not None
    return [] if others or not finished else [ev.PlayReopened(phrase("the final DONE was not valid"))]


def overturn_done(state: LeagueCityState, ruling: Ruling) -> Events:
    """Return the referee's withdrawal of a final DONE; refuse it once the scores are confirmed."""
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
    return withdraw_done(state, number)


def disqualify_events(state: LeagueCityState, number: int, reason: str) -> Events:
    """Return a disqualification; play resumes if only this seat had finished."""
    gone = ev.Disqualified(number, 0, reason)
    if not evolve(state, gone, 0).active:
        return [gone, ev.RoundVoided(phrase("nobody is left"))]
    open_again = state.stage is Phase.JUDGING and not state.confirmed
    return [gone, *(reopen_events(state, number) if open_again else [])]


def recount_events(state: LeagueCityState) -> Events:
    """Return the round's scores, places and winner, as far as they have changed.

    Once the scores are confirmed only the referee changes them; places and the game's winner follow.
    """
    scores = tuple(seat.score for seat in state.seats)
    if state.confirmed:
        return [*place_events(state, scores, ended=True), *game_end_events(state)]
    if state.phase is Phase.OVER:
        return []
    ended = state.stage is Phase.JUDGING
    found = round_scores(state, ended=ended)
    done = [number for number in state.numbers if state.seat(number).done_ns is not None]
    winner = done[0] if len(done) == 1 else None
    return [
        *([ev.ScoresGiven(found)] if found != scores else []),
        *place_events(state, found, ended=ended),
        *([ev.WinnerNamed(winner)] if winner != state.winner else []),
    ]


def place_events(state: LeagueCityState, scores: Sequence[Score], *, ended: bool) -> list[ev.Event]:
    """Return the places by scores, if they have changed."""
    places = round_places(state, scores, ended=ended)
    return [ev.PlacesGiven(places)] if places != tuple(seat.place for seat in state.seats) else []


def leaders(state: LeagueCityState) -> list[int]:
    """Return the seats with the highest total, without withdrawn players."""
    best = max((state.seat(number).total for number in state.playing), default=0)
    return [number for number in state.playing if state.seat(number).total == best]


def is_target_passed(state: LeagueCityState) -> bool:
    """Return whether a total is strictly over the target."""
    return any(state.seat(number).total > state.options["target"] for number in state.playing)


def game_end_events(state: LeagueCityState) -> Events:
    """Return the game's end if the totals decide it, or its new winner if a ruling has changed them."""
    first = leaders(state)
    winner = first[0] if len(first) == 1 else None
    if state.phase is Phase.OVER:
        return [] if winner == state.winner else [ev.GameEnded(winner)]
    return [ev.GameEnded(winner)] if is_target_passed(state) and winner else []


def undecided_seats(state: LeagueCityState) -> list[tuple[int, str]]:
    """Return the seats whose tableau cannot be scored yet, with the reason; set scores are final."""
    fixed = {number for number, _ in state.fixed_scores}
    found: list[tuple[int, str]] = []
    for number in state.active:
        seat = state.seat(number)
        reason = undecided_reason(seat.verdict) if seat.verdict else None
        if reason and number not in fixed:
            found.append((number, phrase("%(name)s: %(reason)s", name=seat.name, reason=reason)))
    return found


def unseen_warnings(state: LeagueCityState) -> list[ev.Event]:
    """Return a warning for every seat that is scored although the camera has not seen its tiles."""
    fixed = {number for number, _ in state.fixed_scores}
    return [
        ev.Warned(
            number,
            phrase("the camera has not seen %(name)s's tiles: set the score", name=state.seat(number).name),
        )
        for number in state.active
        if number not in fixed and state.seat(number).sighting is None
    ]


def confirm_events(state: LeagueCityState) -> Events:
    """Return the confirmed round; refuse it while the referee has to decide about a tile or a word."""
    doubts = [(number, reason) for number, reason in undecided_seats(state) if number not in state.blind]
    if doubts and policy(state, None) == "strict":
        return [ev.CallRefused(None, "confirm", doubts[0][1])]
    warned = [*(ev.Warned(number, reason) for number, reason in doubts), *unseen_warnings(state)]
    booked = ev.RoundConfirmed(tuple(seat.total + seat.score for seat in state.seats))
    after = evolve(state, booked, 0)
    tied = is_target_passed(after) and len(leaders(after)) > 1
    again = [ev.Announced(phrase("tied over the target: another round decides"))] if tied else []
    return [*(warned if policy(state, None) != "off" else []), booked, *again]
