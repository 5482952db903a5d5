"""The state of one seat in a game."""

from __future__ import annotations

from dataclasses import dataclass

from companion.model.sightings import Cell, Sighting
from companion.model.verdicts import Verdict

MAX_SEATS = 13
"""Players at one table: thirteen at Bananagrams draw 11 of its 144 tiles each (bananagrams.txt 3)."""

Score = int | float
"""Points; shared places give halves, which are exact as floats."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat in a game.

    Parameters
    ----------
    hand
        All tiles of the seat by the game's count, face-down ones included.
    face_down
        How many of them still lie face down.
    place
        Rank in the round, 1 the best; shared places carry the same number.
    score, total
        Points of the round, and of the game with its confirmed rounds.
    handicap
        Tiles of the handicap set, where the game has one.
    out, returned
        Disqualified for the round, and how many tiles went back for it.
    penalty, warnings
        Points that the referee has taken off the total, and warnings given, in the whole game.
    withdrawn
        Out of the game by the player's own choice.
    former
        Names of the players who sat here before, the first one first.
    done_ns
        When the seat's last valid Done was called.
    overtime
        Minutes begun beyond the player's own clock.
    sighting, verdict
        The last sighting of the seat, and the verdict on it.
    """

    name: str
    hand: int = 0
    face_down: int = 0
    place: int | None = None
    score: Score = 0
    total: Score = 0
    handicap: int | None = None
    out: bool = False
    returned: int = 0
    penalty: Score = 0
    warnings: int = 0
    withdrawn: bool = False
    former: tuple[str, ...] = ()
    done_ns: int | None = None
    overtime: int = 0
    sighting: Sighting | None = None
    verdict: Verdict | None = None

    @property
    def placed(self) -> int:
        """How many tiles the camera saw in the tableau."""
        return 0 if self.sighting is None else self.sighting.placed

    def symbol_at(self, cell: Cell) -> str | None:
        """Return the symbol last seen in a cell of the tableau, ``""`` for a blank; ``None``: no tile."""
        return None if self.sighting is None else self.sighting.cells().get(cell)

    @property
    def unplaced(self) -> int:
        """How many of the seat's face-up tiles are not in the tableau; negative where too many are."""
        return self.hand - self.face_down - self.placed

    @property
    def valid(self) -> bool:
        """Whether the tableau has all face-up tiles and is certainly valid."""
        return self.verdict is not None and self.verdict.valid and not self.unplaced
