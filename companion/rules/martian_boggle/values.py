"""The state and the events that Martian Boggle adds to the shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from companion.model.phrases import Text, phrase, phrase_n
from companion.model.sightings import Board, Cell
from companion.rules import event as ev
from companion.rules.changes import after_events, evolve_shared
from companion.rules.fields import cell_text
from companion.rules.martian_boggle.squares import HOME_ROWS, PIECES_PER_PLAYER, SQUARES, squares_text
from companion.rules.state import Phase, State

FIVE = 5
"""Number of words that ends the game, and of letters in each."""


@dataclass(frozen=True, slots=True)
class LettersRead(ev.Event):
    """Letters that become known: row, column and symbol (``""`` a blank)."""

    in_record: ClassVar[bool] = False
    letters: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class LettersLost(ev.Event):
    """Squares that show another tile than the known one, but not certainly which."""

    in_record: ClassVar[bool] = False
    squares: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class LetterAsked(ev.Event):
    """A letter seen that contradicts the known one; the referee reads it."""

    mood: ClassVar[str] = "bad"
    row: int
    col: int
    known: str
    read: str

    def says(self, names: Sequence[str]) -> Text:
        """Return the square, the known letter and the one seen."""
        known, read = (
            phrase("blank") if letter == "blank" else letter.upper() for letter in (self.known, self.read)
        )
        return phrase(
            "The letter in %(square)s was %(known)s, and %(read)s is seen.",
            square=cell_text((self.row, self.col)),
            known=known,
            read=read,
        )


@dataclass(frozen=True, slots=True)
class LettersUnseen(ev.Event):
    """Letters under a player's pieces that were never seen; the player lifts the pieces for a moment."""

    mood: ClassVar[str] = "bad"
    seat: int
    squares: tuple[Cell, ...]

    def says(self, names: Sequence[str]) -> Text:
        """Return the request to the player."""
        return phrase(
            "%(name)s, lift the pieces from %(squares)s for a moment: the letters there were not seen.",
            name=names[self.seat - 1],
            squares=squares_text(self.squares),
        )


@dataclass(frozen=True, slots=True)
class DiceRolled(ev.Event):
    """The roll of the player on turn."""

    in_record: ClassVar[bool] = False
    dice: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PieceMoved(ev.Event):
    """A move of a piece of the player on turn; ``steps`` is the least number of spaces."""

    in_record: ClassVar[bool] = False
    seat: int
    start: Cell
    goal: Cell
    steps: int


@dataclass(frozen=True, slots=True)
class PiecesPlaced(ev.Event):
    """A player's pieces, as placed by the referee."""

    mood: ClassVar[str] = "ruled"
    seat: int
    squares: tuple[Cell, ...]

    def says(self, names: Sequence[str]) -> Text:
        """Return the squares."""
        return phrase("The pieces stand at %(squares)s", squares=squares_text(self.squares))


@dataclass(frozen=True, slots=True)
class WordSpelled(ev.Event):
    """A word lifted from the board; ``points`` include the ``factor``."""

    mood: ClassVar[str] = "good"
    seat: int
    word: str
    points: int
    factor: int
    squares: tuple[Cell, ...]

    def says(self, names: Sequence[str]) -> Text:
        """Return the word with its points."""
        return phrase_n(
            "spells %(word)s: %(count)s point",
            "spells %(word)s: %(count)s points",
            self.points,
            word=self.word.upper(),
        )


@dataclass(frozen=True, slots=True)
class WordStruck(ev.Event):
    """A word that no longer counts."""

    mood: ClassVar[str] = "ruled"
    seat: int
    word: str

    def says(self, names: Sequence[str]) -> Text:
        """Return the word."""
        return phrase("%(word)s does not count", word=self.word.upper())


OWN = (
    LettersRead,
    LettersLost,
    LetterAsked,
    LettersUnseen,
    DiceRolled,
    PieceMoved,
    PiecesPlaced,
    WordSpelled,
    WordStruck,
)


@dataclass(frozen=True, slots=True)
class Swap:
    """The replacement of a tile that a word has taken off the board.

    ``at_ns`` is the stamp of the word's call.  The new tile lies there by ``over_ns``, the player's next
    call, or once the piece was ``lifted`` and is ``back`` there with all others.
    """

    square: Cell
    seat: int
    at_ns: int
    over_ns: int | None = None
    lifted: bool = False
    back: bool = False

    def done(self, at_ns: int) -> bool:
        """Return whether the new tile lay there at a stamp."""
        return self.back or (self.over_ns is not None and at_ns >= self.over_ns)

    def seen(self, board: Board) -> Swap:
        """Return the replacement after one more sighting of the board."""
        if not board.cells:
            return self
        stand = dict(board.pieces).get(self.seat, ())
        lifted = self.lifted or self.square not in board.covered
        back = (
            lifted and self.square in stand and len(stand) == PIECES_PER_PLAYER and set(stand) <= set(SQUARES)
        )
        return replace(self, lifted=lifted, back=self.back or back)


