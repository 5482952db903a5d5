"""From tiles in a colour picture to the Volcano board under them, with its pyramids."""

from __future__ import annotations

import numpy as np

from companion.model.reading import Piece
from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_occlusion import GROUND, MIDDLES, Cover, covers, covers_by, palette_of
from companion.vision.detector.pyramids import awards, large_areas
from companion.vision.grid.homography import project
from companion.vision.grid.volcano.board import CELLS, Palette, Volcano
from companion.vision.grid.volcano.lattice import lattices
from companion.vision.grid.volcano.placement import placed
from companion.vision.grid.volcano.rectified import Picture

LARGE = "large"
"""Size of the pyramids that stand on the board, by the rules of the game."""


def find_volcano(frame: Picture, tiles: Detections, perhaps: Detections | None = None) -> Volcano | None:
    """Return the Volcano board in a picture with all pyramids, ``None`` where none is certain.

    Letters lie on a lattice of 5x5; where pyramids cover whole rows, their
    colours, which nothing else on the table has, tell where the board ends.

    Parameters
    ----------
    frame
        Blue, green, red, uint8, shape (h, w, 3); a grey one, shape (h, w), shows no pyramids.
    tiles
        The tiles in it that surely show a symbol.
    perhaps
        All that may be tiles.
    """
    frame = in_colour(frame)
    every = (perhaps or tiles).centres
    boards = (placed(frame, lattice, every) for lattice in lattices(tiles.centres, tiles.shapes))
    return next((one for one in boards if one), None)


def peopled(
    frame: Picture,
    board: Volcano,
    tiles: Detections,
    faces: Detections | None = None,
    palette: Palette | None = None,
) -> Volcano:
    """Return a board with the pyramids on it and beside it; ``frame`` and ``tiles`` as for finding it.

    What has the colour of bare ``faces`` where such a tile lies, among all tiles by default, is no pyramid.
    The colours that are known from before, ``palette``, count where they rest on more pyramids.
    """
    frame = in_colour(frame)
    cover = covers(frame, board, tiles)
    areas = large_areas(frame, board, cover)
    found = palette_of(cover, max(areas, default=0.0), tile_side(board, tiles))
    if palette and palette.told > found.told:
        found, cover = palette, covers_by(palette, frame, board, tiles)
        areas = [palette.large] * len(palette.shifts)
    beside = awards(frame, board, cover, tiles if faces is None else faces, areas)
    return Volcano(board.homography, (*standing(cover, board), *beside), found, holes(cover))


def standing(cover: Cover, board: Volcano) -> tuple[Piece, ...]:
    """Return the pyramids on the board, in reading order."""
    names, at = cover.tints.names, project(board.homography, MIDDLES).tolist()
    return tuple(
        Piece(names[colour], k // CELLS, k % CELLS, LARGE, bool(cover.tints.doubt[k]), (at[k][0], at[k][1]))
        for k, colour in enumerate(cover.tints.of.tolist())
        if colour >= 0
    )


def tile_side(board: Volcano, tiles: Detections) -> float:
    """Return the side of the tiles on a board, in cells; 0 where none lies there."""
    on = tiles.kept(board.holds(tiles.centres))
    around = board.places(on.quads().reshape(-1, 2)).reshape(-1, 4, 2)
    sides = np.linalg.norm(around - np.roll(around, 1, axis=1), axis=2)
    return float(np.median(sides)) if len(on) else 0.0


def holes(cover: Cover) -> tuple[tuple[int, int], ...]:
    """Return the row and column of the cells that show the bare board."""
    return tuple((k // CELLS, k % CELLS) for k in np.flatnonzero(cover.tints.of == GROUND).tolist())


def in_colour(frame: Picture) -> Picture:
    """Return a picture as blue, green, red; a grey one stays grey."""
    return np.repeat(frame[..., None], 3, axis=2) if frame.ndim == 2 else frame
