"""A reading as lines of text for a person, each made of pieces with a style, and as JSON for a program."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.model.grid import EMPTY_SIGN, lines, table
from companion.model.reading import Cell, Face, Piece, Point, Reading, Tableau, Tile
from companion.model.verdicts import JudgedWord, TableauVerdict

Line = tuple[tuple[str, str], ...]
"""Pieces of text, each with its style on a terminal (of ``rich``, empty for plain)."""

VERDICT_STYLES = {True: "green", False: "red", None: "yellow"}
JUDGEMENTS = {True: "valid", False: "not valid", None: "unsure"}

EQUATION_SYMBOLS = frozenset("01=")
"""Symbols that no word has, and nearly every equation has."""

SCRABBLE, VOLCANO = "scrabble", "volcano"
BOARD_SIDES = {SCRABBLE: 15, VOLCANO: 5}
"""Rows and columns of the boards."""

DECIMAL_PLACES, CONFIDENCE_DECIMAL_PLACES = 2, 4
"""Decimal places in JSON: of pixels, degrees and milliseconds, and of probabilities."""

BLANK_SIGN = "_"
"""Sign of a blank tile; a question mark is the sign of a doubt."""


def report(name: str, reading: Reading, verdicts: Sequence[TableauVerdict]) -> list[Line]:
    """Return the reading of the picture called ``name`` as lines; ``verdicts`` are in its tableaux' order."""
    out: list[Line] = [
        ((name, "bold"), (f"  {reading.width} × {reading.height} pixels, {reading.tile_set}", "dim"))
    ]
    for number, (tableau, verdict) in enumerate(zip(reading.tableaux, verdicts, strict=True), 1):
        out += [(), *tableau_lines(heading(number, reading), tableau, verdict, side(number, reading))]
    if reading.pieces:
        out += [(), (("Pyramids", "bold"),), *map(piece_line, reading.pieces)]
    out += [(), ((counts(reading), ""),)]
    for number, (tableau, verdict) in enumerate(zip(reading.tableaux, verdicts, strict=True), 1):
        if tableau.cells and is_judged(number, reading):
            said = sentence(verdict, tableau)
            out.append(((f"{heading(number, reading)}: {said}.", f"bold {VERDICT_STYLES[verdict.valid]}"),))
    return out


def is_judged(number: int, reading: Reading) -> bool:
    """Return whether a tableau is judged for words; the letters on a Volcano board make none."""
    return number > 1 or reading.board != VOLCANO


def heading(number: int, reading: Reading) -> str:
    """Return the heading of a tableau."""
    return "Board" if side(number, reading) else f"Tableau {number}"


def side(number: int, reading: Reading) -> int:
    """Return the number of rows and columns of a tableau's board; 0 without a board."""
    return BOARD_SIDES.get(reading.board or "", 0) if number == 1 else 0


def tableau_lines(name: str, tableau: Tableau, verdict: TableauVerdict, side: int) -> Iterator[Line]:
    """Yield one tableau: its grid, its words with their verdicts, its doubts.

    On a board of ``side`` rows and columns the grid is the whole board, with numbered rows and columns.
    """
    whose = f", seat {tableau.seat}" if tableau.seat else ""
    yield (
        (name, "bold"),
        (f"  {tiles(len(tableau.cells))}, turned {round(tableau.turn_deg) % 360}°{whose}", "dim"),
    )
    yield from board_lines(tableau.cells, side) if side else grid_lines(tableau.cells)
    for valid, judgement in JUDGEMENTS.items():
        if words := [word_at(word) for word in verdict.words if word.valid is valid]:
            yield (f"  {judgement:<11}", VERDICT_STYLES[valid]), (", ".join(words), "")
    for cell in tableau.cells:
        if cell.doubt:
            yield ("  in doubt   ", VERDICT_STYLES[None]), (doubt(cell), "")
    for one in tableau.unread:
        yield (
            ("  not read   ", VERDICT_STYLES[None]),
            (f"a tile beside {place(one.row, one.col)}, at {at_pixel(one.at)}", ""),
        )


