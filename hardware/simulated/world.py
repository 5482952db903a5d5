"""A table with tiles on it and hands that move them: places and time, and no game.

Lengths are in tile sides, x to the right and y down in the picture, from its top left corner; turns are
clockwise in radians.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Spot = tuple[float, float]
"""A place of the table, in tile sides."""

HAND_SPEED = 26.0
"""How fast a hand moves, in tile sides a second: half a metre."""

GRASP_S = 0.12
"""How long fingers take to close on a tile, or to let it go."""

PRESS_S = 0.22
"""How long a finger is on its button at least, whatever speed hands have: until it has pressed and let go."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A tile on the table: its middle, its turn, what is on its face, and whether that is up."""

    symbol: str
    x: float
    y: float
    turn: float = 0.0
    up: bool = False


@dataclass(frozen=True, slots=True)
class Pyramid:
    """A pyramid: the middle of its base, its turn, the base's breadth, its size by name, and its colour."""

    colour: str
    size: str
    base: float
    x: float
    y: float
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class Shift:
    """A pyramid taken by hand to a place."""

    pyramid: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Move:
    """A tile taken by hand from wherever it lies to a place."""

    tile: int
    x: float
    y: float
    turn: float = 0.0
    up: bool = True


@dataclass(frozen=True, slots=True)
class Touch:
    """A finger put on a place, as on a button; it stays there until the button is pressed."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Rest:
    """A hand put down on a place and left there for so many seconds, whatever speed hands have."""

    x: float
    y: float
    seconds: float


Reach = Move | Touch | Shift | Rest


@dataclass(slots=True)
class Arm:
    """A player's arm: where its fingertips are, what they hold, and what they are about to do.

    ``home`` is where the fingertips rest, out of the picture; ``turn`` the
    way it reaches, clockwise from up.
    """

    home: Spot
    turn: float
    tip: Spot = (0.0, 0.0)
    held: int | None = None
    lifted: int | None = None
    wait_s: float = 0.0
    resting: bool = False
    todo: deque[Reach] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.tip = self.home

    @property
    def busy(self) -> bool:
        """Whether anything is still to be done."""
        return bool(self.todo)


class World:
    """Tiles by number, pyramids by number, and one arm a player.

    Parameters
    ----------
    size
        Breadth and height of what the camera sees, in tile sides.
    tiles
        What lies on the table.
    arms
        Where each player's hand rests and which way it reaches.
    speed
        How many times as fast as people the hands are.

    ``touched`` are the arms whose finger has come to a place to be touched, in their order, until somebody
    takes them out.  ``laid_by`` is the arm that has laid a tile where it lies, by tile; none where no hand
    has.
    """

    def __init__(
        self, size: Spot, tiles: Iterable[Lying], arms: Sequence[tuple[Spot, float]], speed: float = 1.0
    ) -> None:
        self.size, self.speed = size, speed
        self.tiles: dict[int, Lying] = dict(enumerate(tiles))
        self.touched: list[int] = []
        self.laid_by: dict[int, int] = {}
        self.pyramids: dict[int, Pyramid] = {}
        self.arms = [Arm(home, turn) for home, turn in arms]

    @property
    def held(self) -> Mapping[int, int]:
        """Which arm holds a tile, by tile."""
        return {arm.held: number for number, arm in enumerate(self.arms) if arm.held is not None}

    def reach(self, arm: int, *todo: Reach) -> None:
        """Have a hand do something after what it does already."""
        self.arms[arm].todo.extend(todo)

    def put(self, tile: int, **changes: Any) -> None:
        """Change how a tile lies, without a hand."""
        self.tiles[tile] = replace(self.tiles[tile], **changes)

    def advance(self, seconds: float) -> None:
        """Let the hands go on for so long."""
        for number, arm in enumerate(self.arms):
            left = seconds * self.speed
            while left > 0 and (arm.todo or arm.tip != arm.home):
                left = self._go_on(number, arm, left)

    def _go_on(self, number: int, arm: Arm, left: float) -> float:
        """Move an arm for at most so many seconds and return those that are left."""
        if arm.wait_s > 0:
            waited = min(arm.wait_s, left)
            arm.wait_s -= waited
            return left - waited
        x, y = self._aim(arm)
        away = math.hypot(x - arm.tip[0], y - arm.tip[1])
        if away > HAND_SPEED * left:
            share = HAND_SPEED * left / away
            arm.tip = arm.tip[0] + share * (x - arm.tip[0]), arm.tip[1] + share * (y - arm.tip[1])
            self._carry(arm)
            return 0.0
        arm.tip = x, y
        self._carry(arm)
        left -= away / HAND_SPEED
        self._arrive(number, arm, left)
        return left

    def _aim(self, arm: Arm) -> Spot:
        """Return where the fingertips are going."""
        if not arm.todo:
            return arm.home
        first = arm.todo[0]
        if isinstance(first, Touch | Rest) or arm.held is not None or arm.lifted is not None:
            return first.x, first.y
        if isinstance(first, Shift):
            stands = self.pyramids[first.pyramid]
            return stands.x, stands.y
        lying = self.tiles[first.tile]
        return lying.x, lying.y

    def _arrive(self, number: int, arm: Arm, left: float) -> None:
        """Do what the hand came for, with so many seconds left until somebody looks."""
        if not arm.todo:
            return
        first = arm.todo[0]
        arm.wait_s = GRASP_S
        if isinstance(first, Rest):
            arm.resting = not arm.resting
            if arm.resting:
                arm.wait_s = first.seconds * self.speed
                return
        if isinstance(first, Touch):
            self.touched.append(number)
            arm.wait_s = left + PRESS_S * self.speed  # it is pressed once somebody looks who touches
        if isinstance(first, Shift) and arm.lifted is None:
            arm.lifted = first.pyramid
            return
        if isinstance(first, Shift):
            arm.lifted = None
        if isinstance(first, Move) and arm.held is None:
            arm.held = first.tile
            return
        if isinstance(first, Move):
            self.put(first.tile, x=first.x, y=first.y, turn=first.turn, up=first.up)
            self.laid_by[first.tile] = number
            arm.held = None
        arm.todo.popleft()

    def _carry(self, arm: Arm) -> None:
        """Take along what the hand holds."""
        if arm.held is not None:
            self.put(arm.held, x=arm.tip[0], y=arm.tip[1])
        if arm.lifted is not None:
            stands = self.pyramids[arm.lifted]
            self.pyramids[arm.lifted] = replace(stands, x=arm.tip[0], y=arm.tip[1])
