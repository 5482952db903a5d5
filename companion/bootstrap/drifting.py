"""Players who build partly beyond their own part of the table, as near to others' tiles as people would."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from companion.bots.building import BuildingPlayer
from companion.bots.crossword import Room
from companion.bots.desk import EDGE, PITCH, Spot
from hardware.simulated.seating import Area, Seating

LEAST = Room(8, 9)
"""Nobody builds in less room than this."""

NARROWER = (2, 5)
"""Columns of the own part that a player leaves free at one side, and more."""

BEYOND = 2.5
"""How far a room may reach beyond the own part, in tile sides."""

GAP = 0.35
"""What stays free between the tiles of two players, in tile sides."""

TRIES = 12

Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a part of the table, in tile sides."""


def drift(seating: Seating, players: Sequence[BuildingPlayer], chance: random.Random) -> None:
    """Give those players who drift a room that lies partly beyond their own part, clear of all others."""
    for one in players:
        if chance.random() >= one.temper.drifts:
            continue
        others = [
            box(seating.seats[p.number - 1], p, p.desk.room, p.desk.off) for p in players if p is not one
        ]
        for _ in range(TRIES):
            room, off = proposed(one, chance)
            wanted = box(seating.seats[one.number - 1], one, room, off)
            if (
                room != one.desk.room
                and inside(wanted, seating)
                and not any(near(wanted, other) for other in [*others, middle(seating)])
            ):
                one.settle(room, off)
                break


def proposed(one: BuildingPlayer, chance: random.Random) -> tuple[Room, Spot]:
    """Return a narrower room, and how far it lies to one side and towards the middle."""
    room, fewer = one.desk.room, chance.randint(*NARROWER)
    narrow = replace(room, cols=max(LEAST.cols, room.cols - fewer), rows=max(LEAST.rows, room.rows - 1))
    free = (room.cols - narrow.cols) * PITCH / 2 + EDGE
    return narrow, (chance.choice((-1, 1)) * (free + chance.uniform(0, BEYOND)), chance.uniform(-1, 0))


def box(area: Area, one: BuildingPlayer, room: Room, off: Spot) -> Box:
    """Return the part of the table that the tiles of a room take up."""
    half = room.cols * PITCH / 2
    top = off[1] - area.deep / 2 + EDGE - 0.5
    corners = (
        area.spot(off[0] - half, top),
        area.spot(off[0] + half, top + one.desk.strip + room.rows * PITCH),
    )
    (left, right), (up, down) = (sorted(side) for side in zip(*corners, strict=True))
    return left, up, right, down


def middle(seating: Seating) -> Box:
    """Return the part of the table on which the tiles in the middle lie."""
    area = seating.middle
    return area.x - area.broad / 2, area.y - area.deep / 2, area.x + area.broad / 2, area.y + area.deep / 2


def inside(one: Box, seating: Seating) -> bool:
    """Return whether a part of the table is whole in the picture."""
    (width, height), (left, top, right, bottom) = seating.size, one
    return left > EDGE and top > EDGE and right < width - EDGE and bottom < height - EDGE


def near(one: Box, other: Box) -> bool:
    """Return whether two parts of the table are less than a gap apart."""
    return (
        one[0] < other[2] + GAP
        and other[0] < one[2] + GAP
        and one[1] < other[3] + GAP
        and other[1] < one[3] + GAP
    )