@dataclass(frozen=True, slots=True)
class MartianBoggleState(State):
    """The state of Martian Boggle.

    Parameters
    ----------
    letters
        The letter of each square in reading order: ``""`` a blank, ``None``
        not seen yet.
    free
        Squares whose letter may still change because no call was made yet.
    swaps
        Squares whose tile is replaced after a word.
    disputed
        Squares whose letter the referee has to read.
    pieces
        Squares of each seat's pieces.
    begun
        Seats that have moved a piece.
    fresh
        Whether the board was seen since the pieces were last touched.
    dice, walked
        The roll, and the pieces moved by it (where they stand now) with their
        steps.
    spelled
        The words that count, in the order of their calls.
    laid
        Tiles on the board.
    removed
        The seat whose disqualification has ended play.
    """

    letters: tuple[str | None, ...] = (None,) * len(SQUARES)
    free: tuple[Cell, ...] = SQUARES
    swaps: tuple[Swap, ...] = ()
    disputed: tuple[Cell, ...] = ()
    pieces: tuple[tuple[Cell, ...], ...] = HOME_ROWS
    begun: tuple[int, ...] = ()
    fresh: bool = False
    dice: tuple[int, ...] = ()
    walked: tuple[tuple[Cell, int], ...] = ()
    spelled: tuple[WordSpelled, ...] = ()
    laid: int = 0
    removed: int | None = None

    def letter(self, square: Cell) -> str | None:
        """Return the letter on a square."""
        return self.letters[SQUARES.index(square)]

    def swap(self, square: Cell) -> Swap | None:
        """Return the replacement of the tile on a square, or ``None`` if its letter is final."""
        return next((one for one in self.swaps if one.square == square), None)

    def words_of(self, seat: int) -> list[WordSpelled]:
        """Return the words of a seat."""
        return [one for one in self.spelled if one.seat == seat]

    @property
    def finisher(self) -> int | None:
        """The player who first has five words."""
        fifths = [words[FIVE - 1] for words in map(self.words_of, self.numbers) if len(words) >= FIVE]
        return min(fifths, key=self.spelled.index).seat if fifths else None

    @property
    def spent(self) -> bool:
        """Whether the whole roll is used."""
        return bool(self.dice) and sum(count for _, count in self.walked) == sum(self.dice)


def evolve(state: MartianBoggleState, event: ev.Event, at_ns: int) -> MartianBoggleState:
    """Return the state after an event."""
    match event:
        case ev.RoundStarted():
            seen, laid = state.board, len(SQUARES)
            state = evolve_shared(state, event, at_ns)
            return replace(state, board=seen, laid=laid, pool=state.pool - laid)
        case ev.CallAccepted():
            state = replace(state, free=(), swaps=after_call(state, event.seat, at_ns))
        case ev.BoardSeen():
            swaps = tuple(one.seen(event.board) for one in state.swaps)
            state = replace(state, fresh=True, swaps=swaps)
        case ev.TurnPassed():
            state = replace(state, dice=(), walked=())
        case ev.Disqualified() if state.stage is Phase.PLAYING:
            state = replace(state, removed=event.seat)
        case ev.PlayReopened():
            state = replace(state, removed=None)
        case ev.Ruled(ruling="read_tile"):
            square = tuple(event.details["cell"])
            return without_swap(evolve_shared(state, event, at_ns), square)
        case ev.RulingUndone():
            return with_camera_readings(evolve_shared(state, event, at_ns), state)
    return evolve_shared(evolve_own(state, event, at_ns), event, at_ns)


def after_call(state: MartianBoggleState, seat: int, at_ns: int) -> tuple[Swap, ...]:
    """Return the open replacements after a seat's call: its own new tiles lie there by then."""
    own = [one for one in state.swaps if one.seat == seat and state.letter(one.square) is None]
    return (*(one for one in state.swaps if one.seat != seat), *(replace(one, over_ns=at_ns) for one in own))


def without_swap(state: MartianBoggleState, square: Cell) -> MartianBoggleState:
    """Return the state in which the letter of a square can no longer change."""
    swaps = tuple(one for one in state.swaps if one.square != square)
    return replace(state, swaps=swaps, free=tuple(one for one in state.free if one != square))


