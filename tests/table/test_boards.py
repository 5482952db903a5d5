"""Games in turns on a board that all share: the camera sees the board, players call, the table judges."""

from __future__ import annotations

import time
from pathlib import Path

from companion.config.controls import Button, Controls, Place
from companion.config.table import BoardConfig, TableConfig
from companion.model.calls import Called, Order, Ordered
from companion.model.reading import Cell, Piece, Reading, Tableau
from companion.rules import event as ev
from companion.rules.martian_boggle.squares import HOME_ROWS
from companion.table.views import BoardView
from tests.table.playing import HEIGHT, WIDTH, Playing, tile

Cells = dict[tuple[int, int], str]


def board_of(kind: str, cells: Cells, pieces: tuple[Piece, ...] = ()) -> Reading:
    """Return a reading of a board with these symbols on it."""
    lying = tuple(Cell(row, col, symbol, False, 1.0) for (row, col), symbol in sorted(cells.items()))
    tiles = tuple(
        tile(cell.symbol, 100 + 20 * cell.col, 100 + 20 * cell.row, where=(0, cell.row, cell.col))
        for cell in lying
    )
    tableaux = (Tableau(lying, 0.0),) if lying else ()
    return Reading(WIDTH, HEIGHT, "set", tiles, tableaux, kind, pieces)


def two(game: str, *calls: str) -> TableConfig:
    """Return a table of two with a button each."""
    places = tuple(Place((Button(pin, short=calls),)) for pin in (4, 6))
    return TableConfig(game, ("Anna", "Bo"), controls=Controls(places))


def test_an_equation_is_laid_called_and_scored(tmp_path: Path) -> None:
    view = BoardView(BoardConfig("scrabble"))
    with Playing(tmp_path / "games.db", two("binary_scrabble", "play"), view=view) as play:
        play.see(board_of("scrabble", {}))
        play.table.loop.submit(Ordered(play.table.clock.now(), Order.START))
        play.soon(ev.RoundStarted)
        laid = {(7, 5 + n): symbol for n, symbol in enumerate("1+1=10")}
        play.see(board_of("scrabble", laid))
        play.wait(50)
        turn = play.table.loop.state.turn
        play.press(turn)
        play.soon(ev.CallAccepted)
        play.soon(ev.TurnPassed)
        assert play.table.loop.state.seat(turn).score == 16


def test_a_call_waits_for_the_board_to_be_seen_at_rest(tmp_path: Path) -> None:
    view = BoardView(BoardConfig("scrabble"))
    with Playing(tmp_path / "games.db", two("binary_scrabble", "play"), view=view) as play:
        play.see(board_of("scrabble", {}))
        play.table.loop.submit(Ordered(play.table.clock.now(), Order.START))
        play.soon(ev.RoundStarted)
        play.wait(1000)
        play.see(board_of("scrabble", {}), 0, moving=((0, 0, 640, 480),))
        laid_ms = play.ms
        play.wait(50)
        play.press(play.table.loop.state.turn)
        play.wait(300)
        time.sleep(0.1)
        assert (play.count(ev.CallAccepted), play.count(ev.CallRefused)) == (0, 0)
        play.see(board_of("scrabble", {(7, 5 + n): symbol for n, symbol in enumerate("1+1=10")}), laid_ms)
        play.soon(ev.CallAccepted)


def test_a_word_on_the_home_row_is_called_from_a_phone(tmp_path: Path) -> None:
    view = BoardView(BoardConfig("volcano", colours=("red", "blue")))
    rows = ("TIGER", "ABCDE", "FGHIJ", "KLMNO", "CRANE")
    letters = {(row, col): symbol for row, text in enumerate(rows) for col, symbol in enumerate(text)}
    pieces = tuple(
        Piece(colour, row, col, "large")
        for colour, home in zip(("red", "blue"), HOME_ROWS, strict=True)
        for row, col in home
    )
    with Playing(tmp_path / "games.db", two("martian_boggle", "end_turn"), view=view) as play:
        play.see(board_of("volcano", letters, pieces))
        play.wait(50)
        play.until(ev.BoardSeen)
        play.table.loop.submit(Ordered(play.table.clock.now(), Order.START))
        play.soon(ev.RoundStarted)
        play.see(board_of("volcano", letters, pieces), 0)
        turn = play.table.loop.state.turn
        details = {"word": "crane" if turn == 1 else "tiger", "by": "phone"}
        answer = play.table.loop.request(Called(play.table.clock.now(), turn, "word", details))
        play.soon(ev.CallAccepted)
        assert answer.result(5).accepted
