"""What players say in Martian Boggle, and what it leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

from companion.model.calls import Called
from companion.model.phrases import joined, phrase, phrase_n
from companion.rules import event as ev
from companion.rules.fields import integer, listed
from companion.rules.interface import Events, Words, refused
from companion.rules.martian_boggle.inferring import moved, unexplained
from companion.rules.martian_boggle.scores import (
    FACTORS,
    letter_values,
    passing,
    so_far,
    spells,
    unmatched,
    worth,
)
from companion.rules.martian_boggle.sight import flaw, unsure
from companion.rules.martian_boggle.squares import adjacent, fits, squares_text, steps
from companion.rules.martian_boggle.values import (
    FIVE,
    DiceRolled,
    MartianBoggleState,
    PieceMoved,
    WordSpelled,
    after,
    walked,
    with_letters,
)
from companion.rules.policy import objection, warnings
from companion.rules.state import only

Decide = Callable[[MartianBoggleState, Called, Words], Events]

DICE = 2
"""Four-sided dice of each player."""

ROLLS = tuple(f"{one} {other}" for one, other in combinations_with_replacement(range(1, 5), DICE))
"""What the dice may show, in no order."""


def rolled(given: Any) -> tuple[int, int]:
    """Return a roll; raise ValueError for anything but two numbers from 1 to 4."""
    dice = listed(integer(1, 4), DICE)(given)
    if len(dice) != DICE:
        raise ValueError(f"must be two numbers from 1 to 4; got {given!r}")
    return dice[0], dice[1]


def in_turn(decide: Decide) -> Decide:
    """Return a call that only the player on turn has, or the other one once the roll is used up."""

    def decided(state: MartianBoggleState, called: Called, words: Words) -> Events:
        if called.seat == state.turn:
            return decide(state, called, words)
        on_turn = state.seat(state.turn or 1).name
        seen = moved(state) or []
        then = after(state, seen)
        if not then.spent:
            return [refused(called, phrase("it is %(name)s's turn", name=on_turn))]
        passed: list[ev.Event] = [*seen, *passing(then)]
        if not isinstance(passed[-1], ev.TurnPassed):
            return [refused(called, phrase("%(name)s has used up the last turn", name=on_turn)), *passed]
        events = decide(after(state, passed, called.at_ns), called, words)
        if not isinstance(events[0], ev.CallRefused):
            return [*passed, *events]
        return [events[0], *passed, *events[1:]] if events[1:] else events

    return decided


def begins(state: MartianBoggleState, seat: int) -> bool:
    """Return whether the other player's roll is used up, so that a player may begin the next turn."""
    return state.turn != seat and after(state, moved(state) or []).spent


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


def with_moves_seen(decide: Decide) -> Decide:
    """Return a call before which the moves count that the camera has seen and nobody told.

    Where no moves lead to where the pieces are seen, the call is refused or warned of.
    """

    def decided(state: MartianBoggleState, called: Called, words: Words) -> Events:
        reason = unexplained(state)
        if refusal := objection(state, called.seat, reason):
            return [refused(called, refusal)]
        seen: list[ev.Event] = [*(moved(state) or [])]
        events = decide(after(state, seen), called, words)
        if isinstance(events[0], ev.CallRefused):
            return [events[0], *seen, *events[1:]] if events[1:] else events
        return [*warnings(state, called, reason), *seen, *events]

    return decided


@in_turn
def move(state: MartianBoggleState, called: Called, _words: Words) -> Events:
    """Return a piece moved, by the shortest way that passes no other piece."""
    start, goal = called.details["from"], called.details["to"]
    if reason := immovable(state, called):
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
    if not fits(state.dice, [steps for _, steps in walked(state, moved)]):
        return [refused(called, overspent(state, count))]
    then = after(state, [moved])
    ended = passing(then) if then.spent and not state.options["word_after_roll"] else []
    return [moved, *ended]


def immovable(state: MartianBoggleState, called: Called) -> str | None:
    """Return why a piece may not go from one square to another, whatever the roll, or ``None``."""
    start, goal = called.details["from"], called.details["to"]
    if not state.dice:
        return phrase("roll your dice first")
    if start not in state.pieces[called.seat - 1]:
        return phrase("you have no piece at %(place)s", place=squares_text([start]))
    if any(goal in pieces for pieces in state.pieces):
        return phrase("there is a piece at %(place)s already", place=squares_text([goal]))
    return None


def overspent(state: MartianBoggleState, count: int) -> str:
    """Return why a roll does not allow so many steps."""
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
@with_moves_seen
def end_turn(state: MartianBoggleState, called: Called, _words: Words) -> Events:
    """Return the other player's turn, or the game's end; a roll need not be used."""
    rolled = state.dice or state.walked
    return passing(state) if rolled else [refused(called, phrase("roll your dice first"))]


