"""The game's own clock, on the clock that stamps edges and frames."""

from __future__ import annotations

from dataclasses import dataclass

from companion.table.devices import Now


@dataclass(frozen=True, slots=True)
class GameClock:
    """Counts nanoseconds from the game's beginning, over pauses and power cuts.

    ``from_ns`` is the stamp of the last event that was kept before, and
    ``base_ns`` the table's time at which the clock went on from there.
    """

    table: Now
    base_ns: int
    from_ns: int = 0

    @classmethod
    def going_on(cls, table: Now, from_ns: int = 0) -> GameClock:
        """Return a clock that goes on now from a stamp."""
        return cls(table, table(), from_ns)

    def now(self) -> int:
        """Return the game's time."""
        return self.at(self.table())

    def at(self, table_ns: int) -> int:
        """Return the game's time at a time of the table's clock; before it went on, when it did."""
        return self.from_ns + max(0, table_ns - self.base_ns)
