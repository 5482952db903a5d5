"""The board as the camera sees it: letters that become known or are disputed, and pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.model.phrases import phrase, phrase_n
from companion.model.sightings import Board, Cell
from companion.rules import event as ev
from companion.rules.interface import Events
from companion.rules.martian_boggle.squares import HOME_ROWS, PIECES_PER_PLAYER, SQUARES, squares_text
from companion.rules.martian_boggle.values import (
    LetterAsked,
    LettersLost,
    LettersRead,
    LettersUnseen,
    MartianBoggleState,
    after,
)
from companion.rules.policy import policy
from companion.rules.state import Phase


def is_letter(symbol: str) -> bool:
    """Return whether a symbol can be a tile's: one letter, or nothing on a blank."""
    return not symbol or (len(symbol) == 1 and symbol.isalpha() and len(symbol.lower()) == 1)


def board_fault(board: Board, seat: int | None = None) -> str | None:
    """Return why a board as seen is not possible, or ``None``; with a seat, only its pieces are checked."""
    other = {1: 2, 2: 1}.get(seat or 0)
    own = replace(board, pieces=tuple(one for one in board.pieces if one[0] != other))
    return tile_fault(board) or piece_fault(own)


def tile_fault(board: Board) -> str | None:
    """Return what is wrong with the tiles seen, or ``None``."""
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
    return None


def piece_fault(board: Board) -> str | None:
    """Return what is wrong with the pieces seen, or ``None``."""
    for seat, squares in board.pieces:
        if seat > len(HOME_ROWS):
            return phrase("two players have pieces; some of seat %(seat)s are seen", seat=seat)
        if len(squares) != PIECES_PER_PLAYER:
            return phrase_n(
                "each player has five pieces; %(count)s of seat %(seat)s is seen",
                "each player has five pieces; %(count)s of seat %(seat)s are seen",
                len(squares),
                seat=seat,
            )
    seen = [square for _, squares in board.pieces for square in squares]
    if stray := set(seen) - set(SQUARES):
        return phrase("a piece is seen beyond the board, at %(place)s", place=squares_text(stray))
    return None if len(set(seen)) == len(seen) else phrase("two pieces are seen on one square")


def set_up_fault(board: Board) -> str | None:
    """Return why a game cannot begin with this board, or ``None``."""
    reason = board_fault(board)
    for seat, squares in () if reason else board.pieces:
        if set(squares) != set(HOME_ROWS[seat - 1]):
            return phrase(
                "the pieces of seat %(seat)s begin on their home row, row %(row)s; "
                "they are seen at %(place)s",
                seat=seat,
                row=HOME_ROWS[seat - 1][0][0] + 1,
                place=squares_text(squares),
            )
    return reason


def board_events(state: MartianBoggleState, board: Board, at_ns: int) -> Events:
    """Return the board as seen, the letters read from it, those lost and those that disagree.

    A known letter stays, under a piece or not, until a word takes its tile.  The tile that replaces it is
    known only once it was seen.  Before the game a letter is known only while it is seen.
    """
    seen: list[ev.Event] = [] if board == state.board else [ev.BoardSeen(board)]
    if tile_fault(board):
        return seen
    looks = [
        SquareSighting(state, board, at, symbol.lower(), at_ns) for at, symbol in board.symbols().items()
    ]
    read = tuple((*look.at, look.letter) for look in looks if look.learnt)
    lost = tuple(look.at for look in looks if look.lost)
    if not state.started:
        shown = board.symbols()
        lost = (*lost, *(at for at in SQUARES if state.letter(at) is not None and at not in shown))
    disputed = [
        LetterAsked(*look.at, state.letter(look.at) or "blank", look.letter or "blank")
        for look in looks
        if look.disagrees
    ]
    news = [*seen, *([LettersRead(read)] if read else []), *([LettersLost(lost)] if lost else []), *disputed]
    return [
        *news,
        *(
            unseen_letter_events(hidden_letters(state), after(state, news))
            if state.stage is Phase.PLAYING
            else []
        ),
    ]


def unseen_letter_events(before: Mapping[int, Sequence[Cell]], now: MartianBoggleState) -> Events:
    """Return the unseen letters that pieces hide now and did not hide before, by seat."""
    found: list[ev.Event] = []
    for seat, squares in hidden_letters(now).items():
        if news := tuple(at for at in squares if at not in before.get(seat, ())):
            found.append(LettersUnseen(seat, news))
    return found


