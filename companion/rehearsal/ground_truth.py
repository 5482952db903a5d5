"""The ground truth of a simulated table, as the sightings that a perfect camera would give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from companion.bots.player import Player
from companion.bots.player_tiles import TILE_PITCH_SIDES
from companion.model.grid import Place, at_origin, table
from companion.model.sightings import Board, Sighting
from hardware.simulated.seating import Area
from hardware.simulated.tabletop import Tabletop
from hardware.simulated.world import PlacedTile

GRID_TOLERANCE_SIDES = 0.25
"""Greatest deviation of touching tiles from a step of the grid, in tile sides."""

TABLEAU_GAP_COLS = 2
"""Empty columns between two tableaux of one seat in a sighting."""

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The table at one moment: the sighting of each seat, and the shared board."""

    seats: tuple[Sighting, ...] = ()
    board: Board | None = None
    letters: Mapping[Place, str] = field(default_factory=dict)
    """The letter on each square of the shared board, even under a pyramid."""
    pending_board: Board | None = None
    """The shared board after hands have laid the tiles that they are moving to it."""


def ground_truth(tabletop: Tabletop, players: Iterable[Player]) -> GroundTruth:
    """Return the ground truth of a tabletop; tiles in hands are on no place."""
    if tabletop.seating.board is not None:
        letters = {
            cell: tabletop.world.tiles[tile].symbol
            for cell, tile in tabletop.board.items()
            if on_square(tabletop, tile, cell)
        }
        pieces = {seat + 1: pyramid_squares(tabletop, seat) for seat in tabletop.pieces}
        pending = {cell: tabletop.world.tiles[tile].symbol for cell, tile in tabletop.board.items()}
        return GroundTruth((), Board.of(letters, pieces), letters, Board.of(pending, pieces))
    return GroundTruth(tuple(seat_sighting(tabletop, player) for player in players))


def seat_sighting(tabletop: Tabletop, player: Player) -> Sighting:
    """Return the sighting of the tiles that a bot's own hand has laid."""
    world, number = tabletop.world, player.number - 1
    lie = [
        world.tiles[tile]
        for tile in player.tiles.all_tiles
        if tile in world.tiles and tile not in world.held_tiles and world.laid_by.get(tile) == number
    ]
    up = [tile for tile in lie if tile.up]
    groups = touching_groups([position_in_area(tabletop.seating.seats[number], tile) for tile in up])
    grid: dict[Place, str] = {}
    loose: list[str] = []
    right = 0
    for group in sorted(groups, key=len, reverse=True):
        if len(group) == 1:
            loose += [up[tile].symbol for tile in group.values()]
            continue
        at = at_origin({cell: up[tile].symbol for cell, tile in group.items()})
        grid |= {(row, col + right): symbol for (row, col), symbol in at.items()}
        right += 1 + max(col for _, col in at) + TABLEAU_GAP_COLS
    rows = tuple("".join(line) for line in table(grid))
    return Sighting(rows, "".join(sorted(loose)), len(lie) - len(up))


def position_in_area(area: Area, tile: PlacedTile) -> Spot:
    """Return a tile's position relative to an area's centre, in tile sides, as its reader sees it."""
    c, s = math.cos(area.turn), math.sin(area.turn)
    x, y = tile.x - area.x, tile.y - area.y
    return x * c + y * s, y * c - x * s


def touching_groups(spots: list[Spot]) -> list[dict[Place, int]]:
    """Return the groups of tiles that touch edge to edge, each as the indices of its tiles by cell."""
    left, groups = set(range(len(spots))), []
    while left:
        first = left.pop()
        cells, edge = {(0, 0): first}, [((0, 0), first)]
        while edge:
            (row, col), tile = edge.pop()
            for down, along in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                target = spots[tile][0] + along * TILE_PITCH_SIDES, spots[tile][1] + down * TILE_PITCH_SIDES
                found = next((one for one in left if near(spots[one], target)), None)
                if found is not None:
                    left.remove(found)
                    cells[row + down, col + along] = found
                    edge.append(((row + down, col + along), found))
        groups.append(cells)
    return groups


def near(one: Spot, other: Spot) -> bool:
    """Return whether two positions are equal within ``GRID_TOLERANCE_SIDES``."""
    return abs(one[0] - other[0]) <= GRID_TOLERANCE_SIDES and abs(one[1] - other[1]) <= GRID_TOLERANCE_SIDES


def on_square(tabletop: Tabletop, tile: int, cell: Place) -> bool:
    """Return whether a tile lies face up on its square of the board."""
    lying, at = tabletop.world.tiles[tile], tabletop.seating.square(*cell)
    return lying.up and tile not in tabletop.world.held_tiles and near((lying.x, lying.y), at)


def pyramid_squares(tabletop: Tabletop, seat: int) -> tuple[Place, ...]:
    """Return the squares on which a seat's pyramids stand, in order."""
    held = {arm.held_pyramid for arm in tabletop.world.arms}
    found = []
    for cell, number in tabletop.pieces[seat].items():
        pyramid, at = tabletop.world.pyramids[number], tabletop.seating.square(*cell)
        if number not in held and math.dist((pyramid.x, pyramid.y), at) < 0.5:
            found.append(cell)
    return tuple(sorted(found))
