"""The tiles that are new on the board, as the camera sees them, and the symbols that they stand for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from companion.model.calls import Called
from companion.model.grid import Place
from companion.model.phrases import phrase
from companion.model.sightings import Board
from companion.model.tiles import BLANK
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import SIDEWAYS_EQUALS, Tile, box, cell_text, on_board, turned
from companion.rules.binary_scrabble.equation import EQUALS, Operator
from companion.rules.binary_scrabble.values import BinaryScrabbleState, BoardTurned, after
from companion.rules.interface import Events
from companion.rules.tile_readings import apply_readings, unread_reason


@dataclass(frozen=True, slots=True)
class NewTiles:
    """New tiles in reading order, and the camera's doubt about the board, if any."""

    tiles: tuple[Tile, ...]
    doubt: str | None


def board_events(state: BinaryScrabbleState, board: Board) -> Events:
    """Return the board as seen, if it has changed, and its turn against the plays, if any."""
    turns: list[ev.Event] = []
    if quarters := quarters_turned(state.board_tiles, board):
        turns = [BoardTurned(quarters)]
        board = apply_readings(board, after(state, turns).tile_readings, 0)
    return turns if board == state.board else [*turns, ev.BoardSeen(board)]


def quarters_turned(played: Collection[Tile], board: Board) -> int:
    """Return by how many quarters clockwise the played tiles must be turned to agree best with a board.

    It is 0 unless another turn agrees better.
    """
    seen = board.symbols()

    def agreeing(quarters: int) -> int:
        moved = (turned(tile, quarters) for tile in played)
        return sum(seen.get(tile.cell) in {tile.symbol, tile.face} for tile in moved)

    return max(range(4), key=agreeing)


def new_tiles(state: BinaryScrabbleState, called: Called) -> NewTiles | str:
    """Return the tiles that a player has laid, or the reason why they are unknown."""
    if state.board is None:
        return phrase("the board has not been seen yet")
    new = new_symbols(state)
    blanks = dict(called.details.get("blanks", ()))
    sideways = set(called.details.get("sideways", ()))
    if not new:
        return phrase("no new tile lies on the board")
    if (
        reason := unknown_fault(state, new)
        or blank_fault(new, blanks)
        or sideways_fault(state, new, sideways)
    ):
        return reason
    tiles = tuple(tile_of(place, symbol, blanks, sideways) for place, symbol in sorted(new.items()))
    if any(tile.face == Operator.XOR for tile in tiles) and not state.options["xor"]:
        return phrase("XOR is not played in this game")
    return NewTiles(tiles, camera_doubt(state, state.board))


def new_symbols(state: BinaryScrabbleState) -> dict[Place, str]:
    """Return the symbols seen in cells without a played tile."""
    known = {tile.cell for tile in state.board_tiles}
    seen = state.board.symbols() if state.board else {}
    return {place: symbol for place, symbol in seen.items() if place not in known}


def unknown_fault(state: BinaryScrabbleState, new: dict[Place, str]) -> str | None:
    """Return why a symbol cannot be a tile of this game, or ``None``."""
    known = {*box().symbols, Operator.XOR, SIDEWAYS_EQUALS}
    for place, symbol in new.items():
        if not on_board(place):
            return phrase("%(place)s is off the board", place=cell_text(place))
        if symbol not in known:
            return phrase(
                "no tile of this game shows %(symbol)s (%(place)s)",
                symbol=repr(symbol),
                place=cell_text(place),
            )
        if symbol == SIDEWAYS_EQUALS and not state.options["sideways_equals"]:
            return phrase(
                "the = at %(place)s lies sideways, which is not played in this game", place=cell_text(place)
            )
    return None


def blank_fault(new: dict[Place, str], blanks: dict[Place, str]) -> str | None:
    """Return which blank lacks its symbol, or which cell with a symbol has no blank, or ``None``."""
    for place, symbol in new.items():
        if symbol == BLANK and place not in blanks:
            return phrase("say what the blank at %(place)s stands for", place=cell_text(place))
    for place in blanks:
        if new.get(place) != BLANK:
            return phrase("no new blank lies at %(place)s", place=cell_text(place))
    return None


def sideways_fault(state: BinaryScrabbleState, new: dict[Place, str], sideways: set[Place]) -> str | None:
    """Return which tile that is said to be an ``=`` turned sideways cannot be one, or ``None``."""
    if sideways and not state.options["sideways_equals"]:
        return phrase("an = may not stand for 11 in this game")
    wrong = [place for place in sorted(sideways) if new.get(place) not in {EQUALS, SIDEWAYS_EQUALS}]
    return phrase("no new = lies at %(place)s", place=cell_text(wrong[0])) if wrong else None


def tile_of(place: Place, symbol: str, blanks: dict[Place, str], sideways: set[Place]) -> Tile:
    """Return a tile with the symbol that it stands for."""
    if symbol == SIDEWAYS_EQUALS or place in sideways:
        return Tile(*place, EQUALS, SIDEWAYS_EQUALS)
    return Tile(*place, symbol, blanks.get(place, symbol))


def camera_doubt(state: BinaryScrabbleState, board: Board) -> str | None:
    """Return how the board differs from the tiles played, or which new tile is in doubt, or ``None``."""
    seen = board.symbols()
    for tile in state.board_tiles:
        shown = seen.get(tile.cell)
        if tile.cell in board.doubts or shown in {tile.symbol, tile.face}:
            continue
        blank = phrase("a blank")
        what = phrase("none") if shown is None else shown or blank
        return phrase(
            "at %(place)s lies %(tile)s by count; %(what)s is seen",
            place=cell_text(tile.cell),
            tile=tile.symbol or blank,
            what=what,
        )
    known = {tile.cell for tile in state.board_tiles}
    doubts = [place for place in board.doubts if place not in known and place in seen]
    if symbols := [place for place in doubts if place not in board.unread]:
        return phrase(
            "the tile at %(place)s cannot be read: the referee says what it is", place=cell_text(symbols[0])
        )
    return unread_reason(cell_text(doubts[0])) if doubts else None


def stray_tile(state: BinaryScrabbleState) -> str | None:
    """Return which tile lies on the board without a play, or ``None``."""
    new = new_symbols(state)
    return (
        phrase("a tile at %(place)s is not of any play: take it back first", place=cell_text(min(new)))
        if new
        else None
    )
