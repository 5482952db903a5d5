"""What a reading says of the table as a whole, beside what lies before each seat."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """What lies in the pool, in nobody's part, and where tableaux of two seats touch.

    ``pool`` is how many tiles lie there, ``None`` where no profile says where it is; ``stray`` how many lie
    in nobody's part; ``touching`` are pairs of seats.
    """

    pool: int | None = None
    stray: int = 0
    touching: tuple[tuple[int, int], ...] = ()
