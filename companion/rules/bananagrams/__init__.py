"""Standard Bananagrams: the rules of bananagrams.txt, and the decisions of SETTLED.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from companion.model.calls import MILLISECOND, Called, Ruling
from companion.model.phrases import phrase, phrase_n
from companion.model.seats import Seat
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.bananagrams.options import KNOCKOUT, OPTIONS, wins_needed
from companion.rules.changes import evolve_shared
from companion.rules.crossword import (
    exchanged,
    incomplete_reason,
    invalid_reason,
    is_merged,
    judge_words,
    opening_hand,
    tableau_fault,
    unclear_reason,
)
from companion.rules.figures import BEFORE_THE_END, WON, Figure, left
from companion.rules.interface import Aloud, CallKind, Events, Game, Words, refused
from companion.rules.policy import objection, warnings
from companion.rules.state import Phase, State, amount_for_active_seats, amount_for_seat, dealt


@dataclass(frozen=True, slots=True)
class BananagramsState(State):
    """The state of Bananagrams.

    ``peeled_ns`` is the stamp of the last PEEL, ``endgame`` whether the bunch has been too small for one, and
    ``phony_ns`` the stamp of the last winning call that was found invalid.
    """

    peeled_ns: int | None = None
    endgame: bool = False
    phony_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Peeled(ev.Event):
    """A PEEL that everybody draws for."""

    in_record: ClassVar[bool] = False
    seat: int


def split(_state: BananagramsState, _called: Called, _words: Words) -> Events:
    """Return the beginning of play: all tiles are turned face up."""
    return [ev.PlayBegun(), ev.Announced("SPLIT!")]


def peel(state: BananagramsState, called: Called, _words: Words) -> Events:
    """Return one tile drawn by everybody; PEELs close together count once."""
    seat = state.seat(called.seat)
    check = tableau_fault if state.options["strict_peel"] else incomplete_reason
    if is_merged(state, called, state.peeled_ns, state.options["peel_merge_ms"]):
        spare = 0 if was_loose_before_peel(state, called) else 1
        reason = objection(state, called.seat, check(seat, spare=spare))
        same = ev.Announced(phrase("the same PEEL: one tile each, once"))
        return [refused(called, reason)] if reason else [same]
    if not peelable(state):
        few = phrase_n(
            "%(left)s for %(count)s player: no more PEELs, %(call)s wins",
            "%(left)s for %(count)s players: no more PEELs, %(call)s wins",
            len(state.active),
            left=in_bunch(state.pool),
            call=winning_call(state),
        )
        return [refused(called, few)]
    doubt = check(seat)
    if reason := objection(state, called.seat, doubt):
        return [refused(called, reason)]
    return [
        *warnings(state, called, doubt),
        Peeled(called.seat),
        ev.TilesDrawn(amount_for_active_seats(state, 1)),
        ev.Announced("PEEL!"),
    ]


def was_loose_before_peel(state: BananagramsState, called: Called) -> bool:
    """Return whether a tile that was loose at a call was loose before the last PEEL, so not the new one."""
    return state.peeled_ns is not None and any(at_ns < state.peeled_ns for at_ns in called.loose_ns)


def peelable(state: BananagramsState) -> bool:
    """Return whether PEEL is possible: the bunch has a tile for every active player and is not frozen."""
    frozen = state.endgame and state.options["freeze_endgame"]
    return state.pool >= len(state.active) and not frozen


def in_bunch(pool: int) -> str:
    """Return how many tiles are left in the bunch, in words."""
    return phrase_n("%(count)s tile is left in the bunch", "%(count)s tiles are left in the bunch", pool)


def winning_call(state: BananagramsState) -> str:
    """Return the name of the winning call, as the host chose it, in capitals."""
    return str(state.options["call_name"]).upper()


def dump(state: BananagramsState, called: Called, _words: Words) -> Events:
    """Return one tile put back and three drawn, in the order of the option ``dump_order``."""
    if not dumpable(state):
        return [refused(called, phrase("DUMP takes three tiles, and %(left)s", left=in_bunch(state.pool)))]
    return_first = state.options["dump_order"] == "return_first"
    return [*exchanged(state, called.seat, return_first=return_first), ev.Announced("DUMP!")]


def dumpable(state: BananagramsState) -> bool:
    """Return whether the bunch has tiles for a DUMP."""
    return state.pool >= 3 or bool(state.options["dump_short"] == "take_rest" and state.pool)


def winnable(name: str, state: BananagramsState, _seat: int) -> bool:
    """Return whether the winning call of that name may end the game now."""
    return state.phase is Phase.PLAYING and state.options["call_name"] == name and not peelable(state)


def bananas(state: BananagramsState, called: Called, _words: Words) -> Events:
    """Return the end of the round, a refusal, or the caller's disqualification."""
    seat = state.seat(called.seat)
    if reason := too_soon(state, called) or too_late(state, called):
        return [refused(called, reason)]
    unclear = unclear_reason(seat)
    if reason := objection(state, called.seat, unclear):
        return [refused(called, reason)]
    wrong = invalid_reason(seat.verdict) if seat.verdict else None
    if reason := objection(state, called.seat, wrong):
        found = phrase_n(
            "%(reason)s; %(name)s is disqualified and %(count)s tile goes back to the bunch",
            "%(reason)s; %(name)s is disqualified and %(count)s tiles go back to the bunch",
            seat.hand,
            reason=reason,
            name=seat.name,
        )
        return [refused(called, found), *disqualify_events(state, called.seat, reason)]
    return [*warnings(state, called, unclear or wrong), *finish_events(state, called)]


