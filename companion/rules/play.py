"""From inputs to events: the one way in which a game's log grows.

All functions are pure: the caller owns the state and the log.  ``step`` decides an input, ``fold`` replays
events.
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
from companion.rules.clock_events import next_clock_event
from companion.rules.confirming import (
    UNSEEN_WARNING,
    CallPreview,
    decided_in_motion,
    depends_on,
    is_board_unseen,
    is_refused,
    is_unseen,
)
from companion.rules.fields import MAX_NAME_CHARS, is_name
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
from companion.rules.options import option_values
from companion.rules.state import Phase, State
from companion.rules.tile_readings import apply_readings, moved_readings

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
    taken = option_values(game.options, options)
    set_up = ev.GameSetUp(game.name, tuple(seats), taken, words, game.tiles, program)
    return [set_up, *game.set_up(game.initial_state(set_up))]


def check_seats(game: Rules, seats: Sequence[str]) -> None:
    """Raise BadSetUp unless the number of players is allowed and their names are valid and different."""
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
        if not is_name(name):
            raise BadSetUp(
                phrase(
                    "a seat's name has 1 to %(most)s printable characters; got %(name)s",
                    most=MAX_NAME_CHARS,
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
    state = game.initial_state(first)
    evolve = game.evolve
    for one in stamped:
        state = evolve(state, one.event, one.at_ns)
    return state


def step(
    game: Rules, state: Any, received: Input, lexicon: WordSource
) -> tuple[Any, list[tuple[int, ev.Event]]]:
    """Return the state after an input, and the events that lead there, each with its stamp in nanoseconds.

    The events of clocks that are due by the input's stamp come first.
    """
    emitted: list[tuple[int, ev.Event]] = []
    while (due := next_clock_event(state)) is not None and due[0] <= received.at_ns:
        at_ns, event = due
        state = apply(game, state, [event], at_ns, emitted)
        if isinstance(event, ev.TimeUp) and event.seat is None:
            state = apply_and_recount(game, state, game.time_up(state, at_ns), at_ns, emitted)
    words = Words.of(state, lexicon)
    events = decide(game, state, received, words)
    return apply_and_recount(game, state, events, received.at_ns, emitted), emitted


def apply_and_recount(
    game: Rules, state: Any, events: Events, at_ns: int, emitted: list[tuple[int, ev.Event]]
) -> Any:
    """Return the state after events and after the scores that follow; append all of these to ``emitted``."""
    state = apply(game, state, events, at_ns, emitted)
    return apply(game, state, game.recount(state), at_ns, emitted)


def apply(game: Rules, state: Any, events: Events, at_ns: int, emitted: list[tuple[int, ev.Event]]) -> Any:
    """Return the state after events, and append them with their stamp to ``emitted``."""
    for event in events:
        state = game.evolve(state, event, at_ns)
        emitted.append((at_ns, event))
    return state


def decide(game: Rules, state: Any, received: Input, words: Words) -> Events:
    """Return the events that an input leads to; a call that the rules refuse is an event, not an error."""
    match received:
        case Called(at_rest=False):
            return decide_moving_call(game, state, received, words)
        case Called():
            return decide_call(game, state, received, words)
        case Seen():
            return decide_sighting(game, state, received, words)
        case Ordered():
            return decide_order(game, state, received)
        case Ruling():
            return decide_ruling(game, state, received, words)
        case Noted():
            return decide_note(state, received)
        case Tick():
            return []
        case _:
            assert_never(received)


def decide_call(game: Rules, state: State, called: Called, words: Words) -> Events:
    """Return the events of a call; refuse it here if no call is possible in this phase or from this seat."""
    kind = game.calls[called.call]
    if state.seat(called.seat).out:
        return [refused(called, out_reason(state.seat(called.seat)))]
    if not state.started:
        return [refused(called, NOT_STARTED)]
    if state.phase not in kind.during:
        return [refused(called, PHASE_REFUSALS[state.phase])]
    events = kind.decide(state, called, words)
    if events and isinstance(events[0], ev.CallRefused):
        return events
    return [ev.CallAccepted(called.seat, called.call, called.details), *events]


def decide_moving_call(game: Rules, state: State, called: Called, words: Words) -> Events:
    """Return the events of a call whose tiles moved when it was made, or were not all seen."""
    if awaits_sighting(game, state, called, words):
        events = decide_call(game, game.assume_unseen(state, called), called, words)
        return [*events, ev.Warned(called.seat, UNSEEN_WARNING)]

    def look(sightings: Iterable[Seen]) -> tuple[Any, Events]:
        then, emitted = state, list[tuple[int, ev.Event]]()
        for seen in sightings:
            then = apply(game, then, decide_sighting(game, then, seen, words), called.at_ns, emitted)
        return then, [event for _, event in emitted]

    return decided_in_motion(state, called, lambda then: decide_call(game, then, called, words), look)


def awaits_sighting(game: Rules, state: State, called: Called, words: Words) -> bool:
    """Return whether a call is refused only for tiles that were not seen yet."""
    assumed = game.assume_unseen(state, called)
    if assumed is state or not is_refused(decide_call(game, state, called, words)):
        return False
    return not is_refused(decide_call(game, assumed, called, words))


def preview(game: Rules, state: State, called: Called, lexicon: WordSource) -> CallPreview:
    """Return what a call would lead to now."""
    words = Words.of(state, lexicon)
    needs = depends_on(state, called, lambda then: decide_call(game, then, called, words))
    events = decide(game, state, called, words)
    awaits = awaits_sighting(game, state, called, words)
    return CallPreview(needs, is_refused(events), awaits, is_board_unseen(events), is_unseen(events))


def available_calls(game: Rules, state: State, seat: int) -> dict[str, CallKind]:
    """Return the calls that a seat can make now, by name."""
    if not state.started or state.seat(seat).out:
        return {}
    return {
        name: kind
        for name, kind in game.calls.items()
        if state.phase in kind.during and kind.when(state, seat)
    }


def out_reason(seat: Seat) -> str:
    """Return why a player who is out may not call."""
    if seat.withdrawn:
        return phrase("%(name)s has withdrawn from the game", name=seat.name)
    return phrase("%(name)s is out of this round", name=seat.name)


NOT_STARTED = phrase("the host has not started the game yet")

PHASE_REFUSALS = {
    Phase.SETUP: phrase("play has not begun yet"),
    Phase.PLAYING: phrase("play has begun already"),
    Phase.PAUSED: phrase("play is paused"),
    Phase.JUDGING: phrase("the round has ended and is being judged"),
    Phase.OVER: phrase("the game is over"),
}
"""Why a call is refused in a phase for which it is not made."""


def decide_sighting(game: Rules, state: State, seen: Seen, words: Words) -> Events:
    """Return a sighting with its verdict, if either has changed; tiles read by the referee stay as read."""
    if isinstance(seen.what, Board):
        return game.board_seen(state, apply_readings(seen.what, state.tile_readings, 0), words, seen.at_ns)
    if seen.seat is None:
        raise BadCall("tiles are seen before a seat; say which")
    known = state.seat(seen.seat)
    readings = moved_readings(state.tile_readings, seen.seat, known.sighting, seen.what)
    sighting = apply_readings(seen.what, readings, seen.seat)
    verdict = game.judge(state, seen.seat, sighting, words)
    if known.sighting == sighting and known.verdict == verdict:
        return []
    return [ev.TilesSeen(seen.seat, sighting, verdict), *game.tiles_seen(state, seen.seat, sighting)]


def decide_note(state: State, noted: Noted) -> Events:
    """Return the announcement of the table's note; one about sight only if it changes for some seat."""
    if noted.sees is None:
        return [ev.Announced(noted.text)]
    named, blind = state.named(noted.seats), set(state.blind)
    if not (named & blind if noted.sees else named - blind):
        return []
    kind = ev.SightBack if noted.sees else ev.SightLost
    return [kind(noted.text, noted.seats)]


