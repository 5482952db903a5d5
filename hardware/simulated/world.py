"""Kinematics of tiles, pyramids and hands on a table; it knows no game.

Positions are in tile sides from the top left corner of the picture, x to the right and y down; angles are in
radians, clockwise.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Spot = tuple[float, float]
"""A position on the table, x and y in tile sides."""

HAND_SPEED = 26.0
"""Speed of a hand, in tile sides a second (0.5 m/s)."""

GRASP_S = 0.12
"""Seconds to grasp or to release a tile."""

MIN_PRESS_S = 0.1 + GRASP_S
"""Least seconds of a finger on its button, at any speed: the longest delay of a press, then its release."""


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile: its symbol, the position of its centre, its angle, and whether it lies face up."""

    symbol: str
    x: float
    y: float
    turn: float = 0.0
    up: bool = False


@dataclass(frozen=True, slots=True)
class Pyramid:
    """A pyramid: its colour and size by name, the side of its base, its centre and its angle."""

    colour: str
    size: str
    base: float
    x: float
    y: float
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class MovePyramid:
    """Action of a hand: move a pyramid to a position."""

    pyramid: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MoveTile:
    """Action of a hand: move a tile to a position."""

    tile: int
    x: float
    y: float
    turn: float = 0.0
    up: bool = True


@dataclass(frozen=True, slots=True)
class TouchPoint:
    """Action of a hand: put a finger on a position, such as a button, until it is pressed."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class RestHand:
    """Action of a hand: rest on a position for ``seconds``, whatever the speed of the hands."""

    x: float
    y: float
    seconds: float


HandAction = MoveTile | TouchPoint | MovePyramid | RestHand


@dataclass(slots=True)
class Arm:
    """A player's arm: the position of its fingertips, what they hold, and its queued actions.

    ``home`` is the resting position, outside the picture; ``turn`` is the direction in which the arm reaches,
    clockwise from up.
    """

    home: Spot
    turn: float
    tip: Spot = (0.0, 0.0)
    held_tile: int | None = None
    held_pyramid: int | None = None
    wait_s: float = 0.0
    resting: bool = False
    actions: deque[HandAction] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.tip = self.home

    @property
    def busy(self) -> bool:
        """Whether actions are queued."""
        return bool(self.actions)


class World:
    """Tiles by number, pyramids by number, and one arm for each player.

    Parameters
    ----------
    size
        Width and height of the camera's picture, in tile sides.
    tiles
        The tiles on the table.
    arms
        The resting position and the direction of each player's arm.
    speed
        Factor by which the hands are faster than people's.

    ``touched`` lists the arms whose finger has reached the position of a ``TouchPoint``, in order; the caller
    empties it.  ``laid_by`` maps a tile to the arm that put it where it lies.
    """

    def __init__(
        self, size: Spot, tiles: Iterable[PlacedTile], arms: Sequence[tuple[Spot, float]], speed: float = 1.0
    ) -> None:
        self.size, self.speed = size, speed
        self.tiles: dict[int, PlacedTile] = dict(enumerate(tiles))
        self.touched: list[int] = []
        self.laid_by: dict[int, int] = {}
        self.pyramids: dict[int, Pyramid] = {}
        self.arms = [Arm(home, turn) for home, turn in arms]

    @property
    def held_tiles(self) -> Mapping[int, int]:
        """The tiles that are held, each with the number of its arm."""
        return {arm.held_tile: number for number, arm in enumerate(self.arms) if arm.held_tile is not None}

    def queue(self, arm: int, *actions: HandAction) -> None:
        """Append actions to an arm's queue."""
        self.arms[arm].actions.extend(actions)

    def put(self, tile: int, **changes: Any) -> None:
        """Change fields of a tile directly, without a hand."""
        self.tiles[tile] = replace(self.tiles[tile], **changes)

    def advance(self, seconds: float) -> None:
        """Advance all arms by ``seconds``."""
        for number, arm in enumerate(self.arms):
            left = seconds * self.speed
            while left > 0 and (arm.actions or arm.tip != arm.home):
                left = self._move_arm(number, arm, left)

    def _move_arm(self, number: int, arm: Arm, left: float) -> float:
        """Move an arm for at most ``left`` seconds and return the seconds that remain."""
        if arm.wait_s > 0:
            waited = min(arm.wait_s, left)
            arm.wait_s -= waited
            return left - waited
        x, y = self._target(arm)
        away = math.hypot(x - arm.tip[0], y - arm.tip[1])
        if away > HAND_SPEED * left:
            share = HAND_SPEED * left / away
            arm.tip = arm.tip[0] + share * (x - arm.tip[0]), arm.tip[1] + share * (y - arm.tip[1])
            self._move_held(arm)
            return 0.0
        arm.tip = x, y
        self._move_held(arm)
        left -= away / HAND_SPEED
        self._act(number, arm, left)
        return left

    def _target(self, arm: Arm) -> Spot:
        """Return the position that the fingertips move to."""
        if not arm.actions:
            return arm.home
        first = arm.actions[0]
        if (
            isinstance(first, TouchPoint | RestHand)
            or arm.held_tile is not None
            or arm.held_pyramid is not None
        ):
            return first.x, first.y
        if isinstance(first, MovePyramid):
            stands = self.pyramids[first.pyramid]
            return stands.x, stands.y
        lying = self.tiles[first.tile]
        return lying.x, lying.y

    def _act(self, number: int, arm: Arm, left: float) -> None:
        """Carry out the first action at its position, ``left`` seconds before the end of the step."""
        if not arm.actions:
            return
        first = arm.actions[0]
        arm.wait_s = GRASP_S
        if isinstance(first, RestHand):
            arm.resting = not arm.resting
            if arm.resting:
                arm.wait_s = first.seconds * self.speed
                return
        if isinstance(first, TouchPoint):
            self.touched.append(number)
            arm.wait_s = left + MIN_PRESS_S * self.speed  # ``touched`` is evaluated at the end of the step
        if isinstance(first, MovePyramid) and arm.held_pyramid is None:
            arm.held_pyramid = first.pyramid
            return
        if isinstance(first, MovePyramid):
            arm.held_pyramid = None
        if isinstance(first, MoveTile) and arm.held_tile is None:
            arm.held_tile = first.tile
            return
        if isinstance(first, MoveTile):
            self.put(first.tile, x=first.x, y=first.y, turn=first.turn, up=first.up)
            self.laid_by[first.tile] = number
            arm.held_tile = None
        arm.actions.popleft()

    def _move_held(self, arm: Arm) -> None:
        """Move what the hand holds with its fingertips."""
        if arm.held_tile is not None:
            self.put(arm.held_tile, x=arm.tip[0], y=arm.tip[1])
        if arm.held_pyramid is not None:
            stands = self.pyramids[arm.held_pyramid]
            self.pyramids[arm.held_pyramid] = replace(stands, x=arm.tip[0], y=arm.tip[1])
