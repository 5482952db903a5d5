"""The host of a table of bots: starts, looks at tiles in doubt, confirms, and ends the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from companion.model.calls import SECOND, Order
from companion.model.sightings import Cell
from companion.rules import event as ev
from companion.rules.state import Phase, State

UNHURRIED_S = 2.0
"""How long a host looks at what has happened before the next order."""

LOOKS_S = 0.3
"""How long a look at a tile takes."""

PATIENT = 12
"""After so many orders refused on end a host ends the game."""


class House(Protocol):
    """What a host has at hand."""

    def order(self, order: Order) -> None:
        """Give an order."""

    def settle(self, state: State, seat: int, cell: Cell) -> None:
        """Say what stands on a tile in doubt, after a look at it; seat 0 is the shared board.

        The tile is the one that ``state`` shows in the cell.
        """

    def unread(self, state: State, seat: int) -> Sequence[Cell]:
        """Return the squares of the shared board whose tile somebody must read before a seat may call.

        With seat 0 those that nobody can play on without.
        """

    def clear(self) -> None:
        """Have everybody put the tiles back to the middle."""

    @property
    def ready(self) -> bool:
        """Whether the tiles are on the table and nobody's hand is over it."""


@dataclass(slots=True)
class Host:
    """Leads a game of so many rounds; ``most_calls``, where not 0, ends it after so many accepted calls."""

    house: House
    rounds: int = 1
    most_calls: int = 0
    state: State | None = None
    _next_ns: int = 0
    _refused: int = 0
    _calls: int = 0
    _cleared: bool = False
    _asked: int = 0
    _looked: set[tuple[int, Cell]] = field(default_factory=set)

    def hear(self, events: Sequence[ev.Event], state: State, now_ns: int) -> None:
        """Take in what the table says."""
        self.state = state
        for event in events:
            if isinstance(event, ev.CallRefused) and event.call == "read_tile":
                self._looked.clear()
            elif isinstance(event, ev.CallRefused) and event.seat is None:
                self._refused += 1
            elif isinstance(event, ev.CallRefused) and state.started:
                self._asked = event.seat or 0
            elif isinstance(event, ev.CallAccepted):
                self._calls += 1
                self._looked.clear()
            elif isinstance(event, ev.HostOrdered):
                self._refused, self._cleared = 0, False
        if any(not isinstance(event, ev.TilesSeen | ev.BoardSeen | ev.Ruled) for event in events):
            self._next_ns = now_ns + round((LOOKS_S if self._asked else UNHURRIED_S) * SECOND)

    def act(self, now_ns: int) -> None:
        """Do the next thing, if there was time to look."""
        if now_ns < self._next_ns or not self.house.ready:
            return
        state = self.state
        self._next_ns = now_ns + round(LOOKS_S * SECOND if self._asked else UNHURRIED_S * SECOND)
        if state is None or not state.started:
            self.house.order(Order.START)
        elif self._enough(state):
            self.house.order(Order.END)
        elif not self._settled(state) and state.phase is Phase.JUDGING:
            self._go_on(state)

    def _enough(self, state: State) -> bool:
        """Return whether the game has gone on for long enough, or cannot go on."""
        long = bool(self.most_calls) and self._calls >= self.most_calls and state.phase is Phase.PLAYING
        return long or (state.phase is Phase.JUDGING and self._refused > PATIENT)

    def _go_on(self, state: State) -> None:
        """Confirm the round, or lead over to the next."""
        if not state.confirmed:
            self.house.order(Order.CONFIRM)
        elif state.round >= self.rounds:
            self.house.order(Order.END)
        elif not self._cleared:
            self.house.clear()
            self._cleared = True
        else:
            self.house.order(Order.NEXT_ROUND)

    def _settled(self, state: State) -> bool:
        """Look at a tile that is in doubt, and return whether there was one."""
        places: list[tuple[int, Sequence[Cell]]] = []
        if self._asked:  # a call was refused: perhaps for a letter that the camera has not seen
            places.append((0, self.house.unread(state, self._asked)))
        places += [(n, seat.verdict.doubts) for n, seat in enumerate(state.seats, 1) if seat.verdict]
        places.append((0, self.house.unread(state, 0)))
        for seat, cell in ((seat, cell) for seat, cells in places for cell in cells):
            if (seat, cell) not in self._looked:
                self._looked.add((seat, cell))
                self.house.settle(state, seat, cell)
                return True
        self._asked = 0
        return False
