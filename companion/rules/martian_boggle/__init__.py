"""Martian Boggle: the rules of martian_boggle.txt, and the decisions of SETTLED.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from companion.errors import BadSetUp
from companion.model.calls import Called
from companion.model.phrases import phrase
from companion.model.sightings import Board
from companion.rules import event as ev
from companion.rules import fields
from companion.rules.figures import OF_FIVE, Figure, points
from companion.rules.interface import Aloud, CallKind, Events, Game, RulingKind, Words
from companion.rules.martian_boggle import calls
from companion.rules.martian_boggle.inferring import inferred_moves
from companion.rules.martian_boggle.options import OPTIONS
from companion.rules.martian_boggle.rulings import RULINGS, SCORES_CONFIRMED
from companion.rules.martian_boggle.scores import end_play_events, ranking_events
from companion.rules.martian_boggle.sight import board_events, set_up_fault, unseen_letter_events
from companion.rules.martian_boggle.squares import BOARD_SIDE_SQUARES, SQUARES, square
from companion.rules.martian_boggle.values import OWN, MartianBoggleState, evolve
from companion.rules.places import outs_last, reranked
from companion.rules.state import Phase, amount_for_active_seats
from companion.rules.tournament import TWO_PLAYER_FORMATS


class MartianBoggle(Game[MartianBoggleState]):
    """The game of martian_boggle.txt."""

    name = "martian_boggle"
    title = "Martian Boggle"
    about = (
        "Two players roll dice and move five pieces each over a board of letters. Whoever stands on the "
        "letters of a word calls it; five words end the game, and the best words win."
    )
    source = "martian_boggle.txt"
    tiles = 100
    players = (2, 2)
    on_board = True
    tournaments = TWO_PLAYER_FORMATS
    options = OPTIONS
    events = OWN
    state = MartianBoggleState
    rulings: ClassVar[Mapping[str, RulingKind]] = RULINGS
    buttons = (("end_turn",),)
    aloud: ClassVar[Aloud] = {
        "end_turn": {"en": "Turn over", "de": "Zug zu Ende"},
    }
    calls: ClassVar[Mapping[str, CallKind]] = {
        "roll": CallKind(
            "my two dice show this",
            calls.roll,
            {"dice": fields.Offered(calls.parse_roll, calls.ROLLS)},
            frozenset({"dice"}),
            when=lambda state, seat: (
                calls.may_begin_turn(state, seat) or (state.turn == seat and not state.dice)
            ),
        ),
        "move": CallKind(
            "one of my pieces goes from here to there",
            calls.move,
            {
                "from": fields.OnBoard(square, BOARD_SIDE_SQUARES),
                "to": fields.OnBoard(square, BOARD_SIDE_SQUARES),
            },
            frozenset({"from", "to"}),
            when=lambda state, seat: state.turn == seat and bool(state.dice) and not state.spent,
        ),
        "word": CallKind(
            "the letters under my five pieces spell this: I lift them, and my turn is over",
            calls.word,
            {"word": fields.word},
            frozenset({"word"}),
            when=lambda state, seat: state.turn == seat or calls.may_begin_turn(state, seat),
        ),
        "end_turn": CallKind(
            "I leave the rest of my roll",
            calls.end_turn,
            when=lambda state, seat: state.turn == seat and bool(state.dice or inferred_moves(state)),
        ),
    }

    def start(self, state: MartianBoggleState, number: int) -> Events:
        """Return seat 1's turn; raise BadSetUp if the board as seen is not set up for a game."""
        if state.board is not None and (reason := set_up_fault(state.board)):
            raise BadSetUp(reason)
        return [
            ev.RoundStarted(
                number, amount_for_active_seats(state, 0), amount_for_active_seats(state, 0), turn=1
            ),
            *unseen_letter_events({}, state),
        ]

    def board_seen(self, state: MartianBoggleState, board: Board, words: Words, at_ns: int) -> Events:
        """Return the board as seen, the letters read from it and those that disagree."""
        return board_events(state, board, at_ns)

    def assume_unseen(self, state: MartianBoggleState, called: Called) -> MartianBoggleState:
        """Return the state with unseen letters assumed as a called word needs them."""
        return calls.assume_unseen(state, called)

    def time_up(self, state: MartianBoggleState, at_ns: int) -> Events:
        """Return the end of play with the tally of the words spelled so far."""
        return end_play_events(state, phrase("time is up"))

    def confirm(self, state: MartianBoggleState) -> Events:
        """Return the totals and the game's end: a game has one round."""
        events = super().confirm(state)
        return [*events, ev.GameEnded(self.champion(self.after(state, events, 0)))]

    def figures(self, state: MartianBoggleState, seat: int) -> Sequence[Figure]:
        """Return the player's points, and how many of the five words are spelled."""
        return (*points(state, seat), Figure(len(state.words_of(seat)), OF_FIVE))

    def board(self, state: MartianBoggleState) -> Board | None:
        """Return the letters that are known, and the square of every piece.

        A letter that is seen but not known is in doubt: it may be the tile that a word took.
        """
        known = {at: letter for at, letter in zip(SQUARES, state.letters, strict=True) if letter is not None}
        seen, doubts = (state.board.symbols(), state.board.doubts) if state.board else ({}, ())
        cells = {**seen, **{at: letter.upper() for at, letter in known.items()}}
        unknown = {at for at in SQUARES if state.letter(at) is None}
        asked = tuple(sorted({*doubts, *state.disputed, *unknown} & cells.keys()))
        return replace(Board.of(cells, dict(enumerate(state.pieces, 1))), doubts=asked)

    def end(self, state: MartianBoggleState, at_ns: int) -> Events:
        """Return the game's end; all words so far count."""
        playing = state.stage is Phase.PLAYING
        events = list(end_play_events(state, phrase("the host ended the game"))) if playing else []
        return [*events, *super().end(self.after(state, events, at_ns), at_ns)]

    def standings(self, state: MartianBoggleState) -> list[list[int]]:
        """Return the seats by points, equal ones in one list; a disqualified player is last."""
        return outs_last(state)

    def disqualify(self, state: MartianBoggleState, seat: int, reason: str) -> Events:
        """Return the disqualification, and the end of play with the other player as the winner."""
        if state.confirmed:
            return [ev.CallRefused(seat, "disqualify", SCORES_CONFIRMED)]
        gone = ev.Disqualified(seat, 0, reason)
        rest = self.after(state, [gone], 0)
        ended = end_play_events(rest, phrase("%(name)s plays no longer", name=state.seat(seat).name))
        return [gone, *(ended if state.stage is Phase.PLAYING else ranking_events(rest))]

    def rerank(self, state: MartianBoggleState) -> Events:
        """Return places and winner after points have changed."""
        return reranked(state)

    def evolve(self, state: MartianBoggleState, event: ev.Event, at_ns: int) -> MartianBoggleState:
        """Return the state after an event."""
        return evolve(state, event, at_ns)


GAME = MartianBoggle()
