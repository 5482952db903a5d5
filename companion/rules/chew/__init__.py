"""Chew's competitive rules: chew.txt, and the decisions of SETTLED.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from companion.errors import BadSetUp
from companion.model.calls import Ruling
from companion.model.phrases import phrase
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules import fields
from companion.rules.chew import calls
from companion.rules.chew.options import EVENING, NEWCOMER_HANDICAP, OPTIONS, RESERVE_TILES
from companion.rules.chew.rounds import (
    confirm_events,
    progress_events,
    ranked_seats,
    score_events,
    stop_round,
    withdraw_done,
)
from companion.rules.chew.scores import MIN_HANDICAP
from companion.rules.chew.values import (
    ChewState,
    Flipped,
    TieLeft,
    WordLookedUp,
    evolve,
    totals_and_handicaps,
)
from companion.rules.crossword import judge_words
from companion.rules.figures import Figure, race
from companion.rules.interface import Aloud, CallKind, Events, Game, RulingKind, RulingScope, Words
from companion.rules.policy import policy
from companion.rules.state import Phase, dealt


def end_round(_game: Any, state: ChewState, ruling: Ruling, _words: Words) -> Events:
    """Return the end of a round that nobody can finish."""
    if state.stage is not Phase.PLAYING:
        return [ev.CallRefused(None, ruling.ruling, phrase("no round is being played"))]
    return stop_round(state, ruling.reason)


def set_handicap(_game: Any, state: ChewState, ruling: Ruling, _words: Words) -> Events:
    """Return the handicaps with one changed by the referee."""
    own = [ruling.details["handicap"] if n == ruling.seat else state.seat(n).handicap for n in state.numbers]
    return [ev.HandicapsGiven(tuple(own))]


def check_tiles(handicaps: Sequence[int]) -> None:
    """Raise BadSetUp if the box does not hold the tiles of all sets."""
    needed = sum(RESERVE_TILES + own for own in handicaps)
    if needed > BOX_TILES:
        sets = " + ".join(f"(10 + {own})" for own in handicaps)
        raise BadSetUp(
            phrase(
                "the sets take %(sets)s = %(needed)s tiles, and the box holds %(most)s",
                sets=sets,
                needed=needed,
                most=BOX_TILES,
            )
        )


BOX_TILES = 144
"""Tiles of the box."""

TIE_UNDECIDED = phrase("two were done at once: the referee must set their places")

PLAY_OR_JUDGING = frozenset({Phase.PLAYING, Phase.JUDGING})


class Chew(Game[ChewState]):
    """The game of chew.txt."""

    name = "chew"
    title = "Chew's competitive Bananagrams"
    about = (
        "Bananagrams as played in clubs: each player turns over a set of tiles of their own, one "
        "at every FLIP. Places score points over several rounds, and winners start with more tiles."
    )
    source = "chew.txt"
    tiles = BOX_TILES
    players = (1, 6)
    newcomer = NEWCOMER_HANDICAP
    tournaments = (EVENING,)
    options = OPTIONS
    events = (Flipped, WordLookedUp, TieLeft)
    state = ChewState
    buttons = (("flip",), ("draw_three",), ("done",), ("not_done",))
    aloud: ClassVar[Aloud] = {
        "flip": {"en": "Flip", "de": "Flip"},
        "done": {"en": "Done", "de": "Fertig"},
        "draw_three": {"en": "Draw three", "de": "Drei ziehen"},
        "not_done": {"en": "Not done", "de": "Doch nicht fertig"},
        "lookup": {"en": "Look it up", "de": "Nachschlagen"},
    }
    calls: ClassVar[Mapping[str, CallKind]] = {
        "flip": CallKind(
            "my tableau stands: everybody turns one tile over", calls.flip, when=calls.has_face_down
        ),
        "done": CallKind(
            "my tableau stands and no tile is face down: I end my round",
            calls.done,
            during=PLAY_OR_JUDGING,
            when=calls.may_be_done,
        ),
        "draw_three": CallKind(
            "I draw three tiles and put one of mine back", calls.draw_three, when=calls.may_draw
        ),
        "not_done": CallKind(
            "my tableau was not valid: I build on",
            calls.not_done,
            during=PLAY_OR_JUDGING,
            when=calls.may_go_on,
        ),
        "lookup": CallKind(
            "is this one word good?",
            calls.lookup,
            {"word": fields.word},
            frozenset({"word"}),
            during=PLAY_OR_JUDGING | {Phase.PAUSED},
            when=lambda state, _: state.options["lookup"],
        ),
    }
    rulings: ClassVar[Mapping[str, RulingKind]] = {
        "end_round": RulingKind("nobody can finish: the round is ranked as it stands", end_round),
        "set_handicap": RulingKind(
            "a player's handicap set from the next round on",
            set_handicap,
            {"handicap": fields.integer(MIN_HANDICAP, BOX_TILES - RESERVE_TILES)},
            frozenset({"handicap"}),
            RulingScope.SEAT,
            early=True,
        ),
    }

    def set_up(self, state: ChewState) -> Events:
        """Return the handicaps; raise BadSetUp if they are not one for each seat, or take too many tiles."""
        handicaps = state.options["handicaps"] or (NEWCOMER_HANDICAP,) * len(state.seats)
        if len(handicaps) != len(state.seats):
            raise BadSetUp(
                phrase(
                    "%(given)s handicaps for %(seats)s seats: give one each",
                    given=len(handicaps),
                    seats=len(state.seats),
                )
            )
        check_tiles(handicaps)
        return [ev.HandicapsGiven(tuple(handicaps))]

    def start(self, state: ChewState, number: int) -> Events:
        """Return the round's start, the handicap sets face up; raise BadSetUp if the tiles do not suffice."""
        check_tiles([state.seat(number).handicap or 0 for number in state.playing])
        hands = dealt(state, [RESERVE_TILES + (seat.handicap or 0) for seat in state.seats])
        return [ev.RoundStarted(number, hands, dealt(state, (RESERVE_TILES,) * len(hands)))]

    def judge(self, state: ChewState, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return the verdict on a tableau."""
        return judge_words(seen, calls.judging(state, words), duplicates=state.options["duplicates"])

    def tiles_seen(self, state: ChewState, seat: int, seen: Sighting) -> Events:
        """Return a warning if tiles are moved after Done ("may not do so after you have said so")."""
        before = state.seat(seat)
        moved = (
            before.done_ns is not None and before.sighting is not None and before.sighting.grid != seen.grid
        )
        if not moved or policy(state, seat) == "off":
            return []
        return [ev.Warned(seat, phrase("the tableau was changed after Done"))]

    def time_up(self, state: ChewState, at_ns: int) -> Events:
        """Return the round's end, ranked by the tableaux so far."""
        return stop_round(state, phrase("time is up"))

    def confirm(self, state: ChewState) -> Events:
        """Return the confirmed round; refuse it while the referee has to put Dones in order."""
        if state.tied:
            return [ev.CallRefused(None, "confirm", TIE_UNDECIDED)]
        given = tuple(seat.place for seat in state.seats)
        totals, handicaps = totals_and_handicaps(state)
        return confirm_events(state, given, [seat.score for seat in state.seats], totals, handicaps)

    def figures(self, state: ChewState, seat: int) -> Sequence[Figure]:
        """Return the number of tiles to place, and the points once the round is judged."""
        return race(state, seat)

    def end(self, state: ChewState, at_ns: int) -> Events:
        """Return the game's end; a round under way is ranked by the tableaux so far."""
        if state.tied:
            return [ev.CallRefused(None, "end", TIE_UNDECIDED)]
        events = (
            list(stop_round(state, phrase("the host ended the game"))) if state.stage is Phase.PLAYING else []
        )
        return [*events, *super().end(self.after(state, events, at_ns), at_ns)]

    def standings(self, state: ChewState) -> list[list[int]]:
        """Return the seats by points, then rounds won, then head to head."""
        return ranked_seats(state)

    def disqualify(self, state: ChewState, seat: int, reason: str) -> Events:
        """Return the disqualification: the seat has no place and no points."""
        gone = ev.Disqualified(seat, 0, reason)
        after = self.evolve(state, gone, 0)
        return [
            gone,
            *(progress_events(after) if state.stage in PLAY_OR_JUDGING and not state.confirmed else []),
        ]

    def overturn(self, state: ChewState, ruling: Ruling) -> Events:
        """Return the withdrawal of a Done; a confirmed round is ranked again."""
        number = int(ruling.seat or 0)
        if state.seat(number).done_ns is None:
            return [
                ev.CallRefused(
                    number, ruling.ruling, phrase("%(name)s is not done", name=state.seat(number).name)
                )
            ]
        return withdraw_done(state, number)

    def rescore(self, state: ChewState) -> Events:
        """Return the points of the places that the referee has set."""
        ranked = state.stage in {Phase.JUDGING, Phase.OVER}
        return score_events(state, tuple(seat.place for seat in state.seats)) if ranked else []

    def evolve(self, state: ChewState, event: ev.Event, at_ns: int) -> ChewState:
        """Return the state after an event."""
        return evolve(state, event, at_ns)


GAME = Chew()
