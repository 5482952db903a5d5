"""What a game's own rules say to a call when the table sees what really lies there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from companion.model.calls import Called, Seen
from companion.rehearsal.truth import Truth
from companion.rules import event as ev
from companion.rules.interface import RuleSystem, Words, WordSource
from companion.rules.play import step
from companion.rules.state import with_seat


class Claim(StrEnum):
    """What a call is: honest or wrong by what lies there, early, or refused whatever lies there.

    Early is a call about a shared board that the caller makes while laying the tiles that make it good.  In
    a game of turns it overtakes nobody, so the table may refuse it for what lies there or take what lies
    there once the hand has gone.
    """

    HONEST = "honest"
    WRONG = "wrong"
    EARLY = "early"
    OVERTAKEN = "overtaken"


def judged(game: RuleSystem[Any], state: Any, called: Called, lies: Truth, words: WordSource) -> Claim:
    """Return what a call is in a state of the game, by what lay on the table when it was made.

    A call that the rules refuse even where people judge is refused for the state of the game, not for the
    tiles: another call came first, or it is not the caller's turn.
    """
    seen = seeing(game, state, called, lies, words)
    if accepted(step(game, seen, called, words)[1], called.seat):
        return Claim.HONEST
    if lies.soon != lies.board:
        soon = seeing(game, state, called, replace(lies, board=lies.soon), words)
        if accepted(step(game, soon, called, words)[1], called.seat):
            return Claim.EARLY
    trusting = replace(seen, options={**seen.options, "policy": "off"})
    return Claim.WRONG if accepted(step(game, trusting, called, words)[1], called.seat) else Claim.OVERTAKEN


def seeing(game: RuleSystem[Any], state: Any, called: Called, lies: Truth, words: WordSource) -> Any:
    """Return a state in which the table has seen all that lies there, and has no doubt."""
    judge = Words(words, state.ruled_words)
    state = replace(state, blind=())
    for number, sighting in enumerate(lies.seats, 1):
        state = with_seat(
            state, number, sighting=sighting, verdict=game.judge(state, number, sighting, judge)
        )
    if lies.board is None:
        return state
    if hasattr(state, "letters"):
        state = replace(state, letters=(None,) * len(state.letters), asked=())
    return step(game, state, Seen(called.at_ns, None, lies.board), words)[0]


def accepted(happened: Iterable[tuple[int, ev.Event]], seat: int) -> bool:
    """Return whether events accept a seat's call, and do not turn the caller out for it."""
    return allowed([event for _, event in happened], seat)


def allowed(events: Iterable[ev.Event], seat: int) -> bool:
    """Return whether a decision was in the caller's favour."""
    stands = False
    for event in events:
        match event:
            case ev.CallRefused() | ev.Disqualified() if event.seat == seat:
                return False
            case ev.CallAccepted() if event.seat == seat:
                stands = True
            case _:
                continue
    return stands
