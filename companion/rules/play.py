"""How anything that reaches the table becomes events: the one way from calls to the log.

Pure: the caller owns the state and the log.  ``step`` first lets the clocks
run up to the stamp, then asks the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from companion.errors import BadCall, BadSetUp, nearest
from companion.model.calls import Called, Input, Noted, Order, Ordered, Ruling, Seen, Tick
from companion.model.phrases import phrase
from companion.model.seats import Seat
from companion.model.sightings import Board
from companion.rules import event as ev
from companion.rules import rulings
from companion.rules.confirming import UNSEEN, Foreseen, depends_on, is_blind, refuses, unrested
from companion.rules.due import due
from companion.rules.fields import LONGEST_NAME, named
from companion.rules.interface import (
    CallKind,
    Events,
    RuleSystem,
    RulingKind,
    Words,
    WordSource,
    not_ruled,
    refused,
)
from companion.rules.options import chosen
from companion.rules.settled import carried, read_as_ruled
from companion.rules.state import Phase, State

Rules = RuleSystem[Any]


def begin(
    game: Rules, seats: Sequence[str], options: Mapping[str, Any], words: str, program: str = ""
) -> list[ev.Event]:
    """Return the first events of a game; ``program`` is the version of the companion that keeps it.

    Raises
    ------
    BadOption
        For an option that the game does not have or a value it does not take.
    BadSetUp
        Where the rules refuse the set-up, with the numbers.
    """
    check_seats(game, seats)
    taken = chosen(game.options, options)
    set_up = ev.GameSetUp(game.name, tuple(seats), taken, words, game.tiles, program)
    return [set_up, *game.set_up(game.opening(set_up))]


def check_seats(game: Rules, seats: Sequence[str]) -> None:
    """Raise BadSetUp unless so many players may play, each with a name of their own."""
    low, high = game.players
    if not low <= len(seats) <= high:
        raise BadSetUp(
            phrase(
                "%(game)s is for %(low)s to %(high)s players; got %(given)s",
                game=game.title,
                low=low,
                high=high,
                given=len(seats),
            )
        )
    for name in seats:
        if not named(name):
            raise BadSetUp(
                phrase(
                    "a seat's name has 1 to %(most)s printable characters; got %(name)s",
                    most=LONGEST_NAME,
                    name=repr(name),
                )
            )
    if len(set(seats)) != len(seats):
        raise BadSetUp(phrase("every seat needs a name of its own; got %(names)s", names=", ".join(seats)))


def fold(game: Rules, events: Iterable[ev.Stamped]) -> Any:
    """Return the state after all events of a game, from its set-up on."""
    stamped = iter(events)
    first = next(stamped).event
    if not isinstance(first, ev.GameSetUp):
        raise BadSetUp(f"a game starts with its set-up, not with {type(first).__name__}")
    state = game.opening(first)
    evolve = game.evolve
    for one in stamped:
        state = evolve(state, one.event, one.at_ns)
    return state


def step(
    game: Rules, state: Any, heard: Input, lexicon: WordSource
) -> tuple[Any, list[tuple[int, ev.Event]]]:
    """Return the state after what was heard, and the events that led there, each with its stamp."""
    emitted: list[tuple[int, ev.Event]] = []
    while (next_due := due(state)) is not None and next_due[0] <= heard.at_ns:
        at_ns, event = next_due
        state = apply(game, state, [event], at_ns, emitted)
        if isinstance(event, ev.TimeUp) and event.seat is None:
            state = counted(game, state, game.time_up(state, at_ns), at_ns, emitted)
    words = Words.of(state, lexicon)
    state = counted(game, state, decided(game, state, heard, words), heard.at_ns, emitted)
    return state, emitted


def counted(game: Rules, state: Any, events: Events, at_ns: int, emitted: list[tuple[int, ev.Event]]) -> Any:
    """Return the state after events and the scores as the game has them then."""
    state = apply(game, state, events, at_ns, emitted)
    return apply(game, state, game.recount(state), at_ns, emitted)


def apply(game: Rules, state: Any, events: Events, at_ns: int, emitted: list[tuple[int, ev.Event]]) -> Any:
    """Return the state after events, and append them, stamped, to ``emitted``."""
    for event in events:
        state = game.evolve(state, event, at_ns)
        emitted.append((at_ns, event))
    return state


def decided(game: Rules, state: Any, heard: Input, words: Words) -> Events:
    """Return the events that something heard leads to; never raises for a call that the rules refuse."""
    match heard:
        case Called(at_rest=False):
            return called_unrested(game, state, heard, words)
        case Called():
            return called(game, state, heard, words)
        case Seen():
            return seen(game, state, heard, words)
        case Ordered():
            return ordered(game, state, heard)
        case Ruling():
            return ruled(game, state, heard, words)
        case Noted():
            return noted(state, heard)
        case Tick():
            return []
        case _:
            assert_never(heard)


def called(game: Rules, state: State, heard: Called, words: Words) -> Events:
    """Return what a call leads to; what no call of any phase may do is refused here."""
    kind = game.calls[heard.call]
    if state.seat(heard.seat).out:
        return [refused(heard, left(state.seat(heard.seat)))]
    if state.phase not in kind.during or not state.started:
        return [
            refused(
                heard,
                CLOSED[state.phase] if state.started else phrase("the host has not started the game yet"),
            )
        ]
    events = kind.decide(state, heard, words)
    if events and isinstance(events[0], ev.CallRefused):
        return events
    return [ev.CallAccepted(heard.seat, heard.call, heard.details), *events]


def called_unrested(game: Rules, state: State, heard: Called, words: Words) -> Events:
    """Return what a call leads to that was made while its tiles moved, or of which something was not seen."""
    if awaited(game, state, heard, words):
        events = called(game, game.hoped(state, heard), heard, words)
        return [*events, ev.Warned(heard.seat, UNSEEN)]

    def look(sights: Iterable[Seen]) -> tuple[Any, Events]:
        then, emitted = state, list[tuple[int, ev.Event]]()
        for sight in sights:
            then = apply(game, then, seen(game, then, sight, words), heard.at_ns, emitted)
        return then, [event for _, event in emitted]

    return unrested(state, heard, lambda then: called(game, then, heard, words), look)


def awaited(game: Rules, state: State, heard: Called, words: Words) -> bool:
    """Return whether a call is refused only for what nobody has seen yet."""
    hoped = game.hoped(state, heard)
    if hoped is state or not refuses(called(game, state, heard, words)):
        return False
    return not refuses(called(game, hoped, heard, words))


def foreseen(game: Rules, state: State, heard: Called, lexicon: WordSource) -> Foreseen:
    """Return what a call would lead to now."""
    words = Words.of(state, lexicon)
    needs = depends_on(state, heard, lambda then: called(game, then, heard, words))
    events = decided(game, state, heard, words)
    return Foreseen(needs, refuses(events), awaited(game, state, heard, words), is_blind(events))


def meant(game: Rules, state: State, seat: int) -> dict[str, CallKind]:
    """Return the calls that mean something to a seat now, by their names."""
    if not state.started or state.seat(seat).out:
        return {}
    return {
        name: kind
        for name, kind in game.calls.items()
        if state.phase in kind.during and kind.when(state, seat)
    }


def left(seat: Seat) -> str:
    """Return why a player who is out may not call."""
    if seat.withdrawn:
        return phrase("%(name)s has withdrawn from the game", name=seat.name)
    return phrase("%(name)s is out of this round", name=seat.name)


CLOSED = {
    Phase.SETUP: phrase("play has not begun yet"),
    Phase.PLAYING: phrase("play has begun already"),
    Phase.PAUSED: phrase("play is paused"),
    Phase.JUDGING: phrase("the round has ended and is being judged"),
    Phase.OVER: phrase("the game is over"),
}
"""Why a call means nothing in a phase."""


def seen(game: Rules, state: State, heard: Seen, words: Words) -> Events:
    """Return a sighting with its verdict, where anything changed; what the referee has read stays read."""
    if isinstance(heard.what, Board):
        return game.look(state, read_as_ruled(heard.what, state.settled, 0), words, heard.at_ns)
    if heard.seat is None:
        raise BadCall("tiles are seen before a seat; say which")
    known = state.seat(heard.seat)
    settled = carried(state.settled, heard.seat, known.sighting, heard.what)
    sighting = read_as_ruled(heard.what, settled, heard.seat)
    verdict = game.judge(state, heard.seat, sighting, words)
    if known.sighting == sighting and known.verdict == verdict:
        return []
    return [ev.TilesSeen(heard.seat, sighting, verdict), *game.watch(state, heard.seat, sighting)]


def noted(state: State, heard: Noted) -> Events:
    """Return what the table itself says; that it sees or does not see, only where that is new."""
    if heard.sees is None:
        return [ev.Announced(heard.text)]
    named, blind = state.named(heard.seats), set(state.blind)
    if not (named & blind if heard.sees else named - blind):
        return []
    said = ev.SightBack if heard.sees else ev.SightLost
    return [said(heard.text, heard.seats)]


def ordered(game: Rules, state: State, heard: Ordered) -> Events:
    """Return what the host's order leads to."""
    if reason := closed(state, heard.order):
        return [ev.CallRefused(None, heard.order.value, reason)]
    try:
        events = obeyed(game, state, heard)
    except BadSetUp as error:
        return [ev.CallRefused(None, heard.order.value, str(error))]
    if events and isinstance(events[0], ev.CallRefused):
        return events
    return [ev.HostOrdered(heard.order.value), *events]


