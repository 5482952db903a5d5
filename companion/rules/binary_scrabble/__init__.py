"""Binary Number Scrabble: the rules of binary_scrabble.txt, and the decisions of SETTLED.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from companion.errors import BadSetUp
from companion.model.calls import Ruling
from companion.model.phrases import phrase
from companion.model.sightings import Board
from companion.model.tiles import BLANK
from companion.rules import event as ev
from companion.rules.binary_scrabble import calls
from companion.rules.binary_scrabble.options import OPTIONS, RACK_TILES
from companion.rules.binary_scrabble.scores import end_play_events, next_turn_events, ranking_events
from companion.rules.binary_scrabble.sight import board_events, stray_tile
from companion.rules.binary_scrabble.tableau import judge_equations, makes_equations
from companion.rules.binary_scrabble.values import OWN_EVENTS, BinaryScrabbleState, evolve
from companion.rules.fields import integer
from companion.rules.interface import Aloud, CallKind, Events, Game, Notation, RulingKind, Words
from companion.rules.places import outs_last, reranked
from companion.rules.policy import objection
from companion.rules.state import Phase, amount_for_active_seats
from companion.rules.tournament import TWO_PLAYER_FORMATS

PLAY_OR_JUDGING = frozenset({Phase.PLAYING, Phase.JUDGING})


def take_back(_game: Any, state: BinaryScrabbleState, ruling: Ruling, _words: Words) -> Events:
    """Return the taking back of the last play."""
    if state.last is None or state.confirmed:
        return [ev.CallRefused(None, ruling.ruling, phrase("there is no play to take back"))]
    return calls.take_back(state, state.last)


class BinaryScrabble(Game[BinaryScrabbleState]):
    """The game of binary_scrabble.txt."""

    name = "binary_scrabble"
    title = "Binary Number Scrabble"
    about = (
        "Two to four players lay equations of zeros, ones and signs on a Scrabble board, in turns. "
        "Each equation scores by its tiles and by its largest bit."
    )
    source = "binary_scrabble.txt"
    tiles = 100
    players = (2, 4)
    on_board = True
    tournaments = TWO_PLAYER_FORMATS
    notation = Notation(makes_equations, judge_equations)
    options = OPTIONS
    events = OWN_EVENTS
    state = BinaryScrabbleState
    buttons = (("play",), ("pass",), ("challenge",))
    aloud: ClassVar[Aloud] = {
        "play": {"en": "Played", "de": "Gelegt"},
        "exchange": {"en": "Exchange", "de": "Tausch"},
        "pass": {"en": "Pass", "de": "Passe"},
        "challenge": {"en": "Challenge", "de": "Angezweifelt"},
        "out": {"en": "Out", "de": "Aus"},
    }
    calls: ClassVar[Mapping[str, CallKind]] = {
        "play": CallKind(
            "the new tiles on the board are my turn",
            calls.play,
            {"blanks": calls.BLANKS_FIELD, "sideways": calls.TURNED_FIELD},
            when=calls.on_turn,
        ),
        "exchange": CallKind(
            "I put so many tiles back and draw others",
            calls.exchange,
            {"tiles": integer(1, RACK_TILES)},
            frozenset({"tiles"}),
            when=calls.on_turn,
        ),
        "pass": CallKind("I leave this turn", calls.passed, when=calls.on_turn),
        "challenge": CallKind(
            "the last play is not valid", calls.challenge, during=PLAY_OR_JUDGING, when=calls.challengeable
        ),
        "out": CallKind(
            "I have no tiles left, and the others hold these",
            calls.out,
            {"unplayed": calls.parse_hands},
            frozenset({"unplayed"}),
            during=PLAY_OR_JUDGING,
            when=lambda state, seat: state.out == seat and not state.counted,
        ),
    }
    rulings: ClassVar[Mapping[str, RulingKind]] = {
        "take_back": RulingKind("the last play does not stand: its tiles go back to the hand", take_back),
    }

    def start(self, state: BinaryScrabbleState, number: int) -> Events:
        """Return nine tiles for each seat and seat 1's turn; raise BadSetUp if the board has tiles."""
        if reason := objection(state, None, stray_tile(state)):
            raise BadSetUp(reason)
        return [
            ev.RoundStarted(
                number, amount_for_active_seats(state, RACK_TILES), amount_for_active_seats(state, 0), turn=1
            )
        ]

    def board_seen(self, state: BinaryScrabbleState, board: Board, words: Words, at_ns: int) -> Events:
        """Return the board as seen, if it has changed, and its turn against the plays."""
        return board_events(state, board)

    def time_up(self, state: BinaryScrabbleState, at_ns: int) -> Events:
        """Return the end of play with the scores so far."""
        return end_play_events(state, phrase("time is up"))

    def confirm(self, state: BinaryScrabbleState) -> Events:
        """Return the totals and the game's end; refuse it while unplayed tiles must still be counted."""
        if state.out is not None and not state.counted and state.options["going_out"] != "none":
            reason = phrase(
                "%(name)s has to say out, with the tiles that the others hold",
                name=state.seat(state.out).name,
            )
            return [ev.CallRefused(None, "confirm", reason)]
        events = super().confirm(state)
        return [*events, ev.GameEnded(self.champion(self.after(state, events, 0)))]

    def end(self, state: BinaryScrabbleState, at_ns: int) -> Events:
        """Return the game's end; all plays so far count."""
        playing = state.stage is Phase.PLAYING
        events = end_play_events(state, phrase("the host ended the game")) if playing else []
        return [*events, *super().end(self.after(state, events, at_ns), at_ns)]

    def board(self, state: BinaryScrabbleState) -> Board | None:
        """Return the board as seen; a played blank shows the symbol that it stands for."""
        if state.board is None:
            return None
        stands = {tile.cell: tile.face for tile in state.board_tiles if tile.symbol == BLANK}
        cells = tuple((r, c, symbol or stands.get((r, c), BLANK)) for r, c, symbol in state.board.cells)
        return replace(state.board, cells=cells)

    def standings(self, state: BinaryScrabbleState) -> list[list[int]]:
        """Return the seats by points, equal ones in one list; disqualified players are last."""
        return outs_last(state)

    def disqualify(self, state: BinaryScrabbleState, seat: int, reason: str) -> Events:
        """Return the seat's tiles to the pool; play goes on without it if two seats are left."""
        if state.confirmed:
            return [ev.CallRefused(seat, "disqualify", phrase("the scores are confirmed; set them instead"))]
        gone = ev.Disqualified(seat, state.seat(seat).hand, reason)
        rest = self.after(state, [gone], 0)
        if state.stage is not Phase.PLAYING:
            return [gone, *ranking_events(rest)]
        if len(rest.active) < 2:
            return [
                gone,
                *end_play_events(rest, phrase("%(name)s plays no longer", name=state.seat(seat).name)),
            ]
        return [gone, *(next_turn_events(rest) if state.turn == seat else [])]

    def rerank(self, state: BinaryScrabbleState) -> Events:
        """Return places and winner after points have changed."""
        return reranked(state)

    def evolve(self, state: BinaryScrabbleState, event: ev.Event, at_ns: int) -> BinaryScrabbleState:
        """Return the state after an event."""
        return evolve(state, event, at_ns)


GAME = BinaryScrabble()
