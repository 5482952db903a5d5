"""Drawn games of four players: their crosswords of real words, made with one box of tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.layout import (
    FreeSpace,
    Grid,
    PlacedTile,
    crossword,
    place_grid,
    place_loose,
    random_jitter,
)
from calibration.drawing.rng import Rng
from calibration.drawing.scene import Scene, draw_placed
from companion.errors import BadTileSet, BadWordList
from companion.model.tiles import TileSet

SEATS = ((0.0, 0.5), (-0.5, 0.0), (0.0, -0.5), (0.5, 0.0))
"""Positions of the four players' tableaux, in shares of the half table, clockwise from the near side."""

TABLE_WIDTH_TILES = 62.0
"""Width of the table that a picture shows, in tile sides."""

MAX_TABLEAU_EXTENT = 14
"""Most rows or columns of a tableau, so that four fit on a table half as deep as wide."""

WORD_SAMPLE_SIZE = 3000
"""Number of words that a game's players choose from, a new sample for each table."""

TRIES = 6
"""Number of crosswords made for each player, of which the largest is used."""


def four_players(
    rng: Rng, size: tuple[int, int], words: Sequence[str], tile_set: TileSet, fonts: tuple[Path, ...]
) -> tuple[Scene, list[Grid]]:
    """Return a drawn table where four players have laid a whole tile set, and their crosswords.

    Tiles that are in no crossword lie loose between them.

    Parameters
    ----------
    rng
        The generator of all random choices.
    size
        The picture's width and height in pixels, at most twice as wide as high.
    words
        The players' words, in the symbols of the set.
    tile_set
        The tiles, with their counts.
    fonts
        Fonts, of which one is used for the letters.

    Raises
    ------
    BadTileSet
        Where the set has no counts.
    BadWordList
        Where none of the words can be laid with the set.
    """
    if not tile_set.counts:
        raise BadTileSet(f"tile set {tile_set.name!r} has no counts, so nobody knows what lies on a table")
    bag = Counter(tile_set.counts)
    known = known_words(rng, words, bag)
    view = View(
        *size, size[0] / TABLE_WIDTH_TILES, float(abs(rng.normal(0, 7))), 0.0, float(rng.normal(0, 0.015))
    )
    placed, grids = place_four_players(
        rng, known, bag, (TABLE_WIDTH_TILES / 2, TABLE_WIDTH_TILES / 2 * size[1] / size[0]), ()
    )
    return draw_placed(rng, view, placed, fonts), grids


def place_four_players(
    rng: Rng,
    known: Sequence[str],
    bag: Counter[str],
    half: tuple[float, float],
    kept_free: Sequence[tuple[float, float]],
) -> tuple[list[PlacedTile], list[Grid]]:
    """Return the tiles of four players, with the rest loose between them, and the four crosswords.

    Parameters
    ----------
    rng
        The generator of all random choices.
    known
        The words that the players choose from.
    bag
        The number of tiles in the box, by symbol.
    half
        Half the table's width and depth, in tile sides.
    kept_free
        Places that loose tiles are kept away from, in tile sides.
    """
    floor = FreeSpace(half[0] - 2, half[1] - 2)
    placed: list[PlacedTile] = []
    grids: list[Grid] = []
    for seat, (x, y) in enumerate(SEATS):
        grids.append(largest_crossword(rng, bag.total() // (len(SEATS) - seat), known, bag))
        bag -= Counter(grids[-1].values())
        at = (x * half[0], y * half[1])
        placed += place_grid(
            rng, grids[-1], at, seat * np.pi / 2 + rng.normal(0, 0.1), random_jitter(rng), seat
        )
    floor.occupy(placed)
    floor.used += kept_free
    placed += place_loose(rng, floor, sorted(bag.elements()), gap=1.6)
    return placed, grids


def known_words(rng: Rng, words: Sequence[str], bag: Mapping[str, int]) -> list[str]:
    """Return a sample of the words that can be laid with a bag; raise BadWordList where there is none."""
    some = [words[k] for k in rng.integers(len(words), size=WORD_SAMPLE_SIZE)] if words else []
    known = [
        word
        for word in some
        if 2 <= len(word) <= 7 and all(bag.get(symbol, 0) >= word.count(symbol) for symbol in word)
    ]
    if not known:
        raise BadWordList(f"none of {len(words)} words has 2 to 7 letters and can be laid with the tile set")
    return known


def largest_crossword(rng: Rng, size: int, words: Sequence[str], bag: Mapping[str, int]) -> Grid:
    """Return the largest of ``TRIES`` crosswords of about ``size`` tiles from the bag,
    empty if no word fits.
    """
    return max(
        (crossword(rng, size, words, bag=bag, max_extent=MAX_TABLEAU_EXTENT) for _ in range(TRIES)), key=len
    )