def grid_lines(cells: Iterable[Cell]) -> Iterator[Line]:
    """Yield the rows of a tableau, cut to its outline; a question mark follows a doubted symbol."""
    at = {(cell.row, cell.col): cell for cell in cells}
    rows, cols = ([*range(min(side), max(side) + 1)] for side in zip(*at, strict=True))
    wide = max_symbol_length(at.values())
    for row in rows:
        yield ("  ", ""), *(grid_cell(at.get((row, col)), wide) for col in cols)


def board_lines(cells: Iterable[Cell], side: int) -> Iterator[Line]:
    """Yield the numbered rows of a whole board, after a row of column numbers."""
    at = {(cell.row, cell.col): cell for cell in cells}
    wide = max_symbol_length(at.values())
    yield (("     " + "".join(f"{col + 1:<{wide + 2}}" for col in range(side)), "dim"),)
    for row in range(side):
        yield (f"  {row + 1:>2} ", "dim"), *(grid_cell(at.get((row, col)), wide) for col in range(side))


def max_symbol_length(cells: Iterable[Cell]) -> int:
    """Return the number of characters of the longest symbol."""
    return max((len(cell.symbol) for cell in cells), default=0) or 1


def grid_cell(cell: Cell | None, wide: int) -> tuple[str, str]:
    """Return one place of a grid, two characters wider than the widest symbol."""
    if cell is None:
        return f"{EMPTY_SIGN:<{wide + 2}}", "dim"
    text = (cell.symbol or BLANK_SIGN) + ("?" if cell.doubt else "")
    return f"{text:<{wide + 2}}", "bold yellow" if cell.doubt else "bold"


def word_at(word: JudgedWord) -> str:
    """Return a word, with its place unless it is valid."""
    return word.text if word.valid else f"{word.text} ({place(word.row, word.col)}, {word.direction})"


def doubt(cell: Cell) -> str:
    """Return the alternatives of a doubted symbol as text."""
    other = "" if cell.alternative is None else f" or {cell.alternative or 'blank'}"
    return f"{cell.symbol or 'blank'}{other} ({place(cell.row, cell.col)}), {cell.confidence:.0%} sure"


def place(row: int, col: int) -> str:
    """Return a place as text, counted from 1."""
    return f"row {row + 1}, column {col + 1}"


def at_pixel(at: Point) -> str:
    """Return a place in the picture."""
    return f"pixel {at[0]:.0f}, {at[1]:.0f}"


def piece_line(piece: Piece) -> Line:
    """Return a pyramid on or beside the Volcano board, with its place."""
    where = place(piece.row, piece.col) if stands_on_board(piece) else "beside the board"
    return (
        (f"  {piece.size} {piece.colour} ({where})", ""),
        (" in doubt" * piece.doubt, VERDICT_STYLES[None]),
    )


def stands_on_board(piece: Piece) -> bool:
    """Return whether a pyramid stands on the Volcano board, not beside it."""
    return min(piece.row, piece.col) >= 0 and max(piece.row, piece.col) < BOARD_SIDES[VOLCANO]


def board_sentence(reading: Reading) -> str:
    """Return a sentence about a Volcano board: the numbers of letters and of pyramids of each colour."""
    colours = Counter(piece.colour for piece in reading.pieces if stands_on_board(piece))
    pyramids = [f"{many} {colour}" for colour, many in sorted(colours.items())]
    letters = f"board: {tiles(len(reading.tableaux[0].cells))}"
    return f"{letters}, pyramids: {', '.join(pyramids)}" if pyramids else f"{letters}, no pyramid"


def tiles(count: int) -> str:
    """Return a number of tiles in words."""
    return f"{count} tile{'' if count == 1 else 's'}"


def counts(reading: Reading) -> str:
    """Return the numbers of tiles face up, face down and in doubt, as a sentence."""
    if not reading.tiles:
        return "No tiles: the table is empty."
    up = [tile for tile in reading.tiles if tile.face is Face.UP]
    loose = Counter(tile.symbol or BLANK_SIGN for tile in up if tile.tableau is None)
    named = f": {', '.join(times(*pair) for pair in sorted(loose.items()))}" if loose else ""
    doubts = sum(tile.doubt for tile in reading.tiles)
    return (
        f"{tiles(len(up))} face up, {len(reading.tiles) - len(up)} face down, {doubts} in doubt, "
        f"{loose.total()} loose{named}."
    )


