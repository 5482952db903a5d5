"""The calls of Martian Boggle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

from companion.model.calls import Called
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.sightings import without_doubts
from companion.rules import event as ev
from companion.rules.fields import integer, list_field
from companion.rules.interface import Events, Words, refused
from companion.rules.martian_boggle.inferring import inferred_moves, unexplained_pieces
from companion.rules.martian_boggle.scores import (
    ADJACENCY_FACTORS,
    end_turn_events,
    letter_values,
    spells,
    unmatched,
    word_points,
    word_value,
)
from companion.rules.martian_boggle.sight import board_fault, doubt_reason
from companion.rules.martian_boggle.squares import adjacent, roll_allows, squares_text, steps
from companion.rules.martian_boggle.values import (
    FIVE,
    DiceRolled,
    MartianBoggleState,
    PieceMoved,
    WordSpelled,
    after,
    steps_with,
    with_letters,
)
from companion.rules.policy import objection, warnings
from companion.rules.state import amount_for_seat

Decide = Callable[[MartianBoggleState, Called, Words], Events]

DICE_COUNT = 2
"""Four-sided dice of each player."""

ROLLS = tuple(f"{one} {other}" for one, other in combinations_with_replacement(range(1, 5), DICE_COUNT))
"""The possible rolls, without regard to order."""


def parse_roll(given: Any) -> tuple[int, int]:
    """Return a roll; raise ValueError unless it is two numbers from 1 to 4."""
    dice = list_field(integer(1, 4), DICE_COUNT)(given)
    if len(dice) != DICE_COUNT:
        raise ValueError(phrase("must be two numbers from 1 to 4; got %(given)s", given=repr(given)))
    return dice[0], dice[1]


def in_turn(decide: Decide) -> Decide:
    """Return a call for the player on turn, or for the other one once the roll is used up."""

    def decided(state: MartianBoggleState, called: Called, words: Words) -> Events:
        if called.seat == state.turn:
            return decide(state, called, words)
        on_turn = state.seat(state.turn or 1).name
        seen = inferred_moves(state) or []
        then = after(state, seen)
        if not then.spent:
            return [refused(called, phrase("it is %(name)s's turn", name=on_turn))]
        passed: list[ev.Event] = [*seen, *end_turn_events(then)]
        if not isinstance(passed[-1], ev.TurnPassed):
            return [refused(called, phrase("%(name)s has used up the last turn", name=on_turn)), *passed]
        events = decide(after(state, passed, called.at_ns), called, words)
        if not isinstance(events[0], ev.CallRefused):
            return [*passed, *events]
        return [events[0], *passed, *events[1:]] if events[1:] else events

    return decided


def may_begin_turn(state: MartianBoggleState, seat: int) -> bool:
    """Return whether the other player's roll is used up, so that a player may begin the next turn."""
    return state.turn != seat and after(state, inferred_moves(state) or []).spent


@in_turn
def roll(state: MartianBoggleState, called: Called, _words: Words) -> Events:
    """Return the roll."""
    if state.dice:
        return [
            refused(
                called,
                phrase(
                    "you have rolled %(one)s and %(other)s already", one=state.dice[0], other=state.dice[1]
                ),
            )
        ]
    return [DiceRolled(called.details["dice"])]


def with_inferred_moves(decide: Decide) -> Decide:
    """Return a call that first counts the moves that were seen but not called.

    If no moves lead to the pieces as seen, the call is refused or a warning is added.
    """

    def decided(state: MartianBoggleState, called: Called, words: Words) -> Events:
        reason = unexplained_pieces(state)
        if refusal := objection(state, called.seat, reason):
            return [refused(called, refusal)]
        seen: list[ev.Event] = [*(inferred_moves(state) or [])]
        events = decide(after(state, seen), called, words)
        if isinstance(events[0], ev.CallRefused):
            return [events[0], *seen, *events[1:]] if events[1:] else events
        return [*warnings(state, called, reason), *seen, *events]

    return decided


