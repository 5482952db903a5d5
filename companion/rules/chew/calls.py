"""The calls of Chew's rules."""

from __future__ import annotations

from dataclasses import replace

from companion.model.calls import Called
from companion.model.phrases import phrase, phrase_n
from companion.rules import event as ev
from companion.rules.chew.rounds import progress_events, withdraw_done
from companion.rules.chew.values import ChewState, Flipped, WordLookedUp, after, tie_window_ns
from companion.rules.crossword import is_merged, tableau_fault
from companion.rules.interface import Events, Words, refused
from companion.rules.policy import objection, warnings
from companion.rules.state import Phase, State, amount_for_seat


def flip(state: ChewState, called: Called, _words: Words) -> Events:
    """Return one tile turned up by everybody; Flips close together count once."""
    seat = state.seat(called.seat)
    if is_merged(state, called, state.flipped_ns, state.options["flip_merge_ms"]):
        reason = objection(state, called.seat, tableau_fault(seat, spare=1))
        return (
            [refused(called, reason)]
            if reason
            else [ev.Announced(phrase("the same Flip: one tile each, once"))]
        )
    if not seat.face_down:
        return [refused(called, phrase("no face-down tiles are left: say Done"))]
    doubt = tableau_fault(seat)
    if reason := objection(state, called.seat, doubt):
        return [refused(called, reason)]
    turned = tuple(0 if other.out else min(1, other.face_down) for other in state.seats)
    left = ev.Announced(phrase("Flip, %(count)s left.", count=seat.face_down - 1))
    return [*warnings(state, called, doubt), Flipped(called.seat), ev.TilesTurned(turned), left]


def draw_three(state: ChewState, called: Called, _words: Words) -> Events:
    """Return three tiles drawn, then one put back, which therefore cannot be drawn again."""
    if state.seat(called.seat).done_ns is not None:
        return [refused(called, phrase("you are done; you may not draw"))]
    rest = state.options["dump_short"] == "take_rest" and state.pool
    if state.pool < 3 and not rest:
        return [refused(called, phrase("three tiles are drawn, and the pool has %(left)s", left=state.pool))]
    drawn = amount_for_seat(state, called.seat, min(3, state.pool))
    return [ev.TilesDrawn(drawn), ev.TilesDrawn(amount_for_seat(state, called.seat, -1))]


def lookup(state: ChewState, called: Called, words: Words) -> Events:
    """Return the answer to a question about one word."""
    if not state.options["lookup"]:
        return [refused(called, phrase("words may not be looked up in this game"))]
    word = called.details["word"]
    return [WordLookedUp(called.seat, word, judging(state, words).validity(word))]


def judging(state: State, words: Words) -> Words:
    """Return the judge of words, with the option for long words."""
    return replace(words, long=state.options["long_words"])


def done(state: ChewState, called: Called, _words: Words) -> Events:
    """Return a player's Done, and the round's end if it is the last one needed."""
    seat = state.seat(called.seat)
    if seat.done_ns is not None:
        return [refused(called, phrase("you are done already"))]
    if state.phase is Phase.JUDGING and not is_in_tie_window(state, called.at_ns):
        return [refused(called, phrase("the round has ended and is being judged"))]
    if seat.face_down:
        return [
            refused(
                called,
                phrase_n(
                    "%(count)s of your tiles is face down: say Flip",
                    "%(count)s of your tiles are face down: say Flip",
                    seat.face_down,
                ),
            )
        ]
    doubt = tableau_fault(seat)
    if reason := objection(state, called.seat, doubt):
        return [refused(called, reason)]
    events = [*warnings(state, called, doubt), ev.SeatDone(called.seat)]
    return [*events, *progress_events(after(state, events, called.at_ns))]


def is_in_tie_window(state: ChewState, at_ns: int) -> bool:
    """Return whether a stamp lies in the tie window of the last Done."""
    last = max((seat.done_ns for seat in state.seats if seat.done_ns is not None), default=None)
    return last is not None and at_ns - last <= tie_window_ns(state) and not state.confirmed


def not_done(state: ChewState, called: Called, _words: Words) -> Events:
    """Return the withdrawal of a player's own Done: the tableau was not valid."""
    if state.seat(called.seat).done_ns is None:
        return [refused(called, phrase("you have not said Done"))]
    if state.confirmed:
        return [refused(called, phrase("the scores are confirmed; ask the referee"))]
    return withdraw_done(state, called.seat)


def has_face_down(state: ChewState, seat: int) -> bool:
    """Return whether a player has tiles to turn over."""
    return state.seat(seat).face_down > 0


def may_be_done(state: ChewState, seat: int) -> bool:
    """Return whether a player may end the round: all tiles face up, and not done yet."""
    one = state.seat(seat)
    return state.phase is Phase.PLAYING and one.done_ns is None and not one.face_down


def may_draw(state: ChewState, seat: int) -> bool:
    """Return whether a player may draw three: not done yet, and the pool has enough by the option."""
    enough = state.pool >= 3 or bool(state.options["dump_short"] == "take_rest" and state.pool)
    return state.seat(seat).done_ns is None and enough


def may_go_on(state: ChewState, seat: int) -> bool:
    """Return whether a player has a Done to take back."""
    return state.seat(seat).done_ns is not None and not state.confirmed