def times(symbol: str, count: int) -> str:
    """Return a symbol with its count, if more than one; in words, as × may be a symbol itself."""
    often = {1: "", 2: " (twice)"}
    return symbol + often.get(count, f" ({count} times)")


def sentence(verdict: TableauVerdict, tableau: Tableau) -> str:
    """Return a sentence about a tableau: valid, or why not."""
    if not tableau.cells:
        return "no tile on it"
    if verdict.valid:
        return f"valid, {len(verdict.words)} word{'' if len(verdict.words) == 1 else 's'}"
    refused = [word.text for word in verdict.words if word.valid is False]
    open_words = [word.text for word in verdict.words if word.valid is None]
    why = [f"{verdict.islands} separate groups"] if verdict.islands > 1 else []
    why += [] if verdict.words else ["no word"]
    fault = "no valid equation" if EQUATION_SYMBOLS & set("".join(refused)) else "not in the word list"
    why += [f"{', '.join(refused)} {fault}"] if refused else []
    why += [", ".join(open_words) + (" unsure" if why else "")] if open_words else []
    many = len(tableau.unread)
    why += [f"{tiles(many)} beside it not read"] if many else []
    return f"{JUDGEMENTS[verdict.valid]}: {'; '.join(why)}"


def json_line(image: str, reading: Reading, verdicts: Sequence[TableauVerdict]) -> str:
    """Return one line of JSON, ASCII alone, whatever the names and symbols.

    Parameters
    ----------
    image
        The picture's name as it was given.
    reading
        Its reading.
    verdicts
        The verdicts on its tableaux, in their order.
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
        "timing_ms": {stage: round(ms, DECIMAL_PLACES) for stage, ms in reading.timing_ms.items()},
    }


def tile_object(tile: Tile) -> dict[str, Any]:
    """Return one tile; ``symbol`` is ``None`` face down and ``""`` for a blank."""
    return {
        "symbol": tile.symbol,
        "face": tile.face.value,
        "corners": [[round(x, DECIMAL_PLACES), round(y, DECIMAL_PLACES)] for x, y in tile.corners],
        "confidence": round(tile.confidence, CONFIDENCE_DECIMAL_PLACES),
        "doubt": tile.doubt,
        "tableau": tile.tableau,
        "row": tile.row,
        "col": tile.col,
    }


def tableau_object(tableau: Tableau, verdict: TableauVerdict) -> dict[str, Any]:
    """Return one tableau with its words and the sentence about them; ``unread`` only where there is any."""
    body = {
        "cells": [cell_object(cell) for cell in tableau.cells],
        "rows": list(lines(table(tableau.grid))),
        "turn_deg": round(tableau.turn_deg, DECIMAL_PLACES) % 360,
        "seat": tableau.seat,
        "words": [word_object(word) for word in verdict.words],
        "islands": verdict.islands,
        "valid": verdict.valid,
        "doubts": [doubt_object(cell) for cell in tableau.cells if cell.doubt],
    }
    unread = [[round(at, DECIMAL_PLACES) for at in place.at] for place in tableau.unread]
    return body | {"unread": unread} if unread else body


def cell_object(cell: Cell) -> dict[str, Any]:
    """Return one place of a tableau."""
    return {"row": cell.row, "col": cell.col, "symbol": cell.symbol, "doubt": cell.doubt}


def doubt_object(cell: Cell) -> dict[str, Any]:
    """Return one place in doubt; ``or`` is the next best symbol."""
    return {
        "row": cell.row,
        "col": cell.col,
        "symbol": cell.symbol,
        "confidence": round(cell.confidence, CONFIDENCE_DECIMAL_PLACES),
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
    """Return one pyramid on or beside the Volcano board; ``doubt`` only where it is in doubt."""
    body = {"colour": piece.colour, "row": piece.row, "col": piece.col, "size": piece.size}
    return body | {"doubt": True} if piece.doubt else body
