"""Readings and verdicts with the signs that are printed on the tiles, for showing them to people.

The rules, the log and the table use symbols that every keyboard has (``x``, ``/``).  The tiles of the binary
game have ``×`` and ``÷`` instead, as printed in its rule text, so readings are shown with those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.model.reading import Cell, Reading, Tableau, Tile
from companion.model.tiles import TileSet
from companion.model.verdicts import TableauVerdict


def as_printed(reading: Reading, tiles: TileSet) -> Reading:
    """Return a reading with the signs that are printed on the tiles of a set."""
    if not tiles.printed:
        return reading

    def sign(symbol: str | None) -> str | None:
        return symbol and tiles.as_printed(symbol)

    def tile(one: Tile) -> Tile:
        return replace(one, symbol=sign(one.symbol), alternative=sign(one.alternative))

    def cell(one: Cell) -> Cell:
        return replace(one, symbol=tiles.as_printed(one.symbol), alternative=sign(one.alternative))

    def tableau(one: Tableau) -> Tableau:
        return replace(one, cells=tuple(map(cell, one.cells)))

    return replace(
        reading, tiles=tuple(map(tile, reading.tiles)), tableaux=tuple(map(tableau, reading.tableaux))
    )


def verdicts_as_printed(verdicts: Sequence[TableauVerdict], tiles: TileSet) -> list[TableauVerdict]:
    """Return verdicts whose words are spelt as the tiles of a set are printed."""
    return [
        replace(one, words=tuple(replace(word, text=tiles.as_printed(word.text)) for word in one.words))
        for one in verdicts
    ]
