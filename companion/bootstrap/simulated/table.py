"""A simulated table and its bots, which follow the logged events, move drawn tiles and press mock buttons."""

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
from companion.bootstrap.simulated.encroachment import encroach
from companion.bootstrap.simulated.game import GAMES, PYRAMID_BASE, SimulatedGame
from companion.bootstrap.simulated.protocols import ButtonPresser, TableProtocol
from companion.bootstrap.simulated.setup_script import CORNER_MARGIN, SetupScript
from companion.bots import BOT_CLASSES
from companion.bots.building import BuildingPlayer
from companion.bots.host import Host
from companion.bots.player import Behaviour, Player
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
from hardware.simulated.pins import SimulatedControls
from hardware.simulated.tabletop import Tabletop

log = logging.getLogger(__name__)

POUR_DELAY_S, PYRAMIDS_DELAY_S, START_DELAY_S = 1.0, 3.0, 4.5
"""Seconds from opening until tiles are poured out, pyramids are placed, and the host starts the game."""


MAX_PRESS_DELAY_NS = SECOND // 10
"""Longest delay, drawn at random, between a finger reaching its button and the press."""

DEALING_SPEED = 3.0
"""Factor by which hands are faster while tiles are dealt."""

DEFAULT_BEHAVIOUR = Behaviour(1.2, 0.06, 0.06, 0.05, early=0.02, encroaches=0.2, rests=0.02)
"""Default behaviour of the bots."""

SPILLED_TILES = 6
"""Number of tiles that roll into the players' areas when a bunch spills."""

HOST_LABEL = "the simulated host"
"""Name of the host in the log where its bot fails."""