@in_turn
def move(state: MartianBoggleState, called: Called, _words: Words) -> Events:
    """Return the move of a piece, by the shortest way that passes no other piece."""
    start, goal = called.details["from"], called.details["to"]
    if reason := move_refusal(state, called):
        return [refused(called, reason)]
    taken = [square for pieces in state.pieces for square in pieces]
    count = steps(start, goal, taken, orthogonal=state.options["orthogonal"])
    if count is None:
        return [
            refused(
                called,
                phrase(
                    "no way to %(place)s is free: pieces may not pass through others",
                    place=squares_text([goal]),
                ),
            )
        ]
    moved = PieceMoved(called.seat, start, goal, count)
    if not roll_allows(state.dice, [steps for _, steps in steps_with(state, moved)]):
        return [refused(called, roll_exceeded(state, count))]
    then = after(state, [moved])
    ended = end_turn_events(then) if then.spent and not state.options["word_after_roll"] else []
    return [moved, *ended]


def move_refusal(state: MartianBoggleState, called: Called) -> str | None:
    """Return why a move is not possible with any roll, or ``None``."""
    start, goal = called.details["from"], called.details["to"]
    if not state.dice:
        return phrase("roll your dice first")
    if start not in state.pieces[called.seat - 1]:
        return phrase("you have no piece at %(place)s", place=squares_text([start]))
    if any(goal in pieces for pieces in state.pieces):
        return phrase("there is a piece at %(place)s already", place=squares_text([goal]))
    return None


def roll_exceeded(state: MartianBoggleState, count: int) -> str:
    """Return why a roll does not allow ``count`` steps."""
    one, other = state.dice
    allowed = phrase_n(
        "that takes %(count)s step; %(one)s and %(other)s move one piece %(both)s steps, "
        "or one piece %(one)s and another %(other)s",
        "that takes %(count)s steps; %(one)s and %(other)s move one piece %(both)s steps, "
        "or one piece %(one)s and another %(other)s",
        count,
        one=one,
        other=other,
        both=one + other,
    )
    used = [
        phrase("%(steps)s by the piece now at %(place)s", steps=steps, place=squares_text([at]))
        for at, steps in state.walked
    ]
    return (
        phrase("%(allowed)s; used: %(used)s", allowed=allowed, used=joined(used, ", ")) if used else allowed
    )


@in_turn
@with_inferred_moves
def end_turn(state: MartianBoggleState, called: Called, _words: Words) -> Events:
    """Return the other player's turn, or the game's end; the roll need not be used up."""
    rolled = state.dice or state.walked
    return end_turn_events(state) if rolled else [refused(called, phrase("roll your dice first"))]


@in_turn
@with_inferred_moves
def word(state: MartianBoggleState, called: Called, words: Words) -> Events:
    """Return a word, the new tiles drawn in its place, and the turn's end."""
    if reason := call_fault(state, called):
        return refuse_wrong_word(state, called, reason)
    unread, phony = doubt_reason(state, called.seat), word_fault(state, called, words)
    if reason := word_refusal(state, called) or objection(state, called.seat, unread):
        return [refused(called, reason)]
    if reason := objection(state, called.seat, phony):
        return refuse_wrong_word(state, called, reason)
    unruled = undecided_word(called, words)
    if reason := objection(state, called.seat, unruled):
        return [refused(called, reason)]
    warned = [one for reason in (unread, phony, unruled) for one in warnings(state, called, reason)]
    spelled = [word_spelled(state, called), ev.TilesDrawn(amount_for_seat(state, called.seat, FIVE))]
    then = after(state, spelled)
    return [*warned, *spelled, ev.ScoresGiven(word_points(then)), *end_turn_events(then)]


def refuse_wrong_word(state: MartianBoggleState, called: Called, reason: str) -> Events:
    """Return the refusal of a wrong word; the turn goes on, unless the option ``bad_call`` ends it."""
    lost = end_turn_events(state) if state.options["bad_call"] == "lose_turn" else []
    return [refused(called, reason), *lost]


