"""What the camera says of the board: letters that are known, letters that are asked for, pieces."""

from __future__ import annotations

from companion.model.phrases import phrase, phrase_n
from companion.model.sightings import Board, Cell
from companion.rules import event as ev
from companion.rules.interface import Events
from companion.rules.martian_boggle.squares import HOMES, PIECES, SQUARES, told
from companion.rules.martian_boggle.values import Boards, LetterAsked, LettersRead


def is_letter(symbol: str) -> bool:
    """Return whether a tile can show this: one letter, or nothing on a blank."""
    return not symbol or (len(symbol) == 1 and symbol.isalpha() and len(symbol.lower()) == 1)


def flaw(board: Board) -> str | None:
    """Return why what is seen cannot be this game's board, or ``None``."""
    for (row, col), symbol in board.symbols().items():
        if (row, col) not in SQUARES:
            return phrase(
                "the board has five rows of five letters; a tile is seen at row %(row)s column %(col)s",
                row=row + 1,
                col=col + 1,
            )
        if not is_letter(symbol):
            return phrase(
                "a tile shows one letter; %(symbol)s is seen at row %(row)s column %(col)s",
                symbol=repr(symbol),
                row=row + 1,
                col=col + 1,
            )
    return flawed_pieces(board)


def flawed_pieces(board: Board) -> str | None:
    """Return what is wrong with the pieces seen, or ``None``."""
    for seat, squares in board.pieces:
        if seat > len(HOMES):
            return phrase("two players have pieces; some of seat %(seat)s are seen", seat=seat)
        if len(squares) != PIECES:
            return phrase_n(
                "each player has five pieces; %(count)s of seat %(seat)s is seen",
                "each player has five pieces; %(count)s of seat %(seat)s are seen",
                len(squares),
                seat=seat,
            )
    seen = [square for _, squares in board.pieces for square in squares]
    if stray := set(seen) - set(SQUARES):
        return phrase("a piece is seen beyond the board, at %(place)s", place=told(stray))
    return None if len(set(seen)) == len(seen) else phrase("two pieces are seen on one square")


def set_up_flaw(board: Board) -> str | None:
    """Return why a game cannot begin with this board, or ``None``."""
    reason = flaw(board)
    for seat, squares in () if reason else board.pieces:
        if set(squares) != set(HOMES[seat - 1]):
            return phrase(
                "the pieces of seat %(seat)s begin on their home row, row %(row)s; "
                "they are seen at %(place)s",
                seat=seat,
                row=HOMES[seat - 1][0][0] + 1,
                place=told(squares),
            )
    return reason


def looked(state: Boards, board: Board) -> Events:
    """Return the board as seen, the letters learnt from it and those that disagree.

    A letter once known stays, under a piece or not, until its tile is lifted.
    """
    seen: list[ev.Event] = [] if board == state.board else [ev.BoardSeen(board)]
    if flaw(board):
        return seen
    letters = {at: symbol.lower() for at, symbol in board.symbols().items() if at not in board.doubts}
    read = [(*at, letter) for at, letter in letters.items() if learnt(state, at, letter)]
    asked = [
        LetterAsked(*at, state.letter(at) or "blank", letter or "blank")
        for at, letter in letters.items()
        if disagrees(state, at, letter)
    ]
    return [*seen, *([LettersRead(tuple(read))] if read else []), *asked]


def learnt(state: Boards, at: Cell, letter: str) -> bool:
    """Return whether a letter is news that holds: of an open square, or as it was known after all."""
    known = state.letter(at)
    if known is None or at in state.free:
        return letter != known
    return letter == known and at in state.asked


def disagrees(state: Boards, at: Cell, letter: str) -> bool:
    """Return whether a letter is another than the one known, and nobody has been asked yet."""
    if state.letter(at) in {None, letter} or at in state.free or at in state.asked:
        return False
    return (0, at) not in {(seat, cell) for seat, cell, _ in state.settled}


def unsure(state: Boards, number: int) -> str | None:
    """Return why the camera cannot say what lies under a player's pieces, or ``None``."""
    pieces = state.pieces[number - 1]
    if asked := [one for one in pieces if one in state.asked]:
        return phrase(
            "the letter at %(place)s was another before; the referee must read it", place=told(asked)
        )
    if unknown := [one for one in pieces if state.letter(one) is None]:
        return phrase(
            "the letter at %(place)s is not seen yet; show it to the camera or let the referee read it",
            place=told(unknown),
        )
    if state.board is None or not state.fresh:
        return None
    return flaw(state.board) or astray(state, state.board, number)


def astray(state: Boards, board: Board, number: int) -> str | None:
    """Return how a player's pieces as seen differ from where the moves put them, or ``None``."""
    seen, pieces = dict(board.pieces).get(number), state.pieces[number - 1]
    if seen is None or set(seen) == set(pieces):
        return None
    name = state.seat(number).name
    return phrase(
        "%(name)s's pieces are seen at %(place)s; by the moves they stand at %(other)s",
        name=name,
        place=told(seen),
        other=told(pieces),
    )