def evolve_own(state: MartianBoggleState, event: ev.Event, at_ns: int) -> MartianBoggleState:
    """Return the state after an event of this game; shared events leave it unchanged."""
    match event:
        case LettersRead():
            read = {(row, col): symbol for row, col, symbol in event.letters}
            disputed = tuple(one for one in state.disputed if one not in read)
            swaps = tuple(one for one in state.swaps if one.over_ns is None or one.square not in read)
            return replace(with_letters(state, read), disputed=disputed, swaps=swaps)
        case LettersLost():
            return with_letters(state, dict.fromkeys(event.squares))
        case LetterAsked():
            return replace(state, disputed=(*state.disputed, (event.row, event.col)))
        case DiceRolled():
            return replace(state, dice=event.dice)
        case PieceMoved():
            return with_piece_moved(state, event)
        case PiecesPlaced():
            return with_pieces_placed(state, event)
        case WordSpelled():
            return with_word_lifted(state, event, at_ns)
        case WordStruck():
            return without_word(state, event)
    return state


def without_word(state: MartianBoggleState, gone: WordStruck) -> MartianBoggleState:
    """Return the state without a word."""
    word = next(one for one in state.words_of(gone.seat) if one.word == gone.word)
    left = list(state.spelled)
    left.remove(word)
    return replace(state, spelled=tuple(left))


def with_letters(
    state: MartianBoggleState, letters: dict[Cell, str] | dict[Cell, None]
) -> MartianBoggleState:
    """Return the state with the letters of some squares changed."""
    changed = tuple(letters.get(square, old) for square, old in zip(SQUARES, state.letters, strict=True))
    return replace(state, letters=changed)


def with_pieces(state: MartianBoggleState, seat: int, squares: tuple[Cell, ...]) -> MartianBoggleState:
    """Return the state with one seat's pieces moved; the board must be seen again."""
    pieces = tuple(squares if n == seat else old for n, old in enumerate(state.pieces, 1))
    return replace(state, pieces=pieces, fresh=False)


def with_pieces_placed(state: MartianBoggleState, found: PiecesPlaced) -> MartianBoggleState:
    """Return the state with a player's pieces as ruled; moved pieces get their steps back."""
    state = with_pieces(state, found.seat, found.squares)
    standing = {square for pieces in state.pieces for square in pieces}
    return replace(state, walked=tuple(one for one in state.walked if one[0] in standing))


def with_piece_moved(state: MartianBoggleState, move: PieceMoved) -> MartianBoggleState:
    """Return the state with a piece moved and its steps counted."""
    squares = tuple(move.goal if one == move.start else one for one in state.pieces[move.seat - 1])
    begun = state.begun if move.seat in state.begun else (*state.begun, move.seat)
    return replace(with_pieces(state, move.seat, squares), begun=begun, walked=steps_with(state, move))


def steps_with(state: MartianBoggleState, move: PieceMoved) -> tuple[tuple[Cell, int], ...]:
    """Return the pieces moved in this turn with their steps, including one more move."""
    before = dict(state.walked)
    count = before.pop(move.start, 0) + move.steps
    return (*before.items(), (move.goal, count))


def with_word_lifted(state: MartianBoggleState, word: WordSpelled, at_ns: int) -> MartianBoggleState:
    """Return the state with unseen new tiles under the pieces of a word."""
    squares = word.squares
    swaps = tuple(Swap(one, word.seat, at_ns) for one in squares)
    state = with_letters(state, dict.fromkeys(squares))
    return replace(
        state,
        swaps=(*(one for one in state.swaps if one.square not in squares), *swaps),
        disputed=tuple(one for one in state.disputed if one not in squares),
        tile_readings=tuple(one for one in state.tile_readings if one.cell not in squares),
        spelled=(*state.spelled, word),
        fresh=False,
    )


def with_camera_readings(before: MartianBoggleState, now: MartianBoggleState) -> MartianBoggleState:
    """Return the state before a ruling, with the camera's readings since then but not the referee's."""
    ruled = {one.cell for one in set(now.tile_readings) - set(before.tile_readings)}
    letters = tuple(
        old if square in ruled else new
        for square, old, new in zip(SQUARES, before.letters, now.letters, strict=True)
    )
    disputed = (
        *(one for one in now.disputed if one not in ruled),
        *(one for one in before.disputed if one in ruled),
    )
    swaps = (
        *(one for one in now.swaps if one.square not in ruled),
        *(one for one in before.swaps if one.square in ruled),
    )
    return replace(before, letters=letters, disputed=disputed, free=now.free, swaps=swaps, fresh=now.fresh)


def after(state: MartianBoggleState, events: Sequence[ev.Event], at_ns: int = 0) -> MartianBoggleState:
    """Return the state after events that are not in the log yet."""
    return after_events(evolve, state, events, at_ns)
