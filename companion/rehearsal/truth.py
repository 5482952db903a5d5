"""What really lies on a simulated table, in the terms that the rules see it in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from companion.bots.player import Player
from companion.bots.player_tiles import PITCH
from companion.model.grid import Place, at_origin, table
from companion.model.sightings import Board, Sighting
from hardware.simulated.seating import Area
from hardware.simulated.tabletop import Tabletop
from hardware.simulated.world import PlacedTile

TOUCHING = 0.25
"""Tiles touch whose places differ from a step of the grid by at most this, in tile sides."""

APART = 2
"""Columns between two tableaux of one seat in a sighting."""

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Truth:
    """What lies on the table at one moment: the tiles before each seat, and the board that all share."""

    seats: tuple[Sighting, ...] = ()
    board: Board | None = None
    letters: Mapping[Place, str] = field(default_factory=dict)
    """The letter on each square of the shared board, under a pyramid too."""
    soon: Board | None = None
    """The shared board once the tiles lie that hands are laying on it."""


def truth(tabletop: Tabletop, players: Iterable[Player]) -> Truth:
    """Return what lies on a stage before each of some players; tiles in hands lie nowhere."""
    if tabletop.seating.board is not None:
        letters = {
            cell: tabletop.world.tiles[tile].symbol
            for cell, tile in tabletop.board.items()
            if on_square(tabletop, tile, cell)
        }
        pieces = {seat + 1: standing(tabletop, seat) for seat in tabletop.pieces}
        soon = {cell: tabletop.world.tiles[tile].symbol for cell, tile in tabletop.board.items()}
        return Truth(board=Board.of(letters, pieces), letters=letters, soon=Board.of(soon, pieces))
    return Truth(tuple(before(tabletop, player) for player in players))


def before(tabletop: Tabletop, player: Player) -> Sighting:
    """Return the tiles before a player that the player's own hand has laid there."""
    world, number = tabletop.world, player.number - 1
    lie = [
        world.tiles[tile]
        for tile in player.tiles.all_tiles
        if tile in world.tiles and tile not in world.held_tiles and world.laid_by.get(tile) == number
    ]
    up = [tile for tile in lie if tile.up]
    groups = grouped([placed(tabletop.seating.seats[number], tile) for tile in up])
    grid: dict[Place, str] = {}
    loose: list[str] = []
    right = 0
    for group in sorted(groups, key=len, reverse=True):
        if len(group) == 1:
            loose += [up[tile].symbol for tile in group.values()]
            continue
        at = at_origin({cell: up[tile].symbol for cell, tile in group.items()})
        grid |= {(row, col + right): symbol for (row, col), symbol in at.items()}
        right += 1 + max(col for _, col in at) + APART
    rows = tuple("".join(line) for line in table(grid))
    return Sighting(rows, "".join(sorted(loose)), len(lie) - len(up))


def placed(area: Area, tile: PlacedTile) -> Spot:
    """Return where a tile lies from an area's middle, as its reader sees it."""
    c, s = math.cos(area.turn), math.sin(area.turn)
    x, y = tile.x - area.x, tile.y - area.y
    return x * c + y * s, y * c - x * s


def grouped(spots: list[Spot]) -> list[dict[Place, int]]:
    """Return the groups of tiles that touch edge to edge, each with the number of the tile by cell."""
    left, groups = set(range(len(spots))), []
    while left:
        first = left.pop()
        cells, edge = {(0, 0): first}, [((0, 0), first)]
        while edge:
            (row, col), tile = edge.pop()
            for down, along in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                near = spots[tile][0] + along * PITCH, spots[tile][1] + down * PITCH
                found = next((one for one in left if close(spots[one], near)), None)
                if found is not None:
                    left.remove(found)
                    cells[row + down, col + along] = found
                    edge.append(((row + down, col + along), found))
        groups.append(cells)
    return groups


def close(one: Spot, other: Spot) -> bool:
    """Return whether two places are as near as a careless hand lays them."""
    return abs(one[0] - other[0]) <= TOUCHING and abs(one[1] - other[1]) <= TOUCHING


def on_square(tabletop: Tabletop, tile: int, cell: Place) -> bool:
    """Return whether a tile lies on its square of the board."""
    lying, at = tabletop.world.tiles[tile], tabletop.seating.square(*cell)
    return lying.up and tile not in tabletop.world.held_tiles and close((lying.x, lying.y), at)


def standing(tabletop: Tabletop, seat: int) -> tuple[Place, ...]:
    """Return the squares on which a seat's pyramids stand."""
    held = {arm.held_pyramid for arm in tabletop.world.arms}
    found = []
    for cell, number in tabletop.pieces[seat].items():
        pyramid, at = tabletop.world.pyramids[number], tabletop.seating.square(*cell)
        if number not in held and math.dist((pyramid.x, pyramid.y), at) < 0.5:
            found.append(cell)
    return tuple(sorted(found))
