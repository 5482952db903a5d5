"""A reading as the object that ``companion read --json`` prints, one JSON line a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from companion.model.grid import lines, table
from companion.model.reading import Cell, Piece, Reading, Tableau, Tile
from companion.model.verdicts import JudgedWord, TableauVerdict

PIXEL_PLACES = 2
CONFIDENCE_PLACES = 4
DEGREE_PLACES = 2
MS_PLACES = 2


def json_line(image: str, reading: Reading, verdicts: Sequence[TableauVerdict]) -> str:
    """Return one line of JSON, ASCII alone, whatever the names and symbols.

    Parameters
    ----------
    image
        The picture as its reader was given it.
    reading
        What was read from it.
    verdicts
        Those of its tableaux, in their order.
    """
    return json.dumps(as_object(image, reading, verdicts), allow_nan=False)


def as_object(image: str, reading: Reading, verdicts: Sequence[TableauVerdict]) -> dict[str, Any]:
    """Return the object itself; parameters as for ``json_line``."""
    return {
        "image": image,
        "width": reading.width,
        "height": reading.height,
        "tiles_set": reading.tile_set,
        "board": reading.board,
        "tiles": [tile_object(tile) for tile in reading.tiles],
        "tableaux": [tableau_object(*pair) for pair in zip(reading.tableaux, verdicts, strict=True)],
        "pieces": [piece_object(piece) for piece in reading.pieces],
        "timing_ms": {stage: round(ms, MS_PLACES) for stage, ms in reading.timing_ms.items()},
    }


def tile_object(tile: Tile) -> dict[str, Any]:
    """Return one tile; ``symbol`` is ``None`` face down and ``""`` for a blank."""
    return {
        "symbol": tile.symbol,
        "face": tile.face.value,
        "corners": [[round(x, PIXEL_PLACES), round(y, PIXEL_PLACES)] for x, y in tile.corners],
        "confidence": round(tile.confidence, CONFIDENCE_PLACES),
        "doubt": tile.doubt,
        "tableau": tile.tableau,
        "row": tile.row,
        "col": tile.col,
    }


def tableau_object(tableau: Tableau, verdict: TableauVerdict) -> dict[str, Any]:
    """Return one tableau with its words and what is to be said of them; ``unread`` only where anything is."""
    body = {
        "cells": [cell_object(cell) for cell in tableau.cells],
        "rows": list(lines(table(tableau.grid))),
        "turn_deg": round(tableau.turn_deg, DEGREE_PLACES) % 360,
        "seat": tableau.seat,
        "words": [word_object(word) for word in verdict.words],
        "islands": verdict.islands,
        "valid": verdict.valid,
        "doubts": [doubt_object(cell) for cell in tableau.cells if cell.doubt],
    }
    unread = [[round(at, PIXEL_PLACES) for at in place.at] for place in tableau.unread]
    return body | {"unread": unread} if unread else body


def cell_object(cell: Cell) -> dict[str, Any]:
    """Return one place of a tableau."""
    return {"row": cell.row, "col": cell.col, "symbol": cell.symbol, "doubt": cell.doubt}


def doubt_object(cell: Cell) -> dict[str, Any]:
    """Return one place of which the reader would rather ask; ``or`` is the next best symbol."""
    return {
        "row": cell.row,
        "col": cell.col,
        "symbol": cell.symbol,
        "confidence": round(cell.confidence, CONFIDENCE_PLACES),
        "or": cell.alternative,
    }


def word_object(word: JudgedWord) -> dict[str, Any]:
    """Return one word; ``valid`` is ``None`` where the table has to decide."""
    return {
        "text": word.text,
        "row": word.row,
        "col": word.col,
        "direction": word.direction.value,
        "valid": word.valid,
    }


def piece_object(piece: Piece) -> dict[str, Any]:
    """Return one pyramid of the Volcano board or beside it; only one in doubt says so."""
    body = {"colour": piece.colour, "row": piece.row, "col": piece.col, "size": piece.size}
    return body | {"doubt": True} if piece.doubt else body
