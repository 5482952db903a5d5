"""Move the building room of some bots partly beyond their own area, but clear of all others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from companion.bots.building import BuildingPlayer
from companion.bots.crossword import GridSize
from companion.bots.player_tiles import EDGE_MARGIN_SIDES, TILE_PITCH_SIDES, Spot
from hardware.simulated.seating import Area, Seating

SMALLEST_ROOM = GridSize(8, 9)
"""Minimum rows and columns to build in."""

COLUMNS_LEFT_FREE = (2, 5)
"""Least and greatest number of columns by which the room is narrowed."""

MAX_OVERHANG = 2.5
"""Greatest distance of a room beyond its own area, in tile sides."""

CLEARANCE = 0.35
"""Least distance between the rooms of two bots, in tile sides."""

MAX_ROOM_TRIES = 12

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in tile sides."""


def encroach(seating: Seating, players: Sequence[BuildingPlayer], chance: random.Random) -> None:
    """Assign a room partly outside its area to each bot, with its behaviour's probability ``encroaches``."""
    for one in players:
        if chance.random() >= one.behaviour.encroaches:
            continue
        others = [
            bounding_box(seating.seats[p.number - 1], p, p.tiles.room, p.tiles.offset)
            for p in players
            if p is not one
        ]
        for _ in range(MAX_ROOM_TRIES):
            room, off = random_room(one, chance)
            wanted = bounding_box(seating.seats[one.number - 1], one, room, off)
            if (
                room != one.tiles.room
                and inside_picture(wanted, seating)
                and not any(closer_than_clearance(wanted, other) for other in [*others, pool_box(seating)])
            ):
                one.move_room(room, off)
                break


def random_room(one: BuildingPlayer, chance: random.Random) -> tuple[GridSize, Spot]:
    """Return a random narrower room and its offset: to one side, and towards the table's middle."""
    room, fewer = one.tiles.room, chance.randint(*COLUMNS_LEFT_FREE)
    narrow = replace(
        room, cols=max(SMALLEST_ROOM.cols, room.cols - fewer), rows=max(SMALLEST_ROOM.rows, room.rows - 1)
    )
    free = (room.cols - narrow.cols) * TILE_PITCH_SIDES / 2 + EDGE_MARGIN_SIDES
    return narrow, (chance.choice((-1, 1)) * (free + chance.uniform(0, MAX_OVERHANG)), chance.uniform(-1, 0))


def bounding_box(area: Area, one: BuildingPlayer, room: GridSize, off: Spot) -> Box:
    """Return the bounding box of a room's tiles."""
    half = room.cols * TILE_PITCH_SIDES / 2
    top = off[1] - area.depth / 2 + EDGE_MARGIN_SIDES - 0.5
    corners = (
        area.spot(off[0] - half, top),
        area.spot(off[0] + half, top + one.tiles.face_down_depth + room.rows * TILE_PITCH_SIDES),
    )
    (left, right), (up, down) = (sorted(side) for side in zip(*corners, strict=True))
    return left, up, right, down


def pool_box(seating: Seating) -> Box:
    """Return the bounding box of the pool."""
    area = seating.middle
    return area.x - area.width / 2, area.y - area.depth / 2, area.x + area.width / 2, area.y + area.depth / 2


def inside_picture(one: Box, seating: Seating) -> bool:
    """Return whether a box lies wholly in the picture."""
    (width, height), (left, top, right, bottom) = seating.size, one
    return (
        left > EDGE_MARGIN_SIDES
        and top > EDGE_MARGIN_SIDES
        and right < width - EDGE_MARGIN_SIDES
        and bottom < height - EDGE_MARGIN_SIDES
    )


def closer_than_clearance(one: Box, other: Box) -> bool:
    """Return whether two boxes are less than ``CLEARANCE`` apart."""
    return (
        one[0] < other[2] + CLEARANCE
        and other[0] < one[2] + CLEARANCE
        and one[1] < other[3] + CLEARANCE
        and other[1] < one[3] + CLEARANCE
    )