def too_soon(state: BananagramsState, called: Called) -> str | None:
    """Return why the game cannot end yet, or ``None``; a call tied with an invalid one is not too soon."""
    if state.phony_ns is not None and called.at_ns - state.phony_ns <= state.options["tie_ms"] * MILLISECOND:
        return None
    return (
        phrase_n(
            "%(left)s for %(count)s player: say PEEL",
            "%(left)s for %(count)s players: say PEEL",
            len(state.active),
            left=in_bunch(state.pool),
        )
        if peelable(state)
        else None
    )


def too_late(state: BananagramsState, called: Called) -> str | None:
    """Return why a winning call comes too late, after another one and its tie window, or ``None``."""
    first = min((s for s in state.seats if s.done_ns is not None), key=lambda s: s.done_ns or 0, default=None)
    if state.phase is not Phase.JUDGING or first is None or first.done_ns is None:
        return None if state.phase is Phase.PLAYING else phrase("the round has ended and is being judged")
    apart = called.at_ns - first.done_ns
    late = apart > state.options["tie_ms"] * MILLISECOND or state.seat(called.seat).done_ns is not None
    return phrase("%(name)s was first and is being judged", name=first.name) if late else None


def finish_events(state: BananagramsState, called: Called) -> Events:
    """Return the events of a valid winning call: the round's end, or a tie with an earlier call."""
    events: list[ev.Event] = [ev.SeatDone(called.seat)]
    if state.phase is Phase.PLAYING:
        reason = phrase("%(name)s: %(call)s!", name=state.seat(called.seat).name, call=winning_call(state))
        events.append(ev.RoundEnded(reason))
    elif state.options["tie"] == "play_on":
        withdrawn = [ev.DoneWithdrawn(n) for n in state.numbers if state.seat(n).done_ns is not None]
        return [
            *withdrawn,
            *winner_events(state, None),
            ev.PlayReopened(phrase("finished at the same time: all play on")),
        ]
    after = GAME.after(state, events, called.at_ns)
    return [*events, *winner_events(state, tie_winner(after))]


def winner_events(state: State, number: int | None) -> list[ev.Event]:
    """Return place, point and name of the winner; ``None``: there is no winner."""
    places = tuple(1 if n == number else None for n in state.numbers)
    return [
        ev.PlacesGiven(places),
        ev.ScoresGiven(amount_for_seat(state, number or 0, 1)),
        ev.WinnerNamed(number),
    ]


def tie_winner(state: State) -> int | None:
    """Return the winner among the seats that are done, by the option ``tie``, or ``None``."""
    done = {n: state.seat(n) for n in state.active if state.seat(n).done_ns is not None}
    return min(done, key=lambda n: tie_key(done[n], state.options["tie"]), default=None)


def tie_key(seat: Seat, tie: str) -> tuple[int, ...]:
    """Return the sort key of a finisher; the smallest one wins."""
    words = seat.verdict.words if seat.verdict else ()
    count, longest = -len(words), -max(map(len, words), default=0)
    order = {"most_words": (count, longest), "longest": (longest, count)}.get(tie, ())
    return (*order, seat.done_ns or 0)


def disqualify_events(state: BananagramsState, number: int, reason: str) -> list[ev.Event]:
    """Return a disqualification: the seat's tiles go back, and the others play on."""
    gone = ev.Disqualified(number, state.seat(number).hand, reason)
    after = GAME.evolve(state, gone, 0)
    if not after.active:
        return [gone, ev.RoundVoided(phrase("nobody is left"))]
    if len(after.active) == 1 and state.options["last_standing_wins"]:
        return [
            gone,
            *stop_round(state, phrase("one player is left")),
            *winner_events(state, after.active[0]),
        ]
    if state.stage is not Phase.JUDGING:
        return [gone]
    heir = tie_winner(after)
    return [
        gone,
        *winner_events(state, heir),
        *([] if heir else [ev.PlayReopened(phrase("the winner's grid is not valid"))]),
    ]


def stop_round(state: State, reason: str) -> list[ev.Event]:
    """Return the end of a round that is still being played."""
    return [ev.RoundEnded(reason)] if state.stage is Phase.PLAYING else []