def hidden_letters(state: MartianBoggleState) -> dict[int, tuple[Cell, ...]]:
    """Return the squares on which pieces hide letters that were never seen, by seat.

    While not all of a player's pieces are seen, they are being moved and hide nothing.
    """
    if state.board is None:
        return {}
    return {
        seat: tuple(at for at in squares if is_showable(state, at))
        for seat, squares in state.board.pieces
        if policy(state, seat) != "off" and not board_fault(state.board, seat)
    }


def is_showable(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether an unknown letter already lies on a square; a tile taken by a word is replaced first."""
    swap = state.swap(square)
    return state.letter(square) is None and (swap is None or swap.back)


@dataclass(frozen=True, slots=True)
class SquareSighting:
    """One square in a sighting of the board, at its stamp."""

    state: MartianBoggleState
    board: Board
    at: Cell
    letter: str
    at_ns: int

    @property
    def sure(self) -> bool:
        """Whether the letter is not in doubt."""
        return self.at not in self.board.doubts

    @property
    def known(self) -> str | None:
        """The letter that is known there, or ``None``."""
        return self.state.letter(self.at)

    @property
    def open(self) -> bool:
        """Whether no piece is on the square."""
        return self.at not in self.board.covered

    @property
    def counts(self) -> bool:
        """Whether it shows the present tile, and not the one that a word has taken.

        A sighting without the time since which the tile lies there is a new reading.
        """
        swap = self.state.swap(self.at)
        if swap is None or (swap.done(self.at_ns) and self.open):
            return True
        since = {(row, col): at_ns for row, col, at_ns in self.board.since}
        return not since or since.get(self.at, -1) > swap.at_ns

    @property
    def changeable(self) -> bool:
        """Whether the tile may have been replaced."""
        return self.at in self.state.free or self.state.swap(self.at) is not None

    @property
    def learnt(self) -> bool:
        """Whether the letter becomes known by this sighting."""
        if not (self.sure and self.counts):
            return False
        if self.known is None or self.changeable:
            return self.letter != self.known
        return self.letter == self.known and self.at in self.state.disputed

    @property
    def lost(self) -> bool:
        """Whether another tile than the known one is seen, but not certainly which."""
        another = self.known is not None and self.letter != self.known
        return another and self.changeable and not self.learnt

    @property
    def disagrees(self) -> bool:
        """Whether the letter contradicts the known one, and is not disputed yet."""
        if (
            not self.sure
            or self.changeable
            or self.known in {None, self.letter}
            or self.at in self.state.disputed
        ):
            return False
        return not is_read_by_referee(self.state, self.at)


def doubt_reason(state: MartianBoggleState, number: int) -> str | None:
    """Return why the letters under a player's pieces are not certain, or ``None``."""
    pieces = state.pieces[number - 1]
    if disputed := [one for one in pieces if one in state.disputed]:
        return phrase(
            "the letter at %(place)s was another before; the referee must read it",
            place=squares_text(disputed),
        )
    if doubted := [one for one in pieces if in_doubt(state, one)]:
        return phrase(
            "the letter at %(place)s is in doubt; the referee must read it", place=squares_text(doubted)
        )
    if unknown := [one for one in pieces if state.letter(one) is None]:
        return phrase(
            "the letter at %(place)s is not seen yet; show it to the camera or let the referee read it",
            place=squares_text(unknown),
        )
    if state.board is None or not state.fresh:
        return None
    return board_fault(state.board, number)


def needs_reading(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether the referee must read a square before a word with its letter can be called."""
    return square in state.disputed or state.letter(square) is None or in_doubt(state, square)


def in_doubt(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether a square was last seen, in doubt, with another letter than the known one.

    A letter seen through a piece does not count if no word has taken its tile since it was known.
    """
    board, known = state.board, state.letter(square)
    if board is None or known is None or square not in board.doubts:
        return False
    stays = square not in state.free and state.swap(square) is None
    hidden = stays and square in board.covered
    return board.symbols()[square].lower() != known and not hidden and not is_read_by_referee(state, square)


def is_read_by_referee(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether the referee has read the letter on a square."""
    return any((one.seat, one.cell) == (0, square) for one in state.tile_readings)


def misplaced_pieces(state: MartianBoggleState, board: Board, number: int) -> str | None:
    """Return how a player's pieces as seen differ from the moves, or ``None``."""
    seen, pieces = dict(board.pieces).get(number), state.pieces[number - 1]
    if seen is None or set(seen) == set(pieces):
        return None
    name = state.seat(number).name
    return phrase(
        "%(name)s's pieces are seen at %(place)s; by the moves they stand at %(other)s",
        name=name,
        place=squares_text(seen),
        other=squares_text(pieces),
    )
