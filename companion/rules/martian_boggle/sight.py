"""What the camera says of the board: letters that are known, letters that are asked for, pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.model.phrases import phrase, phrase_n
from companion.model.sightings import Board, Cell
from companion.rules import event as ev
from companion.rules.interface import Events
from companion.rules.martian_boggle.squares import HOMES, PIECES, SQUARES, squares_text
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
    """Return whether a tile can show this: one letter, or nothing on a blank."""
    return not symbol or (len(symbol) == 1 and symbol.isalpha() and len(symbol.lower()) == 1)


def flaw(board: Board, seat: int | None = None) -> str | None:
    """Return why what is seen cannot be this game's board, or ``None``; with a seat, of its pieces alone."""
    other = {1: 2, 2: 1}.get(seat or 0)
    own = replace(board, pieces=tuple(one for one in board.pieces if one[0] != other))
    return flawed_tiles(board) or flawed_pieces(own)


def flawed_tiles(board: Board) -> str | None:
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
        return phrase("a piece is seen beyond the board, at %(place)s", place=squares_text(stray))
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
                place=squares_text(squares),
            )
    return reason


def looked(state: MartianBoggleState, board: Board, at_ns: int) -> Events:
    """Return the board as seen, the letters learnt from it, those lost and those that disagree.

    A letter once known stays, under a piece or not, until a word takes its tile.  Of the tile that takes its
    place only what is seen of it counts.  Before the game a letter stays for as long as it is seen.
    """
    seen: list[ev.Event] = [] if board == state.board else [ev.BoardSeen(board)]
    if flawed_tiles(board):
        return seen
    looks = [Look(state, board, at, symbol.lower(), at_ns) for at, symbol in board.symbols().items()]
    read = tuple((*look.at, look.letter) for look in looks if look.learnt)
    lost = tuple(look.at for look in looks if look.lost)
    if not state.started:
        shown = board.symbols()
        lost = (*lost, *(at for at in SQUARES if state.letter(at) is not None and at not in shown))
    asked = [
        LetterAsked(*look.at, state.letter(look.at) or "blank", look.letter or "blank")
        for look in looks
        if look.disagrees
    ]
    news = [*seen, *([LettersRead(read)] if read else []), *([LettersLost(lost)] if lost else []), *asked]
    return [*news, *(unseen(hidden(state), after(state, news)) if state.stage is Phase.PLAYING else [])]


def unseen(before: Mapping[int, Sequence[Cell]], now: MartianBoggleState) -> Events:
    """Return whose pieces hide letters that nobody has seen, and did not before, by seat."""
    found: list[ev.Event] = []
    for seat, squares in hidden(now).items():
        if news := tuple(at for at in squares if at not in before.get(seat, ())):
            found.append(LettersUnseen(seat, news))
    return found


def hidden(state: MartianBoggleState) -> dict[int, tuple[Cell, ...]]:
    """Return the squares on which pieces stand on letters that nobody has seen, by seat.

    While not all of a player's pieces are seen, none of them hides anything: somebody is moving them.
    """
    if state.board is None:
        return {}
    return {
        seat: tuple(at for at in squares if may_be_shown(state, at))
        for seat, squares in state.board.pieces
        if policy(state, seat) != "off" and not flaw(state.board, seat)
    }


def may_be_shown(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether a letter is not known, and lies there: one that a word has taken is replaced first."""
    swap = state.swap(square)
    return state.letter(square) is None and (swap is None or swap.back)


@dataclass(frozen=True, slots=True)
class Look:
    """What a sighting of the board shows on one square, at its time."""

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
        """The letter that is known to lie there."""
        return self.state.letter(self.at)

    @property
    def open(self) -> bool:
        """Whether no piece stands on the square."""
        return self.at not in self.board.covered

    @property
    def counts(self) -> bool:
        """Whether it shows the tile that lies there now, and not the one that a word has taken.

        Where nobody says since when the tile lies there, the board was looked at anew.
        """
        swap = self.state.swap(self.at)
        if swap is None or (swap.done(self.at_ns) and self.open):
            return True
        since = {(row, col): at_ns for row, col, at_ns in self.board.since}
        return not since or since.get(self.at, -1) > swap.at_ns

    @property
    def changeable(self) -> bool:
        """Whether another tile may have come to lie there."""
        return self.at in self.state.free or self.state.swap(self.at) is not None

    @property
    def learnt(self) -> bool:
        """Whether the letter is news that holds."""
        if not (self.sure and self.counts):
            return False
        if self.known is None or self.changeable:
            return self.letter != self.known
        return self.letter == self.known and self.at in self.state.asked

    @property
    def lost(self) -> bool:
        """Whether another tile than the known one shows, but not for sure which."""
        another = self.known is not None and self.letter != self.known
        return another and self.changeable and not self.learnt

    @property
    def disagrees(self) -> bool:
        """Whether the letter is another than the one known, and nobody has been asked yet."""
        if (
            not self.sure
            or self.changeable
            or self.known in {None, self.letter}
            or self.at in self.state.asked
        ):
            return False
        return not is_ruled(self.state, self.at)


def unsure(state: MartianBoggleState, number: int) -> str | None:
    """Return why the camera cannot say what lies under a player's pieces, or ``None``."""
    pieces = state.pieces[number - 1]
    if asked := [one for one in pieces if one in state.asked]:
        return phrase(
            "the letter at %(place)s was another before; the referee must read it", place=squares_text(asked)
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
    return flaw(state.board, number)


def unsettled(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether the referee must read a square before a word with its letter may be called."""
    return square in state.asked or state.letter(square) is None or in_doubt(state, square)


def in_doubt(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether a square was last seen with another letter than the known one, but not for sure.

    What shows through a piece says nothing of a tile that no word has taken since it was known.
    """
    board, known = state.board, state.letter(square)
    if board is None or known is None or square not in board.doubts:
        return False
    stays = square not in state.free and state.swap(square) is None
    hidden = stays and square in board.covered
    return board.symbols()[square].lower() != known and not hidden and not is_ruled(state, square)


def is_ruled(state: MartianBoggleState, square: Cell) -> bool:
    """Return whether the referee has read the letter on a square."""
    return any((one.seat, one.cell) == (0, square) for one in state.tile_readings)


def astray(state: MartianBoggleState, board: Board, number: int) -> str | None:
    """Return how a player's pieces as seen differ from where the moves put them, or ``None``."""
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