def closed(state: State, order: Order) -> str | None:
    """Return why an order means nothing now, or ``None``."""
    if state.phase is Phase.OVER:
        return CLOSED[Phase.OVER]
    match order:
        case Order.START:
            return phrase("the game has started already; say next_round") if state.started else None
        case Order.PAUSE:
            return (
                None if state.phase in {Phase.PLAYING, Phase.JUDGING} else phrase("there is no play to pause")
            )
        case Order.RESUME:
            return None if state.phase is Phase.PAUSED else phrase("play is not paused")
        case Order.CONFIRM:
            return confirmable(state)
        case Order.NEXT_ROUND:
            return next_round(state)
        case Order.END:
            return None
        case _:
            assert_never(order)


def next_round(state: State) -> str | None:
    """Return why no round can follow now, or ``None``."""
    if not state.confirmed:
        return phrase("the round's scores are not confirmed yet; say confirm")
    return None if state.playing else phrase("all players have withdrawn; say end")


def confirmable(state: State) -> str | None:
    """Return why a round cannot be confirmed now, or ``None``."""
    if state.confirmed:
        return phrase("the round's scores are confirmed already")
    return None if state.phase is Phase.JUDGING else phrase("the round has not ended yet")


def obeyed(game: Rules, state: State, heard: Ordered) -> Events:
    """Return the events of an order that means something."""
    match heard.order:
        case Order.START:
            return game.start(state, 1)
        case Order.PAUSE:
            return [ev.PlayPaused()]
        case Order.RESUME:
            return [ev.PlayResumed()]
        case Order.CONFIRM:
            return game.confirm(state)
        case Order.NEXT_ROUND:
            return game.start(state, state.round + 1)
        case Order.END:
            return game.end(state, heard.at_ns)
        case _:
            assert_never(heard.order)


