"""Games that bots play on a simulated table, told to the rules as it lies: no picture, no button, no wire."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from companion.bots.player import Behaviour, Player
from companion.bots.vocabulary import Vocabulary
from companion.events.log import MEMORY, EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered, Seen
from companion.model.grid import rows
from companion.model.sightings import Sighting
from companion.model.tiles import tile_set
from companion.rules import event as ev
from companion.rules.registry import game
from companion.words.chosen import default_lexicon
from companion.words.lexicon import Lexicon
from hardware.simulated.seating import seating_for_players
from hardware.simulated.tabletop import Tabletop

STEP_NS = SECOND // 4
SPEED = 40.0


@cache
def lexicon() -> Lexicon:
    return default_lexicon()


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary.of(lexicon())


@dataclass
class Told:
    """A game at a table of bots."""

    match: Match
    tabletop: Tabletop
    players: Sequence[Player]
    now_ns: int = 0
    events: list[ev.Event] = field(default_factory=list)

    def hear(self, heard: Any) -> None:
        happened = [stamped.event for stamped in self.match.handle(heard)]
        self.events += happened
        for player in self.players:
            player.on_events(happened, self.now_ns)

    def look(self) -> None:
        """Tell what lies before each seat whose hand is at rest."""
        for player in self.players:
            if not player.seat.busy:
                tiles = player.tiles
                seen = Sighting(rows(tiles.letters), tiles.loose_letters, len(tiles.down))
                self.hear(Seen(self.now_ns, player.number, seen))

    def play(self, limit_s: float, until: Callable[[Any], bool] = lambda state: state.phase == "over") -> Any:
        """Go on until something is so, and return the state."""
        while not until(self.match.state) and self.now_ns < limit_s * SECOND:
            self.now_ns += STEP_NS
            self.tabletop.advance(STEP_NS / SECOND)
            self.look()
            for player in self.players:
                player.act(self.now_ns)
        return self.match.state


def seated(
    name: str,
    bots: type[Player],
    players: int,
    options: Mapping[str, Any] | None = None,
    *,
    behaviour: Behaviour | None = None,
    seed: int = 1,
) -> Told:
    """Return a game that has been started."""
    rng = random.Random(seed)
    counts = tile_set("bananagrams-en").counts or {}
    tabletop = Tabletop(
        seating_for_players(players), [s for s, many in counts.items() for _ in range(many)], rng, SPEED
    )
    names = [f"Bot {number}" for number in range(1, players + 1)]
    match = Match.begun(EventLog(MEMORY), "told", game(name), names, options or {}, lexicon())
    some = [
        bots(
            seat, number, vocabulary(), random.Random(f"{seed}/{number}"), behaviour or Behaviour(think_s=0.5)
        )
        for number, seat in enumerate(tabletop.seats, 1)
    ]
    told = Told(match, tabletop, some)
    for player, seat in zip(some, tabletop.seats, strict=True):
        seat.on_button_call = pressed(told, player.number)
        player.on_events([ev.GameSetUp(name, tuple(names), {}, "", 144)], 0)
    told.hear(Ordered(0, Order.START))
    return told


def pressed(told: Told, number: int) -> Callable[[str], None]:
    """Return what a seat's button does."""
    return lambda call: told.hear(Called(told.now_ns, number, call))
