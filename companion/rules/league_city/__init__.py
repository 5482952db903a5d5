"""The Bananagrams Council of League City: the rules of league_city.txt, and the decisions of SETTLED.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from companion.errors import BadSetUp
from companion.model.calls import Ruling
from companion.model.phrases import phrase
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.crossword import judge_words, opening_hand
from companion.rules.figures import Figure, race
from companion.rules.interface import Aloud, CallKind, Events, Game, RulingKind, Words
from companion.rules.league_city import calls
from companion.rules.league_city.options import LEAGUE, OPTIONS
from companion.rules.league_city.rounds import (
    confirm_events,
    disqualify_events,
    overturn_done,
    recount_events,
)
from companion.rules.league_city.values import DoneDrawn, LeagueCityState, PenaltyGiven, evolve
from companion.rules.policy import policy
from companion.rules.state import Phase, dealt

BOX_TILES = 144
"""Tiles of the box."""

PLAY_OR_JUDGING = frozenset({Phase.PLAYING, Phase.JUDGING})


def end_round(_game: Any, state: LeagueCityState, ruling: Ruling, _words: Words) -> Events:
    """Return the end of a round that nobody can finish; nobody gets the bonus."""
    if state.stage is not Phase.PLAYING:
        return [ev.CallRefused(None, ruling.ruling, phrase("no round is being played"))]
    return [ev.RoundEnded(ruling.reason)]


def start_tiles(state: LeagueCityState) -> int:
    """Return how many tiles each player selects: as the host chose, else as the rules suggest."""
    return state.options["start_tiles"] or opening_hand(len(state.playing))


class LeagueCity(Game[LeagueCityState]):
    """The game of league_city.txt.

    A round's winner is who finished first; its places are by points, and the
    game's winner has the highest total.
    """

    name = "league_city"
    title = "Bananagrams of League City"
    about = (
        "Bananagrams with scores: whoever has used all tiles says DONE, and everybody takes two "
        "more. Long words and difficult letters count, over rounds up to 300 points."
    )
    source = "league_city.txt"
    tiles = BOX_TILES
    players = (1, 13)
    tournaments = (LEAGUE,)
    options = OPTIONS
    events = (DoneDrawn, PenaltyGiven)
    state = LeagueCityState
    buttons = (("go", "done"), ("trade",), ("not_done",))
    aloud: ClassVar[Aloud] = {
        "go": {"en": "Go", "de": "Los"},
        "trade": {"en": "Trade", "de": "Tausch"},
        "done": {"en": "Done", "de": "Fertig"},
        "not_done": {"en": "Not done", "de": "Doch nicht fertig"},
    }
    calls: ClassVar[Mapping[str, CallKind]] = {
        "go": CallKind("all have drawn: everybody begins", calls.go, during=frozenset({Phase.SETUP})),
        "trade": CallKind(
            "I put one tile back and take three, or what is left",
            calls.trade,
            when=lambda state, _: calls.tradable(state),
        ),
        "done": CallKind(
            "all my tiles are used: everybody takes two, or, with none left, I have finished",
            calls.done,
            during=PLAY_OR_JUDGING,
            when=lambda state, _: state.phase is Phase.PLAYING,
        ),
        "not_done": CallKind(
            "I have not finished: a word of mine is invalid",
            calls.not_done,
            during=PLAY_OR_JUDGING,
            when=lambda state, seat: state.seat(seat).done_ns is not None and not state.confirmed,
        ),
    }
    rulings: ClassVar[Mapping[str, RulingKind]] = {
        "end_round": RulingKind("nobody can finish: the round is scored as it stands", end_round),
    }

    def set_up(self, state: LeagueCityState) -> Events:
        """Return no events; raise BadSetUp if the box does not hold everybody's starting tiles."""
        players, own = len(state.seats), start_tiles(state)
        if players * own > BOX_TILES:
            raise BadSetUp(
                phrase(
                    "%(players)s players with %(own)s tiles each take %(needed)s, and the box holds %(most)s",
                    players=players,
                    own=own,
                    needed=players * own,
                    most=BOX_TILES,
                )
            )
        return []

    def start(self, state: LeagueCityState, number: int) -> Events:
        """Return everybody's starting tiles, face down."""
        hands = dealt(state, (start_tiles(state),) * len(state.seats))
        return [ev.RoundStarted(number, hands, hands, playing=False)]

    def judge(self, state: LeagueCityState, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return the verdict on a player's words."""
        return judge_words(seen, words, duplicates=state.options["duplicates"])

    def tiles_seen(self, state: LeagueCityState, seat: int, seen: Sighting) -> Events:
        """Return a warning if tiles are moved between the round's end and its confirmation."""
        before = state.seat(seat).sighting
        counting = state.stage is Phase.JUDGING and not state.confirmed
        if not counting or before is None or before.grid == seen.grid or policy(state, seat) == "off":
            return []
        return [
            ev.Warned(seat, phrase("the tableau was changed after the round's end; it counts as it lies now"))
        ]

    def recount(self, state: LeagueCityState) -> Events:
        """Return the scores by the sightings and rulings so far, if they have changed."""
        return recount_events(state)

    def confirm(self, state: LeagueCityState) -> Events:
        """Return the round's points added to the totals."""
        return confirm_events(state)

    def figures(self, state: LeagueCityState, seat: int) -> Sequence[Figure]:
        """Return the number of tiles to place, and the points once the round is judged."""
        return race(state, seat)

    def end(self, state: LeagueCityState, at_ns: int) -> Events:
        """Return the game's end; a round that is still played is void."""
        if state.stage is Phase.JUDGING or not state.started:
            return super().end(state, at_ns)
        return [ev.RoundVoided(phrase("the host ended the game")), ev.GameEnded(self.champion(state))]

    def overturn(self, state: LeagueCityState, ruling: Ruling) -> Events:
        """Return the withdrawal of a final DONE."""
        return overturn_done(state, ruling)

    def disqualify(self, state: LeagueCityState, seat: int, reason: str) -> Events:
        """Return the seat's disqualification."""
        return disqualify_events(state, seat, reason)

    def evolve(self, state: LeagueCityState, event: ev.Event, at_ns: int) -> LeagueCityState:
        """Return the state after an event."""
        return evolve(state, event, at_ns)


GAME = LeagueCity()