class Bananagrams(Game[BananagramsState]):
    """The game of bananagrams.txt."""

    name = "bananagrams"
    title = "Bananagrams"
    about = (
        "Everybody builds a crossword of their own, all at once. Whoever has placed every tile "
        "calls PEEL, and everybody takes one more; with the bunch used up, the first to finish wins."
    )
    source = "bananagrams.txt"
    tiles = 144
    players = (1, 13)
    tournaments = (KNOCKOUT,)
    options = OPTIONS
    events = (Peeled,)
    state = BananagramsState
    buttons = (("split", "peel"), ("dump",), ("bananas",))
    aloud: ClassVar[Aloud] = {
        "split": {"en": "Split", "de": "Los geht's"},
        "peel": {"en": "Peel", "de": "Piehl"},
        "dump": {"en": "Dump", "de": "Damp"},
        "bananas": {"en": "Bananas", "de": "Bananas"},
        "bananagrams": {"en": "Bananagrams", "de": "Bananagrams"},
    }
    calls: ClassVar[Mapping[str, CallKind]] = {
        "split": CallKind("all turn their tiles up and begin", split, during=frozenset({Phase.SETUP})),
        "peel": CallKind(
            "all my tiles are placed: everybody takes one tile", peel, when=lambda state, _: peelable(state)
        ),
        "dump": CallKind("I put one tile back and take three", dump, when=lambda state, _: dumpable(state)),
        "bananas": CallKind(
            "all my tiles are placed and the bunch is too small for a PEEL: I win",
            bananas,
            during=frozenset({Phase.PLAYING, Phase.JUDGING}),
            when=partial(winnable, "bananas"),
        ),
        "bananagrams": CallKind(
            "the same as BANANAS",
            bananas,
            during=frozenset({Phase.PLAYING, Phase.JUDGING}),
            when=partial(winnable, "bananagrams"),
        ),
    }

    def start(self, state: BananagramsState, number: int) -> Events:
        """Return the opening hands, face down."""
        hands = dealt(state, (opening_hand(len(state.playing)),) * len(state.seats))
        return [ev.RoundStarted(number, hands, hands, playing=False)]

    def judge(self, state: BananagramsState, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return the verdict on a grid."""
        return judge_words(seen, words, duplicates=state.options["duplicates"])

    def confirm(self, state: BananagramsState) -> Events:
        """Return the confirmed round, and the game's end if that decides the series."""
        totals = tuple(seat.total + seat.score for seat in state.seats)
        ended = [ev.GameEnded(state.winner)] if max(totals) >= wins_needed(state.options["series"]) else []
        return [ev.RoundConfirmed(totals), *ended]

    def figures(self, state: BananagramsState, seat: int) -> Sequence[Figure]:
        """Return the number of tiles to place; in a series also the rounds won."""
        one = state.seat(seat)
        won = Figure(one.total + (0 if state.confirmed else one.score), WON)
        if state.options["series"] == "single":
            return (left(state, seat),)
        return (left(state, seat), won) if state.stage in BEFORE_THE_END else (won,)

    def end(self, state: BananagramsState, at_ns: int) -> Events:
        """Return the game's end; a round without a winner is void."""
        if state.stage is Phase.JUDGING:
            return super().end(state, at_ns)
        return [ev.RoundVoided(phrase("the host ended the game")), ev.GameEnded(self.champion(state))]

    def time_up(self, state: BananagramsState, at_ns: int) -> Events:
        """Return a void round: no player has finished."""
        return [ev.RoundVoided(phrase("time is up"))]

    def disqualify(self, state: BananagramsState, seat: int, reason: str) -> Events:
        """Return a disqualification as in bananagrams.txt 6."""
        return disqualify_events(state, seat, reason)

    def overturn(self, state: BananagramsState, ruling: Ruling) -> Events:
        """Return the disqualification of a winner with an invalid word."""
        number = int(ruling.seat or 0)
        if state.seat(number).done_ns is None:
            return [
                ev.CallRefused(
                    number, ruling.ruling, phrase("%(name)s has not won", name=state.seat(number).name)
                )
            ]
        return disqualify_events(state, number, ruling.reason)

    def evolve(self, state: BananagramsState, event: ev.Event, at_ns: int) -> BananagramsState:
        """Return the state after an event.

        The size of the bunch is checked only at calls, orders and rulings: between the events of one DUMP it
        may be too small for a moment.
        """
        small = state.started and state.pool < len(state.active)
        state = evolve_shared(state, event, at_ns)
        match event:
            case ev.CallAccepted() | ev.CallRefused() | ev.HostOrdered() | ev.Ruled() if small:
                return replace(state, endgame=True)
            case Peeled():
                return replace(state, peeled_ns=at_ns)
            case ev.Disqualified():
                return replace(state, phony_ns=at_ns)
            case ev.RoundStarted():
                return replace(state, peeled_ns=None, endgame=False, phony_ns=None)
            case _:
                return state


GAME = Bananagrams()
