"""The host bot: it starts the game, rules on tiles in doubt, confirms rounds and ends the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from companion.model.calls import SECOND, Order
from companion.model.sightings import Cell
from companion.rules import event as ev
from companion.rules.state import Phase, State

ORDER_DELAY_S = 2.0
"""Seconds from the newest event to the host's next order."""

RULING_DELAY_S = 0.3
"""Seconds to rule on one tile."""

MAX_REFUSED_ORDERS = 12
"""Number of consecutive refused orders after which the host ends the game."""


class HostControls(Protocol):
    """What the host bot can do and read at the table."""

    def order(self, order: Order) -> None:
        """Send an order to the table."""

    def rule_on_tile(self, state: State, seat: int, cell: Cell) -> None:
        """Rule which symbol is on the tile that ``state`` has in a cell; seat 0 is the shared board."""

    def unread_cells(self, state: State, seat: int) -> Sequence[Cell]:
        """Return the cells in doubt that a seat's next call depends on; seat 0 stands for any seat."""

    def clear_table(self) -> None:
        """Have all bots return their tiles to the pool."""

    @property
    def ready(self) -> bool:
        """Whether the tiles are on the table and no hand is over it."""


@dataclass(slots=True)
class Host:
    """Runs a game of ``rounds`` rounds, or until ``most_calls`` accepted calls where that is not 0."""

    controls: HostControls
    rounds: int = 1
    most_calls: int = 0
    state: State | None = None
    _next_ns: int = 0
    _refused_orders: int = 0
    _calls: int = 0
    _cleared: bool = False
    _refused_seat: int = 0
    _ruled: set[tuple[int, Cell]] = field(default_factory=set)

    def on_events(self, events: Sequence[ev.Event], state: State, now_ns: int) -> None:
        """Handle events of the table, and the state after them."""
        self.state = state
        for event in events:
            if isinstance(event, ev.CallRefused) and event.call == "read_tile":
                self._ruled.clear()
            elif isinstance(event, ev.CallRefused) and event.seat is None:
                self._refused_orders += 1
            elif isinstance(event, ev.CallRefused) and state.started:
                self._refused_seat = event.seat or 0
            elif isinstance(event, ev.CallAccepted):
                self._calls += 1
                self._ruled.clear()
            elif isinstance(event, ev.HostOrdered):
                self._refused_orders, self._cleared = 0, False
        if any(not isinstance(event, ev.TilesSeen | ev.BoardSeen | ev.Ruled) for event in events):
            self._next_ns = now_ns + round((RULING_DELAY_S if self._refused_seat else ORDER_DELAY_S) * SECOND)

    def act(self, now_ns: int) -> None:
        """Send the next order or ruling if its delay is over."""
        if now_ns < self._next_ns or not self.controls.ready:
            return
        state = self.state
        self._next_ns = now_ns + round(
            RULING_DELAY_S * SECOND if self._refused_seat else ORDER_DELAY_S * SECOND
        )
        if state is None or not state.started:
            self.controls.order(Order.START)
        elif self._should_end(state):
            self.controls.order(Order.END)
        elif not self._rule_next_doubt(state) and state.phase is Phase.JUDGING:
            self._next_order(state)

    def _should_end(self, state: State) -> bool:
        """Return whether the game has had enough calls, or cannot continue."""
        long = bool(self.most_calls) and self._calls >= self.most_calls and state.phase is Phase.PLAYING
        return long or (state.phase is Phase.JUDGING and self._refused_orders > MAX_REFUSED_ORDERS)

    def _next_order(self, state: State) -> None:
        """Order the next step after a round: confirm it, end the game, or begin the next round."""
        if not state.confirmed:
            self.controls.order(Order.CONFIRM)
        elif state.round >= self.rounds:
            self.controls.order(Order.END)
        elif not self._cleared:
            self.controls.clear_table()
            self._cleared = True
        else:
            self.controls.order(Order.NEXT_ROUND)

    def _rule_next_doubt(self, state: State) -> bool:
        """Rule on the next tile in doubt, and return whether there was one."""
        places: list[tuple[int, Sequence[Cell]]] = []
        if self._refused_seat:  # a call may have been refused for a letter that the camera has not seen
            places.append((0, self.controls.unread_cells(state, self._refused_seat)))
        places += [(n, seat.verdict.doubts) for n, seat in enumerate(state.seats, 1) if seat.verdict]
        places.append((0, self.controls.unread_cells(state, 0)))
        for seat, cell in ((seat, cell) for seat, cells in places for cell in cells):
            if (seat, cell) not in self._ruled:
                self._ruled.add((seat, cell))
                self.controls.rule_on_tile(state, seat, cell)
                return True
        self._refused_seat = 0
        return False