def ruled(game: Rules, state: State, heard: Ruling, words: Words) -> Events:
    """Return a ruling with its reason and what follows from it, or its refusal."""
    kind = ruling_kinds(game)[heard.ruling]
    if not (state.started or kind.early):
        return not_ruled(heard, phrase("the host has not started the game yet"))
    events = kind.decide(game, state, heard, words)
    if events and isinstance(events[0], ev.CallRefused | ev.RulingUndone):
        return events
    return [ev.Ruled(heard.ruling, heard.reason, heard.seat, heard.details), *events]


def ruling_kinds(game: Rules) -> dict[str, RulingKind]:
    """Return every ruling that the referee has in a game."""
    return {**rulings.SHARED, **game.rulings}


def check_call(game: Rules, name: str) -> None:
    """Raise BadCall with the nearest name for a call that the game does not have."""
    if name not in game.calls:
        raise BadCall(
            f"{game.title} has no call {name!r}{nearest(name, game.calls)} (it has {', '.join(game.calls)})"
        )


def check_ruling(game: Rules, name: str) -> None:
    """Raise BadCall with the nearest name for a ruling that nobody has."""
    kinds = ruling_kinds(game)
    if name not in kinds:
        raise BadCall(f"no ruling {name!r}{nearest(name, kinds)} (there are {', '.join(kinds)})")
