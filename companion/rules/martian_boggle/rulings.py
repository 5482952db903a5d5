"""The rulings of Martian Boggle, and its own versions of shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.errors import BadCall
from companion.model.calls import Ruling
from companion.model.phrases import phrase
from companion.model.sightings import Cell
from companion.rules import event as ev
from companion.rules import fields
from companion.rules.interface import Events, RulingKind, RulingScope, Words, not_ruled
from companion.rules.martian_boggle.calls import parse_roll
from companion.rules.martian_boggle.scores import ranking_events, reopen_events, word_points
from companion.rules.martian_boggle.sight import is_letter
from companion.rules.martian_boggle.squares import PIECES_PER_PLAYER, SQUARES, square, squares_text
from companion.rules.martian_boggle.values import (
    FIVE,
    DiceRolled,
    LettersRead,
    MartianBoggleState,
    PiecesPlaced,
    WordStruck,
    after,
)
from companion.rules.rulings import SHARED_RULINGS, stale_reading_refusal
from companion.rules.state import Phase, amount_for_seat

SCORES_CONFIRMED = phrase("the scores are confirmed; set them with set_score")


def read_tile(game: Any, state: MartianBoggleState, ruling: Ruling, _words: Words) -> Events:
    """Return the referee's reading of a letter on the board, under a piece or not."""
    at, symbol = ruling.details["cell"], ruling.details["symbol"]
    if ruling.seat is not None:
        return not_ruled(ruling, phrase("all tiles in doubt lie on the board; rule without a seat"))
    if at not in SQUARES:
        return not_ruled(ruling, phrase("the board has no %(place)s", place=squares_text([at])))
    if not is_letter(symbol):
        raise BadCall(
            phrase(
                "read_tile: 'symbol' must be one letter, or '' for a blank; got %(given)s", given=repr(symbol)
            )
        )
    if other := stale_reading_refusal(game, state, ruling):
        return other
    return [LettersRead(((*at, symbol.lower()),))]


def strike_word(_game: Any, state: MartianBoggleState, ruling: Ruling, _words: Words) -> Events:
    """Return a word struck out and its tiles put back; play resumes if it was the fifth word."""
    seat, word = int(ruling.seat or 0), ruling.details["word"]
    if state.confirmed:
        return not_ruled(ruling, SCORES_CONFIRMED)
    if word not in {one.word for one in state.words_of(seat)}:
        return not_ruled(
            ruling, phrase("%(name)s has not spelled %(word)s", name=state.seat(seat).name, word=word.upper())
        )
    struck = [WordStruck(seat, word), ev.TilesDrawn(amount_for_seat(state, seat, -FIVE))]
    then = after(state, struck)
    if state.stage is not Phase.JUDGING:
        return [*struck, ev.ScoresGiven(word_points(then))]
    if state.finisher is None or then.finisher is not None:
        return [*struck, *ranking_events(then)]
    turn = ev.TurnPassed(2 if state.turn == 1 else 1)
    return [*struck, *reopen_events(then, phrase("nobody has five words")), turn]


def set_pieces(_game: Any, state: MartianBoggleState, ruling: Ruling, _words: Words) -> Events:
    """Return a player's pieces as placed by the referee."""
    seat, squares = int(ruling.seat or 0), ruling.details["cells"]
    if reason := placement_fault(state, seat, squares):
        return not_ruled(ruling, reason)
    return [PiecesPlaced(seat, squares)]


def placement_fault(state: MartianBoggleState, seat: int, squares: Sequence[Cell]) -> str | None:
    """Return why a player's pieces cannot be on these squares, or ``None``."""
    if len(set(squares)) != PIECES_PER_PLAYER:
        return phrase(
            "each player has five pieces, each on a square of its own; got %(place)s",
            place=squares_text(squares),
        )
    others = {one for n, pieces in enumerate(state.pieces, 1) if n != seat for one in pieces}
    taken = others & set(squares)
    return phrase("another piece stands at %(place)s", place=squares_text(taken)) if taken else None


def set_dice(_game: Any, state: MartianBoggleState, ruling: Ruling, _words: Words) -> Events:
    """Return the referee's reading of the roll."""
    if state.stage is not Phase.PLAYING or not state.dice:
        return not_ruled(ruling, phrase("nobody has rolled"))
    return [DiceRolled(ruling.details["dice"])]


def reinstate(game: Any, state: MartianBoggleState, ruling: Ruling, words: Words) -> Events:
    """Return a player's return; play resumes if the disqualification had ended it."""
    if state.confirmed:
        return not_ruled(ruling, SCORES_CONFIRMED)
    events = SHARED_RULINGS["reinstate"].decide(game, state, ruling, words)
    if isinstance(events[0], ev.CallRefused):
        return events
    then = after(state, events)
    ended = state.removed == ruling.seat
    return [*events, *(reopen_events(then, phrase("the player is back")) if ended else ranking_events(then))]


RULINGS = {
    "read_tile": RulingKind(
        "what a tile of the board shows",
        read_tile,
        SHARED_RULINGS["read_tile"].takes,
        SHARED_RULINGS["read_tile"].needs,
    ),
    "strike_word": RulingKind(
        "a word that a player has spelled does not count",
        strike_word,
        {"word": fields.word},
        frozenset({"word"}),
        RulingScope.SEAT,
    ),
    "set_pieces": RulingKind(
        "where a player's pieces stand",
        set_pieces,
        {"cells": fields.list_field(square, PIECES_PER_PLAYER)},
        frozenset({"cells"}),
        RulingScope.SEAT,
    ),
    "set_dice": RulingKind(
        "what the player on turn has rolled", set_dice, {"dice": parse_roll}, frozenset({"dice"})
    ),
    "reinstate": RulingKind(
        "a disqualified or withdrawn player plays again", reinstate, about=RulingScope.SEAT
    ),
}
"""The rulings of Martian Boggle by name."""
