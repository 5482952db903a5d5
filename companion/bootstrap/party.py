"""A simulated table with its players: they hear what the log says, move drawn tiles, press mock buttons."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from companion.bootstrap.devices import Simulation
from companion.bootstrap.drifting import drift
from companion.bootstrap.sat import Fingers, Sat
from companion.bootstrap.simulated import BASE, GAMES, Simulated
from companion.bootstrap.trial import CORNER, Trial
from companion.bots import PLAYERS
from companion.bots.building import BuildingPlayer
from companion.bots.host import Host
from companion.bots.player import Player, Temper
from companion.bots.vocabulary import Vocabulary
from companion.config.controls import Controls, Gesture
from companion.model.calls import SECOND, Order, Ordered, Ruling
from companion.model.grid import displacement
from companion.model.sightings import Cell
from companion.model.tiles import BLANK, tile_set
from companion.rpc import TableClient
from companion.rules import event as ev
from companion.rules.registry import game as game_named
from companion.rules.rulings import shown_at
from companion.rules.state import State
from companion.words.chosen import default_lexicon
from hardware.clock import Clock
from hardware.simulated.camera import SimulatedCamera, SteppedClock
from hardware.simulated.draw import Canvas, Lamp
from hardware.simulated.pins import MockTable
from hardware.simulated.stage import Stage

log = logging.getLogger(__name__)

EMPTY_S, POURED_S, READY_S = 1.0, 3.0, 4.5
"""When tiles are poured out onto the table, when pyramids are put on them, when the host starts the game."""


LATER_NS = SECOND // 10
"""A finger that has come to its button presses it within so long."""

DEALS = 3.0
"""How many times as fast tiles are taken while a round has not begun."""

MILD = Temper(1.2, 0.06, 0.06, 0.05, early=0.02, drifts=0.2, rests=0.02)
"""How players are where nobody says."""

SPILT = 6
"""Tiles of a bunch that spills."""

HOST = "the simulated host"
"""What the host is called where it fails."""


class Party:
    """A table of bots, on a clock, from ``with`` to the end of its block.

    Hand ``simulation`` and ``heard`` to a table's run, and ``sit_down`` to its ``ready``.  ``called`` hears
    of each call that a player makes: the seat, the call, what it takes, and when by the clock.  ``fingers``
    press the buttons, at the table itself or at one far away.  ``before_live`` is asked before anybody goes
    on to another time.

    Parameters
    ----------
    plan
        The game, its players, its seed.
    clock
        By which all goes on.
    speed
        How many times as fast as people the hands are, by that clock.
    temper
        How all players are.
    spills
        How likely it is that tiles poured out come to lie in the players' parts.
    """

    def __init__(
        self, plan: Simulated, clock: Clock, speed: float = 1.0, temper: Temper = MILD, spills: float = 0.2
    ) -> None:
        self.plan, self.clock, self.config = plan, clock, plan.config()
        chance = random.Random(plan.seed)
        counts = tile_set(self.config.tile_set).counts or {}
        symbols = [symbol for symbol, many in counts.items() for _ in range(many)]
        self.stage = Stage(plan.seating, symbols, chance, speed)
        self.stage.corner = CORNER if plan.uncalibrated else 0.0
        self._box = self.stage.take_away()
        self._vocabulary = Vocabulary.of(default_lexicon())
        self._temper, self.spills = temper, spills
        self.players = self._seated(plan.game, plan.players)
        self.host = Host(self, most_calls=plan.most_calls)
        self.trial = Trial(self, self.config.controls) if plan.uncalibrated else None
        self._leads_ns: int | None = None if self.trial else 0
        self.controls = self.config.controls.calling(game_named(plan.game).buttons)
        self.mock = MockTable(self.config.controls, plan.seed, clock)
        self.fingers: Fingers = self.mock
        if isinstance(clock, SteppedClock):
            clock.hand.resting = lambda: self.mock.resting
        self.camera = SimulatedCamera(
            Canvas(self.stage.world, plan.top(), plan.tile_px, plan.seed, self._lamps()),
            clock,
            self.live,
            lambda: self.stage.still,
        )
        self._told: SimpleQueue[tuple[Sequence[ev.Stamped], State]] = SimpleQueue()
        self._table: Sat | None = None
        self._failed: set[str] = set()
        self._turn = Lock()
        self.before_live: Callable[[], None] = lambda: None
        self.called: Callable[[int, str, Mapping[str, Any], int], None] = lambda *_: None
        self._began_ns = self._now_ns = self._heard_ns = clock.now_ns()
        for number, reach in enumerate(self.stage.seats, 1):
            reach.pressed = partial(self._press, number)
            reach.said = partial(self._say, number)

    def _seated(self, game: str, many: int) -> list[Player]:
        """Return so many players of a game, each in a seat; some build partly beyond their own part."""
        players = [
            PLAYERS[game](
                reach,
                number,
                self._vocabulary,
                random.Random(f"{self.plan.seed}/{number}"),
                self._temper,
            )
            for number, reach in enumerate(self.stage.seats[:many], 1)
        ]
        builders = [one for one in players if isinstance(one, BuildingPlayer)]
        drift(self.plan.seating, builders, random.Random(f"{self.plan.seed} drifts"))
        return players

    def _lamps(self) -> list[Lamp]:
        """Return each seat's box with what its light shows, read from the pins."""
        seats = range(self.plan.players)
        return [(self.plan.seating.console(seat), partial(self.mock.lit, seat + 1)) for seat in seats]

    @property
    def simulation(self) -> Simulation:
        """What the table has in place of a Pi."""
        stands = isinstance(self.clock, SteppedClock)
        return Simulation(self.mock.pins, lambda _config: self.camera, self.clock, stands)

    def heard(self, events: Sequence[ev.Stamped], state: State) -> None:
        """Take in what is safe in the log; from the table's own thread."""
        self._told.put((events, state))

    def sit_down(self, table: Sat) -> None:
        """Sit down at a table that is open."""
        with self._turn:
            before, self._table = self._table, table
            match = table.loop.match
            if before is None:
                self._began_ns = self._now_ns = self.clock.now_ns()
            elif before.loop.match.name != match.name:
                self._begin_again(match.game.name, len(table.config.seats))
            set_up = ev.GameSetUp(match.game.name, table.config.seats, {}, "", 0)
            for player in self.players:
                player.hear([set_up], self._now_ns)

    def _begin_again(self, game: str, many: int) -> None:
        """Put all tiles back, and let those play who can: some games need other tiles or a board."""
        for player in self.players:
            player.clear_away()
        fits = (
            many <= len(self.stage.seats)
            and game in GAMES
            and GAMES[game].board == GAMES[self.plan.game].board
        )
        if not fits:
            log.warning("nobody at this table can play %s with %d players; people may", game, many)
        self.players, self._failed = self._seated(game, many) if fits else [], set()
        self.host = Host(self)
        self.controls = self.config.controls.calling(game_named(game).buttons)

    def live(self, now_ns: int) -> None:
        """Let hands, players and host go on to a time; in the camera's thread."""
        self.before_live()
        with self._turn:
            self._live(now_ns)

    def _hear(self, now_ns: int) -> None:
        """Let everybody hear what was told since."""
        while True:
            try:
                events, state = self._told.get_nowait()
            except Empty:
                break
            happened, self._heard_ns = [one.event for one in events], now_ns
            for number, player in enumerate(self.players, 1):
                self._let(seated(number), partial(player.hear, happened, now_ns))
            self._let(HOST, partial(self.host.hear, happened, state, now_ns))
            if self.trial is not None and state.started:
                self.trial.end()

    def _live(self, now_ns: int) -> None:
        """Let them go on, while nobody sits down."""
        self._hear(now_ns)
        dealing = self.stage.world.speed < DEALS and any(player.dealt for player in self.players)
        self.stage.advance((now_ns - self._now_ns) / SECOND * (DEALS if dealing else 1.0))
        self._now_ns = now_ns
        if self._table is None:
            return
        if self._box and now_ns - self._began_ns > EMPTY_S * SECOND:
            self.stage.pour(self._box)
            self._box = {}
            if self.stage.rng.random() < self.spills and not self.plan.seating.board:
                self.stage.spill(SPILT)
            if self.plan.pyramids:
                self.stage.fill_board()
        if self.plan.pyramids and not self.stage.pieces and now_ns - self._began_ns > POURED_S * SECOND:
            self.stage.line_up(self.plan.pyramids, BASE)
        if self.trial is not None and not self._table.loop.state.started:
            self.trial.act(now_ns - self._began_ns)
            if self._leads_ns is not None and now_ns >= self._leads_ns:
                self._let(HOST, partial(self.host.act, now_ns))
            return
        for number, player in enumerate(self.players, 1):
            self._let(seated(number), partial(player.act, now_ns))
        self._let(HOST, partial(self.host.act, now_ns))

    def _let(self, who: str, does: Callable[[], None]) -> None:
        """Let somebody do something; whose program fails does nothing more, and the table goes on."""
        if who in self._failed:
            return
        try:
            does()
        except Exception:
            self._failed.add(who)
            log.exception("%s has failed and does nothing more in this demo; people may go on", who)

    def accounts(self) -> list[float]:
        """Return the points of the round as each player counts its own, once all was heard that was told."""
        with self._turn:
            self._hear(self._now_ns)
        return [player.account() for player in self.players]

    def agrees(self, state: State) -> bool:
        """Return whether the players count as the table does."""
        return self.accounts() == [float(seat.score) for seat in state.seats]

    def looked_at(self, seconds: float) -> bool:
        """Return whether nothing was told for so long."""
        return self._now_ns - self._heard_ns > seconds * SECOND

    def lead(self) -> None:
        """Have tiles that were laid out put back, and the simulated host start the game after a moment."""
        if self.trial is not None:
            with self._turn:
                self.trial.end()
        self._leads_ns = self.clock.now_ns() + round(READY_S * SECOND)

    @property
    def laid_out(self) -> bool:
        """Whether tiles lie where a table that is set up needs them, and nobody's hand is over it."""
        return self.ready and (self.trial is None or self.trial.laid_out)

    @property
    def playing(self) -> bool:
        """Whether the game has started."""
        return self._table is not None and self._table.loop.state.started

    # what the host has at hand

    @property
    def ready(self) -> bool:
        """Whether the tiles are on the table and nobody's hand is over it."""
        return self._now_ns - self._began_ns > READY_S * SECOND and self.stage.quiet

    def order(self, order: Order) -> None:
        """Give an order."""
        if self._table is not None:
            self._table.loop.submit(Ordered(self._table.clock.now(), order))

    def settle(self, state: State, seat: int, cell: Cell) -> None:
        """Say what stands on a tile in doubt, after a look at it."""
        if self._table is None:
            return
        details: dict[str, Any] = {"cell": cell, "symbol": self._printed(state, seat, cell)}
        shown = shown_at(self._table.loop.match.game, state, seat, cell)
        if shown is not None:
            details["shown"] = shown
        now_ns = self._table.clock.now()
        self._table.loop.submit(
            Ruling(now_ns, "read_tile", "somebody looked at the tile", seat or None, details)
        )

    def _printed(self, state: State, seat: int, cell: Cell) -> str:
        """Return what stands on a tile, as a person sees it."""
        if not seat:
            tile = self.stage.board.get(cell)
            return BLANK if tile is None else self.stage.world.tiles[tile].symbol
        seen = state.seat(seat).sighting
        return laid_at(cell, seen.cells() if seen else {}, self.players[seat - 1].desk.letters)

    def unread(self, state: State, seat: int) -> list[Cell]:
        """Return the squares whose tile somebody must read before a seat may call, with seat 0 anybody.

        What no call hangs on may stay in doubt.
        """
        return self.players[max(seat, 1) - 1].unread(state, seat)

    def clear(self) -> None:
        """Have everybody put the tiles back to the middle."""
        for player in self.players:
            player.clear_away()
        self.stage.shuffle()

    def _say(self, seat: int, call: str, details: Mapping[str, Any]) -> None:
        """Make a call as a phone does, over the table's line."""
        self.called(seat, call, details, self.clock.now_ns())
        Thread(
            target=TableClient(Path(self.config.socket)).call, args=(seat, call, details), daemon=True
        ).start()

    def _press(self, seat: int, call: str) -> None:
        """Press the button that makes a call."""
        button, gesture = button_for(self.controls, seat, call)
        # people never press in the very same moment, even where they look at the same frame
        at_ns = self.clock.now_ns() + self.stage.rng.randint(0, LATER_NS)
        self.called(seat, call, {}, self.fingers.press(seat, button, gesture, at_ns))


def laid_at(cell: Cell, seen: Mapping[Cell, str], laid: Mapping[Cell, str]) -> str:
    """Return the symbol that was laid where a cell of a seen tableau is; as it was seen where nothing was.

    A tableau of which some tiles are not seen may begin in another row or column: most tiles tell which.
    """
    known = seen.get(cell, BLANK)
    way = displacement({place: {symbol} for place, symbol in seen.items()}, laid)
    return known if way is None else laid.get((cell[0] + way[0], cell[1] + way[1]), known)


def seated(number: int) -> str:
    """Return what a simulated player is called where one fails."""
    return f"the simulated player of seat {number}"


def button_for(controls: Controls, seat: int, call: str) -> tuple[int, Gesture]:
    """Return the button of a seat, and the gesture on it, that makes a call."""
    for number, button in enumerate(controls.places[seat].buttons, 1):
        for gesture, calls in button.calls.items():
            if call in calls:
                return number, gesture
    raise ValueError(f"no button of seat {seat} calls {call}")
