"""A bot that plays Martian Boggle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from companion.bots.player import HAND_AWAY_S, GameSettings, Player
from companion.config.table import BoardConfig
from companion.model.grid import Place
from companion.model.sightings import Cell
from companion.model.tiles import tile_set
from companion.rules import event as ev
from companion.rules.martian_boggle.sight import needs_reading
from companion.rules.martian_boggle.values import LettersUnseen, MartianBoggleState
from companion.rules.state import State

SIDE = FIVE = 5
SQUARES = tuple((row, col) for row in range(SIDE) for col in range(SIDE))
GROUP_SIZE_FACTORS = {5: 3, 4: 2}
FIVE_WORDS_BONUS_POINTS = 5

SHOW_LETTERS_S = 1.8
"""Seconds for which new letters are uncovered before the pyramids are put back."""

Moves = tuple[tuple[Place, Place], ...]


class MartianPlayer(Player):
    """A bot at Martian Boggle."""

    game = "martian_boggle"
    settings = GameSettings(
        2, 2, 2, tile_set="scrabble-en", board=BoardConfig("volcano", colours=("red", "blue")), most_calls=8
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        fives = [word for word in self.vocabulary.words if len(word) == FIVE]
        self.words: dict[str, list[str]] = {}
        for word in fives:
            self.words.setdefault("".join(sorted(word)), []).append(word)
        self.four_letter_counts = Counter(
            "".join(four) for word in self.words for four in set(combinations(word, 4))
        )
        self.spelt: list[tuple[str, int]] = []
        self.first = False
        self._on_turn = self._rolled = False
        self._dice = (0, 0)
        self._todo: list[tuple[str, dict[str, Any]]] = []
        self._opponent_words = 0
        self._showing_squares: list[Place] = []

    def unread_cells(self, state: State, seat: int) -> list[Cell]:
        """Return the squares under a seat's pyramids whose letters are in doubt."""
        if not isinstance(state, MartianBoggleState) or not seat:
            return []
        return [at for at in sorted(state.pieces[seat - 1]) if needs_reading(state, at)]

    def on_event(self, event: ev.Event) -> None:
        """Take in one event."""
        super().on_event(event)
        match event:
            case ev.RoundStarted(turn=int(turn)) | ev.TurnPassed(seat=turn):
                self._on_turn, self._rolled, self._todo = turn == self.number, False, []
            case ev.CallAccepted() if event.seat == self.number:
                self._accepted(event)
            case ev.CallAccepted(call="word"):
                self._opponent_words += 1
            case LettersUnseen(seat=self.number):
                self._show_letters(event.squares)
            case _:
                return

    def _accepted(self, event: ev.CallAccepted) -> None:
        """Continue after an own call was accepted."""
        self._todo = self._todo[1:]
        if event.call == "roll":
            self._rolled = True
            self._plan_moves()
        elif event.call == "word":
            word = str(event.details["word"]).upper()
            squares = set(self.seat.pieces)
            self.spelt.append((word, word_value(word) * GROUP_SIZE_FACTORS.get(largest_group(squares), 1)))
            self.first = self.first or (len(self.spelt) == FIVE and self._opponent_words < FIVE)
            self._take_word(word)

    def _show_letters(self, squares: Sequence[Place]) -> None:
        """Lift the pyramids from letters that the camera has not seen, to show them.

        A letter whose pyramid has moved on since it was asked for, or is lifted already, shows.
        """
        shown = self._showing_squares
        hidden = [square for square in squares if square in self.seat.pieces and square not in shown]
        for number, square in enumerate(hidden, len(shown)):
            self.seat.lift_pyramid(square, (number - 2) * 1.9, -self.seat.depth / 2 + 0.6)
        if hidden:
            self._showing_squares, self.hand_away_s = [*shown, *hidden], SHOW_LETTERS_S

    def on_draw(self, many: int) -> None:
        """Do nothing: the letters of a word are replaced when it is taken."""

    def on_refused(self, _event: ev.CallRefused) -> None:
        """Drop the planned call at every fourth refusal; moved pyramids stay where they are."""
        self._todo = self._todo[1:] if len(self.refusals) % 4 == 0 else self._todo

    def take_turn(self, now_ns: int) -> None:
        """Put pyramids back after new letters were shown, else make the next call of the turn."""
        if self._showing_squares:
            for square in self._showing_squares:
                self.seat.put_back_pyramid(square)
            self._showing_squares, self.hand_away_s = [], HAND_AWAY_S
        elif self.playing and self._on_turn and self.seat.all_idle:
            self._call_next(now_ns)

    def _call_next(self, now_ns: int) -> None:
        """Make the next call of the turn."""
        if self._todo:
            call, details = self._todo[0]
            if call == "move" and (start := tuple(details["from"])) in self.seat.pieces:
                self.seat.move_pyramid(start, tuple(details["to"]))
                return
            self.seat.call_by_phone(call, details)
        elif self._rolled and self.rng.random() < self.behaviour.bold:
            self.seat.call_by_phone("word", {"word": self.rng.choice(self.vocabulary.words)[:FIVE]})
        elif word := self._word(self.seat.pieces):
            self.seat.call_by_phone("word", {"word": word})
        elif self._rolled:
            self.seat.call_by_button("end_turn")
        else:
            self._dice = self.rng.randint(1, 4), self.rng.randint(1, 4)
            self.seat.call_by_phone("roll", {"dice": list(self._dice)})
        self.wait(now_ns, self.behaviour.think_s)

    def _plan_moves(self) -> None:
        """Plan the legal moves with the best position."""
        pieces, others = list(self.seat.pieces), set(self.seat.opponent_pieces)
        best: tuple[float, Moves] = (-1.0, ())
        for moves in legal_moves(pieces, others, self._dice):
            then = {*pieces} - {start for start, _ in moves} | {goal for _, goal in moves}
            if len(then) == FIVE and (value := self._position_value(then)) > best[0]:
                best = value, moves
        self._todo = [("move", {"from": list(start), "to": list(goal)}) for start, goal in best[1]]

    def _position_value(self, squares: set[Place]) -> float:
        """Return the value of a position: a word with its score is best, then near words by their number."""
        letters = "".join(sorted(self._letters(squares)))
        if word := self._word(squares):
            return 1000.0 + word_value(word) * GROUP_SIZE_FACTORS.get(largest_group(squares), 1)
        return (
            sum(self.four_letter_counts["".join(four)] for four in set(combinations(letters, 4)))
            + self.rng.random()
        )

    def _letters(self, squares: Any) -> list[str]:
        return [self.seat.symbol(self.seat.board[square]) for square in squares]

    def _word(self, squares: Any) -> str | None:
        """Return a word of the letters on five squares that the bot has not spelt yet, or ``None``."""
        known = self.words.get("".join(sorted(self._letters(squares))), [])
        return next((word for word in known if word not in {one for one, _ in self.spelt}), None)

    def _take_word(self, word: str) -> None:
        """Lift the pyramids, lay out the word's tiles in the own area, and put new tiles on its squares."""
        squares = list(self.seat.pieces)
        row, col = divmod(len(self.spelt) - 1, 2)
        left, down = (col - 0.5) * 6.2 - 2.1, row * 1.5 - 0.7
        for number, square in enumerate(squares):
            self.seat.lift_pyramid(square, (number - 2) * 1.9, -self.seat.depth / 2 + 0.6)
        wanted = list(enumerate(word))
        for square in squares:
            tile = self.seat.board[square]
            at = next(one for one in wanted if one[1] == self.seat.symbol(tile))
            wanted.remove(at)
            self.seat.place_tile(tile, left + 1.04 * at[0], down)
            for new in self.seat.draw_tiles(1):
                self.seat.board[square] = new
                self.seat.place_on_board(new, *square)
        self._showing_squares, self.hand_away_s = squares, SHOW_LETTERS_S

    def own_score(self) -> float:
        """Return the points by the bot's own count."""
        return float(sum(points for _, points in self.spelt) + FIVE_WORDS_BONUS_POINTS * self.first)