def decide_order(game: Rules, state: State, ordered: Ordered) -> Events:
    """Return the events of the host's order, or its refusal."""
    if reason := order_refusal(state, ordered.order):
        return [ev.CallRefused(None, ordered.order.value, reason)]
    try:
        events = order_events(game, state, ordered)
    except BadSetUp as error:
        return [ev.CallRefused(None, ordered.order.value, str(error))]
    if events and isinstance(events[0], ev.CallRefused):
        return events
    return [ev.HostOrdered(ordered.order.value), *events]


def order_refusal(state: State, order: Order) -> str | None:
    """Return why an order is not possible now, or ``None``."""
    if state.phase is Phase.OVER:
        return PHASE_REFUSALS[Phase.OVER]
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
            return confirm_refusal(state)
        case Order.NEXT_ROUND:
            return next_round_refusal(state)
        case Order.END:
            return None
        case _:
            assert_never(order)


def next_round_refusal(state: State) -> str | None:
    """Return why no round can follow now, or ``None``."""
    if not state.confirmed:
        return phrase("the round's scores are not confirmed yet; say confirm")
    return None if state.playing else phrase("all players have withdrawn; say end")


def confirm_refusal(state: State) -> str | None:
    """Return why the round's scores cannot be confirmed now, or ``None``."""
    if state.confirmed:
        return phrase("the round's scores are confirmed already")
    if state.phase is Phase.PAUSED:
        return PHASE_REFUSALS[Phase.PAUSED]
    return None if state.phase is Phase.JUDGING else phrase("the round has not ended yet")


def order_events(game: Rules, state: State, ordered: Ordered) -> Events:
    """Return the events of an order that is possible now."""
    match ordered.order:
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
            return game.end(state, ordered.at_ns)
        case _:
            assert_never(ordered.order)


def decide_ruling(game: Rules, state: State, ruling: Ruling, words: Words) -> Events:
    """Return a ruling with its reason and the events that follow from it, or its refusal."""
    kind = ruling_kinds(game)[ruling.ruling]
    if not (state.started or kind.early):
        return not_ruled(ruling, NOT_STARTED)
    events = kind.decide(game, state, ruling, words)
    if events and isinstance(events[0], ev.CallRefused | ev.RulingUndone):
        return events
    return [ev.Ruled(ruling.ruling, ruling.reason, ruling.seat, ruling.details), *events]


def ruling_kinds(game: Rules) -> dict[str, RulingKind]:
    """Return every ruling that the referee has in a game."""
    return {**rulings.SHARED_RULINGS, **game.rulings}


def check_call(game: Rules, name: str) -> None:
    """Raise BadCall with the nearest name for a call that the game does not have."""
    if name not in game.calls:
        raise BadCall(
            f"{game.title} has no call {name!r}{nearest(name, game.calls)} (it has {', '.join(game.calls)})"
        )


def check_ruling(game: Rules, name: str) -> None:
    """Raise BadCall with the nearest name for a ruling that the game does not have."""
    kinds = ruling_kinds(game)
    if name not in kinds:
        raise BadCall(f"no ruling {name!r}{nearest(name, kinds)} (there are {', '.join(kinds)})")