class SimulatedTable:
    """A drawn table with one bot a seat and a host bot.

    Pass ``simulation`` and ``on_events`` to the table's ``RunOptions``, and ``attach`` as its ``ready``.

    Callbacks that may be replaced: ``on_call(seat, call, details, at_ns)`` receives each call of a bot, with
    the time of ``clock``; ``before_advance()`` runs before the simulation advances.  ``buttons`` presses the
    buttons: the mock pins of this process, or a table in another process.

    Parameters
    ----------
    plan
        The game, its players, its seed.
    clock
        The clock of the simulation.
    speed
        Factor by which the hands are faster than people's, on that clock.
    behaviour
        The behaviour of all bots.
    spills
        Probability, 0 to 1, that some tiles are spilled into the players' areas.
    """

    def __init__(
        self,
        plan: SimulatedGame,
        clock: Clock,
        speed: float = 1.0,
        behaviour: Behaviour = DEFAULT_BEHAVIOUR,
        spills: float = 0.2,
    ) -> None:
        self.plan, self.clock, self.config = plan, clock, plan.config()
        chance = random.Random(plan.seed)
        counts = tile_set(self.config.tile_set).counts or {}
        symbols = [symbol for symbol, many in counts.items() for _ in range(many)]
        self.tabletop = Tabletop(plan.seating, symbols, chance, speed)
        self.tabletop.corner_margin = CORNER_MARGIN if plan.uncalibrated else 0.0
        self._box = self.tabletop.remove_tiles()
        self._vocabulary = Vocabulary.of(default_lexicon())
        self._behaviour, self.spills = behaviour, spills
        self.players = self._make_players(plan.game, plan.players)
        self.host = Host(self, most_calls=plan.most_calls)
        self.setup_script = SetupScript(self, self.config.controls) if plan.uncalibrated else None
        self._host_starts_ns: int | None = None if self.setup_script else 0
        rules = game_named(plan.game)
        self.controls = self.config.controls.calling(rules.buttons, rules.calls)
        self.mock = SimulatedControls(self.config.controls, plan.seed, clock)
        self.buttons: ButtonPresser = self.mock
        if isinstance(clock, SteppedClock):
            clock.state.fingers_idle = lambda: self.mock.idle
        self.camera = SimulatedCamera(
            Canvas(self.tabletop.world, plan.table_image(), plan.tile_px, plan.seed, self._lamps()),
            clock,
            self.advance,
            lambda: self.tabletop.motionless,
        )
        self._inbox: SimpleQueue[tuple[Sequence[ev.Stamped], State]] = SimpleQueue()
        self._table: TableProtocol | None = None
        self._failed: set[str] = set()
        self._lock = Lock()
        self.before_advance: Callable[[], None] = lambda: None
        self.on_call: Callable[[int, str, Mapping[str, Any], int], None] = lambda *_: None
        self._began_ns = self._now_ns = self._heard_ns = clock.now_ns()
        for number, seat in enumerate(self.tabletop.seats, 1):
            seat.on_button_call = partial(self._call_by_button, number)
            seat.on_phone_call = partial(self._call_by_phone, number)

    def _make_players(self, game: str, many: int) -> list[Player]:
        """Return one bot a seat for a game; some of them build partly beyond their own area."""
        players = [
            BOT_CLASSES[game](
                seat,
                number,
                self._vocabulary,
                random.Random(f"{self.plan.seed}/{number}"),
                self._behaviour,
            )
            for number, seat in enumerate(self.tabletop.seats[:many], 1)
        ]
        builders = [one for one in players if isinstance(one, BuildingPlayer)]
        encroach(self.plan.seating, builders, random.Random(f"{self.plan.seed} drifts"))
        return players

    def _lamps(self) -> list[Lamp]:
        """Return each seat's console with a function that reads its light from the mock pins."""
        seats = range(self.plan.players)
        return [
            (self.plan.seating.console(seat), partial(self.mock.light_colours, seat + 1)) for seat in seats
        ]

    @property
    def simulation(self) -> Simulation:
        """The devices that replace those of a Raspberry Pi."""
        stands = isinstance(self.clock, SteppedClock)
        return Simulation(self.mock.pins, lambda _config: self.camera, self.clock, stands)

    def on_events(self, events: Sequence[ev.Stamped], state: State) -> None:
        """Queue events that were written to the log; called on the table's thread."""
        self._inbox.put((events, state))

    def attach(self, table: TableProtocol) -> None:
        """Attach the bots to an open table; a table with another game resets them."""
        with self._lock:
            before, self._table = self._table, table
            match = table.loop.match
            if before is None:
                self._began_ns = self._now_ns = self.clock.now_ns()
            elif before.loop.match.name != match.name:
                self._reset(match.game.name, len(table.config.seats))
            set_up = ev.GameSetUp(match.game.name, table.config.seats, {}, "", 0)
            for player in self.players:
                player.on_events([set_up], self._now_ns)

    def _reset(self, game: str, many: int) -> None:
        """Return all tiles and create the bots of another game; none where tiles or board do not fit it."""
        for player in self.players:
            player.return_all_tiles()
        fits = (
            many <= len(self.tabletop.seats)
            and game in GAMES
            and GAMES[game].board == GAMES[self.plan.game].board
        )
        if not fits:
            log.warning("nobody at this table can play %s with %d players; people may", game, many)
        self.players, self._failed = self._make_players(game, many) if fits else [], set()
        self.host = Host(self)
        rules = game_named(game)
        self.controls = self.config.controls.calling(rules.buttons, rules.calls)

    def advance(self, now_ns: int) -> None:
        """Advance hands, bots and host to a time; called on the camera's thread."""
        self.before_advance()
        with self._lock:
            self._advance(now_ns)

    def _deliver_events(self, now_ns: int) -> None:
        """Deliver the queued events to bots and host."""
        while True:
            try:
                events, state = self._inbox.get_nowait()
            except Empty:
                break
            happened, self._heard_ns = [one.event for one in events], now_ns
            for number, player in enumerate(self.players, 1):
                self._guard(player_label(number), partial(player.on_events, happened, now_ns))
            self._guard(HOST_LABEL, partial(self.host.on_events, happened, state, now_ns))
            if self.setup_script is not None and state.started:
                self.setup_script.end()

    def _advance(self, now_ns: int) -> None:
        """Advance to a time; the lock is held."""
        self._deliver_events(now_ns)
        dealing = self.tabletop.world.speed < DEALING_SPEED and any(player.dealt for player in self.players)
        self.tabletop.advance((now_ns - self._now_ns) / SECOND * (DEALING_SPEED if dealing else 1.0))
        self._now_ns = now_ns
        if self._table is None:
            return
        if self._box and now_ns - self._began_ns > POUR_DELAY_S * SECOND:
            self.tabletop.put_tiles(self._box)
            self._box = {}
            if self.tabletop.rng.random() < self.spills and not self.plan.seating.board:
                self.tabletop.spill(SPILLED_TILES)
            if self.plan.pyramids:
                self.tabletop.fill_board()
        if (
            self.plan.pyramids
            and not self.tabletop.pieces
            and now_ns - self._began_ns > PYRAMIDS_DELAY_S * SECOND
        ):
            self.tabletop.line_up_pyramids(self.plan.pyramids, PYRAMID_BASE)
        if self.setup_script is not None and not self._table.loop.state.started:
            self.setup_script.act(now_ns - self._began_ns)
            if self._host_starts_ns is not None and now_ns >= self._host_starts_ns:
                self._guard(HOST_LABEL, partial(self.host.act, now_ns))
            return
        for number, player in enumerate(self.players, 1):
            self._guard(player_label(number), partial(player.act, now_ns))
        self._guard(HOST_LABEL, partial(self.host.act, now_ns))

    def _guard(self, who: str, does: Callable[[], None]) -> None:
        """Call a function of a bot; a bot that raises is logged and not called again."""
        if who in self._failed:
            return
        try:
            does()
        except Exception:
            self._failed.add(who)
            log.exception("%s has failed and does nothing more in this demo; people may go on", who)

    def own_scores(self) -> list[float]:
        """Return each bot's own count of its points in the round, after all queued events."""
        with self._lock:
            self._deliver_events(self._now_ns)
        return [player.own_score() for player in self.players]

    def scores_agree(self, state: State) -> bool:
        """Return whether the bots' own counts equal the table's scores."""
        return self.own_scores() == [float(seat.score) for seat in state.seats]

    def quiet_for(self, seconds: float) -> bool:
        """Return whether no event has arrived for ``seconds``."""
        return self._now_ns - self._heard_ns > seconds * SECOND

    def start_soon(self) -> None:
        """End the set-up script, and have the host start the game ``START_DELAY_S`` later."""
        if self.setup_script is not None:
            with self._lock:
                self.setup_script.end()
        self._host_starts_ns = self.clock.now_ns() + round(START_DELAY_S * SECOND)

    @property
    def tiles_laid_out(self) -> bool:
        """Whether the tiles that the set-up needs are on the table and no hand is over it."""
        return self.ready and (self.setup_script is None or self.setup_script.tiles_laid_out)

    @property
    def playing(self) -> bool:
        """Whether the game has started."""
        return self._table is not None and self._table.loop.state.started

    # the ``HostControls`` of the host bot

    @property
    def ready(self) -> bool:
        """Whether the tiles are on the table and no hand is over it."""
        return self._now_ns - self._began_ns > START_DELAY_S * SECOND and self.tabletop.idle

    def order(self, order: Order) -> None:
        """Send a host's order to the table."""
        if self._table is not None:
            self._table.loop.submit(Ordered(self._table.clock.now(), order))

    def rule_on_tile(self, state: State, seat: int, cell: Cell) -> None:
        """Rule which symbol is on a tile in doubt, from the true state of the table."""
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
        """Return the symbol that is printed on the tile in a cell; seat 0 is the shared board."""
        if not seat:
            tile = self.tabletop.board.get(cell)
            return BLANK if tile is None else self.tabletop.world.tiles[tile].symbol
        seen = state.seat(seat).sighting
        return laid_symbol(cell, seen.cells() if seen else {}, self.players[seat - 1].tiles.letters)

    def unread_cells(self, state: State, seat: int) -> list[Cell]:
        """Return the cells in doubt that a seat's next call depends on; seat 0 stands for any seat."""
        return self.players[max(seat, 1) - 1].unread_cells(state, seat)

    def clear_table(self) -> None:
        """Have all bots return their tiles to the pool, and shuffle it."""
        for player in self.players:
            player.return_all_tiles()
        self.tabletop.shuffle_pool()

    def _call_by_phone(self, seat: int, call: str, details: Mapping[str, Any]) -> None:
        """Make a call over the table's socket, as a phone does."""
        self.on_call(seat, call, details, self.clock.now_ns())
        Thread(
            target=TableClient(Path(self.config.socket)).call, args=(seat, call, details), daemon=True
        ).start()

    def _call_by_button(self, seat: int, call: str) -> None:
        """Press the button and gesture that make a call."""
        button, gesture = button_for(self.controls, seat, call)
        # people who react to the same frame do not press at the same nanosecond
        at_ns = self.clock.now_ns() + self.tabletop.rng.randint(0, MAX_PRESS_DELAY_NS)
        self.on_call(seat, call, {}, self.buttons.press(seat, button, gesture, at_ns))


def laid_symbol(cell: Cell, seen: Mapping[Cell, str], laid: Mapping[Cell, str]) -> str:
    """Return the symbol that was laid in a cell of a seen tableau, or the seen one where no tile was laid.

    A tableau with missed tiles may be shifted by rows or columns: the shift that fits most tiles is used.
    """
    known = seen.get(cell, BLANK)
    way = displacement({place: {symbol} for place, symbol in seen.items()}, laid)
    return known if way is None else laid.get((cell[0] + way[0], cell[1] + way[1]), known)


def player_label(number: int) -> str:
    """Return the name of a seat's bot in the log."""
    return f"the simulated player of seat {number}"


def button_for(controls: Controls, seat: int, call: str) -> tuple[int, Gesture]:
    """Return the button number and the gesture of a seat that make a call; raise ValueError for none."""
    for number, button in enumerate(controls.places[seat].buttons, 1):
        for gesture, calls in button.calls.items():
            if call in calls:
                return number, gesture
    raise ValueError(f"no button of seat {seat} calls {call}")
