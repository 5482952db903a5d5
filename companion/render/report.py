"""A reading as lines of text for a person, each made of pieces with a style, and as JSON for a program."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from companion.model.grid import EMPTY_SIGN, lines, table
from companion.model.reading import Cell, Face, Piece, Reading, Tableau, Tile
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.vision.grid.board import Board
from companion.vision.grid.volcano import Volcano, on_board
from companion.vision.pipeline.reader import SCRABBLE, VOLCANO

Line = tuple[tuple[str, str], ...]
"""Pieces of text, each with its style on a terminal (of ``rich``, empty for plain)."""

VERDICT_STYLES = {True: "green", False: "red", None: "yellow"}
JUDGEMENTS = {True: "valid", False: "not valid", None: "unsure"}

EQUATION_SYMBOLS = frozenset("01=")
"""Symbols that no word has, and nearly every equation has."""

BOARD_SIDES = {SCRABBLE: Board.size, VOLCANO: Volcano.size}
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
    summary: list[Line] = [(), ((counts(reading), ""),)]
    for number, (tableau, verdict) in enumerate(zip(reading.tableaux, verdicts, strict=True), 1):
        side = BOARD_SIDES.get(reading.board or "", 0) if number == 1 else 0
        heading = "Board" if side else f"Tableau {number}"
        out += [(), *tableau_lines(heading, tableau, verdict, side)]
        if tableau.cells and is_judged(number, reading):
            said = sentence(verdict, tableau)
            summary.append(((f"{heading}: {said}.", f"bold {VERDICT_STYLES[verdict.valid]}"),))
    if reading.pieces:
        out += [(), (("Pyramids", "bold"),), *map(piece_line, reading.pieces)]
    return out + summary


def is_judged(number: int, reading: Reading) -> bool:
    """Return whether a tableau is judged for words; the letters on a Volcano board make none."""
    return number > 1 or reading.board != VOLCANO


def tableau_lines(name: str, tableau: Tableau, verdict: TableauVerdict, side: int) -> Iterator[Line]:
    """Yield one tableau: its grid as ``grid_lines`` does, its words with their verdicts, its doubts."""
    whose = f", seat {tableau.seat}" if tableau.seat else ""
    yield (
        (name, "bold"),
        (f"  {tiles(len(tableau.cells))}, turned {round(tableau.turn_deg) % 360}°{whose}", "dim"),
    )
    yield from grid_lines(tableau.cells, side)
    for valid, judgement in JUDGEMENTS.items():
        if words := [word_at(word) for word in verdict.words if word.valid is valid]:
            yield (f"  {judgement:<11}", VERDICT_STYLES[valid]), (", ".join(words), "")
    for cell in tableau.cells:
        if cell.doubt:
            yield ("  in doubt   ", VERDICT_STYLES[None]), (doubt(cell), "")
    for one in tableau.unread:
        where = f"a tile beside {place(one.row, one.col)}, at pixel {one.at[0]:.0f}, {one.at[1]:.0f}"
        yield ("  not read   ", VERDICT_STYLES[None]), (where, "")


def grid_lines(cells: Iterable[Cell], side: int = 0) -> Iterator[Line]:
    """Yield the rows of a tableau, cut to its outline; a question mark follows a doubted symbol.

    On a board of ``side`` rows and columns the grid is the whole board, with numbered rows and columns.
    """
    at = {(cell.row, cell.col): cell for cell in cells}
    wide = max((columns(cell.symbol) for cell in at.values()), default=0) or 1
    if side:
        rows = cols = range(side)
        yield (("     " + "".join(f"{col + 1:<{wide + 2}}" for col in cols), "dim"),)
    else:
        rows, cols = (range(min(places), max(places) + 1) for places in zip(*at, strict=True))
    for row in rows:
        margin = (f"  {row + 1:>2} ", "dim") if side else ("  ", "")
        yield margin, *(grid_cell(at.get((row, col)), wide) for col in cols)


def grid_cell(cell: Cell | None, wide: int) -> tuple[str, str]:
    """Return one place of a grid, two characters wider than the widest symbol."""
    if cell is None:
        return f"{EMPTY_SIGN:<{wide + 2}}", "dim"
    text = (cell.symbol or BLANK_SIGN) + ("?" if cell.doubt else "")
    return text + " " * (wide + 2 - columns(text)), "bold yellow" if cell.doubt else "bold"


def columns(text: str) -> int:
    """Return the number of columns of a terminal that a text takes: kana and the like take two each."""
    return sum(1 + (unicodedata.east_asian_width(sign) in {"W", "F"}) for sign in text)


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


def piece_line(piece: Piece) -> Line:
    """Return a pyramid on or beside the Volcano board, with its place."""
    where = place(piece.row, piece.col) if on_board(piece.row, piece.col) else "beside the board"
    return (
        (f"  {piece.size} {piece.colour} ({where})", ""),
        (" in doubt" * piece.doubt, VERDICT_STYLES[None]),
    )


def board_sentence(reading: Reading) -> str:
    """Return a sentence about a Volcano board: the numbers of letters and of pyramids of each colour."""
    colours = Counter(piece.colour for piece in reading.pieces if on_board(piece.row, piece.col))
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

    ``image`` is the picture's name as it was given; ``verdicts`` are in the order of its tableaux.
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
        "cells": [
            {"row": one.row, "col": one.col, "symbol": one.symbol, "doubt": one.doubt}
            for one in tableau.cells
        ],
        "rows": list(lines(table(tableau.grid))),
        "turn_deg": round(tableau.turn_deg, DECIMAL_PLACES) % 360,
        "seat": tableau.seat,
        "words": [asdict(word) for word in verdict.words],
        "islands": verdict.islands,
        "valid": verdict.valid,
        "doubts": [doubt_object(cell) for cell in tableau.cells if cell.doubt],
    }
    unread = [[round(at, DECIMAL_PLACES) for at in place.at] for place in tableau.unread]
    return body | {"unread": unread} if unread else body


def doubt_object(cell: Cell) -> dict[str, Any]:
    """Return one place in doubt; ``or`` is the next best symbol."""
    return {
        "row": cell.row,
        "col": cell.col,
        "symbol": cell.symbol,
        "confidence": round(cell.confidence, CONFIDENCE_DECIMAL_PLACES),
        "or": cell.alternative,
    }


def piece_object(piece: Piece) -> dict[str, Any]:
    """Return one pyramid on or beside the Volcano board; ``doubt`` only where it is in doubt."""
    body = {"colour": piece.colour, "row": piece.row, "col": piece.col, "size": piece.size}
    return body | {"doubt": True} if piece.doubt else body