def word_refusal(state: MartianBoggleState, called: Called) -> str | None:
    """Return why no word, or no word with these letters, can be called now, or ``None``."""
    if not state.options["word_before_move"] and called.seat not in state.begun:
        return phrase("move a piece before you call your first word")
    if state.options["scoring"] == "craft":
        return None
    name = state.options["letter_values"]
    strange = [letter for letter in called.details["word"] if letter not in letter_values(name)]
    return (
        phrase("%(word)s has no value in %(tiles)s", word=strange[0].upper(), tiles=name) if strange else None
    )


def call_fault(state: MartianBoggleState, called: Called) -> str | None:
    """Return why a word cannot be one of the player's five, wherever the pieces are, or ``None``."""
    said = called.details["word"]
    if len(said) != FIVE:
        return phrase("a word has five letters; %(word)s has %(count)s", word=said.upper(), count=len(said))
    if state.options["unique"] and said in {one.word for one in state.words_of(called.seat)}:
        return phrase("you have spelled %(word)s already", word=said.upper())
    return None


def word_fault(state: MartianBoggleState, called: Called, words: Words) -> str | None:
    """Return why the letters under the pieces do not spell a valid word, or ``None``."""
    said, tiles = called.details["word"], tiles_of(state, called.seat)
    if not spells(said, tiles):
        unseen, blank = phrase("unseen"), phrase("blank")
        under = joined([unseen if tile is None else tile.upper() or blank for tile in tiles], " ")
        return phrase("%(word)s is not under your pieces: %(letters)s", word=said.upper(), letters=under)
    return phrase("not valid: %(word)s", word=said.upper()) if words.validity(said) is False else None


def undecided_word(called: Called, words: Words) -> str | None:
    """Return the reason if the referee has to rule on a word first, else ``None``."""
    said = called.details["word"]
    if words.validity(said) is not None:
        return None
    return phrase("the list leaves %(words)s open; the referee must rule", words=said.upper())


def assume_unseen(state: MartianBoggleState, called: Called) -> MartianBoggleState:
    """Return the state with the unseen letters under the caller's pieces assumed as the word needs them.

    If not all of those pieces are seen, they are taken to be where they were moved to.  Known letters stay,
    and so does the doubt about a letter that no piece hides.
    """
    if called.call != "word" or called.seat != state.turn:
        return state
    if state.board is not None and board_fault(state.board, called.seat):
        state = replace(state, fresh=False)
    squares = sorted(after(state, inferred_moves(state) or []).pieces[called.seat - 1])
    unknown = [square for square in squares if square not in state.disputed and state.letter(square) is None]
    known = [letter for square in squares if (letter := state.letter(square)) is not None]
    wanted = sorted(unmatched(called.details["word"], known).elements())
    if state.board is not None:
        covered = state.board.covered & set(unknown)
        state = replace(state, board=without_doubts(state.board, covered))
    return with_letters(state, dict(zip(unknown, wanted, strict=False)))


def tiles_of(state: MartianBoggleState, number: int) -> list[str | None]:
    """Return the letters under a player's pieces, in reading order."""
    return [state.letter(square) for square in sorted(state.pieces[number - 1])]


def word_spelled(state: MartianBoggleState, called: Called) -> WordSpelled:
    """Return a word with its points: the letters' values or 1, times 3 or 2 for adjacent pieces."""
    options, squares = state.options, state.pieces[called.seat - 1]
    said = called.details["word"]
    values = letter_values(options["letter_values"])
    base = 1 if options["scoring"] == "craft" else word_value(said, tiles_of(state, called.seat), values)
    factor = ADJACENCY_FACTORS.get(
        adjacent(squares, options["adjacency"], orthogonal=options["orthogonal"]), 1
    )
    return WordSpelled(called.seat, said, base * factor, factor, squares)