def word_value(word: str) -> int:
    """Return the sum of the letters' values of a word."""
    return sum(tile_set("scrabble-en").values[letter] for letter in word)


def neighbours(square: Place) -> Iterator[Place]:
    """Yield the squares next to a square, diagonal ones included."""
    for row, col in SQUARES:
        if max(abs(row - square[0]), abs(col - square[1])) == 1:
            yield row, col


def largest_group(squares: set[Place]) -> int:
    """Return the size of the largest connected group of squares, diagonals included."""
    left, best = set(squares), 0
    while left:
        edge, size = [left.pop()], 0
        while edge:
            size += 1
            near = left & set(neighbours(edge.pop()))
            left -= near
            edge += near
        best = max(best, size)
    return best


def reachable(start: Place, taken: set[Place], steps: int) -> Mapping[Place, int]:
    """Return the squares that a piece can reach within some steps, past no other piece, with their steps."""
    found, edge = {start: 0}, [start]
    for step in range(1, steps + 1):
        edge = [there for here in edge for there in neighbours(here) if there not in taken | found.keys()]
        found |= dict.fromkeys(edge, step)
    return {square: step for square, step in found.items() if step}


def legal_moves(pieces: list[Place], others: set[Place], dice: tuple[int, int]) -> Iterator[Moves]:
    """Yield the moves that a roll allows: none, one piece by both dice, or two pieces by one die each."""
    yield ()
    taken = {*pieces, *others}
    for piece in pieces:
        for goal in reachable(piece, taken, sum(dice)):
            yield ((piece, goal),)
    for one, other in permutations(pieces, 2):
        for goal in reachable(one, taken, dice[0]):
            for end in reachable(other, taken - {one} | {goal}, dice[1]):
                yield ((one, goal), (other, end))
