"""Small games in a log, as a table writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered
from companion.rules.registry import game
from companion.words.lexicon import Lexicon

WORDS = Lexicon.of("few", ["cat", "cats", "so", "song"])


def chew(
    log: EventLog,
    name: str = "0001",
    seats: Sequence[str] = ("Ada", "Bo", "Chi"),
    *,
    start: bool = True,
    **more: Any,
) -> Match:
    """Return a game by Chew's rules that people judge, started unless that is to come later."""
    options = {"policy": "off", "rounds": 1, **more}
    match = Match.begun(log, name, game("chew"), seats, options, WORDS)
    if start:
        match.handle(Ordered(0, Order.START))
    return match


def finish(match: Match, order: Sequence[int]) -> None:
    """Play a round to its end: ten Flips, then Done in an order; the last seat is left."""
    at = match.state.clock.elapsed(0) + SECOND
    for _ in range(10):
        at += 5 * SECOND
        match.handle(Called(at, order[0], "flip"))
    for seat in order[:-1]:
        at += 5 * SECOND
        match.handle(Called(at, seat, "done"))
    match.handle(Ordered(at + SECOND, Order.CONFIRM))