@in_turn
@with_moves_seen
def word(state: MartianBoggleState, called: Called, words: Words) -> Events:
    """Return a word lifted from the board, new tiles in its place, and the turn's end."""
    if reason := miscalled(state, called):
        return wrong(state, called, reason)
    unread, phony = unsure(state, called.seat), mistaken(state, called, words)
    if reason := barred(state, called) or objection(state, called.seat, unread):
        return [refused(called, reason)]
    if reason := objection(state, called.seat, phony):
        return wrong(state, called, reason)
    unruled = undecided(called, words)
    if reason := objection(state, called.seat, unruled):
        return [refused(called, reason)]
    warned = [one for reason in (unread, phony, unruled) for one in warnings(state, called, reason)]
    spelled = [spelling(state, called), ev.TilesDrawn(only(state, called.seat, FIVE))]
    then = after(state, spelled)
    return [*warned, *spelled, ev.ScoresGiven(so_far(then)), *passing(then)]


def wrong(state: MartianBoggleState, called: Called, reason: str) -> Events:
    """Return a wrong word refused: nothing moves, and the turn goes on unless the house takes it."""
    lost = passing(state) if state.options["bad_call"] == "lose_turn" else []
    return [refused(called, reason), *lost]


def barred(state: MartianBoggleState, called: Called) -> str | None:
    """Return why no word, or none with these letters, may be called now, or ``None``."""
    if not state.options["word_before_move"] and called.seat not in state.begun:
        return phrase("move a piece before you call your first word")
    if state.options["scoring"] == "craft":
        return None
    name = state.options["letter_values"]
    strange = [letter for letter in called.details["word"] if letter not in letter_values(name)]
    return (
        phrase("%(word)s has no value in %(tiles)s", word=strange[0].upper(), tiles=name) if strange else None
    )


def miscalled(state: MartianBoggleState, called: Called) -> str | None:
    """Return why a word can be none of the player's five, wherever the pieces stand, or ``None``."""
    said = called.details["word"]
    if len(said) != FIVE:
        return phrase("a word has five letters; %(word)s has %(count)s", word=said.upper(), count=len(said))
    if state.options["unique"] and said in {one.word for one in state.words_of(called.seat)}:
        return phrase("you have spelled %(word)s already", word=said.upper())
    return None


def mistaken(state: MartianBoggleState, called: Called, words: Words) -> str | None:
    """Return why the letters under the pieces do not spell a good word, or ``None``."""
    said, tiles = called.details["word"], tiles_of(state, called.seat)
    if not spells(said, tiles):
        unseen, blank = phrase("unseen"), phrase("blank")
        under = joined([unseen if tile is None else tile.upper() or blank for tile in tiles], " ")
        return phrase("%(word)s is not under your pieces: %(letters)s", word=said.upper(), letters=under)
    return phrase("not valid: %(word)s", word=said.upper()) if words.validity(said) is False else None


def undecided(called: Called, words: Words) -> str | None:
    """Return that the referee has to rule on a word first, or ``None``."""
    said = called.details["word"]
    if words.validity(said) is not None:
        return None
    return phrase("the list leaves %(words)s open; the referee must rule", words=said.upper())


def assume_unseen(state: MartianBoggleState, called: Called) -> MartianBoggleState:
    """Return the state with letters that nobody has seen under the caller's pieces as a word would have them.

    Where not all of those pieces are seen they stand as they were moved.  What is known stays, and so does
    the doubt about a letter that no piece hides.
    """
    if called.call != "word" or called.seat != state.turn:
        return state
    if state.board is not None and flaw(state.board, called.seat):
        state = replace(state, fresh=False)
    squares = sorted(after(state, moved(state) or []).pieces[called.seat - 1])
    unknown = [square for square in squares if square not in state.asked and state.letter(square) is None]
    known = [letter for square in squares if (letter := state.letter(square)) is not None]
    wanted = sorted(unmatched(called.details["word"], known).elements())
    if state.board is not None:
        covered = state.board.covered & set(unknown)
        doubts = tuple(square for square in state.board.doubts if square not in covered)
        state = replace(state, board=replace(state.board, doubts=doubts))
    return with_letters(state, dict(zip(unknown, wanted, strict=False)))


def tiles_of(state: MartianBoggleState, number: int) -> list[str | None]:
    """Return the letters under a player's pieces, in reading order."""
    return [state.letter(square) for square in sorted(state.pieces[number - 1])]


def spelling(state: MartianBoggleState, called: Called) -> WordSpelled:
    """Return a word with its points: the letters' values or 1, three or two times for adjacent pieces."""
    options, squares = state.options, state.pieces[called.seat - 1]
    said = called.details["word"]
    values = letter_values(options["letter_values"])
    base = 1 if options["scoring"] == "craft" else worth(said, tiles_of(state, called.seat), values)
    factor = FACTORS.get(adjacent(squares, options["adjacency"], orthogonal=options["orthogonal"]), 1)
    return WordSpelled(called.seat, said, base * factor, factor, squares)
